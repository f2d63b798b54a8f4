"""Judges token counts: their state, how fast a session fills, and when it reaches its threshold."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


DEFAULT_WINDOW = 200_000
"""Tokens; the platform's own fallback when neither entry nor configuration names a window."""


class TokenState(StrEnum):
    """How far a token count can be trusted."""

    FRESH = "fresh"
    STALE = "stale"
    ESTIMATED = "estimated"
    SUSPECT = "suspect"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TokenCount:
    """A count and its state.

    Attributes:
        state: How far to trust it.
        reported: The platform's own number; None when it gave none.
        estimated: From the transcript's last usage; None when not read or not there.
        is_reckoned: The estimate is what a compaction says that it left, and an overhead: no model
            has counted it, so it shows how full a session is and makes none due.
    """

    state: TokenState
    reported: int | None = None
    estimated: int | None = None
    is_reckoned: bool = False

    @property
    def tokens(self) -> int | None:
        """The number to show: reported, or the estimate for estimated counts."""
        return self.estimated if self.state is TokenState.ESTIMATED else self.reported

    @property
    def basis(self) -> int | None:
        """The number that percentages follow: the estimate for estimated and suspect ones."""
        if self.state in (TokenState.ESTIMATED, TokenState.SUSPECT):
            return self.estimated
        return self.reported


class NotDue(StrEnum):
    """Why a session is not taken by automatic rotation."""

    BELOW = "below"
    UNKNOWN = "unknown-count"
    STALE = "stale-count"
    UNCONFIRMED = "unconfirmed-count"
    CLASS = "class"
    ARCHIVED = "archived"
    NO_KEY = "no-key"
    NO_SESSION = "no-session"
    PATTERN = "skip-pattern"


@dataclass(frozen=True, slots=True)
class Sample:
    """One observed count of one session, for growth."""

    agent_id: str
    session_id: str
    at: datetime
    tokens: int


@dataclass(frozen=True, slots=True)
class Growth:
    """How fast a session fills.

    Attributes:
        tokens_per_hour: Positive; None when it does not grow or there is too little to say.
        due_at: When it reaches its threshold at this rate; None when it does not.
        source: `samples` or `transcript`.
    """

    tokens_per_hour: float | None
    due_at: datetime | None
    source: str


LOOKBACK = timedelta(hours=6)
"""Growth is that of the last hours; what happened yesterday does not predict this evening."""

_LEAST_READINGS = 4
_MIN_SPAN = timedelta(minutes=10)
"""So many readings over so long a time: two counts draw a line through anything."""

_FARTHEST = timedelta(days=365)


def growth(
    points: Sequence[tuple[datetime, int]],
    *,
    current: int | None,
    threshold: int,
    now: datetime,
    source: str,
    since: datetime | None = None,
) -> Growth | None:
    """Return the rate since the last drop within the last hours, or None when too little is known.

    A session at 0 has none: nothing was said in it yet.

    Args:
        points: (time, tokens) in any order.
        current: Tokens now; the forecast starts here.
        threshold: Tokens at which the session is due.
        now: The present, aware UTC.
        source: Where the points came from, for display.
        since: The last reset or compaction that is known: what was counted before it tells nothing.
    """
    if current == 0 or len(points) < _LEAST_READINGS:
        return None
    first = now - LOOKBACK if since is None else max(since, now - LOOKBACK)
    rising = _since_last_drop(sorted(point for point in points if first <= point[0] <= now))
    if len(rising) < _LEAST_READINGS or rising[-1][0] - rising[0][0] < _MIN_SPAN:
        return None
    # Up to the present, not to the last point: a session that has paused has slowed down.
    hours = (now - rising[0][0]).total_seconds() / 3600
    rate = (rising[-1][1] - rising[0][1]) / hours
    if rate <= 0:
        return Growth(None, None, source)
    return Growth(rate, _due_at(rate, current, threshold, now), source)


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
