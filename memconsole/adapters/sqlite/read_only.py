"""Databases of others, read without leaving anything behind (`adapters.sqlite.ways` for how)."""

from __future__ import annotations

import os
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memconsole.adapters.sqlite.choice import library, open_blob
from memconsole.adapters.sqlite.own import CACHE_SIZE
from memconsole.adapters.sqlite.stamp import stamp_of
from memconsole.adapters.sqlite.ways import (
    BusyDatabaseError,
    DamagedDatabaseError,
    as_store_error,
    enter,
    has_changed,
)
from memconsole.errors import StoreError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.adapters.sqlite.choice import Connection, Parameters, Row
    from memconsole.adapters.sqlite.stamp import Stamp
    from memconsole.adapters.sqlite.ways import Copies, Entrance

T = TypeVar("T")

_PIECE_BYTES = 1024 * 1024
_ATTEMPTS, _TRUSTING_ATTEMPTS = 6, 3
"""Readings that may find the database changed under them; the later ones read a copy."""

_PAUSE_S = 0.02
"""Longer than the steps in which file times move."""


class DatabaseChangedError(StoreError):
    """Somebody wrote the database while it was read as unchanging; what was read is void."""

    def __init__(self, path: Path) -> None:
        super().__init__(one_line(f"{path} changed while it was read"), hint="Try again.")


class ReadOnlyDatabase:
    """One open database of somebody else's; its errors come as `StoreError`.

    Attributes:
        memo: What readings remember for the next one of the same connection.
    """

    def __init__(self, connection: Connection, path: Path, memo: dict[str, object]) -> None:
        self._connection = connection
        self.path = path
        self.memo = memo

    def rows(self, sql: str, parameters: Parameters = ()) -> Iterator[Row]:
        """Yield the rows of one query.

        Raises:
            StoreError: The database is locked, damaged or not what the query expects.
        """
        try:
            yield from self._connection.execute(sql, parameters)
        except library().error as error:
            raise as_store_error(self.path, error) from error

    def first(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """Return the first row of one query, None when there is none; errors as `rows`."""
        return next(self.rows(sql, parameters), None)

    def pieces(self, table: str, column: str, row: int) -> Iterator[bytes]:
        """Yield one value in pieces, however big it is; errors as `rows`."""
        try:
            with closing(open_blob(self._connection, table, column, row)) as blob:
                while piece := blob.read(_PIECE_BYTES):
                    yield piece
        except library().error as error:
            raise as_store_error(self.path, error) from error

    def columns(self, *tables: str) -> dict[str, frozenset[str]]:
        """Return the columns of ordinary tables; none for a view, or when one is missing."""
        marks = ", ".join("?" * len(tables))
        found = self.rows(
            "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
            f"WHERE m.type = 'table' AND m.name IN ({marks}) "
            "AND m.sql NOT LIKE 'CREATE VIRTUAL %'",
            tables,
        )
        names: dict[str, set[str]] = {table: set() for table in tables}
        for table, column in found:
            names[str(table)].add(str(column))
        return {table: frozenset(columns) for table, columns in names.items()}

    @property
    def user_version(self) -> int:
        """The number that the owner of the database keeps in its header."""
        return self._header("user_version")

    @property
    def schema_cookie(self) -> int:
        """The number that changes with every change of the schema."""
        return self._header("schema_version")

    def _header(self, name: str) -> int:
        row = self.first(f"PRAGMA {name}")
        return row[0] if row is not None and isinstance(row[0], int) else 0


@contextmanager
def open_platform(
    path: Path, copies: Copies, *, is_restless: bool = False
) -> Iterator[ReadOnlyDatabase]:
    """Open a database of the platform for one short reading of one of its states.

    Args:
        path: The database; links are followed.
        copies: Makes a copy where it cannot be read in place.
        is_restless: It changed under earlier readings: read a copy.

    Raises:
        DatabaseChangedError: It was written meanwhile; nothing that was read counts.
        StoreError: It cannot be read, and why.
    """
    main = _main(path)
    stamp = stamp_of(main)
    is_trusting = True
    try:
        with _entrance(main, stamp, copies, is_restless=is_restless) as entrance:
            is_trusting = entrance.is_trusting
            with _one_state(entrance.connection, path):
                yield ReadOnlyDatabase(entrance.connection, path, entrance.memo)
    except StoreError as error:
        if _is_passing(error, main, stamp, is_trusting=is_trusting):
            raise DatabaseChangedError(path) from error
        raise
    if is_trusting and has_changed(main, stamp):
        raise DatabaseChangedError(path)


def _is_passing(error: StoreError, main: Path, stamp: Stamp, *, is_trusting: bool) -> bool:
    """Tell whether a failure may come from a write meanwhile and be gone at the next look."""
    if isinstance(error, BusyDatabaseError):
        return False
    if isinstance(error, DamagedDatabaseError):
        return not stamp.is_settled or has_changed(main, stamp)
    return is_trusting and has_changed(main, stamp)


def read_platform(path: Path, read: Callable[[ReadOnlyDatabase], T], copies: Copies) -> T:
    """Open a database of the platform, run one reading, and start over when it changed.

    Args:
        path: The database.
        read: Reads all it needs and keeps nothing of the database; may run several times.
        copies: Makes a copy where it cannot be read in place.

    Raises:
        StoreError: It cannot be read, and why.
    """
    for attempt in range(_ATTEMPTS):
        is_restless = attempt >= _TRUSTING_ATTEMPTS
        with (
            suppress(DatabaseChangedError),
            open_platform(path, copies, is_restless=is_restless) as database,
        ):
            return read(database)
        time.sleep(_PAUSE_S)
    with open_platform(path, copies, is_restless=True) as database:
        return read(database)


@contextmanager
def keep_open(only: Path | None = None) -> Iterator[None]:
    """Let this thread's readings in the block share their connections.

    For many short readings in a row: opening a database of the platform costs more than most of
    them. A block is short too, for as long as a connection is open the platform cannot put its
    log away.

    Args:
        only: A database of ours; only its connection is shared, and the block may be long.
    """
    outer = _thread.kept
    if outer is not None and (outer.only is None or only is not None):
        yield
        return
    _thread.kept = kept = _Kept(only, outer)
    try:
        yield
    finally:
        _thread.kept = outer
        kept.close()


class _Kept:
    """What one thread keeps for the length of a block.

    Attributes:
        only: The one database that is kept; None keeps all.
    """

    def __init__(self, only: Path | None, outer: _Kept | None) -> None:
        self.only = only
        self._outer = outer
        self._mains: dict[Path, Path] = {}
        self._open: dict[Path, tuple[Entrance, ExitStack]] = {}

    def main(self, path: Path) -> Path:
        """Return a database, links followed; they are followed once in a block."""
        if path not in self._mains:
            found = Path(os.path.realpath(path))
            if self.only not in (None, path):
                return found
            self._mains[path] = found
        return self._mains[path]

    def keeper(self, main: Path) -> _Kept | None:
        """Return who keeps a database: the longest block that takes it."""
        if self._outer is not None and (longer := self._outer.keeper(main)) is not None:
            return longer
        return self if self.only is None or main in self._mains.values() else None

    def entrance(self, main: Path, stamp: Stamp, copies: Copies) -> Entrance:
        """Return an open entrance, the old one when it still serves."""
        if main in self._open:
            known, own = self._open.pop(main)
            if known.is_good_for(stamp):
                self._open[main] = (known, own)
                return known
            own.close()
        with ExitStack() as own:
            made = own.enter_context(enter(main, stamp, copies, is_restless=False))
            if self.only is not None:
                made.connection.execute(f"PRAGMA cache_size = {CACHE_SIZE}")
            self._open[main] = (made, own.pop_all())
        return made

    def close(self) -> None:
        """Close what is open."""
        with ExitStack() as all_:
            for _, own in self._open.values():
                all_.push(own)


class _Thread(threading.local):
    kept: _Kept | None = None


_thread = _Thread()


def _main(path: Path) -> Path:
    return Path(os.path.realpath(path)) if _thread.kept is None else _thread.kept.main(path)


@contextmanager
def _entrance(main: Path, stamp: Stamp, copies: Copies, *, is_restless: bool) -> Iterator[Entrance]:
    keeper = None if _thread.kept is None or is_restless else _thread.kept.keeper(main)
    if keeper is not None:
        yield keeper.entrance(main, stamp, copies)
        return
    with enter(main, stamp, copies, is_restless=is_restless) as entrance:
        yield entrance


@contextmanager
def _one_state(connection: Connection, path: Path) -> Iterator[None]:
    """Hold one state of the database for the whole reading."""
    try:
        connection.execute("BEGIN")
    except library().error as error:
        raise as_store_error(path, error) from error
    try:
        yield
    finally:
        with suppress(library().error):
            connection.execute("ROLLBACK")
