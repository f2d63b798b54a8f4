"""When a session is due for rotation, when a reset is proven, and which another threshold makes.

The rules as an operator reads them: `docs/contract.md`, "sessions".
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.domain.sessions.tokens import NotDue, TokenState
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import short_kilo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.gateway import LiveSession
    from memconsole.domain.sessions.keys import SessionClass
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.sessions.tokens import Sample, TokenCount
    from memconsole.domain.settings.sections import RotationSettings


BREAKER = 3
"""Ineffective resets of one session in a row after which automatic rotation leaves it alone."""

DEFERRALS = 2
"""So often a busy session is deferred before `rotation.force_active` breaks its run off."""


def why_not_due(
    stored: StoredSession,
    session_class: SessionClass,
    count: TokenCount,
    rules: RotationSettings,
    threshold: int,
) -> NotDue | None:
    """Return why automatic rotation leaves the session alone, or None when it is due."""
    if stored.key is None:
        return NotDue.NO_KEY
    if stored.state is not SessionState.LIVE:
        return NotDue.ARCHIVED
    if not session_class.is_rotated:
        return NotDue.CLASS
    if any(fnmatchcase(stored.key.text, pattern) for pattern in rules.skip_patterns):
        return NotDue.PATTERN
    if stored.session_id is None:
        return NotDue.NO_SESSION
    return _why_count_not_due(count, threshold)


def _why_count_not_due(count: TokenCount, threshold: int) -> NotDue | None:
    if count.state is TokenState.UNKNOWN or count.tokens is None:
        return NotDue.UNKNOWN
    is_counted = count.estimated is not None and not count.is_reckoned
    is_confirmed = is_counted and (count.estimated or 0) >= threshold
    if count.state is TokenState.FRESH:
        return None if count.tokens >= threshold else NotDue.BELOW
    if is_confirmed:
        return None
    if count.tokens < threshold:
        return NotDue.BELOW
    return NotDue.STALE if count.state is TokenState.STALE else NotDue.UNCONFIRMED


_REASONS = {
    NotDue.BELOW: "below its threshold of {limit}",
    NotDue.STALE: "the platform marks its count as stale, and the transcript does not confirm it",
    NotDue.UNCONFIRMED: "the count is implausible, and the transcript does not confirm it",
    NotDue.CLASS: "{kind} sessions are never rotated",
    NotDue.ARCHIVED: "it has ended already",
    NotDue.NO_KEY: "no entry of the store names it",
    NotDue.NO_SESSION: "its entry names no session id",
    NotDue.PATTERN: "its key matches rotation.skip_patterns",
}


def explain(reason: NotDue, stored: StoredSession, session_class: SessionClass, limit: int) -> str:
    """Return the reason as a sentence for people."""
    if reason is NotDue.UNKNOWN:
        return _explain_unknown(stored)
    return _sentence(reason, session_class, limit)


@cache
def _sentence(reason: NotDue, session_class: SessionClass, limit: int) -> str:
    """Return one of a few sentences; thousands of sessions share them."""
    return _REASONS[reason].format(limit=short_kilo(limit), kind=session_class.value)


def _explain_unknown(stored: StoredSession) -> str:
    match stored.transcript_state:
        case TranscriptState.NONE:
            return "it has not run yet, so there is no count"
        case TranscriptState.MISSING:
            return "there is no count, and its transcript cannot be found"
        case TranscriptState.REFUSED:
            return "there is no count, and what its entry names is not its own transcript"
        case TranscriptState.PRESENT:
            return "neither the platform nor the transcript gives a count"


@dataclass(frozen=True, slots=True)
class Identity:
    """What a reset changes; what nobody tells is None.

    Attributes:
        revision: `lifecycleRevision`.
        started_at: `sessionStartedAt`.
    """

    session_id: str | None = None
    revision: str | None = None
    started_at: datetime | None = None
    tokens: int | None = None

    def as_details(self) -> dict[str, Detail]:
        """Return the `before` or `after` of a proof."""
        return {
            "session_id": self.session_id,
            "revision": self.revision,
            "started_at": None if self.started_at is None else self.started_at.isoformat(),
            "tokens": self.tokens,
        }


class RotationState(StrEnum):
    """How far a reset is; `sent` stays when nobody saw its end, `deferred` never becomes one."""

    SENT = "sent"
    PROVEN = "proven"
    INEFFECTIVE = "ineffective"
    REFUSED = "refused"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True)
class Rotation:
    """One row of the journal of resets, written before the reset is sent.

    Attributes:
        id: 0 until it is stored.
        ended_at: None while it is only sent.
        after: None until somebody looked.
        captured: (step, status) of what was saved before it.
    """

    id: int
    agent: AgentRef
    key: str
    state: RotationState
    started_at: datetime
    before: Identity
    threshold: int
    ended_at: datetime | None = None
    after: Identity | None = None
    captured: tuple[tuple[str, str], ...] = ()


def joined(*parts: Identity) -> Identity:
    """Return what is known about a session; an earlier part wins over a later one."""
    found = Identity()
    for one in parts:
        found = Identity(
            session_id=found.session_id or one.session_id,
            revision=found.revision or one.revision,
            started_at=found.started_at or one.started_at,
            tokens=one.tokens if found.tokens is None else found.tokens,
        )
    return found


def of_live(one: LiveSession | None) -> Identity:
    """Return a session's identity as the Gateway tells it."""
    if one is None:
        return Identity()
    return Identity(one.session_id, one.revision, one.started_at, one.tokens)


def of_stored(one: StoredSession | None) -> Identity:
    """Return a session's identity as its store on disk tells it; never its count.

    The disk may lag behind: its count of before would pass for one of after.
    """
    return Identity() if one is None else Identity(one.session_id, one.revision, one.started_at)


def is_another(before: Identity, after: Identity) -> bool:
    """Tell whether a session was begun anew: any of the three that both sides know has changed.

    2026.9 keeps the session id, and older releases know no revision.
    """
    return any(
        old is not None and new is not None and old != new
        for old, new in (
            (before.session_id, after.session_id),
            (before.revision, after.revision),
            (before.started_at, after.started_at),
        )
    )


def is_proven(before: Identity, after: Identity) -> bool:
    """Tell whether a reset happened: another identity, and a smaller count.

    A count that nobody knows afterwards has dropped when there is a new session.
    """
    is_new = is_another(before, after)
    if after.tokens is None or after.tokens == 0:
        return is_new
    return is_new and before.tokens is not None and after.tokens < before.tokens


def is_tripped(newest_first: Sequence[Rotation]) -> bool:
    """Tell whether the last resets of a session had no effect (circuit breaker)."""
    passing = (RotationState.SENT, RotationState.DEFERRED)
    ended = [one for one in newest_first if one.state not in passing]
    return len(ended) >= BREAKER and all(
        one.state is RotationState.INEFFECTIVE for one in ended[:BREAKER]
    )


def is_too_soon(newest_first: Sequence[Rotation], interval: timedelta, now: datetime) -> bool:
    """Tell whether a session was rotated just before; a clock that was set back holds up none."""
    proven = (one.started_at for one in newest_first if one.state is RotationState.PROVEN)
    last = next(proven, None)
    return last is not None and timedelta() <= now - last < interval


def deferrals(newest_first: Sequence[Rotation]) -> int:
    """Return how often in a row a session was deferred because it was busy."""
    count = 0
    for one in newest_first:
        if one.state is not RotationState.DEFERRED:
            break
        count += 1
    return count


class Limits(NamedTuple):
    """What the settings of an agent and a model say for one session.

    Attributes:
        threshold: Tokens at which it is due.
        overhead: Tokens that it begins with.
        min_interval: Between two of its rotations.
    """

    threshold: int
    overhead: int
    min_interval: timedelta


class WouldCapture(NamedTuple):
    """What would have been saved before a rotation; None where the transcript does not tell.

    Attributes:
        messages: Messages of people and agents since the rotation before.
        observations: Decisions, facts and the like that the rules find in them.
    """

    messages: int | None = None
    observations: int | None = None


@dataclass(frozen=True, slots=True)
class WouldRotate:
    """A rotation that another threshold would have made.

    Attributes:
        tokens: The count that reached it, as it would have been after the rotations before.
        since: When its rotation before would have been; None for the first.
    """

    agent_id: str
    session_id: str
    at: datetime
    tokens: int
    since: datetime | None = None


def would_rotate(
    samples: Iterable[Sample], limits_of: Callable[[str], Limits]
) -> tuple[WouldRotate, ...]:
    """Return the rotations that would have been, oldest first.

    After one a session would have gone on with its overhead alone, and have grown by what it really
    grew. A count that falls is a reset or a compaction that really was: from there it is as seen.

    Args:
        samples: Counts that were seen, oldest first.
        limits_of: What holds for a session, by its id.
    """
    by_session: dict[str, list[Sample]] = {}
    for sample in samples:
        by_session.setdefault(sample.session_id, []).append(sample)
    found = [
        one
        for session_id, seen in by_session.items()
        for one in _rotations(seen, limits_of(session_id))
    ]
    return tuple(sorted(found, key=lambda one: one.at))


def _rotations(seen: list[Sample], limits: Limits) -> Iterator[WouldRotate]:
    saved, before = 0, 0
    last: datetime | None = None
    for sample in seen:
        if sample.tokens < before:
            saved = 0
        before = sample.tokens
        tokens = sample.tokens - saved
        is_early = last is not None and sample.at - last < limits.min_interval
        if tokens < limits.threshold or is_early:
            continue
        yield WouldRotate(sample.agent_id, sample.session_id, sample.at, tokens, last)
        saved, last = max(sample.tokens - limits.overhead, 0), sample.at
