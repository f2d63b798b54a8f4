"""Words such as "yesterday" get the date that they meant on the day they were said."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.observe.relative_dates import dated

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
        ("a few years ago", "a few years ago", None),
        ("a few days ago", "a few days ago", None),
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


WEEK = [MONDAY + timedelta(days=n) for n in range(7)]
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
TAGE = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
PAIRS = [(said_on, number) for said_on in WEEK for number in range(7)]


def day_of(sentence: str, name: str, said_on: date) -> date | None:
    return dated(sentence.format(name), said_on).day


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("We decided to deploy on {}", DAYS),
        ("We agreed that Ada deploys on {}", DAYS),
        ("I met Ada and promised to call on {}", DAYS),
        ("She asked me to come on {}", DAYS),
        ("The release we tested is on {}", DAYS),
        ("I bought the ticket; we fly on {}", DAYS),
        ("Noted, the firmware goes out on {}", DAYS),
        ("Wir haben entschieden, am {} zu deployen", TAGE),
        ("Wir haben beschlossen, am {} auszurollen", TAGE),
        ("Die Abnahme ist am {}", TAGE),
    ],
)
def test_a_plan_looks_ahead_on_every_day(sentence: str, names: tuple[str, ...]) -> None:
    for said_on, number in PAIRS:
        day = day_of(sentence, names[number], said_on)
        if number == said_on.weekday():
            assert day is None  # today, or in a week
        else:
            assert day is not None
            assert 0 < (day - said_on).days < 7
            assert day.weekday() == number


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("We deployed on {}", DAYS),
        ("On {} the gateway broke", DAYS),
        ("We had to roll back on {}", DAYS),
        ("It has been fixed on {}", DAYS),
        ("We drove to work on {}", DAYS),
        ("Wir haben am {} umgestellt", TAGE),
        ("Die Abnahme war am {}", TAGE),
    ],
)
def test_what_was_done_looks_back_on_every_day(sentence: str, names: tuple[str, ...]) -> None:
    for said_on, number in PAIRS:
        day = day_of(sentence, names[number], said_on)
        if number == said_on.weekday():
            assert day is None
        else:
            assert day is not None
            assert 0 < (said_on - day).days < 7
            assert day.weekday() == number


@pytest.mark.parametrize(
    "sentence",
    [
        "We decided on Friday",
        "She said that they deploy on Friday",
        "We wanted to deploy on Friday",
        "The deploy was planned on Friday",
        "The team that tested it meets on Friday",
        "We finished it by Friday",
        "I bought the ticket, we fly on Friday",
        "I bought the ticket and we fly on Friday",
        "I met Ada this Friday",
        "We might go over the weekend",
        "On a décidé de livrer vendredi",
        "Decidimos desplegar el viernes",
        "我们决定周五部署",
        "金曜日にデプロイすると決めました",
    ],
)
def test_what_is_unsure_gets_no_date(sentence: str) -> None:
    for said_on in WEEK:
        assert dated(sentence, said_on).day is None
        assert dated(sentence, said_on).text == sentence


def test_a_day_without_a_year_is_of_the_year_that_fits_the_verb() -> None:
    december = date(2026, 12, 20)
    assert dated("We decided to deploy on January 7", december).day == date(2027, 1, 7)
    assert dated("We deployed on December 20", MONDAY).day == date(2025, 12, 20)
    assert dated("We deployed on May 7", december).day == date(2026, 5, 7)


def test_a_weekend_is_that_of_its_verb() -> None:
    assert day_of("We decided to move over {}", "the weekend", MONDAY) == date(2026, 1, 31)
    assert day_of("We moved over {}", "the weekend", MONDAY) == date(2026, 1, 24)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("letzten Freitag", date(2026, 1, 23)),
        ("am kommenden Freitag", date(2026, 1, 30)),
        ("bis Freitag ist es fertig", date(2026, 1, 30)),
        ("nächsten Montag", date(2026, 2, 2)),
        ("am Sonnabend", date(2026, 1, 31)),
    ],
)
def test_german_days(text: str, day: date) -> None:
    assert dated(text, MONDAY).day == day


@given(st.text(max_size=60), st.dates())
def test_words_are_never_lost(text: str, on: date) -> None:
    assert dated(text, on).text.startswith(text[:1])
    assert len(dated(text, on).text) >= len(text)


@given(st.sampled_from(["yesterday", "tomorrow", "next year", "last week", "999 weeks ago"]))
def test_the_ends_of_the_calendar_do_no_harm(text: str) -> None:
    assert text in dated(text, date.min).text
    assert text in dated(text, date.max).text
