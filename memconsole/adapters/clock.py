"""The clock of this process."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from memconsole.errors import ConfigError
from memconsole.text.plain import one_line

_PASSED = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_FIRST_YEAR = 1970
_LAST_YEAR = 9000


class SystemClock:
    """Answers `Clock`; `MEMCONSOLE_NOW` sets the wall clock of the process."""

    def __init__(self, start: str | None = None) -> None:
        """Take the host's wall clock, or start another one at a given moment.

        Args:
            start: `MEMCONSOLE_NOW`: ISO-8601 with its offset. The wall clock begins there and runs
                on with the stopwatch. None or "" means the host's.

        Raises:
            ConfigError: It is no such moment.
        """
        self._start = _moment(start) if start else None
        self._started: float | None = None

    def now(self) -> datetime:
        """Return the wall time, aware UTC."""
        if self._start is None:
            return datetime.now(UTC)
        if self._started is None:  # at the first look: loading ourselves takes no time of theirs
            self._started = time.monotonic()
        return self._start + timedelta(seconds=time.monotonic() - self._started)

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""
        return time.monotonic()


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
        is_usable = moment.tzinfo is not None and _FIRST_YEAR <= moment.year <= _LAST_YEAR
    except ValueError:
        is_usable, moment = False, datetime.min
    if not is_usable:
        raise ConfigError(
            f'MEMCONSOLE_NOW must be a moment with its offset, not "{one_line(text)[:60]}"',
            hint="Write it like 2026-04-12T09:00:00+02:00, or remove the variable.",
        )
    return moment.astimezone(UTC)


class _WallClock(Protocol):
    def now(self) -> datetime: ...


class PassedTime:
    """Answers the port `TwoClocks`: a wall clock, and the time that has passed, sleep included."""

    def __init__(self, clock: _WallClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        """Return the wall time, aware UTC."""
        return self._clock.now()

    def elapsed(self) -> float:
        """Return seconds that never go back.

        `time.monotonic` stands still in sleep on Linux, and on macOS too: there it is the system's
        CLOCK_MONOTONIC that goes on.
        """
        return time.clock_gettime(_PASSED)
