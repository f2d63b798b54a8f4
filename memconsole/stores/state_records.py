"""Runs, samples and captures in `state.db` (ports `RunLog`, `SampleStore`, `CaptureLog`)."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef
from memconsole.domain.captures import Capture
from memconsole.domain.outcomes import Origin, Run
from memconsole.domain.tokens import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memconsole.sqlite import Connection, ReadOnlyDatabase, Row, SqlValue
    from memconsole.stores.state import StateDatabase

FLAT_STEP = timedelta(minutes=10)
"""How often the last sample of a count that stays as it is moves forward."""

_RUNS_KEPT = 10_000
_SAMPLES_KEPT = timedelta(days=14)
_CAPTURES_KEPT = timedelta(days=90)

_RUN = (
    "id, job, command, command_line, origin, agent, key, started_at, ended_at, status, reason, "
    "message, duration_ms"
)
_CAPTURE = (
    "home, agent, session_id, session_key, at, content_hash, block, is_logged, day_file, workspace"
)


class StateRunLog:
    """Answers `ports.RunLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def add(self, run: Run) -> None:
        """Store one run; `run.id` is ignored.

        Raises:
            StateError: It cannot be stored.
        """
        names = _RUN.removeprefix("id, ")
        values = (
            _text(run.job),
            _text(run.command),
            _text(run.command_line),
            run.origin.value,
            _text(run.agent),
            _text(run.key),
            _stamp(run.started_at),
            None if run.ended_at is None else _stamp(run.ended_at),
            run.status,
            _text(run.reason),
            _text(run.message),
            run.duration_ms,
        )

        def change(connection: Connection) -> None:
            connection.execute(f"INSERT INTO run ({names}) VALUES ({_marks(values)})", values)
            connection.execute(
                "DELETE FROM run WHERE id <= (SELECT max(id) FROM run) - ?", (_RUNS_KEPT,)
            )

        self._database.write(change)

    def runs(
        self, *, limit: int, since: datetime | None = None, job: str | None = None
    ) -> tuple[Run, ...]:
        """Return the newest runs first; none when they cannot be read."""
        conditions: list[tuple[str, SqlValue]] = []
        if since is not None:
            conditions.append(("started_at >= ?", _stamp(since)))
        if job is not None:
            conditions.append(("job = ?", _text(job)))
        where = " AND ".join(("TRUE", *(sql for sql, _ in conditions)))
        values = (*(value for _, value in conditions), limit)
        statement = (
            f"SELECT {_RUN} FROM run WHERE {where} ORDER BY started_at DESC, id DESC LIMIT ?"
        )
        rows = _rows(self._database, statement, values)
        return tuple(run for row in rows if (run := _run(row)) is not None)


class StateSamples:
    """Answers `ports.SampleStore`; remembers what it saw, so that most calls write nothing."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._seen: dict[str, Sample] = {}

    def add(self, samples: Iterable[Sample]) -> None:
        """Store samples; of equal consecutive counts of a session the first and last are kept.

        Raises:
            StateError: They cannot be stored.
        """
        with self._lock:
            news = [one for one in samples if self._is_news(one)]
            if not news:
                return

            def change(connection: Connection) -> None:
                for sample in news:
                    _store_sample(connection, sample)
                oldest = max(one.at for one in news) - _SAMPLES_KEPT
                connection.execute("DELETE FROM sample WHERE at < ?", (_stamp(oldest),))

            self._database.write(change)
            self._seen.update((one.session_id, one) for one in news)

    def samples(self, *, since: datetime) -> tuple[Sample, ...]:
        """Return all samples since then, oldest first; none when they cannot be read."""
        statement = "SELECT agent, session_id, at, tokens FROM sample WHERE at >= ? ORDER BY at, id"
        rows = _rows(self._database, statement, (_stamp(since),))
        return tuple(sample for row in rows if (sample := _sample(row)) is not None)

    def _is_news(self, sample: Sample) -> bool:
        last = self._seen.get(sample.session_id)
        return last is None or last.tokens != sample.tokens or abs(sample.at - last.at) >= FLAT_STEP


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

    def latest_by_agent(self, home: str) -> dict[str, Capture]:
        """Return the newest capture of each agent of a home."""
        statement = (
            f"SELECT {_CAPTURE} FROM capture WHERE id IN "
            "(SELECT max(id) FROM capture WHERE home = ? GROUP BY agent)"
        )
        rows = _rows(self._database, statement, (_text(home),))
        found = (capture for row in rows if (capture := _capture(row)) is not None)
        return {capture.agent.id: capture for capture in found}

    def prepare(self) -> None:
        """Make sure that a capture can be stored, or raise `StateError`."""
        self._database.write(lambda _: None)

    def add(self, capture: Capture) -> None:
        """Store one capture (A12); a look that found nothing new replaces the one before it.

        Raises:
            StateError: It cannot be stored.
        """
        values = (
            _text(capture.agent.home),
            _text(capture.agent.id),
            _text(capture.session_id),
            _text(capture.session_key),
            _stamp(capture.at),
            capture.content_hash,
            _text(capture.block),
            int(capture.is_logged),
            _text(capture.day_file),
            _text(capture.workspace),
        )

        def change(connection: Connection) -> None:
            connection.execute(
                "DELETE FROM capture WHERE id = (SELECT max(id) FROM capture WHERE home = ? AND "
                "agent = ?) AND session_id = ? AND content_hash = ? AND NOT is_logged",
                (*values[:3], capture.content_hash),
            )
            marks = _marks(values)
            connection.execute(f"INSERT INTO capture ({_CAPTURE}) VALUES ({marks})", values)
            connection.execute(
                "DELETE FROM capture WHERE at < ? AND id NOT IN "
                "(SELECT max(id) FROM capture GROUP BY home, agent)",
                (_stamp(capture.at - _CAPTURES_KEPT),),
            )

        self._database.write(change)

    def _newest(self, agent: AgentRef, session_id: str | None, condition: str) -> Capture | None:
        values = (_text(agent.home), _text(agent.id), _text(session_id))
        statement = (
            f"SELECT {_CAPTURE} FROM capture WHERE home = ?1 AND agent = ?2 "
            f"AND (?3 IS NULL OR session_id = ?3) AND {condition} ORDER BY id DESC LIMIT 1"
        )
        rows = _rows(self._database, statement, values)
        return _capture(rows[0]) if rows else None


def _store_sample(connection: Connection, sample: Sample) -> None:
    session_id, at = _text(sample.session_id), _stamp(sample.at)
    last = connection.execute(
        "SELECT id, at, tokens FROM sample WHERE session_id = ? ORDER BY at DESC, id DESC LIMIT 2",
        (session_id,),
    ).fetchall()
    if last and last[0][2] == sample.tokens:
        last_at = _instant(last[0][1])
        if last_at is not None and abs(sample.at - last_at) < FLAT_STEP:
            return
        if len(last) > 1 and last[1][2] == sample.tokens and sample.at > (last_at or sample.at):
            connection.execute("UPDATE sample SET at = ? WHERE id = ?", (at, last[0][0]))
            return
    connection.execute(
        "INSERT INTO sample (agent, session_id, at, tokens) VALUES (?, ?, ?, ?)",
        (_text(sample.agent_id), session_id, at, sample.tokens),
    )


def _rows(database: StateDatabase, statement: str, values: Sequence[SqlValue]) -> list[Row]:
    def query(opened: ReadOnlyDatabase) -> list[Row]:
        return list(opened.rows(statement, values))

    return database.read(query, [])


def _run(row: Row) -> Run | None:
    """Return one run; None for a row that another program spoiled."""
    number, job, command, line, origin, agent, key, started, ended, *rest = row
    status, reason, message, duration = rest
    started_at = _instant(started)
    if started_at is None or not isinstance(number, int) or origin not in set(Origin):
        return None
    return Run(
        id=number,
        job=_known(job),
        command=_known(command) or "",
        command_line=_known(line) or "",
        origin=Origin(origin),
        agent=_known(agent),
        key=_known(key),
        started_at=started_at,
        ended_at=_instant(ended),
        status=_known(status) or "",
        reason=_known(reason),
        message=_known(message) or "",
        duration_ms=duration if isinstance(duration, int) else None,
    )


def _sample(row: Row) -> Sample | None:
    agent, session_id, at, tokens = row
    found_at = _instant(at)
    if found_at is None or not isinstance(tokens, int):
        return None
    return Sample(str(agent), str(session_id), found_at, tokens)


def _capture(row: Row) -> Capture | None:
    home, agent, session_id, key, at, content_hash, block, is_logged, day_file, workspace = row
    captured_at = _instant(at)
    if captured_at is None:
        return None
    return Capture(
        agent=AgentRef(str(home), str(agent)),
        session_id=str(session_id),
        session_key=_known(key),
        at=captured_at,
        content_hash=str(content_hash),
        block=str(block),
        is_logged=bool(is_logged),
        day_file=_known(day_file),
        workspace=str(workspace),
    )


def _marks(values: Sequence[SqlValue]) -> str:
    return ", ".join("?" * len(values))


def _text(value: str | None) -> str | None:
    """Return text that can be stored; a path may hold bytes that are no text."""
    return None if value is None else value.encode("utf-8", "backslashreplace").decode()


def _known(value: SqlValue) -> str | None:
    return value if isinstance(value, str) else None


def _stamp(at: datetime) -> str:
    """Return an instant as it is stored: always UTC and equally long, so that text sorts."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _instant(value: SqlValue) -> datetime | None:
    try:
        return datetime.fromisoformat(value).astimezone(UTC) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None
