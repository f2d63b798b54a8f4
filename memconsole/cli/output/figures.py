"""Figures as people read them: short, with their state in words, and `?` for what is unknown."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.calendar import local_time

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.calendar import Zone
    from memconsole.domain.snapshot.snapshot import SessionView

UNKNOWN = "?"
NOTHING = "-"

_EIGHTHS = "▏▎▍▌▋▊▉█"

_STATE_WORDS = {
    "fresh": "",
    "stale": "stale",
    "estimated": "est",
    "suspect": "suspect",
    "unknown": UNKNOWN,
}


def count(tokens: int | None) -> str:
    """Return a number of tokens as such as `950`, `64.2K`, `1.2M`, `?`."""
    if tokens is None:
        return UNKNOWN
    if tokens < 1000:
        return str(tokens)
    for limit, divisor, unit in ((999_950, 1000, "K"), (10**18, 1_000_000, "M")):
        if tokens < limit:
            return f"{tokens / divisor:.1f}{unit}".replace(f".0{unit}", unit)
    return str(tokens)


def percent(value: float | None) -> str:
    """Return a percentage without decimals; never 100% for less than all."""
    if value is None:
        return UNKNOWN
    return f"{99 if 99 < value < 100 else round(value)}%"


def state_word(view: SessionView) -> str:
    """Return what must be said beside a count: `DUE`, and how far it can be trusted."""
    word = _STATE_WORDS[view.count.state]
    if view.is_due:
        return f"DUE {word}".strip()
    return word


def gauge(value: float | None, width: int, *, is_ascii: bool) -> str:
    """Return a bar of `width` cells; empty when unknown, full from 100 % on."""
    share = 0.0 if value is None else min(max(value, 0.0), 100.0) / 100
    if is_ascii:
        filled = int(share * (width - 2))
        return f"[{'#' * filled}{'-' * (width - 2 - filled)}]"
    eighths = int(share * width * 8)
    bar = "█" * (eighths // 8)
    if eighths % 8:
        bar += _EIGHTHS[eighths % 8 - 1]
    return bar


def span(duration: timedelta) -> str:
    """Return a duration in its largest unit: `42 s`, `4 min`, `3 h`, `12 d`."""
    seconds = max(0, int(duration.total_seconds()))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min"
    if seconds < 172_800:
        return f"{seconds // 3600} h"
    return f"{seconds // 86_400} d"


def age(at: datetime | None, now: datetime) -> str:
    """Return how long ago something was; times ahead of the clock are named as such."""
    if at is None:
        return UNKNOWN
    if at > now + timedelta(minutes=1):
        return f"+{span(at - now)}"
    return span(now - at)


def due(view: SessionView, now: datetime) -> str:
    """Return when a session reaches its threshold: `now`, `3 d`, or nothing to say."""
    if view.is_due:
        return "now"
    at = None if view.growth is None else view.growth.due_at
    return NOTHING if at is None else span(at - now)


def rate(view: SessionView) -> str:
    """Return the growth an hour."""
    found = None if view.growth is None else view.growth.tokens_per_hour
    return NOTHING if found is None else f"{count(round(found))}/h"


def stamp(at: datetime | None, zone: Zone) -> str:
    """Return a moment in the operator's time."""
    return UNKNOWN if at is None else local_time(at, zone).strftime("%Y-%m-%d %H:%M")


def clock_time(at: datetime, zone: Zone) -> str:
    """Return the time of day."""
    return local_time(at, zone).strftime("%H:%M:%S")


def plural(number: int, noun: str) -> str:
    """Return `1 session`, `2 sessions`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
