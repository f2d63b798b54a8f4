"""Runs a scheduler from start to end: owns the state folder, looks again and ends in time."""

from __future__ import annotations

import logging
import select
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from memconsole.domain.jobs.schedule import MAX_TICK_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.ports.jobs import JobLocks
    from memconsole.scheduler.service import SchedulerService


logger = logging.getLogger(__name__)

GRACE_S = 9.0
"""How long jobs may take to end: a service manager, or a person, waits ten seconds."""


class Supervisor(Protocol):
    """What is told to whoever supervises us (`notify.Notifier`)."""

    watchdog_s: float | None

    def ready(self, status: str) -> None:
        """The jobs are planned."""

    def alive(self) -> None:
        """The loop turns."""

    def stopping(self) -> None:
        """It ends."""


def serve(
    service: SchedulerService, locks: JobLocks, is_stopped: Callable[[], bool], signs: Supervisor
) -> bool:
    """Run the jobs until it is told to stop.

    Args:
        service: The jobs; its bell is rung when `is_stopped` changes.
        locks: Owned by the caller; shows others that the owner is alive.
        is_stopped: Whether to end.
        signs: Who supervises us.

    Returns:
        Whether everything that ran has ended; what has not is rolled back by the process's end.
    """
    with service.ledger.keep_open():
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


class WakeSignal:
    """Keeps its ringing until somebody waits.

    An event of the standard library holds a lock while it is set, and a signal that comes in that
    moment would wait for itself.
    """

    def __init__(self) -> None:
        self._ear, self._clapper = socket.socketpair()
        self._ear.setblocking(False)
        self._clapper.setblocking(False)

    def ring(self) -> None:
        """End the waiting, now or when it begins."""
        with suppress(OSError):  # full: it rings already; closed: nobody listens any more
            self._clapper.send(b"!")

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until it rings; return whether it did."""
        heard, _, _ = select.select([self._ear], [], [], max(seconds, 0))
        if heard:
            with suppress(BlockingIOError):
                while self._ear.recv(4096):
                    pass
        return bool(heard)

    def close(self) -> None:
        """Give its descriptors back."""
        self._ear.close()
        self._clapper.close()
