"""The threads in which jobs run."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.jobs.runs import JobEnd
from memconsole.scheduler.execution import Execution
from tests.scheduler.stage import DONE

if TYPE_CHECKING:
    from collections.abc import Iterator


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
