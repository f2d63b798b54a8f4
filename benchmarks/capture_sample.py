"""Draws lines that capture wrote, to be read and judged: `… -m benchmarks.capture_sample SEED N M`.

N of the conversations that no file of labels has yet, and M of homes, shuffled.

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
from benchmarks.capture_homes import home_lines
from benchmarks.capture_precision import judged_before
from benchmarks.capture_talks import conversations
from benchmarks.search import LOCOMO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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


def draw(
    lines: Sequence[Written], of_homes: Iterable[tuple[str, Observation]], seed: int, *sizes: int
) -> list[Written | tuple[str, Observation]]:
    """Return a sample of lines that nobody judged yet, shuffled.

    Args:
        lines: Of the conversations.
        of_homes: Of homes, with their names; the same words twice are drawn once.
        seed: Of the order.
        sizes: How many of both.
    """
    judged = judged_before()
    fresh = [one for one in lines if one.hash not in judged]
    distinct: dict[str, tuple[str, Observation]] = {}
    for name, line in of_homes:
        if hash_of(line) not in judged:
            distinct.setdefault(hash_of(line), (name, line))
    order = random.Random(seed)
    drawn: list[Written | tuple[str, Observation]] = []
    drawn += order.sample(fresh, sizes[0])
    drawn += order.sample(list(distinct.values()), sizes[1])
    order.shuffle(drawn)
    return drawn


def main() -> int:
    """Print a sample with what stands around each line."""
    seed, *sizes = map(int, sys.argv[1:4])
    lines: list[Written] = []
    for talk in conversations(LOCOMO):
        with tempfile.TemporaryDirectory(prefix="memconsole-capture-") as place:
            lines += written(talk, Captured(talk, Path(place)).observed)
    for number, one in enumerate(draw(lines, home_lines(), seed, *sizes)):
        if isinstance(one, tuple):
            name, line = one
            print(f"{number} {name} {line.source} {hash_of(line)}\n  line    {line.text}\n")
            continue
        before = one.talk.turns[one.talk.turns.index(one.turn) - 1]
        print(f"{number} {one.talk.name} {' '.join(one.place)}")
        print(f"  before  {before.text}\n  turn    {one.turn.day} {one.turn.text}")
        print(f"  line    {one.line.text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
