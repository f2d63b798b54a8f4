"""Runs and samples in `state.db` (ports `RunLog` and `SampleStore`)."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
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
from memconsole.domain.agents import Origin
from memconsole.domain.sessions.tokens import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.adapters.sqlite.choice import Connection, Row, SqlValue
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.commands.outcomes import Run

FLAT_STEP = timedelta(minutes=10)
"""How often the last sample of a count that stays as it is moves forward."""

_RUNS_KEPT = 10_000
_SAMPLES_KEPT = timedelta(days=14)

_RUN = (
    "id, job, command, command_line, origin, agent, key, started_at, ended_at, status, reason, "
    "message, duration_ms, home"
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
            name(run.job),
            name(run.command),
            text(run.command_line),
            run.origin.value,
            name(run.agent),
            name(run.key),
            stamp(run.started_at),
            None if run.ended_at is None else stamp(run.ended_at),
            run.status,
            text(run.reason),
            text(run.message),
            run.duration_ms,
            name(run.home),
        )

        def change(connection: Connection) -> None:
            connection.execute(f"INSERT INTO run ({names}) VALUES ({marks(values)})", values)
            connection.execute(
                "DELETE FROM run WHERE id <= (SELECT max(id) FROM run) - ?", (_RUNS_KEPT,)
            )

        self._database.write(change)

    def runs(
        self,
        *,
        limit: int,
        since: datetime | None = None,
        job: str | None = None,
        home: str | None = None,
        command: str | None = None,
    ) -> tuple[Run, ...]:
        """Return the newest runs first; none when they cannot be read."""
        conditions: list[tuple[str, SqlValue]] = []
        if home is not None:
            conditions.append(("home = ?", name(home)))
        if since is not None:
            conditions.append(("started_at >= ?", stamp(since)))
        if job is not None:
            conditions.append(("job = ?", name(job)))
        if command is not None:
            conditions.append(("command = ?", name(command)))
        where = " AND ".join(("TRUE", *(sql for sql, _ in conditions)))
        values = (*(value for _, value in conditions), limit)
        statement = (
            f"SELECT {_RUN} FROM run WHERE {where} ORDER BY started_at DESC, id DESC LIMIT ?"
        )
        rows = rows_of(self._database, statement, values)
        return tuple(run for row in rows if (run := _run(row)) is not None)

    def require_readable(self) -> None:
        """Tell records that cannot be read from records that are not there.

        Raises:
            StateError: They cannot be read.
        """
        self._database.require_readable()


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

            oldest = max(one.at for one in news) - _SAMPLES_KEPT

            def change(connection: Connection) -> None:
                for sample in news:
                    _store_sample(connection, sample)
                connection.execute("DELETE FROM sample WHERE at < ?", (stamp(oldest),))

            self._database.write(change)
            self._seen.update((one.session_id, one) for one in news)
            self._seen = {name: one for name, one in self._seen.items() if one.at >= oldest}

    def samples(self, *, since: datetime) -> tuple[Sample, ...]:
        """Return all samples since then, oldest first; none when they cannot be read."""
        statement = "SELECT agent, session_id, at, tokens FROM sample WHERE at >= ? ORDER BY at, id"
        rows = rows_of(self._database, statement, (stamp(since),))
        return tuple(sample for row in rows if (sample := _sample(row)) is not None)

    def _is_news(self, sample: Sample) -> bool:
        last = self._seen.get(sample.session_id)
        return last is None or last.tokens != sample.tokens or abs(sample.at - last.at) >= FLAT_STEP


def _store_sample(connection: Connection, sample: Sample) -> None:
    session_id, at = name(sample.session_id), stamp(sample.at)
    last = connection.execute(
        "SELECT id, at, tokens FROM sample WHERE session_id = ? ORDER BY at DESC, id DESC LIMIT 2",
        (session_id,),
    ).fetchall()
    if last and last[0][2] == sample.tokens:
        last_at = instant(last[0][1])
        if last_at is not None and abs(sample.at - last_at) < FLAT_STEP:
            return
        if len(last) > 1 and last[1][2] == sample.tokens and sample.at > (last_at or sample.at):
            connection.execute("UPDATE sample SET at = ? WHERE id = ?", (at, last[0][0]))
            return
    connection.execute(
        "INSERT INTO sample (agent, session_id, at, tokens) VALUES (?, ?, ?, ?)",
        (name(sample.agent_id), session_id, at, sample.tokens),
    )


def _run(row: Row) -> Run | None:
    """Return one run; None for a row that another program spoiled."""
    number, job, command, line, origin, agent, key, started, ended, *rest = row
    status, reason, message, duration, home = rest
    started_at = instant(started)
    if started_at is None or not isinstance(number, int) or origin not in set(Origin):
        return None
    from memconsole.domain.commands.outcomes import Run  # noqa: PLC0415 - most looks find no run

    return Run(
        id=number,
        job=known_text(job),
        command=known_text(command) or "",
        command_line=known_text(line) or "",
        origin=Origin(origin),
        agent=known_text(agent),
        key=known_text(key),
        started_at=started_at,
        ended_at=instant(ended),
        status=known_text(status) or "",
        reason=known_text(reason),
        message=known_text(message) or "",
        duration_ms=duration if isinstance(duration, int) else None,
        home=known_text(home),
    )


def _sample(row: Row) -> Sample | None:
    agent, session_id, at, tokens = row
    found_at = instant(at)
    if found_at is None or not isinstance(tokens, int):
        return None
    return Sample(str(agent), str(session_id), found_at, tokens)
