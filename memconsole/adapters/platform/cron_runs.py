"""The platform's record of its scheduled runs: files, then two kinds of tables.

`cron/runs/<job>.jsonl` up to 2026.3, `cron_run_logs` in the shared database of 2026.7, receipts in
that of 2026.8 and later. A home can have several; what any of them says counts once.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from memconsole.adapters.sqlite.read_only import read_platform
from memconsole.domain.health import CronErrors
from memconsole.errors import StoreError
from memconsole.system.regular_file import open_regular
from memconsole.text.plain import one_line
from memconsole.text.timestamps import EARLIEST, NO_TIME, moment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.adapters.sqlite.ways import Copies
    from memconsole.domain.agents import Home

    _Failure: TypeAlias = tuple[str, datetime]
    """A run that ended in an error: its job, and when it ended; `NO_TIME` where nothing says."""

DATABASE: Final = "state/openclaw.sqlite"
FOLDER: Final = "cron/runs"

_TAIL_BYTES: Final = 256 * 1024
_STATEMENTS: Final = {
    "cron_run_receipts": (
        "SELECT job_id, finished_at_ms FROM cron_run_receipts WHERE status = 'error'"
        " AND (finished_at_ms >= ? OR finished_at_ms < ?)"
    ),
    "cron_run_logs": (
        "SELECT job_id, ts FROM cron_run_logs WHERE status = 'error' AND (ts >= ? OR ts < ?)"
    ),
}
_SKEWED_BELOW: Final = int(EARLIEST.timestamp())
"""In rows of seconds and of anything smaller: what is less names no time of the platform's."""


class _Run(msgspec.Struct, frozen=True, rename="camel"):
    """One line of a job's file."""

    ts: object
    status: str
    job_id: str = ""


_RUN = msgspec.json.Decoder(_Run)


class PlatformCron:
    """Answers the port `CronRuns`; reads, and leaves nothing behind.

    Args:
        copies: For a database that cannot be read in place.
    """

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    def errors(self, home: Home, since: datetime) -> CronErrors | None:
        """Return the runs that ended in an error since then; None when no record is readable."""
        runs: list[_Failure] = []
        is_known = False
        for found in (_from_files(home.path / FOLDER), self._from_database(home, since)):
            if found is not None:
                is_known = True
                runs += found
        if not is_known:
            return None
        jobs = [job for job, at in runs if at >= since]
        undated = sum(at < EARLIEST for _, at in runs)
        names = tuple(dict.fromkeys(one_line(job)[:80] for job in jobs))
        return CronErrors(len(jobs), names, undated)

    def _from_database(self, home: Home, since: datetime) -> list[_Failure] | None:
        path = home.path / DATABASE
        least = int(since.timestamp())  # of rows in seconds; those in milliseconds are above it

        def read(database: ReadOnlyDatabase) -> list[_Failure] | None:
            there = {
                str(row[0])
                for row in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'", ())
            }
            for table, statement in _STATEMENTS.items():
                if table in there:
                    rows = database.rows(statement, (least, _SKEWED_BELOW))
                    return [(str(job), moment(at) or NO_TIME) for job, at in rows]
            return None

        try:
            path.lstat()
            return read_platform(path, read, self._copies)
        except (OSError, StoreError):
            return None


def _from_files(folder: Path) -> list[_Failure] | None:
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".jsonl")]  # noqa: PTH208
    except OSError:
        return None
    return [run for name in sorted(names) for run in _of_file(folder / name)]


def _of_file(path: Path) -> Iterator[_Failure]:
    try:
        with open_regular(path) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            lines = file.read(_TAIL_BYTES).split(b"\n")
    except OSError:
        return
    for line in lines:
        try:
            run = _RUN.decode(line)
        except (msgspec.DecodeError, msgspec.ValidationError):
            continue  # the first may be cut, and others are not ours to judge
        if run.status == "error":
            yield run.job_id or path.stem, moment(run.ts) or NO_TIME
