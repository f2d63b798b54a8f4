"""What the platform did, and what was noted last, in `state.db` (port `EventLog`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memconsole.adapters.state.table import instant, stamp
from memconsole.adapters.state.tables import EVENTS, LOOKS, NOTED
from memconsole.domain.events import Noted, NotedSession

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from memconsole.adapters.sqlite.choice import Connection, SqlValue
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.events import Event


_KEPT = 2_000


class StateEvents:
    """Answers the port `EventLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def events(self, home: str, *, limit: int) -> tuple[Event, ...]:
        """Return the newest events of a home first; none when they cannot be read."""
        return self._database.find(EVENTS, "ORDER BY at DESC, id DESC LIMIT ?", (limit,), home=home)

    def first_look(self, home: str) -> datetime | None:
        """Return since when a home is looked at; None for never, and when it cannot be read."""
        return kept_look(self._database, home, READING, "since")

    def note(
        self, home: str, judge: Callable[[Noted | None], tuple[Noted, Sequence[Event]] | None]
    ) -> None:
        """Compare with what was noted last, whoever noted it, and keep both: all in one step.

        Raises:
            StateError: It cannot be kept.
        """

        def change(connection: Connection) -> None:
            found = connection.execute(
                f"SELECT value FROM noted {NOTED.where({'home': home})}",
                NOTED.encoded({"home": home}),
            ).fetchone()
            judged = judge(None if found is None else _unpacked(found[0]))
            if judged is None:
                return
            noted, events = judged
            row = {"home": home, "at": noted.at, "value": _packed(noted)}
            NOTED.replace(connection, row)
            keep_look(connection, home, READING, noted.at)
            for one in events:
                EVENTS.add_newest(connection, one, kept=_KEPT)

        self._database.write(change)


def _packed(noted: Noted) -> str:
    return json.dumps(
        {
            "at": stamp(noted.at),
            "gateway": noted.gateway,
            "release": noted.release,
            "sessions": [[*name, *one] for name, one in noted.sessions.items()],
            "files": {root: stamp(at) for root, at in noted.files.items()},
        }
    )


def _unpacked(stored: SqlValue) -> Noted | None:
    """Return what was noted; None for what another program spoiled."""
    try:
        row = json.loads(str(stored))
        return Noted(
            instant(row["at"]),
            row["gateway"],
            row["release"],
            {(agent, key): NotedSession(*rest) for agent, key, *rest in row["sessions"]},
            {root: instant(at) for root, at in row["files"].items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return None


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
