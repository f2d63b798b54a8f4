"""The two stages of a flush, each once in a compaction cycle."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.flush import Cycle, FlushMark, Stage, crossed, due, limits_of, marked
from memconsole.domain.settings.sections import FlushSettings

EARLY, FINAL = Stage.EARLY, Stage.FINAL
AT = datetime(2026, 1, 26, 13, tzinfo=UTC)
LIMITS = limits_of(FlushSettings(), 0, 200_000)
CYCLE = Cycle("s-1", 0, AT)


def mark(*stages: Stage, cycle: Cycle = CYCLE) -> FlushMark:
    return FlushMark(cycle, frozenset(stages), AT)


@pytest.mark.parametrize(
    ("window", "limits"),
    [
        (200_000, {EARLY: 140_000, FINAL: 176_000}),
        (128_000, {EARLY: 89_600, FINAL: 104_000}),
        (24_001, {EARLY: 16_800, FINAL: 1}),
        (24_000, {EARLY: 16_800}),
        (0, {}),
    ],
)
def test_where_the_stages_are(window: int, limits: dict[Stage, int]) -> None:
    assert limits_of(FlushSettings(), 0, window) == limits


@pytest.mark.parametrize(
    ("tokens", "stages"),
    [
        (None, set()),
        (0, set()),
        (139_999, set()),
        (140_000, {EARLY}),
        (175_999, {EARLY}),
        (176_000, {EARLY, FINAL}),
    ],
)
def test_what_is_reached(tokens: int | None, stages: set[Stage]) -> None:
    assert crossed(tokens, LIMITS) == stages


def test_never_flushed_is_not_flushed_at_zero() -> None:
    assert due({EARLY}, CYCLE, None) == {EARLY}
    assert due({EARLY}, CYCLE, mark(EARLY)) == set()


def test_both_stages_at_once_are_one_flush() -> None:
    both = crossed(180_000, LIMITS)
    assert due(both, CYCLE, None) == {EARLY, FINAL}
    assert due(both, CYCLE, marked(both, CYCLE, None, AT)) == set()


def test_the_final_stage_comes_after_the_early_one() -> None:
    early = marked({EARLY}, CYCLE, None, AT)
    assert due({EARLY, FINAL}, CYCLE, early) == {FINAL}
    assert marked({EARLY, FINAL}, CYCLE, early, AT).stages == {EARLY, FINAL}


def test_a_flush_by_hand_below_the_stages_spends_none() -> None:
    assert due({EARLY}, CYCLE, marked(set(), CYCLE, None, AT)) == {EARLY}


@pytest.mark.parametrize(
    ("later", "is_same"),
    [
        (CYCLE, True),
        (replace(CYCLE, compactions=1), False),
        (replace(CYCLE, session_id="s-2"), False),
        (replace(CYCLE, started_at=AT + timedelta(hours=1)), False),
        (replace(CYCLE, started_at=None), True),
        (replace(CYCLE, compactions=None), True),
        (Cycle("s-1", None, None), True),
    ],
)
def test_what_ends_a_cycle(later: Cycle, is_same: bool) -> None:
    assert CYCLE.is_of(later) is later.is_of(CYCLE) is is_same


def test_a_count_that_drops_is_a_reset_in_place() -> None:
    assert not Cycle("s-1", 3).is_of(Cycle("s-1", 0))


def test_a_count_that_appears_above_zero_ends_the_cycle() -> None:
    unknown = Cycle("s-1", None)
    assert not unknown.is_of(Cycle("s-1", 2))
    assert unknown.is_of(Cycle("s-1", 0))
    assert unknown.is_of(Cycle("s-1", None))


@given(
    st.lists(
        st.tuples(st.integers(0, 220_000), st.integers(0, 3), st.sampled_from(["a", "b"])),
        max_size=30,
    )
)
def test_no_stage_is_done_twice_in_a_cycle(readings: list[tuple[int, int, str]]) -> None:
    last: FlushMark | None = None
    seen: set[Stage] = set()
    previous: Cycle | None = None
    for tokens, compactions, session_id in readings:
        cycle = Cycle(session_id, compactions)
        if cycle != previous:
            seen, previous = set(), cycle
            if last is not None and last.cycle == cycle:
                seen = set(last.stages)
        found = due(crossed(tokens, LIMITS), cycle, last)
        assert not found & seen
        if found:
            last = marked(crossed(tokens, LIMITS), cycle, last, AT)
            seen |= found
