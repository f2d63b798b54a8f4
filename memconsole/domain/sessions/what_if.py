"""Which sessions would have been rotated under another threshold, by the counts that were seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime, timedelta

    from memconsole.domain.sessions.tokens import Sample


@dataclass(frozen=True, slots=True)
class WouldRotate:
    """A rotation that another threshold would have made.

    Attributes:
        tokens: The count that reached it, as it would have been after the rotations before.
    """

    agent_id: str
    session_id: str
    at: datetime
    tokens: int


def would_rotate(
    samples: Iterable[Sample],
    threshold_of: Callable[[str], int],
    *,
    overhead: int,
    min_interval: timedelta,
) -> tuple[WouldRotate, ...]:
    """Return the rotations that would have been, oldest first.

    After one a session would have gone on with its overhead alone, and have grown by what it really
    grew. A count that falls is a reset or a compaction that really was: from there it is as seen.

    Args:
        samples: Counts that were seen, oldest first.
        threshold_of: Threshold by session id.
        overhead: Tokens that a session begins with.
        min_interval: Between two rotations of one session.
    """
    by_session: dict[str, list[Sample]] = {}
    for sample in samples:
        by_session.setdefault(sample.session_id, []).append(sample)
    found = [
        one
        for session_id, seen in by_session.items()
        for one in _rotations(seen, threshold_of(session_id), overhead, min_interval)
    ]
    return tuple(sorted(found, key=lambda one: one.at))


def _rotations(
    seen: list[Sample], threshold: int, overhead: int, min_interval: timedelta
) -> Iterator[WouldRotate]:
    saved, before = 0, 0
    last: datetime | None = None
    for sample in seen:
        if sample.tokens < before:
            saved = 0
        before = sample.tokens
        tokens = sample.tokens - saved
        is_early = last is not None and sample.at - last < min_interval
        if tokens < threshold or is_early:
            continue
        yield WouldRotate(sample.agent_id, sample.session_id, sample.at, tokens)
        saved, last = max(sample.tokens - overhead, 0), sample.at
