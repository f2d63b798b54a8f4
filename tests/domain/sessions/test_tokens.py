"""Growth and forecast: only what the last hours show."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.sessions.tokens import growth

NOW = datetime(2026, 4, 12, 9, tzinfo=UTC)


def at(minutes_ago: float) -> datetime:
    return NOW - timedelta(minutes=minutes_ago)


def line(start: float, end: float, low: int, high: int) -> list[tuple[datetime, int]]:
    """Return four readings, evenly spread over time and tokens."""
    return [
        (at(start + (end - start) * step / 3), low + (high - low) * step // 3) for step in range(4)
    ]


def rate(
    points: list[tuple[datetime, int]],
    current: int | None = 100_000,
    since: datetime | None = None,
) -> object:
    found = growth(
        points, current=current, threshold=150_000, now=NOW, source="samples", since=since
    )
    return None if found is None else (found.tokens_per_hour, found.due_at)


def test_a_steady_session_is_forecast() -> None:
    points = [(at(120), 80_000), (at(90), 85_000), (at(60), 90_000), (at(0), 100_000)]

    assert rate(points) == (10_000.0, NOW + timedelta(hours=5))


def test_a_session_over_its_threshold_is_due_now() -> None:
    assert rate(line(60, 0, 140_000, 160_000), 160_000) == (20_000.0, NOW)


def test_a_reset_starts_anew() -> None:
    points = [(at(120), 140_000), *line(60, 0, 5_000, 10_000)]

    assert rate(points, 10_000) == (5_000.0, NOW + timedelta(hours=28))


def test_a_pause_slows_the_rate_down() -> None:
    assert rate(line(120, 60, 80_000, 90_000), 90_000) == (
        5_000.0,
        NOW + timedelta(hours=12),
    )


def test_too_little_is_no_answer() -> None:
    assert rate([]) is None
    assert rate([(at(1), 5)]) is None
    assert rate([(at(2), 5), (at(1), 9)]) is None
    assert rate(line(600, 500, 5, 9)) is None


def test_a_forecast_takes_four_readings_over_ten_minutes() -> None:
    """Two counts draw a line through anything, and so do ten of one minute."""
    assert rate(line(60, 0, 80_000, 100_000)[:3]) is None
    assert rate(line(9, 0, 80_000, 100_000)) is None
    assert rate(line(10, 0, 80_000, 100_000)) is not None


def test_readings_before_the_last_reset_or_compaction_are_none() -> None:
    """A reset whose new talk outgrew the old count shows no drop."""
    points = [(at(30), 10_000), *line(20, 0, 20_000, 50_000)]
    assert rate(points, 50_000, at(21)) == (90_000.0, NOW + timedelta(hours=100 / 90))
    assert rate(points, 50_000, at(15)) is None


def test_a_session_at_zero_has_no_forecast() -> None:
    assert rate(line(60, 0, 0, 0), 0) is None


def test_a_flat_session_has_no_forecast() -> None:
    assert rate(line(60, 0, 9, 9)) == (None, None)


def test_without_a_count_there_is_no_due_time() -> None:
    assert rate(line(60, 0, 1, 11), None) == (10.0, None)


def test_a_forecast_beyond_a_year_is_none() -> None:
    assert rate(line(60, 0, 1, 2), 1) == (1.0, None)


@given(
    st.lists(
        st.tuples(
            st.datetimes(
                min_value=datetime(2026, 4, 12, 0), max_value=datetime(2026, 4, 12, 12)
            ).map(lambda one: one.replace(tzinfo=UTC)),
            st.integers(0, 10**7),
        ),
        max_size=20,
    ),
    st.none() | st.integers(0, 10**7),
)
def test_a_forecast_never_lies_in_the_past(
    points: list[tuple[datetime, int]], current: int | None
) -> None:
    found = growth(points, current=current, threshold=150_000, now=NOW, source="samples")

    if found is not None:
        assert found.tokens_per_hour is None or found.tokens_per_hour > 0
        assert found.due_at is None or found.due_at >= NOW
