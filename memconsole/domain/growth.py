"""How fast a session fills, and when it reaches its threshold."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.tokens import Growth

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

LOOKBACK = timedelta(hours=6)
"""Growth is that of the last hours; what happened yesterday does not predict this evening."""

_MIN_SPAN = timedelta(minutes=5)
_FARTHEST = timedelta(days=365)


def growth(
    points: Iterable[tuple[datetime, int]],
    *,
    current: int | None,
    threshold: int,
    now: datetime,
    source: str,
) -> Growth | None:
    """Return the rate since the last drop within the last hours, or None when too little is known.

    Args:
        points: (time, tokens) in any order.
        current: Tokens now; the forecast starts here.
        threshold: Tokens at which the session is due.
        now: The present, aware UTC.
        source: Where the points came from, for display.
    """
    recent = sorted(point for point in points if now - LOOKBACK <= point[0] <= now)
    rising = _since_last_drop(recent)
    if len(rising) < 2 or rising[-1][0] - rising[0][0] < _MIN_SPAN:
        return None
    # Up to the present, not to the last point: a talk that has paused has slowed down.
    hours = (now - rising[0][0]).total_seconds() / 3600
    rate = (rising[-1][1] - rising[0][1]) / hours
    if rate <= 0:
        return Growth(None, None, source)
    return Growth(rate, _due_at(rate, current, threshold, now), source)


def rounded(tokens_per_hour: float) -> int:
    """Return a rate as it is told: in two digits, for the passing time alone moves the third."""
    return round(float(f"{tokens_per_hour:.2g}"))


def _since_last_drop(points: list[tuple[datetime, int]]) -> list[tuple[datetime, int]]:
    start = 0
    for index in range(1, len(points)):
        if points[index][1] < points[index - 1][1]:
            start = index
    return points[start:]


def _due_at(rate: float, current: int | None, threshold: int, now: datetime) -> datetime | None:
    if current is None:
        return None
    wait = timedelta(hours=max(0.0, threshold - current) / rate)
    return now + wait if wait <= _FARTHEST else None
