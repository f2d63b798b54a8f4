"""How far the observer has read, in `state.db` (port `ObserverLog`)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.stores.state_values import instant, known_text, name, rows_of, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.observing import Cursor
    from memconsole.sqlite import Connection, Row
    from memconsole.stores.state import StateDatabase

_CURSORS_KEPT = timedelta(days=365)


class StateObserver:
    """Answers `capture_ports.ObserverLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, agent: AgentRef) -> tuple[str, datetime] | None:
        """Return hash and time of the agent's last run."""
        statement = "SELECT hash, at FROM observer_run WHERE home = ? AND agent = ?"
        rows = rows_of(self._database, statement, (name(agent.home), name(agent.id)))
        if not rows or (at := instant(rows[0][1])) is None:
            return None
        return str(rows[0][0]), at

    def cursors(self, agent: AgentRef) -> dict[str, Cursor]:
        """Return the last observed message of each session, by session id."""
        statement = (
            "SELECT session_id, message_id, position, at FROM observed WHERE home = ? AND agent = ?"
        )
        rows = rows_of(self._database, statement, (name(agent.home), name(agent.id)))
        return {str(row[0]): _cursor(row) for row in rows}

    def advance(
        self, agent: AgentRef, hash_: str, cursors: Mapping[str, Cursor], at: datetime
    ) -> None:
        """Store how far a run has come, after the write it describes (A12).

        Raises:
            StateError: It cannot be stored.
        """
        owner = (name(agent.home), name(agent.id))

        def change(connection: Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO observer_run (home, agent, hash, at) VALUES (?, ?, ?, ?)",
                (*owner, hash_, stamp(at)),
            )
            for session_id, cursor in cursors.items():
                said_at = None if cursor.at is None else stamp(cursor.at)
                place = (name(cursor.message_id), cursor.position, said_at, stamp(at))
                connection.execute(
                    "INSERT OR REPLACE INTO observed (home, agent, session_id, message_id, "
                    "position, at, observed_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*owner, name(session_id), *place),
                )
            connection.execute(
                "DELETE FROM observed WHERE observed_at < ?", (stamp(at - _CURSORS_KEPT),)
            )

        self._database.record(change)


def _cursor(row: Row) -> Cursor:
    from memconsole.domain.observing import Cursor  # noqa: PLC0415 - only who observes

    _, message_id, position, at = row
    return Cursor(known_text(message_id), position if isinstance(position, int) else 0, instant(at))
