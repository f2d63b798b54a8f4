"""The last reading, for as long as it is known to hold."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.gateway.link import SocketLink
from memconsole.gateway.program import ProgramLink

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memconsole.domain.gateway import LiveReading
    from memconsole.gateway.doorway import Link

TRUSTED_S = 30.0
"""A Gateway that tells of every change is asked all the same after so many seconds."""

PROGRAM_S = 15.0
"""The platform's program takes a second of a core: it is not started more often than this."""


class Memory:
    """Not safe from several threads: its owner holds a lock.

    Args:
        now: The wall clock.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._link: Link | None = None
        self._changes = 0
        self._at = 0.0
        self._reading: LiveReading | None = None

    def begin(self, link: Link) -> None:
        """Note what is known before the question is put: what comes after it is news."""
        self._link, self._reading = link, None
        self._changes = link.inbox.changes if isinstance(link, SocketLink) else 0
        self._at = time.monotonic()

    def keep(self, reading: LiveReading) -> LiveReading:
        """Keep the answer to the question that was begun; return it."""
        self._reading = reading
        return reading

    def forget(self) -> None:
        """Ask anew next time."""
        self._reading = None

    def recall(self, current: Callable[[], Link | None]) -> LiveReading | None:
        """Return the last reading when it still holds, else None.

        A link that is listened to and told of every change vouches for it now, so it has the age of
        this moment; what the program said keeps its own.

        Args:
            current: Returns the link that is open.
        """
        link, reading = self._link, self._reading
        age_s = time.monotonic() - self._at
        if reading is None or age_s >= TRUSTED_S:
            return None
        if isinstance(link, ProgramLink):
            return reading if age_s < PROGRAM_S and current() is link else None
        if not isinstance(link, SocketLink) or not self._is_quiet(link) or current() is not link:
            return None
        moment = self._now()
        return replace(reading, status=replace(reading.status, checked_at=moment), read_at=moment)

    def _is_quiet(self, link: SocketLink) -> bool:
        """Whether the Gateway would have told of a change, and did not."""
        inbox = link.inbox
        is_told = link.is_attended and link.is_subscribed and not inbox.is_broken
        return is_told and inbox.changes == self._changes and inbox.farewell is None
