"""The present as the screen knows it: the reading's own time, moved on by a stopwatch.

`MEMCONSOLE_NOW` moves the engine's wall clock (A23); asking the system here would show two times.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo


class ScreenClock:
    """Runs on from the time of the last reading."""

    def __init__(
        self, monotonic: Callable[[], float] = time.monotonic, start: datetime | None = None
    ) -> None:
        self.monotonic = monotonic
        self._base = start or datetime.now(UTC)
        self._at = monotonic()

    def set(self, now: datetime) -> None:
        """Take the time of a reading that was taken just now."""
        self._base, self._at = now, self.monotonic()

    def now(self) -> datetime:
        """Return the present, aware UTC."""
        return self._base + timedelta(seconds=self.monotonic() - self._at)


def zone_of(*names: str | None) -> tzinfo:
    """Return the first zone that exists, else the host's own (A23)."""
    for name in names:
        if name:
            try:
                return ZoneInfo(name)
            except (ZoneInfoNotFoundError, ValueError):
                continue
    return datetime.now().astimezone().tzinfo or UTC
