"""Databases of others, read without leaving anything behind (A4).

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

import os
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from memconsole.domain.plain import one_line
from memconsole.errors import StoreError
from memconsole.sqlite.choice import connect, library
from memconsole.sqlite.stamp import Stamp, stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from memconsole.sqlite.choice import Connection, Parameters, Row

T = TypeVar("T")

_READING, _ALLOWED, _REFUSED = 20, 0, 1
_CREDENTIALS = ("auth_profile", "device_identit", "device_pairing", "device_auth")
"""How tables with keys and tokens begin; a statement that names one is refused (A4)."""

_UNCHANGING = "mode=ro&immutable=1"
_STEADY_ATTEMPTS = 3
"""Readings that may find the database changed under them before a copy is made."""

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


class DatabaseChangedError(StoreError):
    """Somebody wrote the database while it was read as unchanging; what was read is void."""

    def __init__(self, path: Path) -> None:
        super().__init__(one_line(f"{path} changed while it was read"), hint="Try again.")


class Copies(Protocol):
    """Makes private copies of databases that cannot be read in place."""

    def lease(self, main: Path) -> AbstractContextManager[Path]:
        """Give a copy of database and log for the block.

        Raises:
            StoreError: It is too big, does not hold still, or there is no room.
        """


class ReadOnlyDatabase:
    """One open database of somebody else's; its errors come as `StoreError`."""

    def __init__(self, connection: Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    def rows(self, sql: str, parameters: Parameters = ()) -> Iterator[Row]:
        """Yield the rows of one query.

        Raises:
            StoreError: The database is locked, damaged or not what the query expects.
        """
        try:
            yield from self._connection.execute(sql, parameters)
        except library().error as error:
            raise _as_store_error(self.path, error) from error

    def first(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """Return the first row of one query, None when there is none; errors as `rows`."""
        return next(self.rows(sql, parameters), None)

    def columns(self, table: str) -> frozenset[str]:
        """Return the columns of an ordinary table; none for a view, or when it is missing."""
        kind = self.first(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? "
            "AND sql NOT LIKE 'CREATE VIRTUAL %'",
            (table,),
        )
        if kind is None:
            return frozenset()
        found = self.rows("SELECT name FROM pragma_table_info(?)", (table,))
        return frozenset(str(name) for (name,) in found)

    @property
    def user_version(self) -> int:
        """The number that the owner of the database keeps in its header."""
        row = self.first("PRAGMA user_version")
        return row[0] if row is not None and isinstance(row[0], int) else 0


@contextmanager
def open_platform(
    path: Path, copies: Copies, *, is_restless: bool = False
) -> Iterator[ReadOnlyDatabase]:
    """Open a database of the platform for one short reading.

    Args:
        path: The database; links are followed.
        copies: Makes a copy where it cannot be read in place.
        is_restless: It changed under earlier readings: read a copy.

    Raises:
        DatabaseChangedError: It was written meanwhile; nothing that was read counts.
        StoreError: It cannot be read, and why.
    """
    main = Path(os.path.realpath(path))
    stamp = stamp_of(main)
    with _open(main, stamp, copies, is_restless=is_restless) as (connection, is_steady):
        try:
            yield ReadOnlyDatabase(connection, path)
        except StoreError as error:
            if is_steady and _has_changed(main, stamp):
                raise DatabaseChangedError(path) from error
            raise
        if is_steady and _has_changed(main, stamp):
            raise DatabaseChangedError(path)


def read_platform(path: Path, read: Callable[[ReadOnlyDatabase], T], copies: Copies) -> T:
    """Open a database of the platform, run one reading, and start over when it changed.

    Args:
        path: The database.
        read: Reads all it needs and keeps nothing of the database; may run several times.
        copies: Makes a copy where it cannot be read in place.

    Raises:
        StoreError: It cannot be read, and why.
    """
    for _ in range(_STEADY_ATTEMPTS):
        with suppress(DatabaseChangedError), open_platform(path, copies) as database:
            return read(database)
    with open_platform(path, copies, is_restless=True) as database:
        return read(database)


def _has_changed(main: Path, before: Stamp) -> bool:
    try:
        after = stamp_of(main)
    except StoreError:
        return True
    return (after.main, after.wal, after.journal) != (before.main, None, None)


@contextmanager
def _open(
    main: Path, stamp: Stamp, copies: Copies, *, is_restless: bool
) -> Iterator[tuple[Connection, bool]]:
    """Give a connection that answers, and whether it trusts the file not to change."""
    ways = _ways(stamp, is_restless=is_restless)
    with ExitStack() as stack:
        for way in ways:
            try:
                connection = stack.enter_context(_way_in(main, way, copies))
            except _CannotOpenError:
                if way == ways[-1]:
                    raise
                continue
            yield connection, way == _UNCHANGING
            return


def _ways(stamp: Stamp, *, is_restless: bool) -> tuple[str, ...]:
    if stamp.journal is not None or (stamp.wal is not None and stamp.has_shm):
        return ("mode=ro", "copy")
    return ("copy",) if stamp.wal is not None or is_restless else (_UNCHANGING,)


@contextmanager
def _way_in(main: Path, way: str, copies: Copies) -> Iterator[Connection]:
    if way != "copy":
        with _opened(main, way, main) as connection:
            yield connection
        return
    with copies.lease(main) as copy, _opened(copy, "mode=rw", main) as connection:
        yield connection


class _CannotOpenError(StoreError):
    """This way in is closed; another may be open."""


@contextmanager
def _opened(path: Path, options: str, shown: Path) -> Iterator[Connection]:
    """Open and ask once, so that a database which cannot answer fails here and not later."""
    try:
        connection = connect(path, options)
    except library().error as error:
        raise _as_store_error(shown, error) from error
    with closing(connection):
        try:
            _prepare(connection)
        except library().error as error:
            raise _as_store_error(shown, error) from error
        yield connection


def _prepare(connection: Connection) -> None:
    connection.text_factory = _decode
    connection.set_authorizer(_authorize)
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("BEGIN")  # one state of the database for the whole reading
    connection.execute("SELECT count(*) FROM sqlite_master").fetchall()


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _authorize(
    action: int, table: str | None, _column: str | None, _database: str | None, _by: str | None
) -> int:
    if action == _READING and table is not None and table.lower().startswith(_CREDENTIALS):
        return _REFUSED
    return _ALLOWED


def _as_store_error(path: Path, error: Exception) -> StoreError:
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    sentence = _REASONS.get(primary or 0, f"cannot be read: {error}")
    message = one_line(f"{path} {sentence}")
    hint = "memconsole only reads it; `openclaw doctor` is the platform's own check."
    if primary in {8, 10, 14, 15}:
        return _CannotOpenError(message, hint)
    return StoreError(message, hint)
