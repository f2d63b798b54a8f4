"""Draws lines that capture wrote, to be read and judged: `… -m benchmarks.capture_sample SEED N`.

What is printed is for reading only. The files of labels hold what was decided: places and hashes,
no words (the conversations' licence).
"""

from __future__ import annotations

import random
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.capture_home import Captured, hash_of
from benchmarks.capture_talks import conversations
from benchmarks.search import LOCOMO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.capture_talks import Conversation, Turn
    from memconsole.domain.memory.observations import Observation, ObservationLog


@dataclass(frozen=True)
class Written:
    """One line of observations.md and the turn that it was made of."""

    talk: Conversation
    turn: Turn
    line: Observation

    @property
    def hash(self) -> str:
        """What labels know of the line."""
        return hash_of(self.line)

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Session, turn, and the hashes of turn and line: what a label names."""
        return self.turn.session, self.turn.id, self.turn.hash, self.hash


def written(talk: Conversation, log: ObservationLog) -> Iterator[Written]:
    """Yield every line of a log with its turn."""
    turns = {(turn.session[:8], turn.position): turn for turn in talk.turns}
    for line in log.observations:
        session, _, position = (line.source or "").partition("/")[2].partition("#")
        yield Written(talk, turns[session, int(position)], line)


def draw(lines: Sequence[Written], seed: int, number: int) -> list[Written]:
    """Return a sample, in the order in which it was drawn."""
    return random.Random(seed).sample(lines, number)


def main() -> int:
    """Print a sample with what stands around each line."""
    seed, count = map(int, sys.argv[1:3])
    lines: list[Written] = []
    for talk in conversations(LOCOMO):
        with tempfile.TemporaryDirectory(prefix="memconsole-capture-") as place:
            lines += written(talk, Captured(talk, Path(place)).observed)
    for number, one in enumerate(draw(lines, seed, count)):
        before = one.talk.turns[one.talk.turns.index(one.turn) - 1]
        print(f"{number} {one.talk.name} {' '.join(one.place)}")
        print(f"  before  {before.text}\n  turn    {one.turn.day} {one.turn.text}")
        print(f"  line    {one.line.text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
