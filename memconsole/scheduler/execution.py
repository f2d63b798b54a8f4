"""APScheduler's part: it runs what is due, one run of a job at a time.

What is due is decided elsewhere. Its own triggers go by the wall clock and stall when that goes
back, so every run is handed over as one that has long been due.
"""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_EXECUTED
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.date import DateTrigger

from memconsole.domain.jobs.runs import FAILED, INTERNAL, JobEnd

if TYPE_CHECKING:
    from collections.abc import Callable

    from apscheduler.events import JobExecutionEvent

logger = logging.getLogger(__name__)

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_THREADS = 4
_HAND_OVER_S = 0.01


class Execution:
    """A pool of threads in which no job overlaps itself (`service.Hands`)."""

    def __init__(self) -> None:
        logging.getLogger("apscheduler").setLevel(logging.WARNING)
        self._done: dict[str, Callable[[JobEnd], None]] = {}
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            executors={"default": ThreadPoolExecutor(_THREADS)},
            job_defaults={"max_instances": 1, "misfire_grace_time": None, "coalesce": True},
        )
        self._scheduler.add_listener(self._ended, EVENT_JOB_EXECUTED | EVENT_JOB_ERROR)
        self._scheduler.start()

    def submit(self, job: str, work: Callable[[], JobEnd], done: Callable[[JobEnd], None]) -> None:
        """Begin to run a job and return at once; `done` is told when its place is free again.

        `done` may be told by the thread that hands jobs over: it submits nothing itself.
        """
        self._done[job] = done
        trigger = DateTrigger(_LONG_AGO, timezone=UTC)
        self._scheduler.add_job(work, trigger, id=job, replace_existing=True)

    def close(self) -> None:
        """Take no more work; what runs goes on."""
        while self._scheduler.get_jobs():  # it loses its head when it ends while it hands over
            time.sleep(_HAND_OVER_S)
        self._scheduler.shutdown(wait=False)

    def _ended(self, event: JobExecutionEvent) -> None:
        """Pass on how a run ended; a bug in `work` itself is one as well."""
        done = self._done.pop(event.job_id)
        if event.exception is not None:
            logger.error("job %s: %s", event.job_id, event.traceback)
            done(JobEnd(FAILED, INTERNAL, type(event.exception).__name__))
        else:
            done(event.retval)
