from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memconsole.cli.output import figures

NOW = datetime(2026, 4, 12, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (None, "?"),
        (0, "0"),
        (999, "999"),
        (1000, "1K"),
        (64_200, "64.2K"),
        (152_940, "152.9K"),
        (999_949, "999.9K"),
        (999_950, "1M"),
        (1_234_567, "1.2M"),
    ],
)
def test_tokens_are_short_and_unknown_is_a_question_mark(tokens: int | None, shown: str) -> None:
    assert figures.count(tokens) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "?"), (0.0, "0%"), (42.8, "43%"), (99.2, "99%"), (99.9, "99%"), (100.0, "100%")],
)
def test_a_percentage_is_never_rounded_up_to_all(value: float | None, shown: str) -> None:
    assert figures.percent(value) == shown


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
    assert figures.gauge(value, 10, is_ascii=False) == drawn


@pytest.mark.parametrize(
    ("value", "drawn"),
    [(None, "[--------]"), (50.0, "[####----]"), (99.0, "[#######-]"), (300.0, "[########]")],
)
def test_a_gauge_in_ascii(value: float | None, drawn: str) -> None:
    assert figures.gauge(value, 10, is_ascii=True) == drawn


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (172_799, "47 h"),
        (172_800, "2 d"),
    ],
)
def test_a_span_is_said_in_its_largest_unit(seconds: int, shown: str) -> None:
    assert figures.span(timedelta(seconds=seconds)) == shown


def test_an_age_names_times_ahead_of_the_clock() -> None:
    assert figures.age(None, NOW) == "?"
    assert figures.age(NOW - timedelta(minutes=4), NOW) == "4 min"
    assert figures.age(NOW + timedelta(seconds=30), NOW) == "0 s"
    assert figures.age(NOW + timedelta(hours=3), NOW) == "+3 h"


def test_moments_are_shown_in_the_operators_zone() -> None:
    zone = ZoneInfo("Asia/Kathmandu")
    assert figures.stamp(NOW, zone) == "2026-04-12 14:45"
    assert figures.stamp(None, zone) == "?"
    assert figures.clock_time(NOW, zone) == "14:45:00"


def test_words_in_number() -> None:
    assert figures.plural(1, "session") == "1 session"
    assert figures.plural(12_000, "session") == "12,000 sessions"
