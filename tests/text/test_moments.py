"""Times as foreign records write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memconsole.text.timestamps import FUTURE, SKEWED, moment, oddities, settled, sound

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
        (253_402_300_799_999, datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)),
        (1777716000_000_000, NOW),
        (1777716000_000_000_000, NOW),
    ],
)
def test_the_unit_of_a_number_is_told_by_its_size(number: float, at: datetime) -> None:
    assert moment(number) == at
    assert moment(f" {number} ") == at


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-02T10:00:00Z",
        "2026-05-02T12:00:00.000+02:00",
        "2026-05-02 10:00",
        "20260502T100000Z",
        "1777716000.0",
        "+1777716000000",
    ],
)
def test_a_text_is_iso_or_a_number(text: str) -> None:
    assert moment(text) == NOW


def test_eight_digits_are_a_day_and_more_are_no_day() -> None:
    assert moment("20260502") == datetime(2026, 5, 2, tzinfo=UTC)
    assert moment("1712010110123") == datetime(2024, 4, 1, 22, 21, 50, 123_000, tzinfo=UTC)


@pytest.mark.parametrize("value", [None, 0, 0.0, False, "", " ", [], {}])
def test_nothing_is_no_time(value: object) -> None:
    assert moment(value) is None


@pytest.mark.parametrize(
    "value",
    [
        *(-1, -1777716000, float("nan"), float("inf"), 10**30, True),
        *("-1777716000", "yesterday", "nan", "²", "2026-13-45", "0001-01-01T00:00:00+14:00"),
        *([1777716000], {"ms": 1777716000}, b"1777716000"),
    ],
)
def test_what_is_no_time_is_told(value: object) -> None:
    assert settled(moment(value), NOW) == (None, SKEWED)


def test_of_several_records_of_a_time_a_sound_one_counts() -> None:
    assert sound(None, moment(-5), NOW, DAYS_AHEAD) == NOW
    assert sound(moment(-5), None) == moment(-5)
    assert sound(None) is None


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
