"""Tells which records of a transcript lie on its active branch.

A transcript is a tree in the order it was written: `parentId` points back. The newest record, or
the target of the newest `leaf` record, is the tip; its ancestors are what the model is given.
Records are judged newest first and one at a time, so that a tail needs no whole file.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memconsole.domain.transcripts.records import EntryKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.transcripts.records import Entry

_OUTSIDE_THE_TREE = (EntryKind.SESSION, EntryKind.IN_PROGRESS)


def active_flags(entries: Sequence[Entry]) -> tuple[list[bool], bool]:
    """Return for each record of a whole transcript whether it is on the path, and if it has a gap.

    Args:
        entries: All records, oldest first.
    """
    path = ActivePath()
    flags = [False] * len(entries)
    last_taken = len(entries)
    for index in range(len(entries) - 1, -1, -1):
        flags[index] = path.offer(entries[index])
        if path.last_taken == (entries[index].position, entries[index].id):
            last_taken = index
    if path.is_lost:
        path.resume()
        for index in range(last_taken - 1, -1, -1):
            if path.can_take(entries[index]):
                flags[index] = path.offer(entries[index])
    return flags, path.has_gap


class ActivePath:
    """Walks from the tip to the root while records come in, newest first.

    Records without an id know no branches: they always belong (chained by order). A record without
    `parentId` (1.24 wrote those) is followed by whatever came before it. A parent that never comes
    makes the walk `is_lost`; `resume` then goes on with the records before the last taken one.

    Attributes:
        has_gap: The chain was broken at least once and held together by order.
        saw_damage: A damaged record without a readable id was passed while a parent was sought.
        last_taken: (position, id) of the last record that the walk went through.
    """

    def __init__(self) -> None:
        self.has_gap = False
        self.saw_damage = False
        self.last_taken: tuple[int, str] | None = None
        self._takes_next = True
        self._sought: str | None = None
        self._passed: Counter[str] = Counter()
        self._older: Counter[str] | None = None
        self._is_broken = False

    @property
    def is_lost(self) -> bool:
        """Whether a parent is sought and records that could be it were passed."""
        return self._sought is not None and bool(self._passed)

    def offer(self, entry: Entry) -> bool:
        """Return whether the record lies on the active path.

        Args:
            entry: The next older record.
        """
        if entry.kind in _OUTSIDE_THE_TREE:
            return True
        if entry.kind is EntryKind.LEAF:
            self._move_tip(entry)
            return True
        if entry.id is None:
            self.saw_damage |= entry.kind is EntryKind.DAMAGED and self._sought is not None
            return True
        if self._older is not None:
            self._older[entry.id] -= 1
        if not self._takes_next and entry.id != self._sought:
            if self._sought is not None:
                self._passed[entry.id] += 1
            return False
        self._take(entry, entry.id)
        return True

    @staticmethod
    def can_take(entry: Entry) -> bool:
        """Whether a record is worth offering again: others were judged for good."""
        return entry.id is not None and entry.kind not in (*_OUTSIDE_THE_TREE, EntryKind.LEAF)

    def resume(self) -> None:
        """Go on by order: the parent does not exist.

        Offer the records before the last taken one again; parents among them are found, others
        are known to be missing.
        """
        self._older = self._passed.copy()
        self._break()

    def _take(self, entry: Entry, entry_id: str) -> None:
        self.has_gap |= self._is_broken
        self.last_taken = (entry.position, entry_id)
        self._is_broken = False
        self._passed.clear()
        self._takes_next = False
        self._sought = entry.parent_id
        if entry.parent_id is None:
            if not entry.has_parent:
                self._break()
        elif entry.parent_id == entry_id or self._is_missing(entry.parent_id):
            self._break()

    def _is_missing(self, parent_id: str) -> bool:
        return self._older is not None and self._older[parent_id] <= 0

    def _break(self) -> None:
        self._is_broken = True
        self._takes_next = True
        self._sought = None
        self._passed.clear()

    def _move_tip(self, leaf: Entry) -> None:
        """Follow a `leaf` record, if it is the newest record or stands where the chain broke."""
        is_tip = self._takes_next or (leaf.id is not None and leaf.id == self._sought)
        if is_tip and leaf.target_id is not None:
            self._takes_next = False
            self._sought = leaf.target_id
