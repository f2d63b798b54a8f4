"""Times as foreign records write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memconsole.text.moments import FUTURE, SKEWED, moment, oddities, settled

NOW = datetime(2026, 5, 2, 10, tzinfo=UTC)
DAYS_AHEAD = datetime(2026, 5, 5, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("number", "at"),
    [
        (1777716000, NOW),
        (1777716000_000, NOW),
        (1777975200_000, DAYS_AHEAD),
        (10**11 - 1, datetime(5138, 11, 16, 9, 46, 39, tzinfo=UTC)),
        (10**11, datetime(1973, 3, 3, 9, 46, 40, tzinfo=UTC)),
        (0, None),
        (-1, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**30, None),
    ],
)
def test_seconds_and_milliseconds_are_told_by_their_size(
    number: float, at: datetime | None
) -> None:
    assert moment(number) == at


@pytest.mark.parametrize(
    ("at", "shown", "code"),
    [
        (None, None, ""),
        (NOW, NOW, ""),
        (NOW + timedelta(minutes=5), NOW + timedelta(minutes=5), ""),
        (NOW + timedelta(minutes=5, seconds=1), NOW, FUTURE),
        (DAYS_AHEAD, NOW, FUTURE),
        (datetime(2015, 1, 1, tzinfo=UTC), datetime(2015, 1, 1, tzinfo=UTC), ""),
        (datetime(2014, 12, 31, 23, 59, tzinfo=UTC), None, SKEWED),
        (datetime(1970, 1, 21, tzinfo=UTC), None, SKEWED),
    ],
)
def test_odd_times_are_shown_as_they_may_be(
    at: datetime | None, shown: datetime | None, code: str
) -> None:
    assert settled(at, NOW) == (shown, code)
    assert oddities((at, NOW), NOW) == ({code} if code else set())
