"""Jobs in our own database, and who owns the scheduler."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.locks import SCHEDULER, FileJobLocks, SchedulerWatch, hold
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.runs import StateJobs
from memconsole.domain.jobs.layers import Layer
from memconsole.domain.jobs.runs import JobEnd, JobRecord
from memconsole.domain.snapshot.snapshot import SchedulerStatus
from memconsole.errors import LockedError, SchedulerOwnedError
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from pathlib import Path

DONE = JobEnd("done", None, "saved")
FAILED = JobEnd("failed", "state", "no space")


@pytest.fixture
def database(tmp_path: Path) -> StateDatabase:
    return StateDatabase(tmp_path / "state", PrivateCopies())


@pytest.fixture
def jobs(database: StateDatabase) -> StateJobs:
    return StateJobs(database)


def test_a_run_that_worked_ends_the_row_of_failures() -> None:
    record = replace(JobRecord("rotation"), failures=2).begun(NOW, 0)
    assert record.is_running
    ended = record.ended(DONE, NOW + timedelta(seconds=1), 1000)
    assert (ended.failures, ended.done_at, ended.ended_at) == (0, NOW, NOW + timedelta(seconds=1))
    assert ended.begun(NOW + timedelta(hours=1), 0).done_at == NOW


def test_being_told_to_end_is_not_done_and_no_failure_in_a_row() -> None:
    record = replace(JobRecord("rotation"), failures=2).begun(NOW, 0)
    ended = record.ended(JobEnd("failed", "cancelled", "told to end"), NOW, 1)
    assert (ended.failures, ended.done_at, ended.status) == (2, None, "failed")


def test_two_homes_of_one_database_have_jobs_of_their_own(database: StateDatabase) -> None:
    first, second = StateJobs(database), StateJobs(database, "162c95a952dc")
    first.save(JobRecord("rotation").begun(NOW, 0))
    assert second.records() == {}
    second.pause("rotation", is_paused=True)
    assert {one: record.id for one, record in second.records().items()} == {"rotation": "rotation"}
    assert second.records()["rotation"].is_paused
    assert not first.records()["rotation"].is_paused


def test_one_owner_a_state_folder(tmp_path: Path) -> None:
    first, second = (FileJobLocks(tmp_path, lambda: NOW) for _ in range(2))
    with first.scheduler():
        with pytest.raises(SchedulerOwnedError, match=f"process {os.getpid()} since 2026-01-26"):
            ExitStack().enter_context(second.scheduler())
        with second.job("checkpoint"), pytest.raises(LockedError, match="the job checkpoint"):
            ExitStack().enter_context(first.job("checkpoint"))
    with second.scheduler():
        pass


def test_four_layers_run_together_and_two_of_one_do_not(tmp_path: Path) -> None:
    locks = [FileJobLocks(tmp_path, lambda: NOW) for _ in range(6)]
    with ExitStack() as stack:
        for one, layer in zip(locks, Layer, strict=False):
            assert stack.enter_context(one.scheduler(layer)) == {layer}
        with pytest.raises(SchedulerOwnedError, match="the layer capture runs already: process"):
            ExitStack().enter_context(locks[4].scheduler(Layer.CAPTURE))
        with pytest.raises(SchedulerOwnedError, match="every layer of the scheduler runs already"):
            ExitStack().enter_context(locks[5].scheduler())
    with locks[5].scheduler() as layers:
        assert layers == set(Layer)


def test_the_whole_scheduler_leaves_a_layer_that_runs_and_keeps_the_rest(tmp_path: Path) -> None:
    whole, single = (FileJobLocks(tmp_path, lambda: NOW) for _ in range(2))
    with single.scheduler(Layer.CAPTURE), whole.scheduler() as layers:
        assert layers == set(Layer) - {Layer.CAPTURE}
        with pytest.raises(SchedulerOwnedError):
            ExitStack().enter_context(FileJobLocks(tmp_path).scheduler(Layer.HEALTH))


def test_a_scheduler_of_an_older_release_runs_every_layer(tmp_path: Path, jobs: StateJobs) -> None:
    with hold(tmp_path / SCHEDULER, "the scheduler", lambda: NOW):
        found = SchedulerWatch(tmp_path, jobs).status()
        assert (found.state, found.silent, len(found.layers)) == ("running", (), 4)
        with pytest.raises(SchedulerOwnedError):
            ExitStack().enter_context(FileJobLocks(tmp_path).scheduler(Layer.CAPTURE))


def test_a_layer_that_nobody_runs_is_told_and_its_turns_do_not_count(
    tmp_path: Path, jobs: StateJobs
) -> None:
    watch = SchedulerWatch(tmp_path, jobs)
    jobs.save(JobRecord("observer", next_at=NOW + timedelta(minutes=1)))
    jobs.save(JobRecord("checkpoint", next_at=NOW + timedelta(minutes=5)))
    first, second = FileJobLocks(tmp_path, lambda: NOW), FileJobLocks(tmp_path, lambda: NOW)
    with first.scheduler(Layer.CHECKPOINT), second.scheduler(Layer.HEALTH):
        found = watch.status()
        assert (found.state, found.next_job, found.is_split) == ("running", "checkpoint", True)
        assert [one.layer for one in found.silent] == [Layer.CAPTURE, Layer.ROTATION]
        assert found.silence == "nobody runs the layers capture and rotation"
        assert found.of_layer(Layer.HEALTH).pid == os.getpid()
        long_ago = time.time() - 600
        os.utime(tmp_path / "scheduler-health.lock", (long_ago, long_ago))
        assert watch.status().silence.endswith("; the owner of the layer health does not move")
        second.beat()
        assert watch.status().of_layer(Layer.HEALTH).state == "running"


def test_an_error_of_its_own_leaves_the_scheduler_as_it_is(tmp_path: Path) -> None:
    locks = FileJobLocks(tmp_path)
    with pytest.raises(LockedError, match="a workspace"), locks.scheduler():
        raise LockedError("a workspace", "somebody")
    with locks.scheduler():
        pass


def test_the_next_job_is_named_while_somebody_runs_them(tmp_path: Path, jobs: StateJobs) -> None:
    watch, locks = SchedulerWatch(tmp_path, jobs), FileJobLocks(tmp_path, lambda: NOW)
    jobs.save(JobRecord("rotation", next_at=NOW + timedelta(minutes=9)))
    jobs.save(JobRecord("checkpoint", next_at=NOW + timedelta(minutes=5)))
    jobs.save(JobRecord("health", next_at=NOW + timedelta(minutes=1)))
    jobs.pause("health", is_paused=True)
    assert watch.status() == SchedulerStatus()
    with locks.scheduler():
        found = watch.status()
        assert (found.state, found.pid, found.since) == ("running", os.getpid(), NOW)
        assert (found.next_job, found.next_at) == ("checkpoint", NOW + timedelta(minutes=5))
    assert watch.status() == SchedulerStatus()


def test_an_owner_without_a_pulse_is_stale(tmp_path: Path, jobs: StateJobs) -> None:
    watch, locks = SchedulerWatch(tmp_path, jobs), FileJobLocks(tmp_path)
    with locks.scheduler():
        long_ago = time.time() - 600
        for path in tmp_path.glob("scheduler*.lock"):
            os.utime(path, (long_ago, long_ago))
        assert watch.status().state == "stale"
        locks.beat()
        assert watch.status().state == "running"
