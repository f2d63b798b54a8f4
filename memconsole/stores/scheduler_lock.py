"""Who runs the jobs of this state folder: the scheduler's lock and its pulse (A9, A17)."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.errors import LockedError, SchedulerOwnedError
from memconsole.stores.locks import SCHEDULER, SchedulerLock, hold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memconsole.domain.snapshot import SchedulerStatus
    from memconsole.stores.state_jobs import StateJobs

PULSE_S = 15.0
"""How often the owner touches its lock file."""

_SILENT_S = 180.0
"""An owner that did not for so long holds the lock and does nothing: it hangs, or was stopped."""


def _now() -> datetime:
    return datetime.now(UTC)


class FileJobLocks:
    """Answers `job_ports.JobLocks` with files below `locks/` of our state folder.

    Args:
        folder: That folder; made when a lock is taken.
        now: The wall time, for the owner's note.
    """

    def __init__(self, folder: Path, now: Callable[[], datetime] = _now) -> None:
        self._folder = folder
        self._now = now
        self._beaten_s = float("-inf")

    @contextmanager
    def scheduler(self) -> Iterator[None]:
        """Own the scheduling of this state folder.

        Raises:
            SchedulerOwnedError: Somebody else owns it; the message names process and start.
            StateError: The state folder cannot be written.
        """
        with ExitStack() as stack:
            try:
                stack.enter_context(hold(self._folder / SCHEDULER, "the scheduler", self._now))
            except LockedError as error:
                raise SchedulerOwnedError(error.owner) from error
            yield

    @contextmanager
    def job(self, job: str) -> Iterator[None]:
        """Hold one job for one run.

        Raises:
            LockedError: Another run of it goes on.
            StateError: The state folder cannot be written.
        """
        with hold(self._folder / f"job-{job}.lock", f"the job {job}", self._now):
            yield

    def beat(self) -> None:
        """Show that the owner is alive; most calls do nothing."""
        now = time.monotonic()
        if now - self._beaten_s < PULSE_S:
            return
        self._beaten_s = now
        with suppress(OSError):
            os.utime(self._folder / SCHEDULER)


class SchedulerWatch:
    """Answers `ports.SchedulerControl`: who owns the scheduler, whether it lives, what is next.

    Args:
        folder: `locks/` of our state folder; may not exist.
        jobs: What is remembered about jobs; asked only while somebody owns the scheduler.
    """

    def __init__(self, folder: Path, jobs: StateJobs) -> None:
        self._path = folder / SCHEDULER
        self._lock = SchedulerLock(folder)
        self._jobs = jobs

    def status(self) -> SchedulerStatus:
        """Return the holder of the scheduler's lock; `stale` when it has no pulse."""
        found = self._lock.status()
        if found.state != "running":
            return found
        if self._is_silent():
            return replace(found, state="stale")
        coming = [
            (record.next_at, record.id)
            for record in self._jobs.records().values()
            if record.next_at is not None and not record.is_paused
        ]
        next_at, next_job = min(coming, default=(None, None))
        return replace(found, next_job=next_job, next_at=next_at)

    def _is_silent(self) -> bool:
        try:
            touched_s = self._path.stat().st_mtime
        except OSError:
            return False
        return time.time() - touched_s > _SILENT_S
