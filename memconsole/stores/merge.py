"""One transcript out of two: a database, and a file of the same session beside it (A1).

The database is the source. The file only adds what the database lacks, as after an import that
passed over some lines. Each keeps its own order; between the two, time decides.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from memconsole.domain.transcript import EntryKind
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memconsole.domain.transcript import Entry

Signature: TypeAlias = tuple[EntryKind, str | None, datetime | None, str]
"""What tells an entry without an id from others: kind, role, time, text."""


@dataclass(slots=True)
class Known:
    """What the database has.

    Attributes:
        ids: Ids of its entries.
        nameless: How many it has of each that carries no id; used up by what is passed over.
    """

    ids: frozenset[str] = frozenset()
    nameless: Counter[Signature] = field(default_factory=Counter)

    def take(self, entry: Entry) -> bool:
        """Tell whether the database has this entry of the file, counting it off."""
        if entry.kind is EntryKind.SESSION:
            return True
        if entry.id is not None:
            return entry.id in self.ids
        mark = signature(entry)
        if self.nameless[mark] <= 0:
            return False
        self.nameless[mark] -= 1
        return True


def known_of(ids: Iterable[str], others: Iterable[Entry]) -> Known:
    """Gather what a database has.

    Args:
        ids: Ids that it has in a table.
        others: All its other entries, with or without an id.
    """
    found = set(ids)
    nameless: Counter[Signature] = Counter()
    for entry in others:
        if entry.id is None:
            nameless[signature(entry)] += 1
        else:
            found.add(entry.id)
    return Known(frozenset(found), nameless)


def signature(entry: Entry) -> Signature:
    """Return what identifies an entry that carries no id."""
    return entry.kind, entry.role, entry.at, entry.text


def merged(
    stored: Iterable[Entry],
    filed: Iterable[Entry],
    known: Callable[[], Known],
    *,
    is_backward: bool,
) -> Iterator[Entry]:
    """Yield the entries of the database, and those of the file that it lacks in between.

    Args:
        stored: Entries of the database.
        filed: Entries of the file, in the same direction.
        known: Says what the database has; asked once, and only when the file's turn comes.
        is_backward: Both come newest first.
    """
    database, file = _Stream(stored), _Stream(filed)
    has: Known | None = None
    while True:
        ours, theirs = database.head(), file.head()
        if theirs is None:
            if ours is None:
                return
            yield database.take()
        elif ours is not None and not _is_next(theirs, ours, is_backward=is_backward):
            yield database.take()
        else:
            has = has or known()
            entry = file.take()
            if not has.take(entry):
                yield entry


_EARLIEST = datetime.min.replace(tzinfo=UTC)


def _is_next(file_at: datetime, database_at: datetime, *, is_backward: bool) -> bool:
    """Whether the file's head comes before the database's, which is first at the same time."""
    return file_at > database_at if is_backward else file_at < database_at


class _Stream:
    """Entries with a look ahead; one without a time is as old as the one before it."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = iter(entries)
        self._ahead: Entry | None = None
        self._at = _EARLIEST

    def head(self) -> datetime | None:
        """Return the time of the next entry; None when there is none."""
        if self._ahead is None:
            self._ahead = next(self._entries, None)
            if self._ahead is not None and self._ahead.at is not None:
                self._at = self._ahead.at
        return None if self._ahead is None else self._at

    def take(self) -> Entry:
        """Return the next entry; `head` has found one."""
        entry, self._ahead = self._ahead, None
        assert entry is not None
        return entry
