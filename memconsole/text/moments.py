"""Times as foreign records write them, and what is to be thought of odd ones.

The platform writes milliseconds since 1970; people, scripts and other programs write seconds into
the same fields. A time ahead of the clock and one from before the platform are faults of a clock.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FUTURE = "future-timestamp"
SKEWED = "clock-skew"

SECONDS_BELOW = 10**11
"""A smaller whole number is seconds: as milliseconds it would be before March 1973."""

AHEAD = timedelta(minutes=5)
"""Clocks of two hosts differ by less."""

FIRST_YEAR = 2015
"""There was no platform before."""

_EARLIEST = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(number: float) -> datetime | None:
    """Return a number of seconds or milliseconds since 1970 as aware UTC; None for no real date."""
    if not number > 0:  # NaN is no time either
        return None
    try:
        milliseconds = number * 1000 if number < SECONDS_BELOW else number
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None


def settled(at: datetime | None, now: datetime) -> tuple[datetime | None, str]:
    """Return a time as it may be shown, and the code of what is wrong with it or an empty text.

    Args:
        at: As recorded, aware.
        now: What the clock says.
    """
    if at is None:
        return None, ""
    if at.year < FIRST_YEAR:
        return None, SKEWED
    return (now, FUTURE) if at - now > AHEAD else (at, "")


def oddities(times: Iterable[datetime | None], now: datetime) -> set[str]:
    """Return the codes of all that is wrong with some times; nearly always none."""
    latest = now + AHEAD
    odd = [at for at in times if at is not None and not _EARLIEST <= at <= latest]
    return {settled(at, now)[1] for at in odd} if odd else set()
