"""Changed files lead to jobs at once; their turns come all the same."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.scheduler.watcher import Watcher
from tests.doubles.platform import fake_agent
from tests.scheduler.stage import Stage, job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memconsole.domain.commands.command import Command
    from memconsole.ports.platform import StopSignal

MAIN = fake_agent()
FILE = Path("/home/operator/.openclaw/workspace-main/MEMORY.md")


@dataclass
class FakeWatch:
    """Is due when it is told so.

    Attributes:
        due_s: Seconds until it is due; None for nothing.
    """

    due_s: float | None = None
    noted: list[frozenset[Path]] = field(default_factory=list)
    taken: int = 0
    turns: int = 0

    def note(self, paths: frozenset[Path]) -> None:
        self.noted.append(paths)

    def due_in_s(self) -> float | None:
        return self.due_s

    def take_due(self) -> Sequence[Command]:
        self.due_s, self.taken = None, self.taken + 1
        return (Checkpoint(MAIN.ref, dry_run=True),)

    def observed(self) -> None:
        self.turns += 1


@dataclass
class FakeFeed:
    """Yields what it was given, then waits for the end."""

    batches: list[frozenset[Path] | Exception]
    asked: list[tuple[Path, ...]] = field(default_factory=list)
    polling_because: str | None = None

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        self.asked.append(roots)
        while self.batches:
            batch = self.batches.pop(0)
            if isinstance(batch, Exception):
                raise batch
            yield batch


def watcher(watch: FakeWatch, feed: FakeFeed | None = None, **parts: object) -> Watcher:
    made = Watcher(
        feed or FakeFeed([]),
        lambda: (FILE.parent,),
        {"checkpoint": watch},
        lambda: None,
        {"checkpoint": watch.observed},
    )
    return replace(made, **parts)  # type: ignore[arg-type]  # names are checked by the dataclass itself


def stage_with(watch: FakeWatch) -> Stage:
    """A checkpoint whose own turn has no commands, and a watch that has one."""
    row = replace(job("checkpoint"), work=None)
    stage = Stage([row])
    stage.service.watcher = watcher(watch)
    return stage


def test_what_the_watcher_does_is_remembered_for_the_other_faces() -> None:
    stage = stage_with(FakeWatch())
    feed = FakeFeed([])
    stage.service.watcher = watcher(FakeWatch(), feed)
    stage.live(timedelta(seconds=5))
    record = stage.store.records()["watcher"]
    assert (record.is_running, record.reason, record.message) == (True, None, "for checkpoint")
    feed.polling_because = "the host cannot watch more files"
    stage.live(timedelta(seconds=5))
    record = stage.store.records()["watcher"]
    assert (record.reason, record.message) == ("polling", "the host cannot watch more files")
    stage.service.stop(1.0)
    assert not stage.store.records()["watcher"].is_running


def test_what_is_due_runs_at_once_and_the_turn_comes_all_the_same() -> None:
    watch = FakeWatch()
    stage = stage_with(watch)
    stage.live(timedelta(minutes=5))
    assert (len(stage.hands.starts), watch.taken) == (1, 0)
    watch.due_s = 0
    stage.live(timedelta(seconds=5))
    assert (len(stage.hands.starts), watch.taken) == (2, 1)
    stage.live(timedelta(minutes=14))
    assert len(stage.hands.starts) == 2
    stage.live(timedelta(minutes=2))
    assert (len(stage.hands.starts), watch.taken) == (3, 1)


def test_what_changed_before_the_first_run_belongs_to_it() -> None:
    watch = FakeWatch(due_s=0)
    stage = Stage([job("other"), replace(job("checkpoint"), work=None)])
    stage.service.watcher = watcher(watch)
    stage.live(timedelta(seconds=1), timedelta(seconds=1))
    assert stage.started("checkpoint") == []
    stage.live(timedelta(seconds=1), timedelta(seconds=1))
    assert stage.started("checkpoint") == [1]
    assert watch.turns == 1


def test_a_job_that_is_no_command_does_its_usual_work_and_what_waited_is_forgotten() -> None:
    watch = FakeWatch()
    stage = Stage([job("checkpoint")])
    stage.service.watcher = watcher(watch)
    stage.live(timedelta(minutes=5))
    watch.due_s = 0
    stage.live(timedelta(seconds=5))
    assert (len(stage.hands.starts), watch.taken) == (2, 1)


def test_a_turn_of_its_own_begins_the_count_anew() -> None:
    watch = FakeWatch()
    stage = stage_with(watch)
    stage.live(timedelta(minutes=1))
    assert watch.turns == 1
    watch.due_s = 0
    stage.live(timedelta(minutes=1))
    assert watch.turns == 1  # the run took just what was due


def test_the_loop_looks_again_when_the_watch_says_so() -> None:
    watch = FakeWatch(due_s=1.5)
    assert stage_with(watch).service.tick() == 1.5


def test_a_paused_job_heeds_no_changes_and_a_running_one_waits() -> None:
    watch = FakeWatch()
    stage = stage_with(watch)
    stage.hands.lengths["checkpoint"] = timedelta(minutes=5)
    stage.live(timedelta(minutes=1))
    watch.due_s = 0
    stage.live(timedelta(minutes=3))
    assert watch.taken == 0
    stage.hands.lengths.clear()
    stage.live(timedelta(minutes=2))
    assert watch.taken == 1
    stage.store.pause("checkpoint", is_paused=True)
    watch.due_s = 0
    stage.live(timedelta(minutes=1))
    assert watch.taken == 1


def listen(made: Watcher, until: Callable[[], bool]) -> None:
    stop = threading.Event()
    woken = threading.Semaphore(0)
    made.wake = woken.release
    made.begin(stop)
    while not until():
        assert woken.acquire(timeout=20)
    stop.set()
    assert made._thread is not None
    made._thread.join(20)
    assert not made._thread.is_alive()


def test_changes_are_passed_on_and_new_agents_bring_new_folders() -> None:
    watch, roots = FakeWatch(), [(FILE.parent,), (FILE.parent,), (FILE.parent, Path("/new"))]
    feed = FakeFeed([frozenset({FILE}), frozenset({FILE.parent})])
    made = watcher(watch, feed, roots=lambda: roots.pop(0) if len(roots) > 1 else roots[0])
    listen(made, lambda: len(watch.noted) == 2)
    assert watch.noted == [frozenset({FILE}), frozenset({FILE.parent})]
    assert (FILE.parent, Path("/new")) in feed.asked


def test_a_feed_that_breaks_disturbs_no_turn() -> None:
    feed = FakeFeed([OSError("no more watches")])
    made, stop = watcher(FakeWatch(), feed), threading.Event()
    made.begin(stop)
    while not feed.asked:
        pass
    stop.set()
    assert made._thread is not None
    made._thread.join(20)
    assert not made._thread.is_alive()


def test_what_is_there_is_looked_at_before_the_first_change_is_heard_of() -> None:
    feed, looks = FakeFeed([frozenset({FILE})]), []
    watch = FakeWatch()
    made = watcher(watch, feed, firsts=(lambda: looks.append((len(feed.asked), len(watch.noted))),))
    listen(made, lambda: len(watch.noted) == 1)
    assert looks[0] == (0, 0)
