from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memconsole.cli.output import wording

NOW = datetime(2026, 4, 12, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "drawn"),
    [
        (None, ""),
        (0.0, ""),
        (50.0, "█████"),
        (55.0, "█████▌"),
        (100.0, "██████████"),
        (140.0, "██████████"),
    ],
)
def test_a_gauge_of_an_unknown_count_is_empty(value: float | None, drawn: str) -> None:
    assert wording.gauge(value, 10, is_ascii=False) == drawn


@pytest.mark.parametrize(
    ("value", "drawn"),
    [(None, "[--------]"), (50.0, "[####----]"), (99.0, "[#######-]"), (300.0, "[########]")],
)
def test_a_gauge_in_ascii(value: float | None, drawn: str) -> None:
    assert wording.gauge(value, 10, is_ascii=True) == drawn


def test_an_age_names_times_ahead_of_the_clock() -> None:
    assert wording.age(None, NOW) == "?"
    assert wording.age(NOW - timedelta(minutes=4), NOW) == "4 min"
    assert wording.age(NOW + timedelta(seconds=30), NOW) == "0 s"
    assert wording.age(NOW + timedelta(hours=3), NOW) == "+3 h"
    assert wording.ago(NOW + timedelta(hours=3), NOW) == "3 h ahead"
    assert wording.ago(NOW - timedelta(hours=3), NOW) == "3 h ago"
    assert wording.ago(None, NOW) == "?"


def test_moments_are_shown_in_the_operators_zone() -> None:
    zone = ZoneInfo("Asia/Kathmandu")
    assert wording.stamp(NOW, zone) == "2026-04-12 14:45"
    assert wording.stamp(None, zone) == "?"
    assert wording.clock_time(NOW, zone) == "14:45:00"
