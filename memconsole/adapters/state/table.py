"""Declares a table of our own database: its columns, and how a value becomes a row and comes back.

A row that another program spoiled is no value; neither is one of a newer memconsole that means
something else. What may be missing and cannot be read counts as missing.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from memconsole.text.outgoing import let_out, name_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memconsole.adapters.sqlite.choice import Connection, Row, SqlValue

T = TypeVar("T")


class Column(NamedTuple):
    """One column: what SQLite keeps, and how a field of a value is kept so.

    Attributes:
        kind: `str`, `int`, `float` or `bytes`.
        put: Returns what is kept for a value other than None.
        get: Returns the value of what is kept; ValueError when it is none of ours.
        field: Where the value has it, dotted; "" is the name of the column.
        is_beside: It is no field of the value: whoever stores the value gives it by name.
        is_made: SQLite numbers the rows with it.
        is_optional: NULL is a value.
        without: What NULL means.
        default: What SQLite puts where nothing is given.
        since: Version of the database that it came with; an older one holds NULL.
    """

    kind: type
    put: Callable[[Any], SqlValue]
    get: Callable[[Any], object]
    field: str = ""
    is_beside: bool = False
    is_made: bool = False
    is_optional: bool = False
    without: object = None
    default: SqlValue = None
    since: int = 1

    @property
    def optional(self) -> Column:
        """The same where NULL is a value."""
        return self._replace(is_optional=True)

    @property
    def beside(self) -> Column:
        """The same beside the value."""
        return self._replace(is_beside=True)

    def or_else(self, value: object) -> Column:
        """Return the same where NULL means a value."""
        return self._replace(is_optional=True, without=value)

    @property
    def is_unread(self) -> bool:
        """Whether it is a mere number of rows."""
        return self.is_made and self.is_beside

    def of(self, field: str) -> Column:
        """Return the same for another field."""
        return self._replace(field=field)

    def stored(self, value: object) -> SqlValue:
        """Return what is kept for a value."""
        return None if value is None else self.put(value)

    def loader(self) -> Callable[[SqlValue], object]:
        """Return what makes a value of what is kept; ValueError when it is none and must be one."""
        kind, get, is_optional, without = self.kind, self.get, self.is_optional, self.without

        def load_as_it_is(stored: SqlValue) -> object:
            return stored if isinstance(stored, kind) else load(stored)

        def load(stored: SqlValue) -> object:
            if isinstance(stored, kind):
                try:
                    return get(stored)
                except (ValueError, OverflowError):
                    pass
            if is_optional:
                return without
            raise ValueError("spoiled")

        return load_as_it_is if get is _as_it_is else load


class Table(Generic[T]):
    """One table.

    Args:
        name: In the database.
        value: The class whose values are its rows, or `module:Class` where most calls need none.
        columns: In their order.
        parts: `module:Class` of each field whose own fields are columns (`agent.id`).
        key: Columns that tell one row from another.
        indexes: Columns of each further index.
    """

    def __init__(
        self,
        name: str,
        value: type[T] | str,
        columns: Mapping[str, Column],
        *,
        parts: Mapping[str, str] | None = None,
        key: tuple[str, ...] = ("id",),
        indexes: Sequence[tuple[str, ...]] = (),
    ) -> None:
        self.name = name
        self.columns = columns
        self.key = key
        self.indexes = indexes
        self.value = value
        self._read = {name: one for name, one in columns.items() if not one.is_unread}
        self._parts = parts or {}

    @property
    def required(self) -> set[str]:
        """The columns that SQLite refuses NULL in; keys other than ids were made without it."""
        return {
            name
            for name, column in self.columns.items()
            if not (column.is_optional or column.is_made) and (name not in self.key or name == "id")
        }

    @property
    def has_grown(self) -> bool:
        """Whether older databases have fewer columns."""
        return any(column.since > 1 for column in self.columns.values())

    # ---- reading -------------------------------------------------------------------------

    def select(self, tail: str, *, version: int | None = None) -> str:
        """Return the statement that reads whole rows, of an older database or of today's."""
        names = (
            name if version is None or column.since <= version else f"NULL AS {name}"
            for name, column in self._read.items()
        )
        return f"SELECT {', '.join(names)} FROM {self.name} {tail}"

    def entries(self, rows: Sequence[Row]) -> Iterator[tuple[dict[str, Any], T]]:
        """Yield (what is beside it, value) of rows; spoiled ones are left out."""
        if not rows:  # so that nothing is loaded for them
            return
        columns = enumerate(self._read.items())
        places = {part: list[tuple[int, str]]() for part in ("", *self._parts)}
        besides = list[tuple[int, str]]()
        for at, (name, column) in columns:
            part, _, field = (column.field or name).rpartition(".")
            (besides if column.is_beside else places[part]).append((at, field))
        loads = [column.loader() for column in self._read.values()]
        make = _named(self.value) if isinstance(self.value, str) else self.value
        parts = {field: _named(where) for field, where in self._parts.items()}
        for row in rows:
            try:
                values = [load(stored) for load, stored in zip(loads, row, strict=True)]
                found = {field: values[at] for at, field in places[""]}
                for part, one in parts.items():
                    found[part] = one(**{field: values[at] for at, field in places[part]})
                yield {name: values[at] for at, name in besides}, make(**found)
            except ValueError:
                continue

    # ---- writing -------------------------------------------------------------------------

    def add(self, connection: Connection, value: T, *, tail: str = "", **beside: object) -> int:
        """Insert a value and return the number of its row."""
        return self.insert(connection, self.row(value, beside), tail)

    def add_newest(self, connection: Connection, value: T, *, kept: int) -> int:
        """Insert a value, drop all but the newest, and return the number of its row."""
        number = self.add(connection, value)
        connection.execute(f"DELETE FROM {self.name} WHERE id <= ?", (number - kept,))
        return number

    def put(self, connection: Connection, value: T, **beside: object) -> None:
        """Insert a value, or put it in the place of the one with its key."""
        self.replace(connection, self.row(value, beside))

    def replace(self, connection: Connection, row: Mapping[str, object]) -> None:
        """Insert columns of one row, or set them in the row with its key."""
        news = ", ".join(f"{one} = excluded.{one}" for one in row if one not in self.key)
        self.insert(connection, row, f"ON CONFLICT ({', '.join(self.key)}) DO UPDATE SET {news}")

    def insert(self, connection: Connection, row: Mapping[str, object], tail: str = "") -> int:
        """Insert columns of one row and return its number; the others hold their defaults."""
        statement = f"INSERT INTO {self.name} ({', '.join(row)}) VALUES ({marks(row)}) {tail}"
        return connection.execute(statement, self.encoded(row)).lastrowid or 0

    def change(self, connection: Connection, row: Mapping[str, object], **equal: object) -> None:
        """Set columns of the rows that have certain values."""
        news = ", ".join(f"{one} = ?" for one in row)
        connection.execute(
            f"UPDATE {self.name} SET {news} {self.where(equal)}",
            (*self.encoded(row), *self.encoded(equal)),
        )

    def remove(self, connection: Connection, **equal: object) -> None:
        """Delete the rows that have certain values."""
        connection.execute(f"DELETE FROM {self.name} {self.where(equal)}", self.encoded(equal))

    def forget(
        self, connection: Connection, before: datetime, *, column: str = "at", tail: str = ""
    ) -> None:
        """Delete the rows from before an instant, where the rest of the condition holds."""
        connection.execute(f"DELETE FROM {self.name} WHERE {column} < ? {tail}", (stamp(before),))

    def where(self, equal: Mapping[str, object]) -> str:
        """Return the condition that columns have certain values."""
        return " AND ".join(("WHERE TRUE", *(f"{name} = ?" for name in equal)))

    def encoded(self, row: Mapping[str, object]) -> tuple[SqlValue, ...]:
        """Return columns as they are stored."""
        return tuple(self.columns[name].stored(value) for name, value in row.items())

    def row(self, value: T, beside: Mapping[str, object] | None = None) -> dict[str, object]:
        """Return the columns of a value, but for its number and what is beside it and not given."""
        beside = beside or {}
        return {
            name: beside[name] if column.is_beside else _field(value, column.field or name)
            for name, column in self.columns.items()
            if not column.is_made and (name in beside or not column.is_beside)
        }


def _field(value: object, path: str) -> object:
    """Return a field of a value; None when the part that has it is missing."""
    for name in path.split("."):
        value = None if value is None else getattr(value, name)
    return value


@cache
def _named(where: str) -> Callable[..., Any]:
    """Return what `module:name` stands for."""
    module, _, name = where.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def late(where: str) -> Callable[[Any], Any]:
    """Return a function that looks for `module:name` when it is called."""

    def called(value: Any) -> Any:
        return _named(where)(value)

    return called


def marks(values: Sequence[SqlValue] | Mapping[str, object]) -> str:
    """Return as many parameter marks as there are values."""
    return ", ".join("?" * len(values))


def text(value: str) -> str:
    """Return words as they are stored: masked, and bytes that are no text written out."""
    return let_out(_decoded(value))


def name(value: str) -> str:
    """Return what a row is found by again: masked, and still told apart from others."""
    return name_out(_decoded(value))


def _decoded(value: str) -> str:
    return value.encode("utf-8", "backslashreplace").decode()


def stamp(at: datetime) -> str:
    """Return an instant as it is stored: always UTC and equally long, so that text sorts."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def instant(stored: str) -> datetime:
    """Return a stored instant, aware UTC.

    Raises:
        ValueError: It is none.
    """
    found = datetime.fromisoformat(stored)
    return found if found.tzinfo is UTC else found.astimezone(UTC)


def _as_it_is(value: Any) -> Any:
    return value


NAME = Column(str, name, _as_it_is)
"""What rows are found by: masked so that it still differs from others."""

TEXT = Column(str, text, _as_it_is)
"""Words of others."""

WORD = Column(str, str, _as_it_is)
"""A word or hash of ours."""

INSTANT = Column(str, stamp, instant)
WHOLE = Column(int, int, _as_it_is)
COUNT = WHOLE.or_else(0)
"""A whole number; 0 where none was kept."""

SHARE = Column(float, float, _as_it_is)
FLAG = Column(int, int, bool)
BLOB = Column(bytes, bytes, _as_it_is)
NUMBER = Column(int, int, _as_it_is, is_made=True)
"""The number that SQLite gives a row."""


def one_of(where: str) -> Column:
    """Return a column of members of a `StrEnum`, given as `module:Class`."""
    return Column(str, str, late(where))
