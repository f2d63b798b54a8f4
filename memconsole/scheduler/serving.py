"""Runs a scheduler from start to end, and tells the service manager how it is (`sd_notify`).

It owns the state folder, looks again and ends in time.
"""

from __future__ import annotations

import logging
import os
import select
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from memconsole.domain.jobs.schedule import MAX_TICK_S

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    from memconsole.ports.jobs import JobLocks
    from memconsole.scheduler.scheduler import SchedulerService


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


_SOCKET, _SPAN, _PID = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"


class Notifier:
    """Sends to the socket that the service manager named; without one it does nothing.

    Args:
        address: Path of a datagram socket; `@` begins one without a file.
        watchdog_s: The manager restarts us after so long without a sign of life; None: it does not.
    """

    def __init__(self, address: str | None, watchdog_s: float | None = None) -> None:
        self._address = address
        self.watchdog_s = None if address is None else watchdog_s

    @classmethod
    def from_environment(cls, environ: MutableMapping[str, str]) -> Notifier:
        """Take what the manager said, and keep it from our own children."""
        address = environ.pop(_SOCKET, None)
        span, pid = environ.pop(_SPAN, ""), environ.pop(_PID, "")
        is_ours = pid in ("", str(os.getpid()))
        has_watchdog = is_ours and span.isdigit() and int(span) > 0
        return cls(address or None, int(span) / 1e6 if has_watchdog else None)

    def ready(self, status: str) -> None:
        """Say that the jobs are planned."""
        self._send(f"READY=1\nSTATUS={status}")

    def alive(self) -> None:
        """Give a sign of life, if somebody waits for one."""
        if self.watchdog_s is not None:
            self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """Say that we end."""
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        if self._address is None:
            return
        address = self._address
        if address.startswith("@"):
            address = f"\0{address[1:]}"
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.settimeout(1)
            line.sendto(message.encode(), address)
