"""The life of a scheduler: own the state folder, look again and again, end in time."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from memconsole.domain.schedule import MAX_TICK_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.job_ports import JobLocks
    from memconsole.scheduler.service import SchedulerService

logger = logging.getLogger(__name__)

GRACE_S = 9.0
"""How long jobs may take to end: a service manager, or a person, waits ten seconds."""


class Signs(Protocol):
    """What is told to whoever supervises us (`notify.Notifier`)."""

    watchdog_s: float | None

    def ready(self, status: str) -> None:
        """The jobs are planned."""

    def alive(self) -> None:
        """The loop turns."""

    def stopping(self) -> None:
        """It ends."""


def serve(
    service: SchedulerService, locks: JobLocks, is_stopped: Callable[[], bool], signs: Signs
) -> bool:
    """Run the jobs until it is told to stop.

    Args:
        service: The jobs; its bell is rung when `is_stopped` changes.
        locks: Says that only one scheduler runs.
        is_stopped: Whether to end.
        signs: Who supervises us.

    Returns:
        Whether everything that ran has ended; what has not is rolled back by the process's end.

    Raises:
        SchedulerOwnedError: Another process runs the jobs.
        StateError: The state folder cannot be written.
    """
    with locks.scheduler(), service.ledger.keep_open():
        locks.beat()
        service.begin()
        if service.watcher is not None:
            service.watcher.begin(service.cancel)
        wait_s = service.tick()
        signs.ready(f"{len(service.views())} jobs")
        logger.info("scheduler started: %s", ", ".join(one.id for one in service.views()))
        while not is_stopped():
            signs.alive()
            service.bell.wait(min(wait_s, (signs.watchdog_s or 2 * MAX_TICK_S) / 2))
            wait_s = service.tick()
            locks.beat()
        signs.stopping()
        logger.info("scheduler stops; running: %s", ", ".join(service.running) or "nothing")
        has_ended = service.stop(GRACE_S)
        if not has_ended:
            logger.warning("not done, rolled back: %s", ", ".join(service.running))
        return has_ended
