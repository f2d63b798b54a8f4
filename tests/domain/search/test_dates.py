"""Days that a question names, and how near a note's day is to them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.search.dates import asked_dates, day_in, nearness

TODAY = date(2026, 6, 3)  # a Wednesday


def dates(text: str) -> list[str]:
    return [str(one) for one in asked_dates(text, lambda: TODAY)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what broke in March", ["March"]),
        ("what broke in march 2026?", ["March 2026"]),
        ("the rollout of 7 May 2026", ["7 May 2026"]),
        ("the rollout of May 7th", ["7 May"]),
        ("on the 7th of May, 2026", ["7 May 2026"]),
        ("on Dec 1,2026", ["1 December 2026"]),
        ("since 2026-02-11", ["11 February 2026"]),
        ("the report of 2026-02", ["February 2026"]),
        ("between August 11 and August 15", ["11 August", "15 August"]),
        ("what did we decide yesterday", ["2 June 2026"]),
        ("what did we decide last week", ["7 days from 25 May 2026"]),
        ("what did we decide last month", ["May 2026"]),
        ("what did we decide on Monday", ["1 June 2026"]),
        ("last Wednesday", ["27 May 2026"]),
        ("the Sunday before October 25, 2026", ["25 October 2026"]),
        ("May I delete it", []),
        ("it may fail, we march on", []),
        ("version 2026-13 of 31-02-2026", []),
        ("30 February 2026", ["February 2026"]),
        ("listen on port 8443 at 10:30", []),
    ],
)
def test_dates_are_understood(text: str, expected: list[str]) -> None:
    assert dates(text) == expected


@pytest.mark.parametrize(
    ("text", "day", "expected"),
    [
        ("in May", date(2026, 5, 31), 1.0),
        ("in May", date(2020, 5, 1), 1.0),
        ("in May", date(2026, 6, 1), 0.0),
        ("in May 2026", date(2025, 5, 1), 0.0),
        ("7 May 2026", date(2026, 5, 7), 1.0),
        ("7 May 2026", date(2026, 5, 12), 0.5),
        ("30 May 2026", date(2026, 6, 1), 0.8),
        ("7 May 2026", date(2026, 5, 2), 0.3),
        ("7 May 2026", date(2026, 4, 30), 0.0),
        ("7 May", date(2021, 5, 8), 0.9),
        ("last week", date(2026, 5, 25), 1.0),
        ("last week", date(2026, 5, 31), 1.0),
        ("last week", date(2026, 6, 2), 0.8),
    ],
)
def test_a_note_is_near_on_the_day_and_soon_after(text: str, day: date, expected: float) -> None:
    asked = asked_dates(text, lambda: TODAY)
    assert nearness(asked, day) == pytest.approx(expected)
    assert nearness(asked, None) == 0.5  # a runbook may be meant


def test_a_path_or_heading_says_of_which_day_it_is() -> None:
    assert day_in("memory/2026-02-11-bookings-down.md") == date(2026, 2, 11)
    assert day_in("memory/archive/2026-02.md") is None
    assert day_in("2026-02-31 > 2026-03-01") == date(2026, 3, 1)


@given(st.text(), st.dates(), st.dates())
def test_no_question_is_an_error(text: str, today: date, day: date) -> None:
    asked = asked_dates(text, lambda: today)
    assert not asked or 0 <= nearness(asked, day) <= 1
