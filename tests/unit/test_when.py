"""Words such as "yesterday" get the date that they meant on the day they were said."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.when import dated

MONDAY = date(2026, 1, 26)


@pytest.mark.parametrize(
    ("text", "shown", "day"),
    [
        ("I met Ada yesterday.", "I met Ada yesterday (2026-01-25).", date(2026, 1, 25)),
        ("Ship it tomorrow", "Ship it tomorrow (2026-01-27)", date(2026, 1, 27)),
        ("the day after tomorrow", "the day after tomorrow (2026-01-28)", date(2026, 1, 28)),
        ("We met last Friday", "We met last Friday (2026-01-23)", date(2026, 1, 23)),
        ("We met last Fri - good", "We met last Fri (2026-01-23) - good", date(2026, 1, 23)),
        ("Due next Monday", "Due next Monday (2026-02-02)", date(2026, 2, 2)),
        ("It's due on Friday", "It's due on Friday (2026-01-30)", date(2026, 1, 30)),
        ("I called on Friday", "I called on Friday (2026-01-23)", date(2026, 1, 23)),
        ("Done by Friday", "Done by Friday (2026-01-30)", date(2026, 1, 30)),
        ("last week", "last week (week of 2026-01-19)", date(2026, 1, 19)),
        ("last weekend", "last weekend (weekend of 2026-01-24)", date(2026, 1, 24)),
        ("this weekend", "this weekend (weekend of 2026-01-31)", date(2026, 1, 31)),
        ("two weekends ago", "two weekends ago (weekend of 2026-01-17)", date(2026, 1, 17)),
        (
            "We went over the weekend",
            "We went over the weekend (weekend of 2026-01-24)",
            date(2026, 1, 24),
        ),
        (
            "I'll do it over the weekend",
            "I'll do it over the weekend (weekend of 2026-01-31)",
            date(2026, 1, 31),
        ),
        ("last August", "last August (2025-08)", None),
        ("last January", "last January (2025-01)", None),
        ("next May", "next May (2026-05)", None),
        ("last May 7", "last May 7", date(2026, 5, 7)),
        ("Tomorrow's the day", "Tomorrow's (2026-01-27) the day", date(2026, 1, 27)),
        ("by tomorrow's time", "by tomorrow's time", None),
        ("next month", "next month (2026-02)", None),
        ("last month", "last month (2025-12)", None),
        ("last year", "last year (2025)", None),
        ("three days ago", "three days ago (2026-01-23)", date(2026, 1, 23)),
        ("a couple of weeks ago", "a couple of weeks ago (week of 2026-01-12)", date(2026, 1, 12)),
        ("two years ago", "two years ago (2024)", None),
        ("in 10 days", "in 10 days (2026-02-05)", date(2026, 2, 5)),
        ("wir haben gestern gebaut", "wir haben gestern (2026-01-25) gebaut", date(2026, 1, 25)),
        ("The review is on 2026-02-14", "The review is on 2026-02-14", date(2026, 2, 14)),
        ("Born on May 7, 2001", "Born on May 7, 2001", date(2001, 5, 7)),
        ("on the 3rd of March", "on the 3rd of March", date(2026, 3, 3)),
        ("tomorrow (2026-01-27)", "tomorrow (2026-01-27)", date(2026, 1, 27)),
        ("nothing of the kind", "nothing of the kind", None),
        ("on 2026-02-31", "on 2026-02-31", None),
        ("in 999 years", "in 999 years (3025)", None),
    ],
)
def test_the_date_is_added(text: str, shown: str, day: date | None) -> None:
    said = dated(text, MONDAY)

    assert (said.text, said.day) == (shown, day)


@given(st.text(max_size=60), st.dates())
def test_words_are_never_lost(text: str, on: date) -> None:
    assert dated(text, on).text.startswith(text[:1])
    assert len(dated(text, on).text) >= len(text)


@given(st.sampled_from(["yesterday", "tomorrow", "next year", "last week", "999 weeks ago"]))
def test_the_ends_of_the_calendar_do_no_harm(text: str) -> None:
    assert text in dated(text, date.min).text
    assert text in dated(text, date.max).text
