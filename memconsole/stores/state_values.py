"""How values are kept in `state.db`, and how they come back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.domain.outgoing import let_out, name_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.sqlite import ReadOnlyDatabase, Row, SqlValue
    from memconsole.stores.state import StateDatabase


def rows_of(database: StateDatabase, statement: str, values: Sequence[SqlValue]) -> list[Row]:
    """Return the rows of one query; none when the database cannot be read."""

    def query(opened: ReadOnlyDatabase) -> list[Row]:
        return list(opened.rows(statement, values))

    return database.read(query, [])


def marks(values: Sequence[SqlValue]) -> str:
    """Return as many parameter marks as there are values."""
    return ", ".join("?" * len(values))


def text(value: str | None) -> str | None:
    """Return words as they are stored: masked (A11), and bytes that are no text written out."""
    return None if value is None else let_out(_decoded(value))


def name(value: str | None) -> str | None:
    """Return what a row is found by again: masked, and still told apart from others."""
    return None if value is None else name_out(_decoded(value))


def _decoded(value: str) -> str:
    return value.encode("utf-8", "backslashreplace").decode()


def known_text(value: SqlValue) -> str | None:
    """Return a text, None for a value of another kind."""
    return value if isinstance(value, str) else None


def stamp(at: datetime) -> str:
    """Return an instant as it is stored: always UTC and equally long, so that text sorts."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def instant(value: SqlValue) -> datetime | None:
    """Return a stored instant, aware UTC; None when it is no instant."""
    try:
        return datetime.fromisoformat(value).astimezone(UTC) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None
