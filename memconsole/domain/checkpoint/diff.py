"""Compares what two checkpoints of an agent saved.

The lines above the first section say when, of which session and how many messages; they differ each
time, so they are shown, and do not count as a change.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Side(StrEnum):
    """In which of two checkpoints a line stands, by the sign that shows it."""

    BOTH = " "
    OLDER = "-"
    NEWER = "+"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of two checkpoints beside each other."""

    side: Side
    text: str

    @property
    def counts(self) -> bool:
        """Whether it is a change of what was saved, not of when or how."""
        return self.side is not Side.BOTH and bool(self.text) and self.text[0] not in "#>"


@dataclass(frozen=True, slots=True)
class CheckpointDiff:
    """Two checkpoints as one text; in its order, what is gone stands before what came."""

    lines: tuple[DiffLine, ...]

    @property
    def added(self) -> int:
        """Lines that only the newer one has."""
        return sum(line.counts and line.side is Side.NEWER for line in self.lines)

    @property
    def removed(self) -> int:
        """Lines that only the older one has."""
        return sum(line.counts and line.side is Side.OLDER for line in self.lines)


def compare(older: str, newer: str) -> CheckpointDiff:
    """Return what changed between two rendered checkpoints."""
    return CheckpointDiff(tuple(_compared(older.splitlines(), newer.splitlines())))


def _compared(older: Sequence[str], newer: Sequence[str]) -> Iterator[DiffLine]:
    matcher = SequenceMatcher(None, older, newer, autojunk=False)
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if kind == "equal":
            yield from (DiffLine(Side.BOTH, line) for line in older[old_from:old_to])
            continue
        yield from (DiffLine(Side.OLDER, line) for line in older[old_from:old_to])
        yield from (DiffLine(Side.NEWER, line) for line in newer[new_from:new_to])
