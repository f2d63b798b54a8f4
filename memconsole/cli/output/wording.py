"""How the tables of plain commands word sessions, gauges and times; `?` is unknown."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.calendar import local_time
from memconsole.text import figures

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.calendar import Zone
    from memconsole.domain.snapshot.snapshot import SessionView

NOTHING = "-"

STATUS_STYLES = {"done": "ok", "planned": "dim", "skipped": "dim", "failed": "due"}
"""How the result of one file or one message is coloured."""

OUTCOME_STYLES = {"done": "ok", "planned": "title", "skipped": "warn", "failed": "due"}
"""How the outcome of a command is coloured."""

SEVERITY_STYLES = {"critical": "due", "high": "due", "warning": "warn", "info": "dim"}

_EIGHTHS = "▏▎▍▌▋▊▉█"

_STATE_WORDS = {
    "fresh": "",
    "stale": "stale",
    "estimated": "est",
    "suspect": "suspect",
    "unknown": figures.UNKNOWN,
}


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


def age(at: datetime | None, now: datetime) -> str:
    """Return how long ago something was; times ahead of the clock are named as such."""
    if at is None:
        return figures.UNKNOWN
    if at > now + timedelta(minutes=1):
        return f"+{figures.span(at - now)}"
    return figures.span(now - at)


def ago(at: datetime | None, now: datetime) -> str:
    """Return `4 min ago`, or `3 d ahead` of what a clock that goes wrong has dated."""
    told = age(at, now)
    if told.startswith("+"):
        return f"{told[1:]} ahead"
    return told if told == figures.UNKNOWN else f"{told} ago"


def due(view: SessionView, now: datetime) -> str:
    """Return when a session reaches its threshold: `now`, `3 d`, or nothing to say."""
    if view.is_due:
        return "now"
    at = None if view.growth is None else view.growth.due_at
    return NOTHING if at is None else figures.span(at - now)


def rate(view: SessionView) -> str:
    """Return the growth an hour."""
    found = None if view.growth is None else view.growth.tokens_per_hour
    return NOTHING if found is None else figures.rate(found)


def stamp(at: datetime | None, zone: Zone) -> str:
    """Return a moment in the operator's time."""
    return figures.UNKNOWN if at is None else local_time(at, zone).strftime("%Y-%m-%d %H:%M")


def clock_time(at: datetime, zone: Zone) -> str:
    """Return the time of day."""
    return local_time(at, zone).strftime("%H:%M:%S")
