"""Chooses the SQLite library of the process and connects with it."""

from __future__ import annotations

import functools
import importlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast
from urllib.parse import quote

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SqlValue: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[SqlValue, ...]
Parameters: TypeAlias = Sequence[SqlValue] | Mapping[str, SqlValue]

BUSY_TIMEOUT_S = 2.0
_KNOWS_OCTET_LENGTH = (3, 43, 0)
_OLDEST_USABLE = (3, 37, 0)
"""STRICT tables, which the platform uses, came with 3.37."""


class Cursor(Protocol):
    """What statements give back."""

    @property
    def lastrowid(self) -> int | None:
        """Row id of the last insert."""

    def fetchone(self) -> Row | None:
        """Return the next row."""

    def fetchall(self) -> list[Row]:
        """Return all remaining rows."""

    def __iter__(self) -> Iterator[Row]: ...


class Blob(Protocol):
    """One value read in pieces."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes; none at the end."""

    def close(self) -> None:
        """Close it."""


class Connection(Protocol):
    """A connection of the chosen library; used by the thread that opened it only.

    Attributes:
        text_factory: Makes a value of the bytes of a TEXT column.
    """

    text_factory: Callable[[bytes], str]

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""

    def execute(self, sql: str, parameters: Parameters = ..., /) -> Cursor:
        """Run one statement."""

    def executemany(self, sql: str, parameters: Sequence[Parameters], /) -> Cursor:
        """Run one statement for each set of parameters."""

    def enable_load_extension(self, enabled: bool, /) -> None:
        """Allow extensions; missing when the library cannot load any."""

    def load_extension(self, path: str, /) -> None:
        """Load one extension."""

    def set_authorizer(self, callback: Callable[..., int] | None, /) -> None:
        """Ask `callback` before a statement touches anything."""

    def set_progress_handler(self, handler: Callable[[], object] | None, steps: int, /) -> None:
        """Ask `handler` every so many steps of a statement; a true answer ends the statement."""

    def close(self) -> None:
        """Close it."""


_Opened: TypeAlias = Connection


class _Module(Protocol):
    Error: type[Exception]
    sqlite_version: str
    sqlite_version_info: tuple[int, ...]

    @property
    def Connection(self) -> type: ...

    def connect(
        self,
        database: str,
        *,
        timeout: float,
        isolation_level: None,
        uri: bool,
        factory: type = ...,
    ) -> _Opened: ...


class _BlobOpener(Protocol):
    def __call__(self, table: str, column: str, row: int, /, *, readonly: bool) -> Blob: ...


@dataclass(frozen=True, slots=True)
class Library:
    """The library that this process uses.

    Attributes:
        name: Import name.
        version: Version of SQLite inside, such as `3.51.1`.
        can_load_extensions: False means that there is no vector search.
        reason: Why it is this one, for `health` and bug reports.
        error: Parent of all its exceptions; for `except` clauses.
    """

    name: str
    version: str
    can_load_extensions: bool
    reason: str
    error: type[Exception]
    module: _Module

    def octets(self, column: str) -> str:
        """Return SQL for the bytes of a value, read from the row's header where SQLite can."""
        if self.module.sqlite_version_info >= _KNOWS_OCTET_LENGTH:
            return f"octet_length({column})"
        return f"length(CAST({column} AS BLOB))"


@functools.cache
def library() -> Library:
    """Choose the library: pysqlite3, else the standard one with extensions, else sqlean."""
    refused = []
    for name in ("pysqlite3.dbapi2", "sqlite3", "sqlean.dbapi2"):
        try:
            module = cast("_Module", importlib.import_module(name))
        except ImportError:
            refused.append(f"{name} is not installed")
            continue
        found = _describe(name, module, "; ".join(refused) or "first choice")
        if found.can_load_extensions and module.sqlite_version_info >= _OLDEST_USABLE:
            return found
        refused.append(f"{name} {found.version} is too old or cannot load extensions")
    last = cast("_Module", importlib.import_module("sqlite3"))
    return _describe("sqlite3", last, "; ".join(refused))


def _describe(name: str, module: _Module, reason: str) -> Library:
    return Library(
        name=name.partition(".")[0],
        version=module.sqlite_version,
        can_load_extensions=hasattr(module.Connection, "enable_load_extension"),
        reason=reason,
        error=module.Error,
        module=module,
    )


def connect(path: Path, options: str) -> Connection:
    """Open a database by URI, in autocommit mode.

    Args:
        path: Any path; characters that mean something in a URI are quoted.
        options: The query of the URI, such as `mode=ro`.
    """
    name = quote(os.fsencode(os.path.abspath(path)))  # noqa: PTH100 - Path() would not take //x
    module = library().module
    with _IN_TURN:
        return module.connect(
            f"file://{name}?{options}",
            timeout=BUSY_TIMEOUT_S,
            isolation_level=None,
            uri=True,
            factory=_closing_in_turn(module.Connection),
        )


_IN_TURN: Final = threading.Lock()
"""Held while a database is opened or closed: SQLite 3.51.0 and 3.51.1 lock up, with the whole
process, when one thread opens a file whose last log another one closes (its release notes, 3.51.2).
"""


@functools.cache
def _closing_in_turn(base: type) -> type:
    """Return the library's connection, closed by one thread at a time."""

    def close(self: Connection) -> None:
        with _IN_TURN:
            base.close(self)  # type: ignore[attr-defined]  # every library has it

    return type("Connection", (base,), {"close": close})


def open_blob(connection: Connection, table: str, column: str, row: int) -> Blob:
    """Open one value for reading in pieces; the libraries name this differently."""
    opener = getattr(connection, "blobopen", None) or connection.open_blob  # type: ignore[attr-defined]
    return cast("_BlobOpener", opener)(table, column, row, readonly=True)
