"""When a home was looked at, in `state.db`: by readings that are kept, and at its health."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.state.tables import LOOKS

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.state.database import StateDatabase

READING, HEALTH = "reading", "health"


def keep_look(connection: Connection, home: str, what: str, at: datetime) -> None:
    """Keep that a home was looked at; the time of the first look stays."""
    row = {"home": home, "what": what, "since": at, "at": at}
    LOOKS.insert(connection, row, "ON CONFLICT (home, what) DO UPDATE SET at = excluded.at")


def kept_look(database: StateDatabase, home: str, what: str, column: str) -> datetime | None:
    """Return the time of the first look (`since`) or of the last one (`at`); None for none."""
    row = database.first(LOOKS, home=home, what=what)
    found: datetime | None = None if row is None else row[column]  # type: ignore[assignment]
    return found
