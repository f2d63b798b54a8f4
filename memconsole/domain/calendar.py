"""Which day it is for the user: one zone for file names, headings and clock times."""

from __future__ import annotations

from datetime import UTC
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from memconsole.domain.agents import Notice
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from datetime import date, datetime
    from zoneinfo import ZoneInfo

Zone: TypeAlias = "ZoneInfo | None"
"""An IANA zone, or None for the host's own (`TZ`, else `/etc/localtime`), DST rules included."""

UNKNOWN_CLOCK = "??:??"
"""Stands for the clock time of a message that has none."""


UNKNOWN_ZONE = "time-zone-unknown"
"""Code of the notice about a `TZ` that names no time zone."""


class ResolvedZone(NamedTuple):
    """The zone to use, and what was wrong with the names before it."""

    zone: Zone
    notices: tuple[Notice, ...] = ()


def resolve_zone(setting: str | None, platform: str | None, host: str = "") -> ResolvedZone:
    """Return our own setting's zone, else the platform's, else the host's.

    Args:
        setting: `timezone` of our configuration.
        platform: `agents.defaults.userTimezone` of the platform's configuration.
        host: Value of `TZ` that names no zone; the C library then takes UTC.
    """
    notices: list[Notice] = []
    for name, source in ((setting, "timezone"), (platform, "agents.defaults.userTimezone")):
        if name is None or not name.strip():
            continue
        if (zone := _zone(name.strip())) is not None:
            return ResolvedZone(zone, tuple(notices))
        shown = one_line(name)[:80]
        sentence = f"{source} names no time zone that is known here: {shown!r}; the next one counts"
        notices.append(Notice("config-unreadable", sentence))
    if host:
        sentence = (
            f"TZ names no zone, UTC is used: {one_line(host)[:80]!r}; "
            'correct TZ, or set `timezone`, such as "Europe/Berlin", in our configuration'
        )
        notices.append(Notice(UNKNOWN_ZONE, sentence))
    return ResolvedZone(None, tuple(notices))


def local_time(at: datetime, zone: Zone) -> datetime:
    """Return an aware instant in the user's zone, to the second.

    An instant at the edge of what dates can hold stays UTC.
    """
    try:
        return at.astimezone(zone).replace(microsecond=0)
    except (OverflowError, ValueError, OSError):
        return at.astimezone(UTC).replace(microsecond=0)


def local_day(at: datetime, zone: Zone) -> date:
    """Return the calendar day of an aware instant for the user."""
    return local_time(at, zone).date()


def daily_log(day: date) -> str:
    """Return the daily log of a calendar day, relative to the workspace."""
    return f"memory/{day}.md"


def clock(at: datetime | None, zone: Zone) -> str:
    """Return `HH:MM` for the user, `??:??` when the time is unknown."""
    return UNKNOWN_CLOCK if at is None else f"{local_time(at, zone):%H:%M}"


def stamp(at: datetime, zone: Zone) -> str:
    """Return ISO-8601 with offset, to the second."""
    return local_time(at, zone).isoformat()


@lru_cache(maxsize=32)
def _zone(name: str) -> ZoneInfo | None:
    # Most hosts name no zone of their own, and the library is dear to load.
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # ValueError: a path such as `../x`; OSError: the name of a folder such as `America`.
        return None
