"""Session summaries in `state.db` (port `SummaryLog`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.stores.state_values import instant, known_text, marks, name, rows_of, stamp

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.captures import SummaryRecord
    from memconsole.sqlite import Connection
    from memconsole.stores.state import StateDatabase

_COLUMNS = "home, agent, session_id, session_key, at, until, path, reason"


class StateSummaries:
    """Answers `capture_ports.SummaryLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, agent: AgentRef, session_id: str) -> SummaryRecord | None:
        """Return the newest summary of a session."""
        statement = (
            "SELECT session_key, at, until, path, reason FROM summary "
            "WHERE home = ? AND agent = ? AND session_id = ? ORDER BY id DESC LIMIT 1"
        )
        values = (name(agent.home), name(agent.id), name(session_id))
        rows = rows_of(self._database, statement, values)
        if not rows:
            return None
        key, at, until, path, reason = rows[0]
        written_at, covered = instant(at), instant(until)
        if written_at is None or covered is None:
            return None
        from memconsole.domain.captures import SummaryRecord  # noqa: PLC0415 - most looks find none

        return SummaryRecord(
            agent, session_id, known_text(key), written_at, covered, str(path), str(reason)
        )

    def add(self, record: SummaryRecord) -> None:
        """Store one summary.

        Raises:
            StateError: It cannot be stored.
        """
        values = (
            name(record.agent.home),
            name(record.agent.id),
            name(record.session_id),
            name(record.session_key),
            stamp(record.at),
            stamp(record.until),
            name(record.path),
            record.reason,
        )
        statement = f"INSERT INTO summary ({_COLUMNS}) VALUES ({marks(values)})"

        def change(connection: Connection) -> None:
            connection.execute(statement, values)

        self._database.record(change)
