"""What lies ahead of a live session: where things happen to it, and which of them comes first."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.freshness import Freshness
    from memconsole.domain.sessions.tokens import Growth

_FARTHEST = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens at which something happens to a session.

    Attributes:
        flush: The early stage of our flush; None when it is off.
        rotation: It is due.
        compaction: The platform compacts it.
    """

    flush: int | None
    rotation: int
    compaction: int

    @property
    def last(self) -> int:
        """The end of a gauge: nothing happens behind it."""
        return max(self.rotation, self.compaction, 1)


class Ahead(StrEnum):
    """What happens next, in the word that stands before its time."""

    DUE = "due"
    COMPACTS = "compacts"
    RESETS = "resets"


@dataclass(frozen=True, slots=True)
class Event:
    """What happens next to a session.

    Attributes:
        at: When; None for now, which for a reset is its next message.
    """

    kind: Ahead
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known of a session beside its count.

    Attributes:
        saved_at: Its last capture; None when nothing of it was saved.
        next: What happens to it next; None when nothing is in sight.
        is_known: Whether that could be told: growth is not, before there are readings enough.
    """

    limits: Limits
    saved_at: datetime | None
    next: Event | None
    is_known: bool


def next_event(
    tokens: int | None,
    limits: Limits,
    growth: Growth | None,
    fresh: Freshness | None,
    *,
    is_due: bool,
    now: datetime,
) -> Event | None:
    """Return what happens first; None when nothing is in sight.

    A session that is due is rotated whenever somebody does it, so what the platform does to it
    comes before that.

    Args:
        tokens: The count that is believed; None when unknown.
        limits: Where things happen.
        growth: How fast it fills; None when nobody knows.
        fresh: Where it stands under the platform's policy; None for what has none.
        is_due: Rotation would take it now.
        now: The present.
    """
    if fresh is not None and fresh.is_stale:
        return Event(Ahead.RESETS, None)
    coming: list[tuple[datetime, Ahead]] = []
    if fresh is not None and fresh.next_reset_at is not None:
        coming.append((fresh.next_reset_at, Ahead.RESETS))
    if growth is not None and growth.due_at is not None and not is_due:
        coming.append((growth.due_at, Ahead.DUE))
    compacts_at = _compacts_at(tokens, limits.compaction, growth, now)
    if compacts_at is not None:
        coming.append((compacts_at, Ahead.COMPACTS))
    if coming:
        at, kind = min(coming)
        return Event(kind, at)
    return Event(Ahead.DUE, None) if is_due else None


def _compacts_at(
    tokens: int | None, limit: int, growth: Growth | None, now: datetime
) -> datetime | None:
    rate = None if growth is None else growth.tokens_per_hour
    if tokens is None or not rate:
        return None
    wait = timedelta(hours=min(max(0, limit - tokens) / rate, 1e6))
    return now + wait if wait <= _FARTHEST else None
