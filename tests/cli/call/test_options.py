from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.cli.call.options import parse_since
from memconsole.errors import UsageError

NOW = datetime(2026, 4, 12, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("45s", timedelta(seconds=45)),
        ("90m", timedelta(minutes=90)),
        ("6h", timedelta(hours=6)),
        (" 7D ", timedelta(days=7)),
        ("2w", timedelta(days=14)),
    ],
)
def test_a_duration_counts_back_from_now(text: str, back: timedelta) -> None:
    assert parse_since(text, NOW) == NOW - back


def test_a_moment_with_an_offset_is_that_moment() -> None:
    assert parse_since("2026-01-26T14:00+01:00", NOW) == datetime(2026, 1, 26, 13, 0, tzinfo=UTC)


def test_a_day_begins_at_the_hosts_midnight() -> None:
    local = datetime(2026, 1, 26).astimezone()
    assert parse_since("2026-01-26", NOW) == local


def test_further_back_than_time_goes_is_the_beginning() -> None:
    assert parse_since("999999w", NOW) == datetime.min.replace(tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "soon", "6", "6 parsecs", "-5h", "2026-13-01"])
def test_nonsense_is_named(text: str) -> None:
    with pytest.raises(UsageError, match="neither a duration nor a date") as caught:
        parse_since(text, NOW)
    assert "7d" in caught.value.hint


@given(st.text(max_size=20))
def test_any_text_is_a_moment_or_a_usage_error(text: str) -> None:
    with suppress(UsageError):
        assert parse_since(text, NOW).tzinfo is not None
