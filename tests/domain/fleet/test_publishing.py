"""How long a host waits after failures, and what other processes are told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memconsole.domain.fleet.members import freshness_of
from memconsole.domain.fleet.publishing import Standing, pause_after, standing_of

NOW = datetime(2026, 5, 2, 10, 0, tzinfo=UTC)


def test_pauses_grow_to_a_minute_and_differ_from_host_to_host() -> None:
    whole = [pause_after(n, 1.0).total_seconds() for n in range(1, 10)]
    assert whole == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert pause_after(3, 0.0) == timedelta(seconds=2)
    assert pause_after(10**6, 1.0) == timedelta(minutes=1)


def test_a_standing_remembers_since_when_and_what_went_through_last() -> None:
    live = Standing("starting", NOW, NOW).next("live", NOW)
    later = NOW + timedelta(minutes=5)
    away = live.next("away", later, "no route").next(
        "away", later + timedelta(minutes=1), "no route"
    )
    assert (away.since, away.published_at, away.message) == (later, NOW, "no route")
    assert standing_of(away.text()) == away


@pytest.mark.parametrize("text", [None, "", "{}", "[]", "7", '{"state": 1, "since": "x"}'])
def test_a_file_that_is_none_of_ours_is_no_standing(text: str | None) -> None:
    assert standing_of(text) is None


@pytest.mark.parametrize(
    ("ago_s", "beat_s", "word"),
    [(0, 30, "live"), (80, 30, "live"), (81, 30, "late"), (300, 30, "late"), (301, 30, "away"),
     (301, 600, "live"), (2401, 600, "away"), (None, 30, "away")],
)  # fmt: skip
def test_freshness_goes_by_the_beat(ago_s: int | None, beat_s: int, word: str) -> None:
    seen = None if ago_s is None else NOW - timedelta(seconds=ago_s)
    assert freshness_of(seen, NOW, beat_s).value == word
