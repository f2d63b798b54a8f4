"""Jobs in `state.db` (port `JobStore`)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.adapters.state.tables import JOBS

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.jobs.runs import JobRecord


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
