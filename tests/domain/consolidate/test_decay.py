"""What observations lose with the days, and what may go for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.domain.consolidate.decay import HOOK, Decay, let_go, score_of
from memconsole.domain.memory.observation_log import add, parse
from memconsole.domain.memory.observations import Kind, Observation, ObservationLog, Priority
from memconsole.text.estimate import tokens_in

TODAY = date(2026, 1, 26)
ARCHIVE = "memory/archive/observations/2026-01-26.md"


def line(text: str = "Words", ago: int = 0, importance: float = 5.0, **rest: object) -> Observation:
    base = Observation(
        Priority.MEDIUM, text, TODAY - timedelta(days=ago), "14:05", Kind.RULE, importance
    )
    return replace(base, **rest)  # type: ignore[arg-type]


def gone(*lines: Observation, with_high: bool = False) -> Decay:
    log = add(ObservationLog(), lines)
    return let_go(log, TODAY, archive=ARCHIVE, with_high=with_high)


def texts(found: Decay) -> list[str]:
    return [one.text for one in found.lines]


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        (Kind.EVENT, 3.0),
        (Kind.FACT, 7.0),
        (Kind.CONTEXT, 7.0),
        (Kind.PREFERENCE, 7.8),
        (Kind.DECISION, 8.0),
        (Kind.RULE, 8.0),
        (Kind.GOAL, 8.0),
        (Kind.HABIT, 8.0),
    ],
)
def test_each_kind_loses_its_own_share_a_day(kind: Kind, left: float) -> None:
    assert score_of(line(ago=10, importance=8.0, kind=kind), TODAY) == left


def test_nothing_is_lost_below_zero_ahead_of_its_day_or_without_one() -> None:
    event = line(kind=Kind.EVENT, importance=8.0)
    assert score_of(replace(event, day=TODAY - timedelta(days=365)), TODAY) == 0.0
    assert score_of(replace(event, day=TODAY + timedelta(days=9)), TODAY) == 8.0
    assert score_of(replace(event, day=None), TODAY) == 8.0


@pytest.mark.parametrize(
    ("importance", "days"),
    [(10.0, None), (9.0, None), (8.9, 7), (7.0, 7), (6.9, 2), (5.0, 2), (4.9, 1), (3.0, 1)],
)
def test_a_score_rests_for_its_days_and_then_goes(importance: float, days: int | None) -> None:
    for ago in range(12):
        is_gone = texts(gone(line("Words", ago, importance))) == ["Words"]
        assert is_gone is (days is not None and ago >= days), ago


def test_what_is_worth_little_goes_at_once_even_without_a_day() -> None:
    assert texts(gone(line(importance=2.9))) == ["Words"]
    undated = parse(
        "- 🟢 small <!-- dc:importance=2.9 -->\n- 🟡 larger <!-- dc:importance=4.0 -->\n"
    )
    found = let_go(undated, TODAY, archive=ARCHIVE)
    assert [(one.text, one.age_days) for one in found.lines] == [("small", None)]


@pytest.mark.parametrize(
    "kept",
    [
        line(importance=1.0, refers_to=TODAY + timedelta(days=1)),
        line("\\[TODO\\] Call Ada", 30, 1.0),
        line("[TODO] Call Ada", 30, 1.0),
    ],
)
def test_what_is_ahead_or_open_stays(kept: Observation) -> None:
    assert texts(gone(kept)) == []
    assert texts(gone(replace(kept, priority=Priority.HIGH), with_high=True)) == []


def test_red_lines_are_told_apart_and_go_only_when_asked() -> None:
    red = line("Red", 30, 8.0, priority=Priority.HIGH)
    found = gone(red, line("Yellow", 30))
    assert (texts(found), [one.text for one in found.high]) == (["Yellow"], ["Red"])
    found = gone(red, line("Yellow", 30), with_high=True)
    assert (texts(found), found.high) == (["Red", "Yellow"], ())


def test_a_hook_names_what_only_the_archived_lines_had() -> None:
    found = gone(
        line("The rack stands on the second floor", 30),
        line("Ada moved the printer", 30),
        line("The floor is wet", 0),
    )
    assert found.hook is not None
    assert found.hook.text == f"Archived 2 lines about stands, second, printer: see {ARCHIVE}"
    assert found.hook.note(HOOK) == ARCHIVE
    last = found.log.lines[-1].observation
    assert last is not None
    assert (last.text, last.day) == (found.hook.text, TODAY)


def test_a_hook_in_another_script_and_of_a_secret() -> None:
    found = gone(line("ラックは二階にあります", 30))
    assert found.hook is not None
    assert "ラックは二階にあ" in found.hook.text
    found = gone(line("api_key=sk-proj-Zk3mQ9vB7xW2nL5tR8yU1aaaaBBBBcccc in the vault", 30))
    assert found.hook is not None
    assert "Zk3mQ9" not in found.hook.text


def test_a_hook_goes_after_two_weeks_without_leaving_another() -> None:
    log = gone(line("The rack stands on the second floor", 30)).log
    assert let_go(log, TODAY + timedelta(days=14), archive=ARCHIVE).lines == ()
    found = let_go(log, TODAY + timedelta(days=15), archive=ARCHIVE)
    assert len(found.lines) == 1
    assert found.hook is None
    assert found.log.observations == ()


def test_lines_that_are_not_ours_stay_and_children_stand_alone() -> None:
    text = (
        "# Observations Log\r\n\r\nProse of a person.\r\n\r\nDate: 2026-01-01\r\n"
        "- 🟡 09:00 Parent <!-- dc:importance=4.0 -->\r\n"
        "  - 🔴 09:01 Child <!-- dc:type=rule dc:importance=9.5 -->\r\n"
        "* somebody's list\r\n"
    )
    found = let_go(parse(text), TODAY, archive=ARCHIVE)
    after = found.log.text
    assert texts(found) == ["Parent"]
    assert "Prose of a person.\r\n" in after
    assert "* somebody's list\r\n" in after
    assert "\r\n- 🔴 09:01 Child <!--" in after
    assert found.lines[0].line == 6


def test_no_more_goes_than_the_target_asks_for() -> None:
    lines = [line(f"Remark {n} about the rack {'of hall two ' * 9}", 40 - n) for n in range(30)]
    log = add(ObservationLog(), lines)
    found = let_go(log, TODAY, archive=ARCHIVE, target=600)
    assert 550 < tokens_in(found.log.text) <= 600
    gone = {one.text for one in found.lines}
    assert gone == {one.text for one in lines[: len(gone)]}  # the oldest ones of one score
    assert let_go(parse(found.log.text), TODAY, archive=ARCHIVE, target=600).lines == ()
    assert let_go(log, TODAY, archive=ARCHIVE, target=2_000).lines == ()


def test_what_is_worth_least_goes_first() -> None:
    small = line(f"Small {'thing in hall two ' * 9}", 2, 3.5)
    old = line(f"Older {'thing in hall two ' * 9}", 90, 6.0)
    log = add(ObservationLog(), (old, small))
    target = tokens_in(log.text) - 1
    assert texts(let_go(log, TODAY, archive=ARCHIVE, target=target)) == [small.text]


OBSERVATIONS = st.builds(
    Observation,
    priority=st.sampled_from(Priority),
    text=st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1),
    day=st.none() | st.dates(date(2025, 1, 1), date(2026, 3, 1)),
    kind=st.sampled_from(Kind),
    importance=st.floats(0, 10).map(lambda value: round(value, 1)),
    refers_to=st.none() | st.dates(date(2025, 1, 1), date(2026, 3, 1)),
    is_child=st.booleans(),
)


PARENT = Observation(Priority.MEDIUM, "0", day=date(2025, 1, 1), kind=Kind.DECISION, importance=0.0)


@given(lines=st.lists(OBSERVATIONS, max_size=12), with_high=st.booleans())
@example(lines=[PARENT, replace(PARENT, is_child=True)], with_high=False)
def test_nothing_is_lost_and_a_second_time_nothing_goes(
    lines: list[Observation], with_high: bool
) -> None:
    log = add(ObservationLog(), lines)
    found = let_go(log, TODAY, archive=ARCHIVE, with_high=with_high)
    before = sorted(one.text for one in log.observations)
    kept = [one.text for one in found.log.observations if one.note(HOOK) is None]
    assert sorted([*kept, *(one.observation.text for one in found.removed)]) == before
    went = [replace(one.observation, is_child=False) for one in found.lines]
    assert [replace(one.observation, is_child=False) for one in found.removed] == went
    assert parse(found.log.text).text == found.log.text
    again = let_go(parse(found.log.text), TODAY, archive=ARCHIVE, with_high=with_high)
    assert again.lines == ()
    assert again.log.text == found.log.text


@given(st.text(max_size=400))
def test_a_file_of_anything_keeps_every_line_that_is_no_observation(text: str) -> None:
    log = parse(text)
    found = let_go(log, TODAY, archive=ARCHIVE, with_high=True)
    foreign = [one.text for one in log.lines if not one.observation and not one.heading]
    after = [one.text for one in found.log.lines if not one.observation and not one.heading]
    assert [one for one in foreign if one.strip()] == [one for one in after if one.strip()]
    if not found.lines:
        assert found.log.text == text
