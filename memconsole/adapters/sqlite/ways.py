"""The ways into a database of somebody else, and which one leaves nothing behind.

Measured: on a cleanly closed database in WAL mode `mode=ro` creates `-wal` and `-shm` and leaves
them, and it changes the mode of an empty `-wal`. So the way in depends on what lies beside:

| beside it | way |
|---|---|
| no `-wal`, or an empty one | `immutable=1`, then a look whether anything changed |
| `-wal` and `-shm` | `mode=ro`, else a private copy |
| `-wal` alone | a private copy |
| a rollback journal | `mode=ro`, else a private copy, in which SQLite undoes what was cut off |
"""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Protocol

from memconsole.adapters.sqlite.choice import connect, library
from memconsole.adapters.sqlite.stamp import stamp_of
from memconsole.errors import StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.sqlite.stamp import Stamp

_IN_PLACE, _UNCHANGING, _COPY = "mode=ro", "mode=ro&immutable=1", "copy"

_READING, _ALLOWED, _REFUSED = 20, 0, 1
_CREDENTIALS = ("auth_profile", "device_identit", "device_pairing", "device_auth")
"""How tables with keys and tokens begin; a statement that names one is refused."""

_TEXT = partial(str, encoding="utf-8", errors="replace")
"""Makes text of bytes; called for every value, so no function of ours."""

_REASONS = {
    5: "is locked by another program",
    6: "is locked by another program",
    8: "cannot be read without writing beside it",
    11: "is damaged",
    14: "cannot be opened",
    23: "may not be read",
    26: "is not an SQLite database",
}
"""Sentence by SQLite's primary result code."""


class BusyDatabaseError(StoreError):
    """Somebody else kept it locked for as long as we waited."""


class DamagedDatabaseError(StoreError):
    """It makes no sense as a database: damage, or a write that was seen half."""


class _ClosedWayError(StoreError):
    """This way in is closed; another may be open."""


_KINDS: dict[int, type[StoreError]] = {
    **dict.fromkeys((5, 6), BusyDatabaseError),
    **dict.fromkeys((8, 10, 14, 15), _ClosedWayError),
    **dict.fromkeys((11, 26), DamagedDatabaseError),
}


class Copies(Protocol):
    """Makes private copies of databases that cannot be read in place."""

    def lease(self, main: Path) -> AbstractContextManager[Path]:
        """Give a copy of database and log for the block.

        Raises:
            StoreError: It is too big, does not hold still, or there is no room.
        """


@dataclass(frozen=True, slots=True)
class Entrance:
    """One open way in.

    Attributes:
        main: The database, links followed.
        stamp: Its state when it was opened.
        memo: What readings remember for the next one of the same connection.
    """

    main: Path
    connection: Connection
    stamp: Stamp
    way: str
    memo: dict[str, object] = field(default_factory=dict)

    @property
    def is_trusting(self) -> bool:
        """Whether it was opened as a file that nobody writes."""
        return self.way == _UNCHANGING

    def is_good_for(self, stamp: Stamp) -> bool:
        """Whether it may still be used now that the database is in this state."""
        if self.way == _IN_PLACE:
            is_same_file = stamp.main[0] == self.stamp.main[0]
            return is_same_file and _ways(stamp, is_restless=False)[0] == _IN_PLACE
        return stamp == self.stamp


@contextmanager
def enter(main: Path, stamp: Stamp, copies: Copies, *, is_restless: bool) -> Iterator[Entrance]:
    """Open a database by the first way that is open.

    Args:
        main: The database, links followed.
        stamp: Its state now.
        copies: Makes a copy where it cannot be read in place.
        is_restless: It changed under earlier readings: no way that trusts it not to.

    Raises:
        StoreError: It cannot be read, and why.
    """
    ways = _ways(stamp, is_restless=is_restless)
    with ExitStack() as stack:
        for way in ways:
            try:
                connection = stack.enter_context(_way_in(main, way, copies))
            except _ClosedWayError:
                if way == ways[-1]:
                    raise
                continue
            yield Entrance(main, connection, stamp, way)
            return


def has_changed(main: Path, before: Stamp) -> bool:
    """Tell whether a database was written since it was in this state."""
    try:
        return stamp_of(main) != before
    except StoreError:
        return True


def as_store_error(path: Path, error: Exception) -> StoreError:
    """Return the library's exception as a sentence about the database."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else 0
    sentence = _REASONS.get(primary, f"cannot be read: {error}")
    kind = _KINDS.get(primary, StoreError)
    return kind(
        one_line(f"{path} {sentence}"),
        hint="memconsole only reads it; `openclaw doctor` is the platform's own check.",
    )


def _ways(stamp: Stamp, *, is_restless: bool) -> tuple[str, ...]:
    if stamp.journal is not None or (stamp.wal is not None and stamp.has_shm):
        return (_IN_PLACE, _COPY)
    return (_COPY,) if stamp.wal is not None or is_restless else (_UNCHANGING,)


@contextmanager
def _way_in(main: Path, way: str, copies: Copies) -> Iterator[Connection]:
    if way != _COPY:
        with _opened(main, way, main) as connection:
            yield connection
        return
    with copies.lease(main) as copy, _opened(copy, "mode=rw", main) as connection:
        yield connection


@contextmanager
def _opened(path: Path, options: str, shown: Path) -> Iterator[Connection]:
    """Open and ask once, so that a database which cannot answer fails here and not later."""
    try:
        connection = connect(path, options)
    except library().error as error:
        raise as_store_error(shown, error) from error
    with closing(connection):
        try:
            connection.text_factory = _TEXT
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
            connection.set_authorizer(_authorize)
        except library().error as error:
            raise as_store_error(shown, error) from error
        yield connection


def _authorize(
    action: int, table: str | None, _column: str | None, _database: str | None, _by: str | None
) -> int:
    if action == _READING and table is not None and table.lower().startswith(_CREDENTIALS):
        return _REFUSED
    return _ALLOWED
