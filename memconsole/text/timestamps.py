"""Times as foreign records write them, and what is to be thought of odd ones.

The platform writes milliseconds since 1970; people, scripts and other programs write seconds,
micro- and nanoseconds, texts of digits and ISO 8601 into the same fields. A time ahead of the clock
and one from before the platform are faults of a clock, and so is what is no time at all.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
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

EARLIEST = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC)

NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""What is recorded as a time and is none: of before the platform, so that it is told as skewed."""

_LAST_MS = 253_402_300_799_999
"""The end of the year 9999; a larger number counts something smaller than milliseconds."""

_ISO_DAY = len("20260502")


def moment(value: object) -> datetime | None:
    """Return a time as a foreign record writes it, as aware UTC; a text without a zone is UTC.

    Returns:
        None where none is recorded: nothing, 0, false or an empty text. What is recorded and
        cannot be read is `NO_TIME`, which nothing shows and `oddities` tells.
    """
    if isinstance(value, str):
        value = value.strip()
    if not value:
        return None
    if isinstance(value, str):
        return _written(value)
    if isinstance(value, int | float) and value is not True:
        return _counted(value)
    return NO_TIME


@lru_cache(maxsize=256)  # one row repeats its times
def _counted(number: float) -> datetime:
    if not number > 0:  # NaN is no time either
        return NO_TIME
    milliseconds = number * 1000 if number < SECONDS_BELOW else number
    for parts in (1, 1_000, 1_000_000):
        if milliseconds <= _LAST_MS * parts:
            return NO_TIME + timedelta(milliseconds=milliseconds / parts)
    return NO_TIME


def _written(text: str) -> datetime:
    """Read ISO 8601 or a number; eight digits are a day, any other digits alone are a number."""
    if len(text) == _ISO_DAY or not text.strip("+-").replace(".", "", 1).isdigit():
        try:
            at = datetime.fromisoformat(text)
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
    try:
        return _counted(float(text))
    except ValueError:
        return NO_TIME


def sound(*times: datetime | None) -> datetime | None:
    """Return the first of several records of one time that is not skewed, else the first at all."""
    known = [at for at in times if at is not None]
    return next((at for at in known if at >= EARLIEST), known[0] if known else None)


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
    known = [at for at in times if at is not None]
    if not known or (min(known) >= EARLIEST and max(known) - now <= AHEAD):
        return set()
    odd = [at for at in known if not EARLIEST <= at <= now + AHEAD]
    return {settled(at, now)[1] for at in odd} if odd else set()
