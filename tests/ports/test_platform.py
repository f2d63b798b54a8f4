"""Runs, counts and resets in our own database: what goes in comes out, newest first."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import AgentRef, HomeRef, Origin
from memconsole.domain.commands.outcomes import Account, Proof, Run, Step, Verdict
from memconsole.domain.events import Event, EventKind, Noted, NotedSession
from memconsole.domain.memory.files import PoolDay
from memconsole.domain.rotation import Identity, Rotation, RotationState
from memconsole.domain.sessions.tokens import Sample
from memconsole.domain.sessions.windows import Branch, BranchState
from memconsole.errors import StateError
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from datetime import datetime

    from tests.ports.conftest import Logs

MAIN = AgentRef(HomeRef("/home/operator/.openclaw"), "main")
KEY = "agent:main:main"
BEFORE = Identity("s-1", "r-1", NOW - timedelta(days=1), 160_000)
AFTER = Identity("s-1", "r-2", NOW, 0)
SENT = Rotation(0, MAIN, KEY, RotationState.SENT, NOW, BEFORE, 150_000)
RUN = Run(
    id=0,
    job=None,
    command="checkpoint",
    command_line="memconsole checkpoint --agent main",
    origin=Origin.CLI,
    agent="main",
    key=KEY,
    started_at=NOW,
    ended_at=NOW + timedelta(seconds=1),
    status="done",
    reason=None,
    message="saved 18 messages of agent:main:main",
    duration_ms=1000,
    home=MAIN.home.path,
)


def later(**step: float) -> datetime:
    return NOW + timedelta(**step)


def test_a_run_comes_back_as_it_was(logs: Logs) -> None:
    bare = replace(RUN, agent=None, key=None, ended_at=None, duration_ms=None, job="rotation")
    bare = replace(bare, started_at=later(minutes=1), origin=Origin.SCHEDULER)
    for run in (RUN, bare):
        logs.runs.add(run)
    assert logs.runs.runs(limit=9) == (replace(bare, id=2), replace(RUN, id=1))


def test_the_account_of_a_run_comes_back_with_it(logs: Logs) -> None:
    steps = (Step("checkpoint", "done", 31, "59 messages"), Step("reset", "not-done"))
    kept = replace(RUN, account=Account(steps, Proof(Verdict.UNSEEN, "159.1K → ?")))
    assert logs.runs.add(kept) == 1
    assert logs.runs.runs(limit=9) == (replace(kept, id=1),)


def test_runs_are_chosen_by_time_job_and_number(logs: Logs) -> None:
    assert logs.runs.runs(limit=9) == ()
    for minute, job in enumerate(("health", "rotation", "health", None)):
        logs.runs.add(replace(RUN, started_at=later(minutes=minute), job=job))
    since = later(minutes=1)
    assert [run.id for run in logs.runs.runs(limit=3)] == [4, 3, 2]
    assert [run.id for run in logs.runs.runs(limit=9, job="health")] == [3, 1]
    assert [run.id for run in logs.runs.runs(limit=9, since=since)] == [4, 3, 2]
    assert [run.id for run in logs.runs.runs(limit=9, since=since, job="health")] == [3]


def test_runs_of_one_command_and_of_one_home_are_told_apart(logs: Logs) -> None:
    for command, home in (("checkpoint", "/a"), ("observe", "/b"), ("checkpoint", None)):
        logs.runs.add(replace(RUN, command=command, home=home))
    assert [run.id for run in logs.runs.runs(limit=9)] == [3, 2, 1]
    assert [run.id for run in logs.runs.runs(limit=9, command="checkpoint")] == [3, 1]
    assert [run.id for run in logs.runs.runs(limit=1, command="observe")] == [2]
    assert [run.id for run in logs.runs.runs(limit=9, home="/b")] == [2]


def test_runs_of_any_zone_are_in_one_order(logs: Logs) -> None:
    tokyo = timezone(timedelta(hours=9))
    logs.runs.add(replace(RUN, started_at=later(minutes=1)))
    logs.runs.add(replace(RUN, started_at=NOW.astimezone(tokyo)))
    assert [run.id for run in logs.runs.runs(limit=9)] == [1, 2]


def test_counts_come_back_in_the_order_of_their_time(logs: Logs) -> None:
    assert logs.samples.samples(since=NOW) == ()
    first, second = Sample("main", "a", later(minutes=1), 10), Sample("main", "b", NOW, 20)
    third = Sample("main", "a", later(minutes=2), 11)
    logs.samples.add([first, second])
    logs.samples.add([third])
    assert logs.samples.samples(since=NOW) == (second, first, third)
    assert logs.samples.samples(since=later(minutes=2)) == (third,)


def counted(logs: Logs) -> list[tuple[float, int]]:
    found = logs.samples.samples(since=NOW)
    return [((one.at - NOW) / timedelta(minutes=1), one.tokens) for one in found]


def test_the_last_look_of_a_day_stays_and_other_homes_are_their_own(logs: Logs) -> None:
    markers = {"DECISION": 3, "TODO": 0}
    first = PoolDay("main", NOW.date() - timedelta(days=1), 4_096, 1_024, markers)
    early = PoolDay("main", NOW.date(), 5_000, 1_250, markers)
    late = replace(early, size_bytes=5_120, markers={"DECISION": 4, "TODO": 1})
    for one in (first, early, late, late):
        logs.samples.add_pools(MAIN.home.path, [one])
    logs.samples.add_pools("/another/home", [early])

    kept = logs.samples.pool_days(MAIN.home.path, since=first.day)
    assert sorted(kept, key=lambda one: one.day) == [first, late]
    assert logs.samples.pool_days(MAIN.home.path, since=late.day) == (late,)


def test_a_count_that_stays_keeps_its_first_and_last_sample(logs: Logs) -> None:
    for minute in range(0, 36):
        logs.samples.add([Sample("main", "a", later(minutes=minute), 10)])
    assert counted(logs) == [(0, 10), (30, 10)]
    logs.samples.add([Sample("main", "a", later(minutes=36), 12)])
    logs.samples.add([Sample("main", "a", later(minutes=37), 10)])
    assert counted(logs) == [(0, 10), (30, 10), (36, 12), (37, 10)]


def test_a_clock_that_went_back_is_no_reason_to_stop(logs: Logs) -> None:
    logs.samples.add([Sample("main", "a", later(days=1), 10)])
    logs.samples.add([Sample("main", "a", NOW, 10)])
    assert counted(logs) == [(0, 10), (24 * 60, 10)]


def test_a_reset_is_kept_before_and_after(logs: Logs) -> None:
    number = logs.rotations.begin(SENT)
    assert logs.rotations.recent(MAIN, KEY, limit=5) == (replace(SENT, id=number),)
    logs.rotations.finish(number, RotationState.PROVEN, AFTER, later(seconds=1))
    [ended] = logs.rotations.recent(MAIN, KEY, limit=5)
    assert (ended.state, ended.after) == (RotationState.PROVEN, AFTER)
    assert ended.ended_at == later(seconds=1)


def test_a_branch_is_kept_before_and_after_the_newest_first_and_of_this_session(logs: Logs) -> None:
    sent = Branch(0, MAIN, KEY, "s-1~1", "m-3", BranchState.SENT, NOW)
    first, second = logs.branches.begin(sent), logs.branches.begin(replace(sent, entry="m-4"))
    logs.branches.begin(replace(sent, key="other"))

    logs.branches.finish(first, BranchState.PROVEN, "agent:main:b-1", later(seconds=1))

    newest, ended = logs.branches.recent(MAIN, KEY, limit=5)
    assert (newest.id, newest.entry, newest.state) == (second, "m-4", BranchState.SENT)
    assert (ended.state, ended.made) == (BranchState.PROVEN, "agent:main:b-1")
    assert ended.ended_at == later(seconds=1)
    assert [one.id for one in logs.branches.recent(MAIN, KEY, limit=1)] == [second]


def test_what_was_saved_before_a_reset_is_kept(logs: Logs) -> None:
    steps = (("checkpoint", "done"), ("observe", "skipped"))
    logs.rotations.begin(replace(SENT, captured=steps))
    logs.rotations.begin(SENT)
    found = logs.rotations.recent(MAIN, KEY, limit=5)
    assert [one.captured for one in found] == [(), steps]


def test_the_newest_resets_come_first_and_only_of_this_session(logs: Logs) -> None:
    assert logs.rotations.recent(MAIN, KEY, limit=5) == ()
    numbers = [logs.rotations.begin(SENT) for _ in range(3)]
    logs.rotations.begin(replace(SENT, key="other"))
    logs.rotations.begin(replace(SENT, agent=AgentRef(HomeRef("/elsewhere"), "main")))
    assert [one.id for one in logs.rotations.recent(MAIN, KEY, limit=2)] == numbers[:0:-1]


def test_what_cannot_be_recorded_is_said(closed_logs: Logs) -> None:
    with pytest.raises(StateError):
        closed_logs.runs.add(RUN)
    with pytest.raises(StateError):
        closed_logs.samples.add([Sample("main", "a", NOW, 10)])
    with pytest.raises(StateError):
        closed_logs.rotations.begin(SENT)
    assert closed_logs.runs.runs(limit=9) == ()
    assert closed_logs.rotations.recent(MAIN, KEY, limit=5) == ()


EVENT = Event(0, MAIN.home.path, NOW, NOW, EventKind.RESET, "main", KEY, "began anew")
NOTED = Noted(
    NOW,
    True,
    "2026.9.6",
    {("main", KEY): NotedSession("s-1", None, 2, 1)},
    {"/ws": later(hours=-1)},
)


def test_what_was_noted_last_is_there_for_whoever_looks_next(logs: Logs) -> None:
    seen: list[Noted | None] = []

    def judge(before: Noted | None) -> tuple[Noted, tuple[Event, ...]] | None:
        seen.append(before)
        return None if before is not None else (NOTED, (EVENT,))

    logs.events.note(MAIN.home.path, judge)
    logs.events.note(MAIN.home.path, judge)
    assert logs.events.events(MAIN.home.path, limit=9) == (replace(EVENT, id=1),)
    logs.events.note("/another/home", judge)
    assert seen == [None, NOTED, None]


def test_the_first_look_at_a_home_stays(logs: Logs) -> None:
    assert logs.events.first_look(MAIN.home.path) is None
    for after in (0, 5):
        noted = replace(NOTED, at=later(minutes=after))
        logs.events.note(MAIN.home.path, lambda _, noted=noted: (noted, ()))  # type: ignore[misc]
    assert logs.events.first_look(MAIN.home.path) == NOW
    assert logs.events.first_look("/another/home") is None


def test_events_come_back_newest_first(logs: Logs) -> None:
    events = [replace(EVENT, at=later(minutes=minute)) for minute in (1, 3, 2)]
    logs.events.note(MAIN.home.path, lambda _: (NOTED, events))
    assert [one.id for one in logs.events.events(MAIN.home.path, limit=2)] == [2, 3]
    assert logs.events.events("/another/home", limit=9) == ()
