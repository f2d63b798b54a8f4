"""Wakes the loop early; may be rung from any thread and from a signal handler."""

from __future__ import annotations

import select
import socket
from contextlib import suppress


class Bell:
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
