"""What captures remember, in `state.db`: checkpoints, flushes, cursors, fingerprints, summaries."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.state.database import (
    instant,
    known_text,
    marks,
    name,
    rows_of,
    stamp,
    text,
)
from memconsole.domain.agents import AgentRef

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memconsole.adapters.sqlite.choice import Connection, Row
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.flush import FlushMark
    from memconsole.domain.memory.records import Capture, SummaryRecord
    from memconsole.domain.observe.rules import Cursor


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
        """Store one capture; a look that found nothing new replaces the one before it.

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
    from memconsole.domain.memory.records import Capture  # noqa: PLC0415 - most looks find none

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


_COLUMNS = "home, agent, session_key, session_id, compactions, started_at, stages, at"


class StateFlushes:
    """Answers the port `FlushLog`."""

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


_CURSORS_KEPT = timedelta(days=365)


class StateObserver:
    """Answers the port `ObserverLog`."""

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
        """Store how far a run has come, after the write it describes.

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
    from memconsole.domain.observe.rules import Cursor  # noqa: PLC0415 - only who observes

    _, message_id, position, at = row
    return Cursor(known_text(message_id), position if isinstance(position, int) else 0, instant(at))


_KEPT = timedelta(days=90)

_TOLD_BY = ("capture", "summary", "flush")
"""Tables of captures that name the key of each session."""


class StateRecovery:
    """Answers the port `RecoveryLog`; captures tell keys as well."""

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


_SUMMARY_COLUMNS = "home, agent, session_id, session_key, at, until, path, reason"


class StateSummaries:
    """Answers the port `SummaryLog`."""

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
        from memconsole.domain.memory.records import SummaryRecord  # noqa: PLC0415 - most looks find none

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
        statement = f"INSERT INTO summary ({_SUMMARY_COLUMNS}) VALUES ({marks(values)})"

        def change(connection: Connection) -> None:
            connection.execute(statement, values)

        self._database.record(change)
