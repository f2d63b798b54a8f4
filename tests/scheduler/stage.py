"""A scheduler on clocks of its own: time passes as fast as the test likes."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.agents import Origin
from memconsole.domain.jobs.layers import Layer
from memconsole.domain.jobs.runs import JobEnd
from memconsole.domain.jobs.schedule import Every
from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from memconsole.errors import LockedError, SchedulerOwnedError, StateError
from memconsole.scheduler.job_history import JobHistory
from memconsole.scheduler.jobs import Job
from memconsole.scheduler.runner import JobRunner
from memconsole.scheduler.scheduler import SchedulerService
from memconsole.scheduler.workspace_queue import WorkspaceQueue
from tests.doubles.bundle import World
from tests.doubles.jobs import FakeJobs
from tests.doubles.platform import HOME, NOW, FakeRuns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from memconsole.domain.calendar import Zone
    from memconsole.domain.jobs.schedule import Trigger
    from memconsole.ports.jobs import JobStore
    from memconsole.ports.platform import StopSignal

SETTINGS = Settings(state_dir=HOME / "state")
DONE = JobEnd("done", None, "as it should be")


@dataclass
class FakeClocks:
    """Wall time and passed time, moved together or one alone."""

    wall: datetime = NOW
    elapsed_s: float = 0.0

    def now(self) -> datetime:
        return self.wall

    def elapsed(self) -> float:
        return self.elapsed_s

    def pass_(self, span: timedelta) -> None:
        self.wall += span
        self.elapsed_s += span.total_seconds()


@dataclass
class FakeJobLocks:
    """Remembers what is held; `foreign` is held by somebody else."""

    foreign: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    is_unwritable: bool = False
    beats: int = 0

    @contextmanager
    def scheduler(self, layer: Layer | None = None) -> Iterator[frozenset[Layer]]:
        wanted = "scheduler" if layer is None else f"layer {layer.value}"
        if wanted in self.foreign | self.held:
            raise SchedulerOwnedError("process 812 since 2026-01-26 13:20:00+0000")
        self.held.add(wanted)
        layers = frozenset(Layer) if layer is None else {layer}
        try:
            yield frozenset(one for one in layers if f"layer {one.value}" not in self.foreign)
        finally:
            self.held.discard(wanted)

    @contextmanager
    def job(self, job: str) -> Iterator[None]:
        if self.is_unwritable:
            raise StateError("no space left on device")
        if job in self.foreign | self.held:
            raise LockedError(f"the job {job}", "process 812")
        self.held.add(job)
        try:
            yield
        finally:
            self.held.discard(job)

    def beat(self) -> None:
        self.beats += 1


@dataclass
class FakeBell:
    """Waiting moves the clocks, and what has run long enough ends."""

    clocks: FakeClocks
    hands: SlowHands
    is_rung: bool = False

    def ring(self) -> None:
        self.is_rung = True

    def wait(self, seconds: float) -> bool:
        self.clocks.pass_(timedelta(seconds=seconds))
        self.hands.settle()
        was_rung, self.is_rung = self.is_rung, False
        return was_rung


@dataclass
class SlowHands:
    """Runs jobs at once; those with a length end when the clocks have passed it.

    Attributes:
        lengths: How long the next runs of a job take.
        starts: (job, wall time, elapsed seconds), one a run, in order.
        ends: The same for runs that ended.
    """

    clocks: FakeClocks
    lengths: dict[str, timedelta] = field(default_factory=dict)
    starts: list[tuple[str, datetime, float]] = field(default_factory=list)
    ends: list[tuple[str, datetime, float]] = field(default_factory=list)
    running: dict[str, tuple[float, Callable[[], None]]] = field(default_factory=dict)
    is_closed: bool = False

    def submit(self, job: str, work: Callable[[], JobEnd], done: Callable[[JobEnd], None]) -> None:
        assert not self.is_closed
        assert job not in self.running, f"{job} overlaps itself"
        self.starts.append((job, self.clocks.wall, self.clocks.elapsed_s))

        def finish() -> None:
            end = work()
            self.running.pop(job, None)
            self.ends.append((job, self.clocks.wall, self.clocks.elapsed_s))
            done(end)

        length = self.lengths.get(job, timedelta())
        if length:
            self.running[job] = (self.clocks.elapsed_s + length.total_seconds(), finish)
        else:
            finish()

    def close(self) -> None:
        self.is_closed = True

    def settle(self) -> None:
        """End what has run long enough."""
        for due_s, finish in tuple(self.running.values()):
            if due_s <= self.clocks.elapsed_s:
                finish()


def job(
    name: str,
    trigger: Trigger | None = None,
    *,
    work: Callable[[Engine, StopSignal], JobEnd] = lambda _engine, _cancel: DONE,
    **rest: object,
) -> Job:
    """Return a job that does nothing and is proud of it."""
    found = trigger or Every(timedelta(minutes=20))
    return Job(name, f"do {name}", lambda _: found, work=work, **rest)  # type: ignore[arg-type]


@dataclass
class Stage:
    """One state folder, and the schedulers that live on it one after the other."""

    table: Sequence[Job]
    zone: Zone = None
    world: World = field(default_factory=World)
    clocks: FakeClocks = field(default_factory=FakeClocks)
    store: JobStore = field(default_factory=FakeJobs)
    locks: FakeJobLocks = field(default_factory=FakeJobLocks)
    runs: FakeRuns = field(default_factory=FakeRuns)
    holds_back: bool = False
    hands: SlowHands = field(init=False)
    bell: FakeBell = field(init=False)
    service: SchedulerService = field(init=False)

    def __post_init__(self) -> None:
        self.hands = SlowHands(self.clocks)
        self.bell = FakeBell(self.clocks, self.hands)
        self.start()

    def start(self) -> None:
        """Begin as a new process: only what is stored is known."""
        self.hands.running.clear()
        self.service = SchedulerService(
            self.table,
            SETTINGS,
            JobRunner(
                Engine(self.world.ports, SETTINGS), self.locks, turns=WorkspaceQueue(patience_s=0)
            ),
            JobHistory(self.store, self.runs, Origin.SCHEDULER, str(HOME)),
            self.clocks,
            self.hands,
            self.bell,
            self.zone,
            holds_back=self.holds_back,
        )
        self.service.begin()

    def live(self, span: timedelta, step: timedelta = timedelta(seconds=5)) -> None:
        """Look every few seconds, as the loop does."""
        end_s = self.clocks.elapsed_s + span.total_seconds()
        while self.clocks.elapsed_s < end_s:
            self.service.tick()
            self.clocks.pass_(step)
            self.hands.settle()

    def started(self, name: str, since_s: float = 0.0, until_s: float = 1e12) -> list[float]:
        """Return the elapsed seconds at which a job started."""
        return [at for job, _, at in self.hands.starts if job == name and since_s <= at < until_s]
