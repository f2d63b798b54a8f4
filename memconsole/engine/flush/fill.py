"""How far a session has come towards its compaction, and what was done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.flush import Cycle, FlushRules, crossed, due
from memconsole.domain.sessions.tokens import DEFAULT_WINDOW, TokenState
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from memconsole.domain.agents import Home
    from memconsole.domain.flush import FlushMark, Stage
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.ports.state import FlushLog


@dataclass(frozen=True, slots=True)
class Fill:
    """How far a session has come towards its compaction.

    Attributes:
        reached: Stages at or below its count.
        due: Those of them that were not done in this cycle.
    """

    cycle: Cycle
    last: FlushMark | None
    limits: dict[Stage, int]
    reached: frozenset[Stage]
    due: frozenset[Stage]


def fill_of(view: SessionView, home: Home, *, flushes: FlushLog, settings: Settings) -> Fill:
    """Return how far a session has come, and what was done about it."""
    own = settings.for_agent(view.agent.id).flush
    rules = FlushRules(
        ratio=own.ratio,
        reserve_tokens=max(home.config.reserve_tokens, own.reserve_tokens_floor),
        soft_threshold_tokens=own.soft_threshold_tokens,
    )
    limits = rules.limits(view.window or DEFAULT_WINDOW)
    stored = view.stored
    cycle = Cycle(view.session_id, stored.compactions, stored.started_at)
    last = flushes.last(view.agent, view.key_text or "")
    reached = crossed(count_of(view), limits)
    return Fill(cycle, last, limits, reached, due(reached, cycle, last))


def count_of(view: SessionView) -> int | None:
    """Return the count that is believed; a stale one only when the transcript has another."""
    if view.count.state is TokenState.STALE:
        return view.count.estimated
    return view.count.basis
