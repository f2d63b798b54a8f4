"""What console and command line may do with jobs, and the loop behind `--serve`."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.jobs.layers import JOBS_OF, Layer, LayerStatus
from memconsole.domain.jobs.runs import JobEnd, JobRecord
from memconsole.domain.jobs.schedule import Every
from memconsole.domain.settings.sections import UiSettings, WatcherSettings
from memconsole.domain.snapshot.snapshot import SchedulerStatus
from memconsole.engine.engine import Engine
from memconsole.errors import LockedError, ReadOnlyError, SchedulerOwnedError, UsageError
from memconsole.scheduler.control import Jobs, Stopper
from memconsole.scheduler.jobs import TABLE as ALL
from memconsole.scheduler.serving import Notifier, serve
from tests.doubles.bundle import World
from tests.doubles.jobs import FakeJobs
from tests.doubles.platform import NOW, FakeRuns, FakeScheduler
from tests.scheduler.stage import (
    DONE,
    SETTINGS,
    FakeClocks,
    FakeJobLocks,
    Stage,
    job,
)

if TYPE_CHECKING:
    from memconsole.ports.platform import StopSignal
    from memconsole.scheduler.jobs import Job

TABLE = (
    job("checkpoint"),
    job("cleanup", is_enabled=lambda _: False),
    job("samples", is_listed=False),
)


def jobs(*table: Job, is_read_only: bool = False) -> Jobs:
    settings = replace(SETTINGS, ui=UiSettings(read_only=is_read_only))
    return Jobs(
        settings=settings,
        engine=Engine(World().ports, settings),
        store=FakeJobs(),
        locks=FakeJobLocks(),
        runs=FakeRuns(),
        clocks=FakeClocks(),
        watch=FakeScheduler(),
        zone=lambda: None,
        table=table or TABLE,
    )


def hosts(control: Jobs) -> bool:
    return control.is_hosting


def test_every_job_is_listed_with_what_is_known() -> None:
    control = jobs()
    control.store.save(JobRecord("checkpoint", NOW, NOW, "done", next_at=NOW, is_running=True))
    [checkpoint, cleanup, _] = control.jobs()
    assert (checkpoint.trigger, checkpoint.is_enabled, cleanup.is_enabled) == (
        "every 20m",
        True,
        False,
    )
    # Nobody runs the jobs: what was planned or left running is not so.
    assert (checkpoint.is_running, checkpoint.record.next_at) == (False, None)
    control.watch = FakeScheduler(SchedulerStatus("running", 812))
    [checkpoint, *_] = control.jobs()
    assert (checkpoint.is_running, checkpoint.record.next_at) == (True, NOW)


def test_a_job_that_does_not_exist_is_named_with_those_that_do() -> None:
    for call in (jobs().run_now, lambda name: jobs().pause(name, is_paused=True)):
        with pytest.raises(UsageError, match="there is no job 'samples'") as caught:
            call("samples")
        assert caught.value.hint == "Jobs: checkpoint, cleanup."


def test_the_watcher_is_listed_and_has_no_turn_to_be_run() -> None:
    control = jobs()
    assert (control.jobs()[-1].id, control.jobs()[-1].state) == ("watcher", "off")
    assert control.jobs()[-1].record.message == "nobody runs the jobs"
    control.watch = FakeScheduler(SchedulerStatus("running", 812))
    assert control.jobs()[-1].record.message == "the scheduler watches no files"
    control.store.save(JobRecord("watcher", NOW, message="for observer", is_running=True))
    assert control.jobs()[-1].state == "on"
    polls = JobRecord("watcher", NOW, reason="polling", message="no inotify", is_running=True)
    control.store.save(polls)
    assert (control.jobs()[-1].state, control.jobs()[-1].record.message) == (
        "polling",
        "no inotify",
    )
    control.settings = replace(control.settings, watcher=WatcherSettings(is_enabled=False))
    assert (control.jobs()[-1].state, control.jobs()[-1].is_enabled) == ("off", False)
    for call in (control.run_now, lambda name: control.pause(name, is_paused=True)):
        with pytest.raises(UsageError, match="the watcher has no turns"):
            call("watcher")


def test_a_run_that_is_asked_for_is_remembered() -> None:
    control = jobs()
    assert control.run_now("Checkpoint").end == DONE
    record = control.store.records()["checkpoint"]
    assert (record.status, record.started_at, record.is_running) == ("done", NOW, False)
    assert control.run_now("checkpoint", dry_run=True).end == JobEnd(
        "planned", None, "would do checkpoint"
    )


def test_read_only_refuses_everything_but_a_look() -> None:
    control = jobs(is_read_only=True)
    stopper = Stopper()
    stopper.bell.close()
    for refused in (
        lambda: control.pause("checkpoint", is_paused=True),
        lambda: control.run_now("checkpoint"),
        control.host,
        lambda: control.serve(stopper, Notifier(None)),
    ):
        with pytest.raises(ReadOnlyError):
            refused()
    assert control.run_now("checkpoint", dry_run=True).end.status == "planned"


def test_a_job_that_runs_elsewhere_is_refused() -> None:
    control = jobs()
    assert isinstance(control.locks, FakeJobLocks)
    control.locks.foreign.add("checkpoint")
    with pytest.raises(LockedError):
        control.run_now("checkpoint")


def test_the_console_hosts_the_scheduler_until_it_closes() -> None:
    ran = threading.Event()

    def work(_engine: Engine, _cancel: StopSignal) -> JobEnd:
        ran.set()
        return DONE

    control = jobs(job("checkpoint", work=work))
    assert isinstance(control.locks, FakeJobLocks)
    control.host()
    assert hosts(control)
    assert ran.wait(20)
    with pytest.raises(SchedulerOwnedError):
        control.host()
    control.close()
    assert not hosts(control)
    assert control.locks.held == set()
    control.close()


def test_nobody_is_hosted_beside_a_scheduler() -> None:
    control = jobs()
    assert isinstance(control.locks, FakeJobLocks)
    control.locks.foreign.add("scheduler")
    with pytest.raises(SchedulerOwnedError, match="process 812 since 2026-01-26"):
        control.host()
    assert not hosts(control)


class Supervisor:
    """Remembers what it was told."""

    watchdog_s: float | None = 4

    def __init__(self) -> None:
        self.told: list[str] = []

    def ready(self, status: str) -> None:
        self.told.append(f"ready: {status}")

    def alive(self) -> None:
        self.told.append("alive")

    def stopping(self) -> None:
        self.told.append("stopping")


def test_the_loop_says_how_it_is_and_feeds_the_watchdog_in_time() -> None:
    stage = Stage([job("checkpoint", Every(timedelta(minutes=1))), job("rotation")])
    stage.service.hands = stage.hands
    signs, looks = Supervisor(), [False] * 40 + [True]
    assert serve(stage.service, stage.locks, lambda: looks.pop(0), signs)
    assert signs.told[0] == "ready: 2 jobs"
    assert signs.told[1:-1] == ["alive"] * 40
    assert signs.told[-1] == "stopping"
    assert stage.clocks.elapsed_s <= 40 * 2  # twice as often as the watchdog demands
    assert len(stage.started("checkpoint")) >= 2
    assert stage.locks.beats == 41


def test_the_loop_and_each_run_keep_the_database_open() -> None:
    store, in_loop, in_run = FakeJobs(), [], []

    def work(_engine: Engine, _cancel: StopSignal) -> JobEnd:
        in_run.append(store.kept_open)
        return DONE

    def is_stopped() -> bool:
        in_loop.append(store.kept_open)
        return len(in_loop) == 2

    stage = Stage([job("checkpoint", work=work)], store=store)
    stage.service.hands = stage.hands
    assert serve(stage.service, stage.locks, is_stopped, Supervisor())
    assert (in_loop, in_run, store.kept_open) == ([1, 1], [2], 0)


def test_a_second_scheduler_is_refused_and_nothing_is_begun() -> None:
    ran: list[str] = []

    def work(_engine: Engine, _cancel: StopSignal) -> JobEnd:
        ran.append("checkpoint")
        return DONE

    control = jobs(job("checkpoint", work=work))
    assert isinstance(control.locks, FakeJobLocks)
    stopper = Stopper()
    for taken, layer in (("scheduler", None), ("layer capture", Layer.CAPTURE)):
        control.locks.foreign = {taken}
        with pytest.raises(SchedulerOwnedError):
            control.serve(stopper, Notifier(None), layer)
    stopper.bell.close()
    assert (ran, control.locks.held) == ([], set())


@pytest.mark.parametrize(
    ("layer", "foreign", "served"),
    [
        (None, set(), {"checkpoint", "observer", "rotation", "health"}),
        (Layer.CAPTURE, set(), {"observer"}),
        (Layer.HEALTH, {"layer capture"}, {"health"}),
        (None, {"layer capture", "layer rotation"}, {"checkpoint", "health"}),
    ],
)
def test_a_layer_runs_its_own_jobs_and_the_whole_what_others_left(
    layer: Layer | None,
    foreign: set[str],
    served: set[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    names = ("checkpoint", "observer", "rotation", "health")
    control = jobs(*(job(name, work=lambda *_: DONE) for name in names))
    assert isinstance(control.locks, FakeJobLocks)
    control.locks.foreign = set(foreign)
    stopper = Stopper()
    stopper.stop()
    with caplog.at_level("INFO", "memconsole.scheduler"):
        assert control.serve(stopper, Notifier(None), layer)
    stopper.bell.close()
    [started] = [one for one in caplog.messages if one.startswith("scheduler started: ")]
    assert set(started.removeprefix("scheduler started: ").split(", ")) == served
    assert control.locks.held == set()


def test_each_job_says_who_runs_its_layer_and_what_nobody_runs_has_no_next_turn() -> None:
    control = jobs(job("checkpoint"), job("observer"))
    control.store.save(JobRecord("checkpoint", NOW, NOW, "done", next_at=NOW))
    control.store.save(JobRecord("observer", NOW, NOW, "done", next_at=NOW, is_running=True))
    layers = (LayerStatus(Layer.CHECKPOINT, "running", 812), LayerStatus(Layer.CAPTURE))
    control.watch = FakeScheduler(SchedulerStatus("running", layers=layers))
    [checkpoint, observer, watcher] = control.jobs()
    assert (checkpoint.is_served, checkpoint.record.next_at) == (True, NOW)
    assert checkpoint.owner == layers[0]
    assert (observer.is_served, observer.is_running, observer.record.next_at) == (
        False,
        False,
        None,
    )
    assert watcher.record.message == "nobody runs the jobs"


def test_every_name_of_a_layer_is_a_job() -> None:
    known = {one.id for one in ALL} | {"watcher"}
    assert {name for names in JOBS_OF.values() for name in names} <= known
    assert {one.layer for one in ALL} == set(Layer)
