"""The loop of the scheduler on fake clocks, and the memory that it gives back."""

from __future__ import annotations

import logging
import platform
import queue
import threading
from dataclasses import replace
from datetime import time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from memconsole.domain.jobs.runs import JobEnd, JobRecord
from memconsole.domain.jobs.schedule import MAX_TICK_S, DailyAt, Every
from memconsole.scheduler.scheduler import Execution, give_back
from tests.doubles.jobs import FakeJobs
from tests.doubles.platform import NOW
from tests.scheduler.stage import DONE, Stage, job

if TYPE_CHECKING:
    from collections.abc import Iterator


HOUR = timedelta(hours=1)

MINUTE = timedelta(minutes=1)

BERLIN = ZoneInfo("Europe/Berlin")


def stored(stage: Stage, name: str) -> JobRecord:
    return stage.store.records()[name]


def test_every_job_runs_once_at_start_and_not_all_in_one_second() -> None:
    stage = Stage([job("checkpoint"), job("rotation"), job("index_sync")])
    stage.live(timedelta(seconds=10), timedelta(seconds=1))
    assert [(name, at) for name, _, at in stage.hands.starts] == [
        ("checkpoint", 0),
        ("rotation", 1),
        ("index_sync", 2),
    ]


def test_at_a_console_what_cannot_be_taken_back_waits_for_its_first_interval() -> None:
    table = [job("rotation", Every(30 * MINUTE), is_irreversible=True), job("checkpoint")]
    stage = Stage(table, holds_back=True)
    stage.live(timedelta(minutes=40))
    assert stage.started("checkpoint")[0] < 30
    assert 30 * 60 <= stage.started("rotation")[0] <= 30 * 60 + 35
    headless = Stage(table)
    headless.live(timedelta(minutes=1))
    assert headless.started("rotation")


def test_what_it_did_is_remembered() -> None:
    stage = Stage([job("checkpoint")])
    stage.live(timedelta(seconds=5))
    record = stored(stage, "checkpoint")
    assert (record.status, record.started_at, record.ended_at) == ("done", NOW, NOW)
    assert (record.is_running, record.failures, record.done_at) == (False, 0, NOW)
    assert record.next_at is not None
    assert 20 * 60 <= (record.next_at - NOW).total_seconds() <= 20 * 60 + 30


def test_it_looks_again_in_time_and_at_least_every_five_seconds() -> None:
    stage = Stage([job("checkpoint", Every(timedelta(seconds=2)))])
    assert 1.9 <= stage.service.tick() <= 2.2
    assert Stage([job("checkpoint")]).service.tick() == MAX_TICK_S


def test_a_sleep_of_eight_hours_is_made_up_for_once_each(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "memconsole")
    stage = Stage([job("rotation", Every(timedelta(minutes=30))), job("checkpoint")])
    stage.live(timedelta(minutes=5))
    stage.clocks.pass_(timedelta(hours=8))
    woke = stage.clocks.elapsed_s
    stage.live(timedelta(minutes=10))
    assert stage.started("rotation", woke) == [woke]
    assert stage.started("checkpoint", woke) == [woke + 15]
    assert "missed: rotation 16, checkpoint 24" in caplog.messages
    assert stored(stage, "checkpoint").missed == 24


def test_a_suspend_of_sixteen_hours_over_a_night_runs_each_job_once() -> None:
    table = [job("rotation", Every(timedelta(minutes=30))), job("nightly", DailyAt(time(3)))]
    stage = Stage(table, BERLIN)
    stage.live(timedelta(minutes=5))
    stage.clocks.pass_(timedelta(hours=16))
    woke = stage.clocks.elapsed_s
    stage.live(timedelta(hours=1))
    assert stage.started("nightly", woke) == [woke + 15]
    assert [round(at - woke) // 60 for at in stage.started("rotation", woke)] == [0, 30]
    assert stored(stage, "nightly").missed == 1
    for name in ("nightly", "rotation"):
        coming = stored(stage, name).next_at
        assert coming is not None
        assert coming > stage.clocks.wall


def test_a_clock_set_back_an_hour_repeats_no_calendar_day() -> None:
    stage = Stage([job("nightly", DailyAt((NOW + MINUTE).astimezone(BERLIN).time()))], BERLIN)
    stage.live(timedelta(minutes=5))
    assert len(stage.started("nightly")) == 1
    stage.clocks.wall -= HOUR
    stage.live(timedelta(hours=3))
    assert len(stage.started("nightly")) == 1


def test_a_job_never_overlaps_itself_and_the_others_go_on() -> None:
    stage = Stage([job("checkpoint"), job("rotation", Every(timedelta(minutes=30)))])
    stage.hands.lengths["checkpoint"] = timedelta(minutes=45)
    stage.live(timedelta(minutes=44))  # the stage itself refuses an overlap
    assert stored(stage, "checkpoint").is_running
    assert len(stage.started("rotation")) == 2
    stage.hands.lengths.clear()
    stage.live(timedelta(minutes=20))
    assert len(stage.started("checkpoint")) == 2
    assert stored(stage, "checkpoint").missed == 2


@pytest.mark.parametrize("name", ["checkpoint", "nightly"])
def test_a_run_that_died_with_its_process_is_not_done(name: str) -> None:
    table = [job("checkpoint"), job("nightly", DailyAt(time(14, 30)))]
    stage = Stage(table, BERLIN)
    stage.live(timedelta(minutes=9))  # 14:29
    stage.hands.lengths[name] = timedelta(hours=3)
    stage.live(timedelta(minutes=15))
    assert stored(stage, name).is_running
    stage.hands.lengths.clear()
    done_before = stored(stage, name).done_at
    killed_at = stage.clocks.elapsed_s
    stage.clocks.pass_(MINUTE)
    stage.start()
    assert stored(stage, name).reason == "killed"
    assert (stored(stage, name).failures, stored(stage, name).done_at) == (1, done_before)
    [told] = stage.runs.runs(limit=5, job=name)
    assert (told.status, told.reason, told.origin.value) == ("failed", "killed", "scheduler")
    stage.live(timedelta(minutes=5))
    assert len(stage.started(name, killed_at)) == 1
    assert stored(stage, name).status == "done"


def test_a_clock_that_goes_back_changes_no_interval() -> None:
    stage = Stage([job("checkpoint")])
    stage.live(timedelta(minutes=30))
    stage.clocks.wall -= HOUR
    since = stage.clocks.elapsed_s
    stage.live(HOUR)
    assert len(stage.started("checkpoint", since)) == 3
    shown = stored(stage, "checkpoint").next_at
    assert shown is not None
    assert abs(shown - stage.clocks.wall) <= timedelta(minutes=21)


def test_a_failure_is_counted_told_and_not_believed() -> None:
    ends = [JobEnd("failed", "down", "nobody answers")] * 3 + [DONE]
    stage = Stage([job("rotation", Every(MINUTE), work=lambda _engine, _cancel: ends.pop(0))])
    stage.live(timedelta(minutes=2, seconds=30))
    record = stored(stage, "rotation")
    assert (record.failures, record.status, record.reason) == (3, "failed", "down")
    assert record.done_at is None
    assert [run.reason for run in stage.runs.stored] == ["down"] * 3
    stage.live(MINUTE)
    assert (stored(stage, "rotation").failures, stored(stage, "rotation").status) == (0, "done")


def test_a_bug_in_one_job_is_its_own(caplog: pytest.LogCaptureFixture) -> None:
    stage = Stage(
        [job("rotation", work=lambda _engine, _cancel: 1 / 0), job("checkpoint")]  # type: ignore[arg-type, return-value]
    )
    stage.live(timedelta(seconds=5), timedelta(seconds=1))
    assert stored(stage, "rotation").reason == "internal"
    assert stored(stage, "checkpoint").status == "done"
    assert any(record.exc_info for record in caplog.records)


def test_a_full_disk_costs_the_memory_and_no_run(caplog: pytest.LogCaptureFixture) -> None:
    store = FakeJobs()
    stage = Stage([job("checkpoint")], store=store)
    stage.live(timedelta(minutes=5))
    store.is_unwritable, stage.runs.is_unwritable, stage.locks.is_unwritable = True, True, True
    stage.live(HOUR)
    assert len(stage.started("checkpoint")) == 4
    assert sum("not remembered" in line for line in caplog.messages) == 1
    store.is_unwritable = stage.locks.is_unwritable = False
    stage.live(timedelta(minutes=2))
    assert stored(stage, "checkpoint").started_at == stage.hands.starts[-1][1]
    assert sum("remembered again" in line for line in caplog.messages) == 1


def test_a_paused_job_waits_until_it_may_go_on() -> None:
    stage = Stage([job("checkpoint"), job("rotation")])
    stage.live(MINUTE)
    stage.store.pause("checkpoint", is_paused=True)
    stage.live(2 * HOUR)
    assert len(stage.started("checkpoint")) == 1
    assert len(stage.started("rotation")) == 6 + 1
    assert stored(stage, "checkpoint").next_at is None
    stage.store.pause("checkpoint", is_paused=False)
    since = stage.clocks.elapsed_s
    stage.live(MINUTE)
    assert len(stage.started("checkpoint", since)) == 1


def test_a_pause_outlives_the_process_and_an_unreadable_database_ends_none() -> None:
    store = FakeJobs()
    stage = Stage([job("checkpoint")], store=store)
    stage.store.pause("checkpoint", is_paused=True)
    stage.start()
    stage.live(HOUR)
    store.is_unreadable = True
    stage.live(HOUR)
    assert stage.hands.starts == []


def test_a_run_that_is_asked_for_comes_at_once_even_when_paused() -> None:
    stage = Stage([job("checkpoint")])
    stage.live(timedelta(minutes=10))
    stage.store.pause("checkpoint", is_paused=True)
    stage.service.ask("checkpoint")
    assert stage.bell.is_rung
    stage.live(MINUTE)
    assert len(stage.started("checkpoint")) == 2
    stage.live(HOUR)
    assert len(stage.started("checkpoint")) == 2


def test_the_interval_begins_anew_with_a_run_that_is_asked_for() -> None:
    stage = Stage([job("checkpoint")])
    stage.live(timedelta(minutes=19))
    stage.service.ask("checkpoint")
    stage.live(timedelta(minutes=19))
    assert len(stage.started("checkpoint")) == 2


def test_one_that_is_asked_for_while_it_runs_waits_for_its_end() -> None:
    stage = Stage([job("checkpoint")])
    stage.hands.lengths["checkpoint"] = timedelta(minutes=5)
    stage.live(MINUTE)
    stage.service.ask("checkpoint")
    stage.live(timedelta(minutes=3))
    assert len(stage.started("checkpoint")) == 1
    stage.live(timedelta(minutes=2))
    assert len(stage.started("checkpoint")) == 2


def test_one_job_leads_to_another_when_it_has_done_something() -> None:
    ends = [DONE, JobEnd("skipped", "nothing-new", ""), DONE]
    observer = job("observer", work=lambda _engine, _cancel: ends.pop(0), leads_to="reflector")
    stage = Stage([observer, job("reflector", Every(HOUR))])
    stage.live(MINUTE)
    assert len(stage.started("reflector")) == 1  # the run at the start came a little earlier
    stage.live(timedelta(minutes=25))
    assert (len(stage.started("observer")), len(stage.started("reflector"))) == (2, 1)
    stage.live(timedelta(minutes=20))
    assert (len(stage.started("observer")), len(stage.started("reflector"))) == (3, 2)


def test_another_process_that_runs_the_job_makes_it_skip() -> None:
    stage = Stage([job("checkpoint")])
    stage.locks.foreign.add("checkpoint")
    stage.live(timedelta(seconds=5))
    assert (stored(stage, "checkpoint").status, stored(stage, "checkpoint").reason) == (
        "skipped",
        "locked",
    )


def test_what_is_switched_off_is_not_run_and_upkeep_is_not_shown() -> None:
    table = [job("off", is_enabled=lambda _: False), job("samples", is_listed=False), job("on")]
    stage = Stage(table)
    stage.live(timedelta(seconds=5), timedelta(seconds=1))
    assert {name for name, _, _ in stage.hands.starts} == {"samples", "on"}
    assert [view.id for view in stage.service.views()] == ["on"]
    assert set(stage.store.records()) == {"on"}


def test_stopping_waits_for_what_runs() -> None:
    stage = Stage([job("checkpoint"), job("rotation")])
    stage.hands.lengths["checkpoint"] = timedelta(seconds=4)
    stage.live(timedelta(seconds=2), timedelta(seconds=1))
    assert stage.service.stop(9)
    assert stage.service.cancel.is_set()
    assert stage.hands.is_closed
    assert stage.service.running == ()
    assert stored(stage, "checkpoint").status == "done"
    assert stored(stage, "checkpoint").next_at is None


def test_stopping_gives_up_in_time_and_leaves_the_run_as_not_done() -> None:
    stage = Stage([job("checkpoint")])
    stage.hands.lengths["checkpoint"] = HOUR
    stage.live(timedelta(seconds=1), timedelta(seconds=1))
    before = stage.clocks.elapsed_s
    assert not stage.service.stop(9)
    assert stage.clocks.elapsed_s - before <= 10
    assert stored(stage, "checkpoint").is_running


def test_the_ends_of_two_starts_are_kept_apart() -> None:
    record = replace(JobRecord("checkpoint"), status="done", ended_at=NOW)
    begun = record.begun(NOW + HOUR, 0)
    assert (begun.ended_at, begun.status, begun.is_running) == (NOW, "done", True)


@pytest.mark.parametrize(
    ("end", "level"),
    [
        (JobEnd("done", None, "saved"), "INFO"),
        (JobEnd("skipped", "locked", "another run goes on"), "INFO"),
        (JobEnd("skipped", "nothing-due", "there was nothing to do"), "DEBUG"),
        (JobEnd("failed", "state", "no space left"), "WARNING"),
        (JobEnd("failed", "cancelled", "told to end"), "INFO"),
    ],
)
def test_a_run_is_logged_as_loud_as_it_matters(
    caplog: pytest.LogCaptureFixture, end: JobEnd, level: str
) -> None:
    caplog.set_level(logging.DEBUG, logger="memconsole.scheduler")
    Stage([job("checkpoint", work=lambda _engine, _cancel: end)]).live(timedelta(seconds=5))
    [told] = [one for one in caplog.records if one.message.startswith("job checkpoint")]
    assert told.levelname == level


STATM = Path("/proc/self/statm")


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not STATM.exists(),
    reason="only the GNU C library keeps what can be given back, and only Linux tells",
)
def test_what_lies_free_between_what_lives_is_given_back() -> None:
    blocks = [bytearray(65_536) for _ in range(600)]  # below what is mapped one by one
    kept = blocks[::60]
    del blocks
    before = _resident_pages()
    give_back()
    assert _resident_pages() < before - 4_000  # of 9,600 pages of 4 KB
    assert len(kept) == 10


def test_asking_twice_is_harmless() -> None:
    give_back()
    give_back()


def _resident_pages() -> int:
    return int(STATM.read_text().split()[1])


@pytest.fixture
def execution() -> Iterator[Execution]:
    made = Execution()
    yield made
    made.close()


def test_a_job_runs_in_another_thread_and_its_end_is_told(execution: Execution) -> None:
    told: list[JobEnd] = []
    threads: list[str] = []
    ended = threading.Event()

    def work() -> JobEnd:
        threads.append(threading.current_thread().name)
        return DONE

    def done(end: JobEnd) -> None:
        told.append(end)
        ended.set()

    execution.submit("checkpoint", work, done)
    assert ended.wait(20)
    assert told == [DONE]
    assert threads != [threading.current_thread().name]


def test_the_same_job_can_run_again_as_soon_as_its_end_was_told(execution: Execution) -> None:
    """A hundred runs, each begun in the very moment the last one is told."""
    for _ in range(100):
        told: queue.SimpleQueue[JobEnd] = queue.SimpleQueue()
        execution.submit("checkpoint", lambda: DONE, told.put)
        assert told.get(timeout=20) == DONE


@pytest.mark.parametrize("bug", [ZeroDivisionError, SystemExit])
def test_a_bug_in_the_scheduler_s_own_work_is_told(
    execution: Execution, bug: type[BaseException]
) -> None:
    told, ended = list[JobEnd](), threading.Event()

    def work() -> JobEnd:
        raise bug

    def done(end: JobEnd) -> None:
        told.append(end)
        ended.set()

    execution.submit("checkpoint", work, done)
    assert ended.wait(20)
    assert told == [JobEnd("failed", "internal", bug.__name__)]


def test_closing_at_once_loses_nothing_that_was_handed_over() -> None:
    for _ in range(20):
        execution, ended = Execution(), threading.Event()
        execution.submit("checkpoint", lambda: DONE, lambda _end, it=ended: it.set())  # type: ignore[misc]
        execution.close()
        assert ended.wait(20)
