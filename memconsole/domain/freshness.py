"""When the platform starts a session anew by itself: policy, boundary, deadline.

Measured on 2026.3.13 and 2026.9.6: `mode`, `atHour` and `idleMinutes` are each taken from the
narrowest section that gives them; an override of the channel shuts out all others. The reset
happens at the next message after the moment, so a session may be overdue for days.
"""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from memconsole.domain.agents import Era, Storage, part
from memconsole.domain.calendar import local_time
from memconsole.domain.release import NO_DAILY_RESET, least_release, release_of
from memconsole.domain.sessions.keys import SessionClass
from memconsole.lazy_dataclass import dataclass
from memconsole.text import figures
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.calendar import Zone

USUAL_HOUR = 4
USUAL_IDLE_MINUTES = 60
"""For idle mode without a value."""

_FORGOTTEN = timedelta(days=1)
"""A session that is overdue for longer is history: nothing is about to happen to it."""

_MOST_IDLE_MINUTES = 10 * 366 * 24 * 60
_KINDS = {
    SessionClass.MAIN: ("direct", "dm"),
    SessionClass.DIRECT: ("direct", "dm"),
    SessionClass.GROUP: ("group",),
    SessionClass.THREAD: ("thread",),
}


class Mode(StrEnum):
    """How the platform decides; `idle` and `daily` may both have a deadline for idleness."""

    DAILY = "daily"
    IDLE = "idle"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds for one session.

    Attributes:
        at_hour: Local hour of the daily boundary, 0 to 23.
        idle_minutes: None when idleness ends nothing.
        origin: The configuration key that decided, or whose default it is.
    """

    mode: Mode
    at_hour: int = USUAL_HOUR
    idle_minutes: int | None = None
    origin: str = "platform default"

    @property
    def words(self) -> str:
        """When the platform resets sessions, and what says so."""
        at = [f"daily at {self.at_hour:02d}:00"] if self.mode is Mode.DAILY else []
        if self.mode is not Mode.NONE and self.idle_minutes is not None:
            at.append(f"after {figures.plural(self.idle_minutes, 'idle minute')}")
        return " or ".join(at) or "never"

    @property
    def stated(self) -> str:
        """The same as a sentence, told alike of a session and of the configuration."""
        return f"the platform resets sessions: {self.words} ({self.origin})"


@dataclass(frozen=True, slots=True)
class Usual:
    """What the platform does when its configuration says nothing.

    Attributes:
        origin: Why one thinks so.
    """

    mode: Mode
    origin: str = "platform default"


@dataclass(frozen=True, slots=True)
class Freshness:
    """Where one session stands under its policy.

    Attributes:
        stale_because: `daily` or `idle`: its next message starts it anew; None while it is fresh.
        boundary_at: The last daily boundary; None where there is none.
        next_boundary_at: The next one.
        idle_at: When it has been idle for long enough; None where that ends nothing.
        next_reset_at: The first of both, for a session that is fresh; None when nothing will.
        stale_since: When the first of both passed; None while it is fresh.
    """

    policy: Policy
    stale_because: Mode | None = None
    boundary_at: datetime | None = None
    next_boundary_at: datetime | None = None
    idle_at: datetime | None = None
    next_reset_at: datetime | None = None
    stale_since: datetime | None = None

    @property
    def is_stale(self) -> bool:
        """Whether the next message starts the session anew."""
        return self.stale_because is not None

    def wants_capture(self, now: datetime, lead: timedelta) -> bool:
        """Whether what it holds must be saved now: a reset is near, or overdue since today.

        Args:
            now: The present.
            lead: `freshness.precapture`.
        """
        if self.stale_since is not None:
            return now - self.stale_since < _FORGOTTEN
        return self.next_reset_at is not None and now >= self.next_reset_at - lead


@dataclass(frozen=True, slots=True)
class Moments:
    """The times of a session that count; None when nobody knows."""

    started_at: datetime | None
    updated_at: datetime | None
    last_interaction_at: datetime | None


def usual_reset(version: str | None, sessions: Storage, *, assume: str) -> Usual:
    """Return what a release does when its configuration says nothing.

    Args:
        version: The platform's release; None when unknown.
        sessions: Where the home keeps them; decides for an unknown release.
        assume: `freshness.assume`: `auto`, `daily` or `none`.
    """
    if assume != "auto":
        return Usual(Mode(assume), "assumed by freshness.assume")
    known = release_of(version)
    if known is not None:
        mode = Mode.NONE if known >= NO_DAILY_RESET else Mode.DAILY
        return Usual(mode, f"platform default of {one_line(str(version))}")
    if least_release(Era(sessions=sessions)) is not None:
        return Usual(Mode.NONE, "platform default since 2026.8, as sessions are in a database")
    if sessions is Storage.FILES:
        return Usual(Mode.DAILY, "platform default up to 2026.7, as sessions are in files")
    # What may be reset is saved before it: the careful answer.
    return Usual(
        Mode.DAILY, "platform default up to 2026.7, none since; nobody knows which release this is"
    )


def resolve(
    session: Mapping[str, object], kind: SessionClass, channel: str | None, *, usual: Usual
) -> Policy | None:
    """Return the policy of one session; None for classes that are no session.

    Args:
        session: The platform's `session` section, as written.
        kind: Class of the session.
        channel: Such as `telegram`; None when unknown.
        usual: What the release does by itself.
    """
    if kind not in _KINDS:
        return None
    by_channel = part(session, "resetByChannel")
    name = (channel or "").strip().lower()
    override = part(by_channel, name) if name else {}
    if override:
        return _policy({}, override, None, usual.mode, f"session.resetByChannel.{name}")
    by_type = part(session, "resetByType")
    named = next((word for word in _KINDS[kind] if part(by_type, word)), None)
    if named is None:
        return base_policy(session, usual=usual)
    base, legacy = part(session, "reset"), _number(session.get("idleMinutes"))
    origin = f"session.resetByType.{named}"
    return _policy(part(by_type, named), base, legacy, usual.mode, origin)


def base_policy(session: Mapping[str, object], *, usual: Usual) -> Policy:
    """Return the policy of sessions whose class and channel have none of their own.

    Args:
        session: The platform's `session` section, as written.
        usual: What the release does by itself.
    """
    base, legacy = part(session, "reset"), _number(session.get("idleMinutes"))
    mode, origin = usual.mode, usual.origin
    if base:
        origin = "session.reset"
    elif legacy is not None:
        origin = "session.idleMinutes"
        if not part(session, "resetByType"):
            mode = Mode.IDLE
    return _policy({}, base, legacy, mode, origin)


def judge(policy: Policy, moments: Moments, *, now: datetime, zone: Zone) -> Freshness:
    """Return where a session stands.

    Args:
        policy: From `resolve`.
        moments: Times of the session; those that lie ahead of now count as unknown.
        now: Aware UTC.
        zone: Zone of the Gateway's host.
    """
    if policy.mode is Mode.NONE:
        return Freshness(policy)
    updated_at = _past(moments.updated_at, now)
    started_at = _past(moments.started_at, now) or updated_at
    spoke_at = _past(moments.last_interaction_at, now) or updated_at
    before = after = None
    if policy.mode is Mode.DAILY:
        before, after = boundaries(now, policy.at_hour, zone)
    idle_at = None
    if policy.idle_minutes is not None and spoke_at is not None:
        idle_at = spoke_at + timedelta(minutes=policy.idle_minutes)
    passed: list[tuple[datetime, Mode]] = []
    if before is not None and started_at is not None and started_at < before:
        passed.append((boundaries(started_at, policy.at_hour, zone)[1], Mode.DAILY))
    if idle_at is not None and now > idle_at:
        passed.append((idle_at, Mode.IDLE))
    since, because = min(passed, default=(None, None))
    coming = [at for at in (after, idle_at) if at is not None and at >= now]
    return Freshness(
        policy,
        stale_because=because,
        boundary_at=before,
        next_boundary_at=after,
        idle_at=idle_at,
        next_reset_at=min(coming, default=None) if because is None else None,
        stale_since=since,
    )


def overdue_today(now: datetime, hour: int, zone: Zone) -> tuple[datetime, datetime]:
    """Return from when and until when sessions began whose daily reset is overdue since a day.

    What `judge` says of one session, said of all: those that began at the first of both moments or
    behind it, and before the second, passed their boundary less than a day ago.
    """
    last = first = boundaries(now, hour, zone)[0]
    while now - first < _FORGOTTEN:
        first = boundaries(first - timedelta(microseconds=1), hour, zone)[0]
    return first, last


def describe(found: Freshness) -> str:
    """Return policy, origin and state as words for people; times are told beside it."""
    stated = found.policy.stated
    if found.policy.mode is Mode.NONE:
        return stated
    if found.stale_because is None:
        return f"fresh; {stated}"
    why = "before the daily boundary" if found.stale_because is Mode.DAILY else "idle too long"
    return f"stale, {why}: its next message starts it anew; {stated}"


@lru_cache(maxsize=1024)  # each reading asks of the same starts of sessions, and of one present
def boundaries(now: datetime, hour: int, zone: Zone) -> tuple[datetime, datetime]:
    """Return the last and the next moment at which a local clock shows `hour`:00.

    An hour that a clock skips is the moment of the skip; one that comes twice counts the first
    time. So does the platform.
    """
    today = local_time(now, zone).date()
    found = [_at_hour(today, days, hour, zone) for days in (-2, -1, 0, 1, 2)]
    before = max((at for at in found if at <= now), default=found[0])
    after = min((at for at in found if at > now), default=found[-1])
    return before, after


def _at_hour(today: date, days: int, hour: int, zone: Zone) -> datetime:
    day = today + timedelta(days=days)
    clock = datetime.combine(day, time(hour), tzinfo=zone)
    # Without a zone it is the host's; `astimezone` alone would misjudge an hour that is skipped.
    return datetime.fromtimestamp(clock.timestamp(), UTC)


def _policy(
    typed: Mapping[str, object],
    base: Mapping[str, object],
    legacy: int | None,
    usual: Mode,
    origin: str,
) -> Policy:
    """Take each value from the narrowest section that gives it."""
    wide = _mode(base)
    if typed and wide is Mode.NONE:
        wide = None
    mode = _mode(typed) or wide or (Mode.DAILY if typed or base else usual)
    hour = _first(typed, base, "atHour")
    asked = _first(typed, base, "idleMinutes")
    asked = legacy if asked is None else asked
    if asked is None and mode is Mode.IDLE:
        asked = USUAL_IDLE_MINUTES
    return Policy(
        mode,
        at_hour=USUAL_HOUR if hour is None else min(max(hour, 0), 23),
        idle_minutes=None if asked is None else min(max(asked, 1), _MOST_IDLE_MINUTES),
        origin=origin,
    )


def _mode(section: Mapping[str, object]) -> Mode | None:
    value = section.get("mode")
    return Mode(value) if isinstance(value, str) and value in set(Mode) else None


def _first(typed: Mapping[str, object], base: Mapping[str, object], name: str) -> int | None:
    found = _number(typed.get(name))
    return _number(base.get(name)) if found is None else found


def _number(value: object) -> int | None:
    """Return a number as the platform rounds it; anything else is None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return math.floor(value)


def _past(at: datetime | None, now: datetime) -> datetime | None:
    return at if at is not None and at <= now else None
