"""Which sessions would have been rotated under another threshold, by the counts that were seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime, timedelta

    from memconsole.domain.sessions.tokens import Sample


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
