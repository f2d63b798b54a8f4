"""Where sessions stand before the platform starts them anew, and which to save first."""

from __future__ import annotations

import functools
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from memconsole.domain.agents import part
from memconsole.domain.calendar import resolve_zone
from memconsole.domain.freshness import (
    Freshness,
    Mode,
    Moments,
    Policy,
    judge,
    overdue_today,
    resolve,
    usual_reset,
)
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.settings import usable
from memconsole.domain.settings.sections import FreshnessSettings
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from memconsole.domain.agents import AgentRef, Home
    from memconsole.domain.sessions.keys import SessionClass
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.ports.state import CaptureLog, FlushLog


PolicyOf: TypeAlias = "Callable[[SessionView], Policy | None]"

_NO_TIME = timedelta()
_TWO_DAYS = timedelta(hours=50)
"""With two hours for clocks that were changed."""


@dataclass(frozen=True, slots=True)
class Precapture:
    """One session that must be saved before the platform starts it anew.

    Attributes:
        reset_at: When that happens; None when its next message does it.
        captured_at: When it was saved last; None for never.
    """

    agent: AgentRef
    key: str
    session_id: str
    reset_at: datetime | None
    captured_at: datetime | None


def freshness_of(
    view: SessionView,
    *,
    home: Home,
    settings: Settings,
    now: datetime,
    version: str | None = None,
    policy_of: PolicyOf | None = None,
) -> Freshness | None:
    """Return where a session stands; None for what is no live session.

    The boundary is one of the Gateway's host: `timezone` of our settings, else this host's zone.
    The user's zone in the platform's configuration has no part in it.

    Args:
        view: The session.
        home: For the platform's configuration.
        settings: For `freshness.assume` and the zone.
        now: The present.
        version: The Gateway's release, when it answered.
        policy_of: Remembers the rules, for who asks about many sessions.
    """
    if view.state is not SessionState.LIVE:
        return None
    policy = (policy_of or policies(home, settings, version))(view)
    return None if policy is None else _judged(view, policy, settings, now)


def policies(home: Home, settings: Settings, version: str | None) -> PolicyOf:
    """Return what finds the rules of a session, once for those of one agent, class and channel."""
    found: dict[tuple[str, SessionClass, str | None], Policy | None] = {}

    def policy_of(view: SessionView) -> Policy | None:
        mark = view.agent.id, view.session_class, _channel(view)
        if mark not in found:
            found[mark] = _policy_of(view, home, settings, version)
        return found[mark]

    return policy_of


def _policy_of(
    view: SessionView, home: Home, settings: Settings, version: str | None
) -> Policy | None:
    """Return by which rules the platform starts a session anew; None for classes it leaves."""
    usual = usual_reset(
        version or home.config.last_version,
        home.era.sessions,
        assume=assumed_reset(settings, view.agent.id),
    )
    return resolve(
        part(home.config.checked, "session"), view.session_class, _channel(view), usual=usual
    )


def assumed_reset(settings: Settings, agent_id: str) -> str:
    """Return `freshness.assume` of an agent; `""` is none in particular.

    Where our own section about it is wrong, its usual value tells: that it is wrong is a finding.
    """
    own = settings.for_agent(agent_id).freshness
    return usable(lambda: own.assume, FreshnessSettings().assume)


def _judged(view: SessionView, policy: Policy, settings: Settings, now: datetime) -> Freshness:
    stored = view.stored
    moments = Moments(stored.started_at, stored.updated_at, stored.last_interaction_at)
    return judge(policy, moments, now=now, zone=resolve_zone(settings.timezone, None).zone)


def stale_sessions(
    views: Iterable[SessionView],
    *,
    home: Home,
    settings: Settings,
    now: datetime,
    version: str | None = None,
) -> tuple[SessionView, ...]:
    """Return the sessions that their next message starts anew, since less than a day.

    Args:
        views: Sessions of one reading.
        home: The home they are of.
        settings: For `freshness.assume` and the zone.
        now: The present.
        version: The Gateway's release, when it answered.
    """
    policy_of = policies(home, settings, version)
    zone = resolve_zone(settings.timezone, None).zone
    overdue = functools.cache(lambda hour: overdue_today(now, hour, zone))
    found = []
    for view in views:
        if view.state is not SessionState.LIVE or not view.is_capturable or not view.tokens:
            continue
        policy = policy_of(view)
        if policy is None or policy.mode is Mode.NONE:
            continue
        if policy.mode is Mode.DAILY and policy.idle_minutes is None:
            # Homes have many sessions, and one look at the clock tells of all of them.
            started_at = view.stored.started_at or view.stored.updated_at
            first, last = overdue(policy.at_hour)
            is_overdue = started_at is not None and first <= started_at < last
        else:
            is_overdue = _is_overdue(view, policy, settings, now)
        if is_overdue:
            found.append(view)
    return tuple(found)


def _is_overdue(view: SessionView, policy: Policy, settings: Settings, now: datetime) -> bool:
    """Whether a reset is overdue since less than a day; what is older is not judged at all."""
    stored = view.stored
    times = (stored.started_at, stored.updated_at, stored.last_interaction_at)
    idle = timedelta(minutes=policy.idle_minutes or 0)
    if all(at is None or now - at > _TWO_DAYS + idle for at in times):
        return False
    one = _judged(view, policy, settings, now)
    return one.is_stale and one.wants_capture(now, _NO_TIME)


def next_events(view: SessionView, found: Freshness | None) -> dict[str, datetime]:
    """Return what lies ahead of a session, by name (`next_events` of `session`)."""
    due_at = None if view.growth is None or view.is_due else view.growth.due_at
    named = {"rotation_due": due_at}
    if found is not None and not found.is_stale:
        named |= {"daily_reset": found.next_boundary_at, "idle_reset": found.idle_at}
    return {name: at for name, at in named.items() if at is not None}


def precaptures(
    views: Iterable[SessionView],
    home: Home,
    *,
    captures: CaptureLog,
    flushes: FlushLog,
    settings: Settings,
    at: datetime,
) -> tuple[Precapture, ...]:
    """Return the sessions with something unsaved that the platform resets soon, or overdue.

    Args:
        views: Sessions of one reading.
        home: The home they are of.
        captures: What was saved by checkpoints.
        flushes: What was saved by flushes.
        settings: For `freshness.precapture`.
        at: The moment that is asked about.

    Returns:
        The nearest first; overdue ones before all.
    """
    due = [
        one
        for view in views
        if (one := _precapture(view, home, settings, at, captures=captures, flushes=flushes))
        is not None
    ]
    return tuple(sorted(due, key=lambda one: (one.reset_at or at, one.key)))


def _precapture(
    view: SessionView,
    home: Home,
    settings: Settings,
    at: datetime,
    *,
    captures: CaptureLog,
    flushes: FlushLog,
) -> Precapture | None:
    before = settings.for_agent(view.agent.id).freshness.precapture
    if not before or not view.is_capturable or view.session_id is None or view.key_text is None:
        return None
    found = freshness_of(view, home=home, settings=settings, now=at)
    if found is None or not found.wants_capture(at, before):
        return None
    captured_at = _captured_at(view, captures, flushes)
    spoke_at = view.stored.last_interaction_at or view.stored.updated_at
    if captured_at is not None and (spoke_at is None or spoke_at <= captured_at):
        return None
    return Precapture(view.agent, view.key_text, view.session_id, found.next_reset_at, captured_at)


def _captured_at(view: SessionView, captures: CaptureLog, flushes: FlushLog) -> datetime | None:
    """Return the last checkpoint or flush; a flush that found too little to save counts too."""
    capture = captures.last(view.agent, view.session_id)
    mark = flushes.last(view.agent, view.key_text or "")
    is_its = mark is not None and mark.cycle.session_id == view.session_id
    times = [
        *([] if capture is None else [capture.at]),
        *([mark.at] if mark is not None and is_its else []),
    ]
    return max(times, default=None)


def _channel(view: SessionView) -> str | None:
    """Return the channel by the store, else by the key: `<channel>:direct:<peer>`."""
    if view.stored.channel is not None or view.key is None:
        return view.stored.channel
    first, separator, _ = view.key.rest.partition(":")
    return first if separator else None
