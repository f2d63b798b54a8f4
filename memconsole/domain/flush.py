"""Decides when a session is saved before the platform compacts it: two stages, once a cycle.

The platform's own flush is a turn of the model, which may not happen; ours needs neither.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memconsole.domain.settings.sections import FlushSettings


class Stage(StrEnum):
    """How near a compaction is."""

    EARLY = "early"
    FINAL = "final"


def limits_of(rules: FlushSettings, reserve_tokens: int, window: int) -> dict[Stage, int]:
    """Return the tokens at which each stage begins; a stage of 0 or less is off.

    Args:
        rules: `[flush]`.
        reserve_tokens: What the platform keeps free before it compacts, as it is configured.
        window: Of the session, in tokens.
    """
    reserve = max(reserve_tokens, rules.reserve_tokens_floor)
    found = {
        Stage.EARLY: int(rules.ratio * window),
        Stage.FINAL: window - reserve - rules.soft_threshold_tokens,
    }
    return {stage: limit for stage, limit in found.items() if limit > 0}


@dataclass(frozen=True, slots=True)
class Cycle:
    """What tells one compaction cycle of a session from the next; unknown is None.

    Attributes:
        compactions: The platform's count.
        started_at: When the session began; a reset in place changes it and nothing else.
    """

    session_id: str | None = None
    compactions: int | None = None
    started_at: datetime | None = None

    def is_of(self, other: Cycle) -> bool:
        """Tell whether two readings are of the same cycle.

        What only one of them knows tells nothing, but for a count that is above 0: there was a
        compaction, and flushing twice is better than not at all.
        """
        if self.session_id != other.session_id:
            return False
        if None not in (self.started_at, other.started_at) and self.started_at != other.started_at:
            return False
        if None in (self.compactions, other.compactions):
            return not (self.compactions or other.compactions)
        return self.compactions == other.compactions


@dataclass(frozen=True, slots=True)
class FlushMark:
    """The last flush of a session; that there was none is the absence of a mark.

    Attributes:
        stages: Those that were done in this cycle; none for a flush by hand below them.
    """

    cycle: Cycle
    stages: frozenset[Stage]
    at: datetime


def crossed(tokens: int | None, limits: Mapping[Stage, int]) -> frozenset[Stage]:
    """Return the stages that a session has reached; none when its count is unknown."""
    if tokens is None:
        return frozenset()
    return frozenset(stage for stage, limit in limits.items() if tokens >= limit)


def due(reached: Iterable[Stage], cycle: Cycle, last: FlushMark | None) -> frozenset[Stage]:
    """Return the stages that are reached and not done in this cycle; both at once are one flush."""
    done = last.stages if last is not None and last.cycle.is_of(cycle) else frozenset()
    return frozenset(reached) - done


def marked(
    reached: Iterable[Stage], cycle: Cycle, last: FlushMark | None, at: datetime
) -> FlushMark:
    """Return the mark of a flush that was done now."""
    before = last.stages if last is not None and last.cycle.is_of(cycle) else frozenset()
    return FlushMark(cycle, before | frozenset(reached), at)
