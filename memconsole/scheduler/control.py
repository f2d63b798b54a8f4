"""The jobs for the other faces: list, pause, run now, and host them in this process."""

from __future__ import annotations

import logging
import threading
from contextlib import ExitStack
from dataclasses import field, replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import Origin
from memconsole.domain.jobs.layers import Layer, layer_of, named_layers
from memconsole.domain.jobs.runs import WATCHER, JobRecord, JobView, Start, watcher_view
from memconsole.domain.jobs.schedule import DailyAt
from memconsole.domain.settings import usable
from memconsole.errors import MemconsoleError, ReadOnlyError, UsageError
from memconsole.lazy_dataclass import dataclass
from memconsole.scheduler.job_history import JobHistory
from memconsole.scheduler.jobs import TABLE
from memconsole.scheduler.runner import JobRunner
from memconsole.scheduler.scheduler import Execution, SchedulerService
from memconsole.scheduler.serving import Notifier, WakeSignal, serve
from memconsole.scheduler.watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.domain.calendar import Zone
    from memconsole.domain.jobs.layers import LayerStatus
    from memconsole.domain.jobs.runs import JobRun
    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.ports.jobs import ChildRunner, JobLocks, JobStore, TwoClocks
    from memconsole.ports.platform import ChangeFeed, RunLog, SchedulerControl
    from memconsole.scheduler.jobs import Job
    from memconsole.scheduler.serving import Supervisor
    from memconsole.scheduler.watcher import Watch

logger = logging.getLogger(__name__)

_HOST_JOIN_S = 12.0


@dataclass(slots=True)
class Stopper:
    """Ends a loop; may be used from any thread and from a signal handler."""

    bell: WakeSignal = field(default_factory=WakeSignal)
    is_stopped: bool = False

    def stop(self) -> None:
        """Tell the loop to end."""
        self.is_stopped = True
        self.bell.ring()


@dataclass(slots=True)
class Jobs:
    """Answers the port `JobControl` for one state folder; safe from any thread.

    Attributes:
        watch: Who runs the jobs now.
        zone: The operator's; asked when a scheduler starts.
        engine: Runs what this face asks for.
        scheduler_engine: Makes the engine of a scheduler: the run log tells who ran what. None
            takes `engine`.
        feed: Makes the source of file events for a scheduler; None watches no files.
        child: Runs what loads much in a process of its own; None runs it here.
    """

    settings: Settings
    engine: Engine
    store: JobStore
    locks: JobLocks
    runs: RunLog
    clocks: TwoClocks
    watch: SchedulerControl
    zone: Callable[[], Zone]
    child: ChildRunner | None = None
    scheduler_engine: Callable[[], Engine] | None = None
    feed: Callable[[], ChangeFeed] | None = None
    table: Sequence[Job] = TABLE
    _hosted: tuple[threading.Thread, Stopper] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _underway: list[str] = field(default_factory=list)
    _ending: threading.Event = field(default_factory=threading.Event)

    def jobs(self) -> tuple[JobView, ...]:
        """Return every job, in the order of the table, and the watcher behind them."""
        records = self.store.records()
        scheduler = self.watch.status()
        views = [
            self._view(job, records.get(job.id, JobRecord(job.id)), scheduler.of_layer(job.layer))
            for job in self.table
            if job.is_listed
        ]
        watching = records.get(WATCHER, JobRecord(WATCHER))
        is_enabled = self.settings.is_on(lambda one: one.watcher.is_enabled)
        owner = scheduler.of_layer(layer_of(WATCHER))
        return (*views, watcher_view(watching, is_enabled=is_enabled, owner=owner))

    def named(self, job: str) -> str:
        """Return the id of the job that somebody means.

        Raises:
            UsageError: There is no such job.
        """
        return self._found(job).id

    def pause(self, job: str, *, is_paused: bool) -> None:
        """Pause a job or let it go on; a scheduler that runs obeys within seconds.

        Raises:
            UsageError: There is no such job.
            ReadOnlyError: Nothing may be changed.
            StateError: It cannot be stored.
        """
        found = self._found(job)
        self._require_writing("pause" if is_paused else "resume")
        self.store.pause(found.id, is_paused=is_paused)

    def run_now(self, job: str, *, dry_run: bool = False) -> JobRun:
        """Run a job here and now; blocks until it has ended.

        Raises:
            UsageError: There is no such job.
            ReadOnlyError: Nothing may be changed.
            LockedError: Another run of it goes on.
            MemconsoleError: It could not begin.
        """
        found = self._found(job)
        if dry_run:
            return self._runner().perform(found, threading.Event(), dry_run=True)
        self._require_writing(f"once {found.id}")
        started_at, start_s = self.clocks.now(), self.clocks.elapsed()
        run = self._runner().perform(found, self._ending)
        took_ms = round((self.clocks.elapsed() - start_s) * 1000)
        record = self.store.records().get(found.id, JobRecord(found.id)).begun(started_at, 0)
        try:
            self.store.save(record.ended(run.end, self.clocks.now(), took_ms))
        except MemconsoleError as error:
            logger.warning("the run is not remembered: %s", error)
        return run

    def serve(self, stopper: Stopper, signs: Supervisor, layer: Layer | None = None) -> bool:
        """Run the jobs until `stopper` says otherwise; return whether all that ran has ended.

        Args:
            stopper: Ends it.
            signs: Who supervises us.
            layer: Only the jobs of this layer; None runs those of each that nobody runs.

        Raises:
            ReadOnlyError: Nothing may be changed.
            SchedulerOwnedError: Another process runs the jobs.
            StateError: The state folder cannot be written.
            HomeUnreadableError: The platform home cannot be read.
        """
        self._require_writing("serve")
        with self.locks.scheduler(layer) as layers:
            service = self._service(stopper, layers)
            return serve(service, self.locks, lambda: stopper.is_stopped, signs)

    @property
    def is_hosting(self) -> bool:
        """Whether the scheduler runs inside this process."""
        hosted = self._hosted
        return hosted is not None and hosted[0].is_alive()

    def host(self) -> None:
        """Run the scheduler inside this process, until `close`.

        Raises:
            ReadOnlyError: Nothing may be changed.
            SchedulerOwnedError: Another process, or this one, runs the jobs.
            StateError: The state folder cannot be written.
        """
        self._require_writing("the scheduler")
        with self._lock, ExitStack() as owned:
            layers = owned.enter_context(self.locks.scheduler())  # refused before a thread begins
            stopper = Stopper()
            service = self._service(stopper, layers, holds_back=True)
            keep = owned.pop_all()

        def live() -> None:
            try:
                with keep:
                    serve(service, self.locks, lambda: stopper.is_stopped, Notifier(None))
            except Exception:  # the edge of a thread: the console goes on
                logger.exception("the scheduler ended")

        thread = threading.Thread(target=live, name="scheduler", daemon=True)
        self._hosted = thread, stopper
        thread.start()

    @property
    def underway(self) -> tuple[str, ...]:
        """The jobs that this process runs at this moment."""
        return tuple(self._underway)

    def stop(self) -> None:
        """Begin nothing else, and return at once; the command in hand is finished."""
        self._ending.set()
        if self._hosted is not None:
            self._hosted[1].stop()

    def close(self) -> None:
        """End the hosted scheduler; what runs is finished or rolled back within 10 s."""
        hosted, self._hosted = self._hosted, None
        if hosted is not None:
            thread, stopper = hosted
            stopper.stop()
            thread.join(_HOST_JOIN_S)
            stopper.bell.close()

    # ---- parts ---------------------------------------------------------------------------

    def _service(
        self, stopper: Stopper, layers: frozenset[Layer], *, holds_back: bool = False
    ) -> SchedulerService:
        engine = self.engine if self.scheduler_engine is None else self.scheduler_engine()
        home = str(engine.home.read().path)
        if others := [one for one in Layer if one not in layers]:
            logger.info("%s left to others", named_layers(others))
        return SchedulerService(
            [job for job in self.table if job.layer in layers],
            self.settings,
            JobRunner(engine, self.locks, self.child, underway=self._underway),
            JobHistory(self.store, self.runs, Origin.SCHEDULER, home),
            self.clocks,
            Execution(),
            stopper.bell,
            self.zone(),
            self._watcher(engine, stopper, layers),
            holds_back,
            Layer.CAPTURE in layers,
        )

    def _watcher(
        self, engine: Engine, stopper: Stopper, layers: frozenset[Layer]
    ) -> Watcher | None:
        if self.feed is None or not layers & {Layer.CAPTURE, Layer.HEALTH}:
            return None
        watches: dict[str, Watch] = {}
        anew: dict[str, Callable[[], None]] = {}
        firsts: list[Callable[[], None]] = []
        if Layer.HEALTH in layers:
            config = watches["config_check"] = engine.watches.config()
            anew["config_check"] = config.checked
            firsts.append(config.begin)
        if Layer.CAPTURE in layers:
            self._watch_sessions(engine, watches, anew, firsts)
        return Watcher(self.feed(), engine.home.watched, watches, stopper.bell.ring, anew, firsts)

    def _watch_sessions(
        self,
        engine: Engine,
        watches: dict[str, Watch],
        anew: dict[str, Callable[[], None]],
        firsts: list[Callable[[], None]],
    ) -> None:
        if usable(lambda: self.settings.search.sync, otherwise=False):
            watches["index_sync"] = engine.watches.index(may_build=True)
        if self.settings.is_on(lambda one: one.recovery.is_enabled):
            ended = watches["recovery"] = engine.watches.ended()
            anew["recovery"] = ended.recovered
            firsts.append(ended.begin)
        if self.settings.is_on(lambda one: one.watcher.is_enabled):
            sessions = watches["observer"] = engine.watches.sessions()
            anew["observer"] = sessions.observed
            firsts.append(sessions.begin)

    def _runner(self) -> JobRunner:
        return JobRunner(self.engine, self.locks, self.child, underway=self._underway)

    def _view(self, job: Job, record: JobRecord, owner: LayerStatus) -> JobView:
        is_enabled = job.runs_under(self.settings)
        if not (owner.state == "running" and is_enabled):
            record = replace(record, is_running=False, next_at=None)
        words = job.rule_words(self.settings)
        start = Start.AFTER_INTERVAL if job.is_irreversible else Start.AT_ONCE
        if is_enabled and isinstance(job.trigger(self.settings), DailyAt):
            start = Start.AT_ITS_TIME
        return JobView(job.id, is_enabled, words, job.help, record, start=start, owner=owner)

    def _found(self, name: str) -> Job:
        listed = {job.id: job for job in self.table if job.is_listed}
        wanted = name.strip().lower().replace("-", "_")
        if wanted == WATCHER:
            raise UsageError(
                "the watcher has no turns: it hears of changed files while the scheduler runs",
                hint="`memconsole once observer` looks now; watcher.enabled switches it off.",
            )
        if wanted not in listed:
            raise UsageError(f"there is no job {name!r}", hint=f"Jobs: {', '.join(listed)}.")
        return listed[wanted]

    def _require_writing(self, action: str) -> None:
        if self.settings.ui.read_only:
            raise ReadOnlyError(action)
