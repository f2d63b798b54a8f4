"""Jobs in `state.db` (port `JobStore`)."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection, Row, SqlValue
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.jobs.runs import JobRecord

_COLUMNS = (
    "id",
    "started_at",
    "ended_at",
    "status",
    "reason",
    "message",
    "duration_ms",
    "is_running",
    "done_at",
    "next_at",
    "missed",
    "failures",
)
_NAMES = ", ".join(_COLUMNS)
_RENEWED = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])


class StateJobs:
    """Answers the port `JobStore`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def records(self) -> dict[str, JobRecord]:
        """Return all records by job id; none when they cannot be read."""
        rows = rows_of(self._database, f"SELECT is_paused, {_NAMES} FROM job", ())
        return {found.id: found for row in rows if (found := _record(row)) is not None}

    def save(self, record: JobRecord) -> None:
        """Store a record; whether it is paused stays as it is.

        Raises:
            StateError: It cannot be stored.
        """
        values = (
            name(record.id),
            _stamp(record.started_at),
            _stamp(record.ended_at),
            text(record.status),
            text(record.reason),
            text(record.message),
            record.duration_ms,
            int(record.is_running),
            _stamp(record.done_at),
            _stamp(record.next_at),
            record.missed,
            record.failures,
        )

        def change(connection: Connection) -> None:
            connection.execute(
                f"INSERT INTO job ({_NAMES}) VALUES ({marks(values)}) "
                f"ON CONFLICT (id) DO UPDATE SET {_RENEWED}",
                values,
            )

        self._database.write(change)

    def pause(self, job: str, *, is_paused: bool) -> None:
        """Pause a job or let it go on.

        Raises:
            StateError: It cannot be stored.
        """

        def change(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO job (id, is_paused) VALUES (?, ?) "
                "ON CONFLICT (id) DO UPDATE SET is_paused = excluded.is_paused",
                (name(job), int(is_paused)),
            )

        self._database.write(change)

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


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else stamp(at)


def _record(row: Row) -> JobRecord | None:
    """Return one record; None for a row that another program spoiled."""
    paused, name, started, ended, status, reason, message, took, running, done, coming, *counts = (
        row
    )
    if not isinstance(name, str):
        return None
    from memconsole.domain.jobs.runs import JobRecord  # noqa: PLC0415 - most looks find no scheduler

    return JobRecord(
        id=name,
        started_at=instant(started),
        ended_at=instant(ended),
        status=known_text(status),
        reason=known_text(reason),
        message=known_text(message) or "",
        duration_ms=took if isinstance(took, int) else None,
        is_running=bool(running),
        is_paused=bool(paused),
        done_at=instant(done),
        next_at=instant(coming),
        missed=_count(counts[0]),
        failures=_count(counts[1]),
    )


def _count(value: SqlValue) -> int:
    return value if isinstance(value, int) else 0
