"""What ran, in `state.db`: commands, jobs, questions to the model, and counts that were seen."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.adapters.state.table import instant, stamp
from memconsole.adapters.state.tables import JOBS, MODEL_USES, POOL_DAYS, RUNS, SAMPLES
from memconsole.domain.commands.outcomes import Account, Proof, Step, Verdict
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from datetime import date, datetime
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection, SqlValue
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.agents import Origin
    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.jobs.runs import JobRecord
    from memconsole.domain.memory.files import PoolDay
    from memconsole.domain.model import ModelUse
    from memconsole.domain.sessions.tokens import Sample


FLAT_STEP = timedelta(minutes=10)
"""How often the last sample of a count that stays as it is moves forward."""

_RUNS_KEPT = 10_000

_SAMPLES_KEPT = timedelta(days=14)

_POOL_DAYS_KEPT = timedelta(days=400)


class StateRunLog:
    """Answers the port `RunLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def add(self, run: Run) -> int:
        """Store one run and return its number; `run.id` is ignored."""
        return self._database.write(
            lambda connection: RUNS.add_newest(connection, run, kept=_RUNS_KEPT)
        )

    def runs(
        self,
        *,
        limit: int,
        since: datetime | None = None,
        job: str | None = None,
        home: str | None = None,
        command: str | None = None,
        origin: Origin | None = None,
    ) -> tuple[Run, ...]:
        """Return the newest runs first; none when they cannot be read."""
        return self._database.find(
            RUNS,
            "AND started_at >= ? ORDER BY started_at DESC, id DESC LIMIT ?",
            ("" if since is None else stamp(since), limit),
            home=home,
            job=job,
            command=command,
            origin=origin,
        )

    def require_readable(self) -> None:
        """Tell records that cannot be read from records that are not there."""
        self._database.require_readable()


class StateSamples:
    """Answers the port `SampleStore`; remembers what it saw, so that most calls write nothing."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._seen: dict[str, Sample] = {}
        self._pools: dict[tuple[str, str], PoolDay] = {}

    def add(self, samples: Iterable[Sample]) -> None:
        """Store samples; of equal consecutive counts of a session the first and last are kept."""
        with self._lock:
            news = [one for one in samples if self._is_news(one)]
            if not news:
                return

            oldest = max(one.at for one in news) - _SAMPLES_KEPT

            def change(connection: Connection) -> None:
                for sample in news:
                    _store_sample(connection, sample)
                SAMPLES.forget(connection, oldest)

            self._database.write(change)
            self._seen.update((one.session_id, one) for one in news)
            self._seen = {name: one for name, one in self._seen.items() if one.at >= oldest}

    def samples(self, *, since: datetime) -> tuple[Sample, ...]:
        """Return all samples since then, oldest first; none when they cannot be read."""
        return self._database.find(SAMPLES, "AND at >= ? ORDER BY at, id", (stamp(since),))

    def add_pools(self, home: str, days: Iterable[PoolDay]) -> None:
        """Store how large pools are; the last look of a day is the one that stays."""
        with self._lock:
            news = [one for one in days if self._pools.get((home, one.agent_id)) != one]
            if not news:
                return

            oldest = max(one.day for one in news) - _POOL_DAYS_KEPT

            def change(connection: Connection) -> None:
                for one in news:
                    POOL_DAYS.put(connection, one, home=home)
                connection.execute("DELETE FROM pool_day WHERE day < ?", (oldest.isoformat(),))

            self._database.write(change)
            self._pools.update(((home, one.agent_id), one) for one in news)

    def pool_days(self, home: str, *, since: date) -> tuple[PoolDay, ...]:
        """Return what pools of a home were since a day; none when they cannot be read."""
        return self._database.find(POOL_DAYS, "AND day >= ?", (since.isoformat(),), home=home)

    def _is_news(self, sample: Sample) -> bool:
        last = self._seen.get(sample.session_id)
        return last is None or last.tokens != sample.tokens or abs(sample.at - last.at) >= FLAT_STEP


def _store_sample(connection: Connection, sample: Sample) -> None:
    last = connection.execute(
        "SELECT id, at, tokens FROM sample WHERE session_id = ? ORDER BY at DESC, id DESC LIMIT 2",
        SAMPLES.encoded({"session_id": sample.session_id}),
    ).fetchall()
    if last and last[0][2] == sample.tokens:
        last_at = _known(last[0][1])
        if last_at is not None and abs(sample.at - last_at) < FLAT_STEP:
            return
        if len(last) > 1 and last[1][2] == sample.tokens and sample.at > (last_at or sample.at):
            SAMPLES.change(connection, {"at": sample.at}, id=last[0][0])
            return
    SAMPLES.add(connection, sample)


def _known(stored: SqlValue) -> datetime | None:
    """Return an instant; None for one that another program spoiled."""
    try:
        return instant(str(stored))
    except (ValueError, OverflowError):
        return None


_MOST_STEPS: Final = 40

_MOST_CHARS: Final = 400
"""Of one text: masked whole, then cut."""


def packed_account(account: Account) -> str:
    """Return an account as JSON of plain ASCII, of a bounded size."""
    proof = account.proof
    return json.dumps(
        {
            "steps": [
                [_cut(one.name), one.status, one.duration_ms, _cut(one.message)]
                for one in account.steps[:_MOST_STEPS]
            ],
            "proof": None if proof is None else [proof.verdict.value, _cut(proof.text)],
        }
    )


def unpacked_account(stored: str) -> Account:
    """Return the account of a column.

    Raises:
        ValueError: Another program spoiled it.
    """
    try:
        row = json.loads(stored)
        proof = row["proof"]
        steps = tuple(
            Step(str(name), str(status), None if took is None else int(took), str(message))
            for name, status, took, message in row["steps"]
        )
        return Account(
            steps, None if proof is None else Proof(Verdict(str(proof[0])), str(proof[1]))
        )
    except (TypeError, KeyError, IndexError) as error:
        raise ValueError("no account") from error


def _cut(text: str) -> str:
    masked = let_out(text)
    return masked if len(masked) <= _MOST_CHARS else f"{masked[: _MOST_CHARS - 1]}…"


_USES_KEPT = timedelta(days=90)


class StateModels:
    """Answers the port `ModelLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def tokens_since(self, at: datetime) -> int:
        """Return the tokens used since then."""
        statement = "SELECT coalesce(sum(tokens), 0) FROM model_use WHERE at >= ?"
        rows = self._database.rows(statement, (stamp(at),))
        return rows[0][0] if rows and isinstance(rows[0][0], int) else 0

    def add(self, use: ModelUse) -> None:
        """Store one use."""

        def change(connection: Connection) -> None:
            MODEL_USES.add(connection, use)
            MODEL_USES.forget(connection, use.at - _USES_KEPT)

        self._database.write(change)


class StateJobs:
    """Answers the port `JobStore`.

    Args:
        database: Ours.
        mark: Of the home whose jobs these are, where the database serves several; its jobs are
            kept under their ids with it behind.
    """

    def __init__(self, database: StateDatabase, mark: str = "") -> None:
        self._database = database
        self._behind = f"@{mark}" if mark else ""

    def records(self) -> dict[str, JobRecord]:
        """Return all records by job id; none when they cannot be read."""
        found = {}
        for one in self._database.find(JOBS):
            job, at, _ = one.id.partition("@")
            if one.id == f"{job}{self._behind}" and bool(at) == bool(self._behind):
                found[job] = replace(one, id=job)
        return found

    def save(self, record: JobRecord) -> None:
        """Store a record; whether it is paused stays as it is."""
        row = JOBS.row(replace(record, id=f"{record.id}{self._behind}"))
        del row["is_paused"]
        self._database.write(lambda connection: JOBS.replace(connection, row))

    def pause(self, job: str, *, is_paused: bool) -> None:
        """Pause a job or let it go on."""
        row = {"id": f"{job}{self._behind}", "is_paused": is_paused}
        self._database.write(lambda connection: JOBS.replace(connection, row))

    def keep_open(self) -> AbstractContextManager[None]:
        """Keep the database open for the block, so that no write has to wait for the disk."""
        return self._database.keep_open()

    def changes(self) -> object:
        """Return a cheap value that changes when records may have changed."""
        path = self._database.path
        return _mark(path), _mark(path.with_name(f"{path.name}-wal"))


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
