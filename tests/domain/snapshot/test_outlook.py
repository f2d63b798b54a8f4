"""What happens next to a session: the first of what is in sight."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memconsole.domain.freshness import Freshness, Mode, Policy
from memconsole.domain.sessions.tokens import Growth
from memconsole.domain.snapshot.outlook import Ahead, Event, Limits, next_event

NOW = datetime(2026, 11, 28, 17, 0, tzinfo=UTC)
LIMITS = Limits(140_000, 150_000, 180_000)
DAILY = Policy(Mode.DAILY)


def hours(number: float) -> datetime:
    return NOW + timedelta(hours=number)


FAST = Growth(10_000, hours(1), "samples")


@pytest.mark.parametrize(
    ("tokens", "growth", "fresh", "event"),
    [
        (140_000, FAST, None, Event(Ahead.DUE, hours(1))),
        (160_000, FAST, None, Event(Ahead.COMPACTS, hours(2))),
        (190_000, FAST, None, Event(Ahead.COMPACTS, NOW)),
        (160_000, None, None, Event(Ahead.DUE, None)),
        (10_000, None, None, None),
        (10_000, Growth(None, None, "samples"), None, None),
        (
            140_000,
            FAST,
            Freshness(DAILY, next_reset_at=hours(0.5)),
            Event(Ahead.RESETS, hours(0.5)),
        ),
        (140_000, FAST, Freshness(DAILY, next_reset_at=hours(11)), Event(Ahead.DUE, hours(1))),
        (
            140_000,
            FAST,
            Freshness(DAILY, stale_because=Mode.DAILY),
            Event(Ahead.RESETS, None),
        ),
    ],
)
def test_what_comes_first(
    tokens: int, growth: Growth | None, fresh: Freshness | None, event: Event | None
) -> None:
    is_due = tokens >= LIMITS.rotation
    assert next_event(tokens, LIMITS, growth, fresh, is_due=is_due, now=NOW) == event
