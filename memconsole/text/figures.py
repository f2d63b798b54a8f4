"""Counts, sizes, ages and durations as both faces, files and messages word them; unknown is `?`.

A KB is 1,024 bytes, and sizes are cut down, never rounded up: 735,011 bytes are `717 KB`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

UNKNOWN = "?"

_UNITS = ("B", "KB", "MB", "GB", "TB")
_STEP = 1024

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_SECONDS = {"s": 1, "m": _MINUTE, "h": _HOUR, "d": _DAY, "w": 7 * _DAY}


def kilo(tokens: float | None) -> str:
    """Return a count as `864`, `64.2K` or `1.2M`; a difference may be below 0."""
    if tokens is None:
        return UNKNOWN
    if tokens < 0:
        return f"-{kilo(-tokens)}"
    if tokens < 1000:
        return str(round(tokens))
    if tokens < 999_950:
        return f"{tokens / 1000:.1f}K"
    return f"{tokens / 1_000_000:.1f}M"


def short_kilo(tokens: float | None) -> str:
    """Return a round count as `150K`; a count that is not round keeps its decimal."""
    text = kilo(tokens)
    return text.replace(".0K", "K").replace(".0M", "M")


def read_tokens(text: str) -> int:
    """Return a count as people write it: `120000`, `120k`, `0.2M`.

    Raises:
        ValueError: It is none.
        OverflowError: It has no end.
    """
    said = text.strip().casefold()
    factor = {"k": 1_000, "m": 1_000_000}.get(said[-1:], 1)
    return round(float(said.rstrip("km") if factor > 1 else said) * factor)


def read_span(text: str) -> timedelta | None:
    """Return a duration as people write it: `90m`, `6h`, `7d`; None where it is none."""
    number, unit = text.strip()[:-1].strip(), text.strip()[-1:].lower()
    if unit not in _SECONDS or not (number.isascii() and number.isdigit() and len(number) < 7):
        return None
    return timedelta(seconds=int(number) * _SECONDS[unit])


def percent(value: float | None) -> str:
    """Return a percentage without decimals; never 100% for less than all."""
    if value is None:
        return UNKNOWN
    return f"{99 if 99 < value < 100 else round(value)}%"


def size(size_bytes: int | None) -> str:
    """Return bytes as `847 KB`."""
    return UNKNOWN if size_bytes is None else size_words(size_bytes)


def size_words(size_bytes: int) -> str:
    """Return bytes such as `512 B`, `2.1 KB`, `717 KB`, `1.4 MB`."""
    whole, tenth, unit = _scaled(size_bytes)
    return f"{whole}.{tenth} {unit}" if whole < 10 and tenth else f"{whole} {unit}"


def size_column(size_bytes: int) -> str:
    """Return bytes as INDEX.md writes them, whole and without a blank: `4KB`."""
    whole, _, unit = _scaled(size_bytes)
    return f"{whole}{unit}"


def _scaled(size_bytes: int) -> tuple[int, int, str]:
    size = max(0, size_bytes)
    step = 1
    for unit in _UNITS[:-1]:
        if size < step * _STEP:
            return size // step, size * 10 // step % 10, unit
        step *= _STEP
    return size // step, size * 10 // step % 10, _UNITS[-1]


def rate(tokens_per_hour: float) -> str:
    """Return a growth as `9.2K/h`."""
    return f"{short_kilo(rounded(tokens_per_hour))}/h"


def short_size(size_bytes: int) -> str:
    """Return bytes as `847K`, for a column that has no room for the blank and the B."""
    whole, tenth, unit = _scaled(size_bytes)
    return f"{whole}.{tenth}{unit[0]}" if whole < 10 and tenth else f"{whole}{unit[0]}"


def short_rate(tokens_per_hour: float | None) -> str:
    """Return a growth as `9K/h`, or `–` when it does not grow."""
    if tokens_per_hour is None:
        return "–"
    told = rounded(tokens_per_hour)
    return f"{told}/h" if told < 1000 else f"{told / 1000:.0f}K/h"


def rounded(tokens_per_hour: float) -> int:
    """Return a rate as it is told: in two digits, for the passing time alone moves the third."""
    return round(float(f"{tokens_per_hour:.2g}"))


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


def span(passed: timedelta) -> str:
    """Return a duration in its largest unit: `42 s`, `4 min`, `3 h`, `12 d`."""
    seconds = max(0, int(passed.total_seconds()))
    return f"{seconds} s" if seconds < _MINUTE else _span(seconds)


def _span(seconds: int) -> str:
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR} h"
    return f"{seconds // _DAY} d"


def long_span(length: timedelta) -> str:
    """Return a length of time in its two largest units, such as `5 h 12 min`."""
    minutes = max(0, int(length.total_seconds() // 60))
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "min")]
    shown = [f"{number} {unit}" for number, unit in parts if number][:2]
    return " ".join(shown) or "0 min"


def written_span(length: timedelta) -> str:
    """Return a span as configuration writes it, such as `20m` or `1h30m`."""
    seconds = round(length.total_seconds())
    parts = []
    for one, unit in ((86_400, "d"), (3600, "h"), (60, "m"), (1, "s")):
        count, seconds = divmod(seconds, one)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


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
    if -1000 < count < 1000:  # most of them, and a start need not load anything for it
        return str(count)
    from humanize import intcomma  # noqa: PLC0415

    return intcomma(count)


def at_least(count: int, *, is_all: bool) -> str:
    """Return a count as `1,234`; as `1,234+?`, or `?` for none, where some could not be looked at.

    Args:
        count: What is known.
        is_all: Nothing can be missing.
    """
    if is_all:
        return thousands(count)
    return f"{thousands(count)}+?" if count else UNKNOWN
