"""Which alerts nobody wants to hear of for a while, and when the others are told again (§10, §21).

A mute holds for what was known when it was made: a rise in severity is told all the same, and it
ends with the issue, so that the next time is news again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime, timedelta

    from memconsole.domain.alerts import AlertState, OpenAlert
    from memconsole.domain.health import CheckStatus


LOG = "log"
"""The channel that is always there; it is told everything, and never at a bad time."""


@dataclass(frozen=True, slots=True)
class Mute:
    """Silence about one issue.

    Attributes:
        status: What it was when it was muted; anything graver is told.
        at: When that was.
        until: When it ends.
    """

    issue: str
    status: CheckStatus
    at: datetime
    until: datetime

    def holds(self, alert: OpenAlert, now: datetime) -> bool:
        """Whether the alert is kept quiet now."""
        # A wall clock that was set back must not silence an alert for as long.
        return alert.status.rank <= self.status.rank and self.at <= now < self.until


@dataclass(frozen=True, slots=True)
class Standing:
    """One alert, and who knows of it.

    Attributes:
        told_at: When somebody was told last; None when nobody was yet. The log, which is written in
            quiet hours as well, is nobody.
        again_at: When the next is told again, if it is still so; None when nobody was told yet.
        muted_until: Until when nobody is told; None when it is not muted.
    """

    alert: OpenAlert
    told_at: datetime | None
    again_at: datetime | None
    muted_until: datetime | None


def standings(state: AlertState, cooldown: timedelta, now: datetime) -> tuple[Standing, ...]:
    """Return what is wrong and who knows of it, the gravest first."""
    ranked = sorted(state.open.values(), key=lambda one: (-one.status.rank, one.since, one.issue))
    return tuple(_standing(one, state, cooldown, now) for one in ranked)


def _standing(alert: OpenAlert, state: AlertState, cooldown: timedelta, now: datetime) -> Standing:
    told = [
        one.at
        for (channel, issue), one in state.told.items()
        if issue == alert.issue and channel != LOG
    ]
    mute = state.mutes.get(alert.issue)
    return Standing(
        alert,
        told_at=max(told, default=None),
        again_at=min((at + cooldown for at in told), default=None),
        muted_until=mute.until if mute is not None and mute.holds(alert, now) else None,
    )


def kept_mutes(mutes: Iterable[Mute], issues: Iterable[str]) -> dict[str, Mute]:
    """Return the mutes of issues that are still open, by issue."""
    still = set(issues)
    return {one.issue: one for one in mutes if one.issue in still}
