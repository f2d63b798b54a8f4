"""Figures in words: short, never more than there is, and `?` for what is unknown."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memconsole.text import figures


@pytest.mark.parametrize(
    ("size_bytes", "words", "column"),
    [
        (-1, "0 B", "0B"),
        (0, "0 B", "0B"),
        (1023, "1023 B", "1023B"),
        (1024, "1 KB", "1KB"),
        (2150, "2 KB", "2KB"),
        (2151, "2.1 KB", "2KB"),
        (10_239, "9.9 KB", "9KB"),
        (735_011, "717 KB", "717KB"),
        (1024 * 1024 - 1, "1023 KB", "1023KB"),
        (1024 * 1024, "1 MB", "1MB"),
        (3 * 1024**3 // 2, "1.5 GB", "1GB"),
        (5 * 1024**5, "5120 TB", "5120TB"),
    ],
)
def test_sizes(size_bytes: int, words: str, column: str) -> None:
    assert figures.size_words(size_bytes) == words
    assert figures.size_column(size_bytes) == column


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
        (-10_984, "-11K"),
        (-5, "-5"),
    ],
)
def test_tokens_are_short_and_unknown_is_a_question_mark(tokens: int | None, shown: str) -> None:
    assert figures.short_kilo(tokens) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "?"), (0.0, "0%"), (42.8, "43%"), (99.2, "99%"), (99.9, "99%"), (100.0, "100%")],
)
def test_a_percentage_is_never_rounded_up_to_all(value: float | None, shown: str) -> None:
    assert figures.percent(value) == shown


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


def test_words_in_number() -> None:
    assert figures.plural(1, "session") == "1 session"
    assert figures.plural(12_000, "session") == "12,000 sessions"


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (0, "0 min"),
        (-5, "0 min"),
        (59.9, "59 min"),
        (60, "1 h"),
        (312, "5 h 12 min"),
        (1440, "1 d"),
        (1501, "1 d 1 h"),
        (10_000, "6 d 22 h"),
    ],
)
def test_a_length_of_time_in_words(minutes: float, words: str) -> None:
    assert figures.long_span(timedelta(minutes=minutes)) == words


@pytest.mark.parametrize(
    ("rate", "told"), [(482_013.7, 480_000), (9_000, 9_000), (394.2, 390), (39.4, 39), (0.4, 0)]
)
def test_a_rate_is_told_in_two_digits(rate: float, told: int) -> None:
    assert figures.rounded(rate) == told


@pytest.mark.parametrize(
    ("passed", "told"),
    [(None, "?"), (-5, "now"), (9, "now"), (29, "20 s"), (60, "1 min"), (172_800, "2 d")],
)
def test_an_age_on_the_screen_stays_the_same_for_a_while(passed: int | None, told: str) -> None:
    assert figures.age(None if passed is None else timedelta(seconds=passed)) == told


def test_growth_is_told_in_two_digits_and_shorter_in_a_column() -> None:
    assert [figures.rate(one) for one in (394.2, 9_234, 12_345)] == ["390/h", "9.2K/h", "12K/h"]
    assert [figures.short_rate(one) for one in (None, 394.2, 9_234)] == ["–", "390/h", "9K/h"]


def test_a_size_in_a_narrow_column_has_no_blank() -> None:
    found = [figures.short_size(one) for one in (512, 2151, 735_011, 1024**2)]
    assert found == ["512B", "2.1K", "717K", "1M"]


@pytest.mark.parametrize(
    ("count", "is_all", "words"),
    [(0, True, "0"), (1234, True, "1,234"), (0, False, "?"), (1234, False, "1,234+?")],
)
def test_a_count_that_may_lack_some_never_claims_to_be_all(
    count: int, is_all: bool, words: str
) -> None:
    assert figures.at_least(count, is_all=is_all) == words
