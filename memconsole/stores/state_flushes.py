"""The last flush of each session in `state.db` (port `FlushLog`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.stores.state_values import instant, known_text, marks, name, rows_of, stamp

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.flush import FlushMark
    from memconsole.sqlite import Connection
    from memconsole.stores.state import StateDatabase

_COLUMNS = "home, agent, session_key, session_id, compactions, started_at, stages, at"


class StateFlushes:
    """Answers `capture_ports.FlushLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, agent: AgentRef, key: str) -> FlushMark | None:
        """Return the last flush of a session key; None when there was none."""
        statement = (
            "SELECT session_id, compactions, started_at, stages, at FROM flush "
            "WHERE home = ? AND agent = ? AND session_key = ?"
        )
        values = (name(agent.home), name(agent.id), name(key))
        rows = rows_of(self._database, statement, values)
        if not rows:
            return None
        from memconsole.domain.flush import Cycle, FlushMark, Stage  # noqa: PLC0415 - mostly none

        session_id, compactions, started_at, stages, at = rows[0]
        when = instant(at)
        if when is None:
            return None
        cycle = Cycle(
            known_text(session_id),
            compactions if isinstance(compactions, int) else None,
            instant(started_at),
        )
        known = frozenset(one for one in Stage if one.value in str(stages).split(","))
        return FlushMark(cycle, known, when)

    def store(self, agent: AgentRef, key: str, mark: FlushMark) -> None:
        """Store the last flush of a session key.

        Raises:
            StateError: It cannot be stored.
        """
        cycle = mark.cycle
        values = (
            name(agent.home),
            name(agent.id),
            name(key),
            name(cycle.session_id),
            cycle.compactions,
            None if cycle.started_at is None else stamp(cycle.started_at),
            ",".join(sorted(mark.stages)),
            stamp(mark.at),
        )
        statement = f"INSERT OR REPLACE INTO flush ({_COLUMNS}) VALUES ({marks(values)})"

        def change(connection: Connection) -> None:
            connection.execute(statement, values)

        self._database.write(change)
