"""Captures in `state.db` (port `CaptureLog`)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef
from memconsole.stores.state_values import instant, known_text, marks, name, rows_of, stamp, text

if TYPE_CHECKING:
    from memconsole.domain.captures import Capture
    from memconsole.sqlite import Connection, Row
    from memconsole.stores.state import StateDatabase

_CAPTURES_KEPT = timedelta(days=90)

_CAPTURE = (
    "home, agent, session_id, session_key, at, content_hash, block, is_logged, day_file, workspace"
)


class StateCaptures:
    """Answers `ports.CaptureLog`; the newest capture is the one that was stored last."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, agent: AgentRef, session_id: str | None = None) -> Capture | None:
        """Return the newest capture of the agent, or of one of its sessions."""
        return self._newest(agent, session_id, "TRUE")

    def last_logged(self, agent: AgentRef, session_id: str | None = None) -> Capture | None:
        """Return the newest capture that added a daily entry, of the agent or of one session."""
        return self._newest(agent, session_id, "is_logged")

    def history(self, agent: AgentRef, limit: int) -> tuple[Capture, ...]:
        """Return the newest captures of the agent, the newest first."""
        statement = (
            f"SELECT {_CAPTURE} FROM capture WHERE home = ? AND agent = ? ORDER BY id DESC LIMIT ?"
        )
        rows = rows_of(self._database, statement, (name(agent.home), name(agent.id), limit))
        return tuple(capture for row in rows if (capture := _capture(row)) is not None)

    def latest_by_agent(self, home: str) -> dict[str, Capture]:
        """Return the newest capture of each agent of a home."""
        statement = (
            f"SELECT {_CAPTURE} FROM capture WHERE id IN "
            "(SELECT max(id) FROM capture WHERE home = ? GROUP BY agent)"
        )
        rows = rows_of(self._database, statement, (name(home),))
        found = (capture for row in rows if (capture := _capture(row)) is not None)
        return {capture.agent.id: capture for capture in found}

    def add(self, capture: Capture) -> None:
        """Store one capture (A12); a look that found nothing new replaces the one before it.

        Raises:
            StateError: It cannot be stored.
        """
        values = (
            name(capture.agent.home),
            name(capture.agent.id),
            name(capture.session_id),
            name(capture.session_key),
            stamp(capture.at),
            capture.content_hash,
            text(capture.block),
            int(capture.is_logged),
            name(capture.day_file),
            name(capture.workspace),
        )

        def change(connection: Connection) -> None:
            connection.execute(
                "DELETE FROM capture WHERE id = (SELECT max(id) FROM capture WHERE home = ? AND "
                "agent = ?) AND session_id = ? AND content_hash = ? AND NOT is_logged",
                (*values[:3], capture.content_hash),
            )
            places = marks(values)
            connection.execute(f"INSERT INTO capture ({_CAPTURE}) VALUES ({places})", values)
            connection.execute(
                "DELETE FROM capture WHERE at < ? AND id NOT IN "
                "(SELECT max(id) FROM capture GROUP BY home, agent)",
                (stamp(capture.at - _CAPTURES_KEPT),),
            )

        self._database.record(change)

    def _newest(self, agent: AgentRef, session_id: str | None, condition: str) -> Capture | None:
        values = (name(agent.home), name(agent.id), name(session_id))
        statement = (
            f"SELECT {_CAPTURE} FROM capture WHERE home = ?1 AND agent = ?2 "
            f"AND (?3 IS NULL OR session_id = ?3) AND {condition} ORDER BY id DESC LIMIT 1"
        )
        rows = rows_of(self._database, statement, values)
        return _capture(rows[0]) if rows else None


def _capture(row: Row) -> Capture | None:
    home, agent, session_id, key, at, content_hash, block, is_logged, day_file, workspace = row
    captured_at = instant(at)
    if captured_at is None:
        return None
    from memconsole.domain.captures import Capture  # noqa: PLC0415 - most looks find none

    return Capture(
        agent=AgentRef(str(home), str(agent)),
        session_id=str(session_id),
        session_key=known_text(key),
        at=captured_at,
        content_hash=str(content_hash),
        block=str(block),
        is_logged=bool(is_logged),
        day_file=known_text(day_file),
        workspace=str(workspace),
    )
