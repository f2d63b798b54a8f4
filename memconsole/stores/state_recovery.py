"""Fingerprints of captured talks, and keys of sessions, in `state.db` (port `RecoveryLog`)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.stores.state_values import name, rows_of, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.sqlite import Connection
    from memconsole.stores.state import StateDatabase

_KEPT = timedelta(days=90)

_TOLD_BY = ("capture", "summary", "flush")
"""Tables of captures that name the key of each session."""


class StateRecovery:
    """Answers `capture_ports.RecoveryLog`; captures tell keys as well."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def fingerprints(self, agent: AgentRef, session_id: str) -> frozenset[str]:
        """Return the fingerprints that captures of a session left."""
        statement = "SELECT hash FROM fingerprint WHERE home = ? AND agent = ? AND session_id = ?"
        rows = rows_of(self._database, statement, (*_of(agent), name(session_id)))
        return frozenset(str(row[0]) for row in rows)

    def remember(self, agent: AgentRef, session_id: str, fingerprint: str, at: datetime) -> None:
        """Store that a talk is captured to the end that has this fingerprint.

        Raises:
            StateError: It cannot be stored.
        """
        values = (*_of(agent), name(session_id), fingerprint, stamp(at))

        def change(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO fingerprint (home, agent, session_id, hash, at) "
                "SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM fingerprint "
                "WHERE home = ?1 AND agent = ?2 AND session_id = ?3 AND hash = ?4)",
                values,
            )
            connection.execute("DELETE FROM fingerprint WHERE at < ?", (stamp(at - _KEPT),))

        self._database.record(change)

    def keys(self, agent: AgentRef) -> Mapping[str, str]:
        """Return session keys by session id, as they were while the sessions went on."""
        statement = (
            "SELECT session_id, session_key FROM known_session WHERE home = ?1 AND agent = ?2 "
            + "".join(
                f"UNION SELECT session_id, session_key FROM {table} WHERE home = ?1 AND agent = ?2 "
                "AND session_id IS NOT NULL AND session_key IS NOT NULL "
                for table in _TOLD_BY
            )
        )
        rows = rows_of(self._database, statement, _of(agent))
        return {str(session_id): str(key) for session_id, key in rows}

    def note(self, agent: AgentRef, keys: Mapping[str, str], at: datetime) -> None:
        """Store the keys of live sessions.

        Raises:
            StateError: They cannot be stored.
        """
        rows = [
            (*_of(agent), name(session_id), name(key), stamp(at))
            for session_id, key in keys.items()
        ]

        def change(connection: Connection) -> None:
            connection.executemany(
                "INSERT OR REPLACE INTO known_session (home, agent, session_id, session_key, at) "
                "VALUES (?, ?, ?, ?, ?)",
                rows,
            )
            connection.execute("DELETE FROM known_session WHERE at < ?", (stamp(at - _KEPT),))

        if rows:
            self._database.write(change)


def _of(agent: AgentRef) -> tuple[str | None, str | None]:
    return name(agent.home), name(agent.id)
