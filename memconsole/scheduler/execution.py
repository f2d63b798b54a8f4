"""Runs what is due in a few threads; what is due is decided elsewhere (ADR 0039)."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from memconsole.domain.jobs.runs import FAILED, INTERNAL, JobEnd

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

_THREADS = 4


class Execution:
    """A pool of threads (`service.Hands`); a job that runs is not submitted again."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="job")

    def submit(self, job: str, work: Callable[[], JobEnd], done: Callable[[JobEnd], None]) -> None:
        """Begin to run a job and return at once; `done` is told by the thread that ran it."""
        self._pool.submit(_run, job, work, done)

    def close(self) -> None:
        """Take no more work; what runs or waits for a thread goes on."""
        self._pool.shutdown(wait=False)


def _run(job: str, work: Callable[[], JobEnd], done: Callable[[JobEnd], None]) -> None:
    """Run a job and tell how it ended; a bug in `work` itself is an end as well."""
    try:
        end = work()
    except BaseException as error:  # the edge of a thread: else the job would run for ever
        logger.exception("job %s", job)
        end = JobEnd(FAILED, INTERNAL, type(error).__name__)
    done(end)
