"""What captures remember, in `state.db`: checkpoints, flushes, cursors, fingerprints, summaries.

What became of transcripts that were captured stands here as well: packed, or taken away.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.state.table import instant
from memconsole.adapters.state.tables import (
    CAPTURES,
    FINGERPRINTS,
    FLUSHES,
    HANDOVERS,
    KNOWN_SESSIONS,
    OBSERVED,
    OBSERVER_RUNS,
    SUMMARIES,
    TAKEN,
    Seen,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager
    from datetime import datetime

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.checkpoint.rules import Capture
    from memconsole.domain.cleanup import TakenFile
    from memconsole.domain.flush import FlushMark
    from memconsole.domain.observe.rules import Cursor
    from memconsole.domain.summarize.handover import Handover
    from memconsole.domain.summarize.text import SummaryRecord


_CAPTURES_KEPT = timedelta(days=90)

_REACHED = {
    "capture": "at",
    "flush": "at",
    "observed": "at",
    "summary": "until",
    "fingerprint": "at",
}
"""Which column of each table of captures says how far it reached."""

_SAVED = (
    "SELECT agent, session_id, max(reached) FROM ("
    + " UNION ALL ".join(
        f"SELECT agent, session_id, {column} AS reached FROM {table} WHERE home = ?1"
        for table, column in _REACHED.items()
    )
    + ") WHERE session_id IS NOT NULL AND reached IS NOT NULL GROUP BY agent, session_id"
)


class StateCaptures:
    """Answers the port `CaptureLog`; the newest capture is the one that was stored last."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, agent: AgentRef, session_id: str | None = None) -> Capture | None:
        """Return the newest capture of the agent, or of one of its sessions."""
        return self._newest(agent, session_id, "")

    def last_logged(self, agent: AgentRef, session_id: str | None = None) -> Capture | None:
        """Return the newest capture that added a daily entry, of the agent or of one session."""
        return self._newest(agent, session_id, "AND is_logged")

    def history(self, agent: AgentRef, limit: int) -> tuple[Capture, ...]:
        """Return the newest captures of the agent, the newest first."""
        return self._database.find(CAPTURES, "ORDER BY id DESC LIMIT ?", (limit,), **_of(agent))

    def latest_by_agent(self, home: str) -> dict[str, Capture]:
        """Return the newest capture of each agent of a home."""
        newest = "AND id IN (SELECT max(id) FROM capture GROUP BY home, agent)"
        return {one.agent.id: one for one in self._database.find(CAPTURES, newest, home=home)}

    def latest_by_session(self, home: str) -> dict[tuple[str, str], datetime]:
        """Return up to which moment each session is saved; spoiled times are left out."""
        found: dict[tuple[str, str], datetime] = {}
        for agent, session_id, at in self._database.rows(_SAVED, CAPTURES.encoded({"home": home})):
            with suppress(ValueError, OverflowError):
                found[str(agent), str(session_id)] = instant(str(at))
        return found

    def add(self, capture: Capture) -> None:
        """Store one capture; a look that found nothing new replaces the one before it."""
        row = CAPTURES.row(capture)
        same = {name: row[name] for name in ("home", "agent", "session_id", "content_hash")}

        def change(connection: Connection) -> None:
            connection.execute(
                "DELETE FROM capture WHERE id = (SELECT max(id) FROM capture WHERE home = ? AND "
                "agent = ?) AND session_id = ? AND content_hash = ? AND NOT is_logged",
                CAPTURES.encoded(same),
            )
            CAPTURES.add(connection, capture)
            CAPTURES.forget(
                connection,
                capture.at - _CAPTURES_KEPT,
                tail="AND id NOT IN (SELECT max(id) FROM capture GROUP BY home, agent)",
            )

        self._database.record(change)

    def _newest(self, agent: AgentRef, session_id: str | None, condition: str) -> Capture | None:
        return self._database.first(
            CAPTURES, f"{condition} ORDER BY id DESC", **_of(agent), session_id=session_id
        )


class StateFlushes:
    """Answers the port `FlushLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, agent: AgentRef, key: str) -> FlushMark | None:
        """Return the last flush of a session key; None when there was none."""
        return self._database.first(FLUSHES, **_of(agent), session_key=key)

    def store(self, agent: AgentRef, key: str, mark: FlushMark) -> None:
        """Store the last flush of a session key."""
        self._database.write(
            lambda connection: FLUSHES.put(connection, mark, **_of(agent), session_key=key)
        )


_CURSORS_KEPT = timedelta(days=365)


class StateObserver:
    """Answers the port `ObserverLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, agent: AgentRef) -> tuple[str, datetime] | None:
        """Return hash and time of the agent's last run."""
        return self._database.first(OBSERVER_RUNS, **_of(agent))

    def cursors(self, agent: AgentRef) -> dict[str, Cursor]:
        """Return the last observed message of each session, by session id."""
        found = self._database.entries(OBSERVED, **_of(agent))
        return {row["session_id"]: cursor for row, cursor in found}

    def advance(
        self, agent: AgentRef, hash_: str, cursors: Mapping[str, Cursor], at: datetime
    ) -> None:
        """Store how far a run has come, after the write it describes."""
        owner = _of(agent)

        def change(connection: Connection) -> None:
            OBSERVER_RUNS.put(connection, Seen(hash_, at), **owner)
            for session_id, one in cursors.items():
                OBSERVED.put(connection, one, **owner, session_id=session_id, observed_at=at)
            OBSERVED.forget(connection, at - _CURSORS_KEPT, column="observed_at")

        self._database.record(change)


_KEPT = timedelta(days=90)

_TOLD_BY = ("capture", "summary", "flush")
"""Tables of captures that name the key of each session."""


class StateRecovery:
    """Answers the port `RecoveryLog`; captures tell keys as well."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def fingerprints(self, agent: AgentRef, session_id: str) -> frozenset[str]:
        """Return the fingerprints that captures of a session left."""
        found = self._database.find(FINGERPRINTS, **_of(agent), session_id=session_id)
        return frozenset(str(one["hash"]) for one in found)

    def remember(self, agent: AgentRef, session_id: str, fingerprint: str, at: datetime) -> None:
        """Store that a session is captured to the end that has this fingerprint."""
        row = {**_of(agent), "session_id": session_id, "hash": fingerprint}

        def change(connection: Connection) -> None:
            statement = f"SELECT 1 FROM fingerprint {FINGERPRINTS.where(row)}"
            if not connection.execute(statement, FINGERPRINTS.encoded(row)).fetchone():
                FINGERPRINTS.insert(connection, {**row, "at": at})
            FINGERPRINTS.forget(connection, at - _KEPT)

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
        rows = self._database.rows(statement, KNOWN_SESSIONS.encoded(_of(agent)))
        return {str(session_id): str(key) for session_id, key in rows}

    def note(self, agent: AgentRef, keys: Mapping[str, str], at: datetime) -> None:
        """Store the keys of live sessions."""

        def change(connection: Connection) -> None:
            for session_id, key in keys.items():
                row = {**_of(agent), "session_id": session_id, "session_key": key, "at": at}
                KNOWN_SESSIONS.replace(connection, row)
            KNOWN_SESSIONS.forget(connection, at - _KEPT)

        if keys:
            self._database.write(change)


class StateSummaries:
    """Answers the port `SummaryLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, agent: AgentRef, session_id: str) -> SummaryRecord | None:
        """Return the newest summary of a session."""
        found = self._database.first(
            SUMMARIES, "ORDER BY id DESC", **_of(agent), session_id=session_id
        )
        return None if found is None else replace(found, agent=agent, session_id=session_id)

    def add(self, record: SummaryRecord) -> None:
        """Store one summary."""
        self._database.record(lambda connection: SUMMARIES.add(connection, record))


_WAITING = "AND given_at IS NULL ORDER BY id DESC"


class StateHandovers:
    """Answers the port `HandoverLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def waiting(self, agent: AgentRef, key: str) -> Handover | None:
        """Return the newest hand-over of a session that no start was given yet."""
        return self._database.first(HANDOVERS, _WAITING, **_of(agent), session_key=key)

    def of_agent(self, agent: AgentRef) -> tuple[Handover, ...]:
        """Return those that wait for sessions of an agent, the newest first."""
        return self._database.find(HANDOVERS, _WAITING, **_of(agent))

    def add(self, handover: Handover) -> None:
        """Store one hand-over; older ones wait no longer."""

        def change(connection: Connection) -> None:
            _close(connection, handover, handover.at)
            HANDOVERS.add(connection, handover)
            HANDOVERS.forget(connection, handover.at - _KEPT)

        self._database.write(change)

    def given(self, handover: Handover, at: datetime) -> None:
        """Store that a start was given it, and the older ones with it."""
        self._database.write(lambda connection: _close(connection, handover, at))


class StateTaken:
    """Answers the port `TakenLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def durable(self) -> AbstractContextManager[None]:
        """Put what is stored in the block on the disk at once."""
        return self._database.durable()

    def of(self, agent: AgentRef) -> tuple[TakenFile, ...]:
        """Return what was done to the files of an agent and may still come back, newest first."""
        return self._database.find(TAKEN, "ORDER BY id DESC", **_of(agent))

    def add(self, taken: TakenFile) -> TakenFile:
        """Store what is about to be done to a file."""
        number = self._database.write(lambda connection: TAKEN.add(connection, taken))
        return replace(taken, id=number)

    def done(self, taken: TakenFile) -> None:
        """Store that it was done."""
        self._database.write(
            lambda connection: TAKEN.change(connection, {"is_done": True}, id=taken.id)
        )

    def looked(self, taken: Iterable[TakenFile]) -> None:
        """Store how long these waited up to now, all of them at once."""

        def change(connection: Connection) -> None:
            for one in taken:
                row = {
                    "waited_s": one.waited_s,
                    "looked_at": one.looked_at,
                    "passed_s": one.passed_s,
                }
                TAKEN.change(connection, row, id=one.id)

        self._database.write(change)

    def drop(self, taken: TakenFile) -> None:
        """Forget it: it was not done, came back, or is gone for good."""
        self._database.write(lambda connection: TAKEN.remove(connection, id=taken.id))


def _close(connection: Connection, handover: Handover, at: datetime) -> None:
    owner = {**_of(handover.agent), "session_key": handover.session_key}
    HANDOVERS.change(connection, {"given_at": at}, **owner)


def _of(agent: AgentRef) -> dict[str, str]:
    """Return the columns that say whose a row is."""
    return {"home": agent.home.path, "agent": agent.id}
