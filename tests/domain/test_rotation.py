"""Which sessions another threshold would have rotated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memconsole.domain.rotation import Limits, would_rotate
from memconsole.domain.sessions.tokens import Sample

START = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)


def samples(*counts: int, session_id: str = "s-1", minutes: int = 30) -> list[Sample]:
    return [
        Sample("main", session_id, START + timedelta(minutes=minutes * number), tokens)
        for number, tokens in enumerate(counts)
    ]


def rotations(seen: list[Sample], threshold: int, interval: int = 10) -> list[tuple[int, int]]:
    found = would_rotate(seen, lambda _: Limits(threshold, 20_000, timedelta(minutes=interval)))
    return [(round((one.at - START) / timedelta(minutes=30)), one.tokens) for one in found]


def test_a_session_that_stayed_below_would_not_have_been_rotated() -> None:
    assert rotations(samples(10_000, 60_000, 99_000), 100_000) == []


def test_after_a_rotation_it_would_have_grown_from_its_overhead() -> None:
    seen = samples(50_000, 100_000, 150_000, 180_000, 200_000)

    assert rotations(seen, 100_000) == [(1, 100_000), (3, 100_000)]


def test_a_real_reset_begins_the_count_anew() -> None:
    assert rotations(samples(110_000, 5_000, 60_000, 99_000, 104_000), 100_000) == [
        (0, 110_000),
        (4, 104_000),
    ]


def test_two_rotations_lie_as_far_apart_as_the_settings_want() -> None:
    seen = samples(100_000, 185_000, 190_000)

    assert rotations(seen, 100_000, interval=45) == [(0, 100_000), (2, 110_000)]


def test_sessions_are_told_apart_and_come_in_the_order_of_time() -> None:
    seen = samples(10_000, 10_000, 120_000) + samples(110_000, session_id="s-2")
    found = would_rotate(seen, lambda _: Limits(100_000, 0, timedelta()))

    assert [one.session_id for one in found] == ["s-2", "s-1"]
