"""Tells the service manager how we are (`sd_notify`): ready, alive, stopping."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import MutableMapping

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
