"""Numbers, ages and times as the screen words them; unknown is always `?`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.sessions.tokens import rounded
from memconsole.text.numerals import size_words

if TYPE_CHECKING:
    from datetime import datetime, timedelta, tzinfo

UNKNOWN = "?"

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def kilo(tokens: float | None) -> str:
    """Return a count as `864`, `64.2K` or `1.2M`."""
    if tokens is None:
        return UNKNOWN
    if tokens < 1000:
        return str(round(tokens))
    if tokens < 999_950:
        return f"{tokens / 1000:.1f}K"
    return f"{tokens / 1_000_000:.1f}M"


def short_kilo(tokens: float | None) -> str:
    """Return a round count as `150K`; a count that is not round keeps its decimal."""
    text = kilo(tokens)
    return text.replace(".0K", "K").replace(".0M", "M")


def percent(value: float | None) -> str:
    """Return a percentage without decimals."""
    return UNKNOWN if value is None else f"{value:.0f}%"


def size(size_bytes: int | None) -> str:
    """Return bytes as `847 KB`."""
    return UNKNOWN if size_bytes is None else size_words(size_bytes)


def rate(tokens_per_hour: float | None) -> str:
    """Return a growth as `9K/h`, or `–` when it does not grow."""
    if tokens_per_hour is None:
        return "–"
    told = rounded(tokens_per_hour)
    return f"{told}/h" if told < 1000 else f"{told / 1000:.0f}K/h"


def age(passed: timedelta | None) -> str:
    """Return how old something is: `now`, `20 s`, then whole minutes, hours and days.

    Coarse on purpose: a text that changes every second would be written every second.
    """
    if passed is None:
        return UNKNOWN
    seconds = max(0, int(passed.total_seconds()))
    if seconds < 10:
        return "now"
    if seconds < _MINUTE:
        return f"{seconds // 10 * 10} s"
    return _span(seconds)


def ago(passed: timedelta | None) -> str:
    """Return `now` or `4 min ago`."""
    text = age(passed)
    return text if text in ("now", UNKNOWN) else f"{text} ago"


def until(left: timedelta | None) -> str:
    """Return how far off something is: `now`, `12 min`, `3 h`, `3 d`, or `–` when it is not."""
    if left is None:
        return "–"
    seconds = int(left.total_seconds())
    if seconds < _MINUTE:
        return "now"
    return _span(seconds)


def _span(seconds: int) -> str:
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR} h"
    return f"{seconds // _DAY} d"


def clock(at: datetime | None, zone: tzinfo) -> str:
    """Return the time of day as `14:20`."""
    return UNKNOWN if at is None else at.astimezone(zone).strftime("%H:%M")


def day_and_time(at: datetime | None, zone: tzinfo) -> str:
    """Return `2026-01-26 14:20`."""
    return UNKNOWN if at is None else at.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def when(at: datetime | None, now: datetime, zone: tzinfo) -> str:
    """Return the time for today, the day for everything older or later."""
    if at is None:
        return UNKNOWN
    local = at.astimezone(zone)
    if local.date() == now.astimezone(zone).date():
        return local.strftime("%H:%M")
    return local.strftime("%d %b")


def moment(at: datetime | None, now: datetime, zone: tzinfo) -> str:
    """Return the time for today, day and time for everything older or later."""
    if at is None:
        return UNKNOWN
    local = at.astimezone(zone)
    is_today = local.date() == now.astimezone(zone).date()
    return local.strftime("%H:%M" if is_today else "%d %b %H:%M")


def took(milliseconds: int | None) -> str:
    """Return a duration as `31 ms` or `2.4 s`."""
    if milliseconds is None:
        return ""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    return f"{milliseconds / 1000:.1f} s"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return `1 session` or `5 sessions`; thousands are separated."""
    return f"{thousands(count)} {one if count == 1 else many or one + 's'}"


def thousands(count: int) -> str:
    """Return a whole number as `12,345`."""
    from humanize import intcomma  # noqa: PLC0415 - the first picture can do without

    return intcomma(count)
