"""Tells of live sessions when they were saved and what happens to them next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.flush import Stage, limits_of
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import DEFAULT_WINDOW
from memconsole.domain.settings import usable
from memconsole.domain.settings.sections import FlushSettings
from memconsole.domain.snapshot.outlook import Limits, Outlook, next_event
from memconsole.engine.freshness import freshness_of, policies

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memconsole.domain.agents import Home
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import SessionView

_MOST = 500
"""Sessions of one reading that are looked at, the fullest first: more would slow a large home."""


def with_outlook(
    views: list[SessionView],
    home: Home,
    *,
    settings: Settings,
    saved: Mapping[tuple[str, str], datetime],
    now: datetime,
    version: str | None,
) -> list[SessionView]:
    """Return the sessions, live ones with what lies ahead of them.

    Args:
        views: In the order in which they matter.
        home: For the platform's configuration.
        settings: For flush and freshness.
        saved: Times of the last captures, by agent and session id.
        now: The present.
        version: The Gateway's release, when it answered.
    """
    limits: dict[tuple[str, int, int], Limits] = {}
    policy_of = policies(home, settings, version)
    told = []
    for place, view in enumerate(views):
        is_live = view.state is SessionState.LIVE and not view.is_cron_run
        if not is_live or place >= _MOST:
            told.append(view)
            continue
        mark = (view.agent.id, view.window or DEFAULT_WINDOW, view.threshold)
        if mark not in limits:
            limits[mark] = _limits(mark, home, settings)
        fresh = freshness_of(view, home=home, settings=settings, now=now, policy_of=policy_of)
        event = next_event(
            view.count.basis, limits[mark], view.growth, fresh, is_due=view.is_due, now=now
        )
        is_known = event is not None or view.growth is not None or view.tokens == 0
        outlook = Outlook(
            limits[mark], saved.get((view.agent.id, view.session_id or "")), event, is_known
        )
        told.append(replace(view, outlook=outlook))
    return told


def _limits(mark: tuple[str, int, int], home: Home, settings: Settings) -> Limits:
    agent_id, window, threshold = mark
    own, reserve = settings.for_agent(agent_id).flush, home.config.reserve_tokens
    usual = limits_of(FlushSettings(), reserve, window)
    return Limits(
        flush=usable(lambda: limits_of(own, reserve, window), usual).get(Stage.EARLY),
        rotation=threshold,
        compaction=max(window - reserve, 0),
    )
