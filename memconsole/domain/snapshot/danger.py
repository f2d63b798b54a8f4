"""Which session, which agent and which host an operator should see first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity, Storage
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.snapshot.homes import HomeFigures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memconsole.domain.snapshot.homes import HomeReading
    from memconsole.domain.snapshot.snapshot import AgentView, ConsoleSnapshot, SessionView

UNKNOWN = 0.5
"""A live session whose count nobody knows stands behind what is half full: it may be anything."""


def danger(view: SessionView) -> float:
    """Return how near a session is to a loss: above 1 when it is due, below 0 when it has ended.

    What is due comes before all that is not, jobs and helpers behind people's talk.
    """
    if view.state is not SessionState.LIVE:
        return -2.0 if view.state is SessionState.ARCHIVED else -3.0
    if view.is_cron_run:
        return -1.0
    percent = view.percent_of_threshold
    fill = UNKNOWN if percent is None else min(percent / 100, 10.0)
    if view.outlook is not None and view.count.basis is not None:
        fill = max(fill, view.count.basis / max(view.outlook.limits.compaction, 1))
    if view.is_due:
        return 20.0 + fill
    return fill if view.session_class.is_conversation else fill / 100


def dangers(sessions: Iterable[SessionView]) -> dict[str, float]:
    """Return the highest danger of each agent's sessions."""
    worst: dict[str, float] = {}
    for view in sessions:
        worst[view.agent.id] = max(danger(view), worst.get(view.agent.id, -4.0))
    return worst


def agent_danger(agent: AgentView, worst: Mapping[str, float]) -> float:
    """Return how near an agent is to a loss; one that cannot be read stands behind what is due."""
    if agent.store is Storage.UNREADABLE:
        return 15.0
    return worst.get(agent.ref.id, -4.0)


def figures_of(snapshot: ConsoleSnapshot) -> HomeFigures:
    """Return the figures of the reading of one home."""
    live = [
        (view.percent_of_threshold / 100, view.tokens)
        for view in snapshot.sessions
        if view.state is SessionState.LIVE and view.percent_of_threshold is not None
    ]
    fill, tokens = max(live, key=lambda one: one[0], default=(None, None))
    found = [one for one in snapshot.attention if one.severity is not Severity.INFO]
    return HomeFigures(
        len(snapshot.agents),
        sum(one.due for one in snapshot.agents),
        fill,
        tokens,
        len(found),
        found[0].message if found else "",
        found[0].severity if found else Severity.INFO,
    )


def host_danger(home: HomeReading) -> tuple[float, ...]:
    """Return how much a home wants a look; the largest first.

    What is due comes before what is grave, that before what nobody knows, that before the rest.
    """
    known = home.figures
    is_away = home.freshness == "away"
    grave = 0 if known is None else known.severity.rank
    due = 0 if known is None or is_away else known.due
    fill = -1.0 if known is None or known.fill is None else known.fill
    is_grave = grave >= Severity.HIGH.rank and not is_away
    return (min(due, 1), is_grave, is_away, home.freshness == "late", fill)
