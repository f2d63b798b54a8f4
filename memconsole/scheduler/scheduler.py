"""Looks every few seconds what is due, and has it run in a few threads (ADR 0039).

After a run it gives memory back: what a job needed for a moment lies in pages between what lives
on, and the GNU C library returns them only when it is asked to. In a process of months they add up.
"""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING, Protocol

from memconsole.domain.jobs import schedule
from memconsole.domain.jobs.runs import DONE, FAILED, INTERNAL, KILLED, JobEnd, JobRecord, JobView
from memconsole.domain.jobs.schedule import MAX_TICK_S, Reading, Schedule, Timing
from memconsole.lazy_dataclass import dataclass
from memconsole.scheduler.job_history import log_end

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.calendar import Zone
    from memconsole.domain.settings import Settings
    from memconsole.ports.jobs import TwoClocks
    from memconsole.scheduler.job_history import JobHistory
    from memconsole.scheduler.jobs import Job
    from memconsole.scheduler.runner import JobRunner
    from memconsole.scheduler.watcher import Watcher
    from memconsole.scheduler.workspace_queue import Ticket


_THREADS = 4


class Execution:
    """A pool of threads; a job that runs is not submitted again."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="job")

    def submit(self, job: str, work: Callable[[], JobEnd], done: Callable[[JobEnd], None]) -> None:
        """Begin to run a job and return at once; `done` is told by the thread that ran it."""
        self._pool.submit(_run, job, work, done)

    def close(self) -> None:
        """Take no more work; what runs or waits for a thread goes on."""
        self._pool.shutdown(wait=False)


def _run(job: str, work: Callable[[], JobEnd], done: Callable[[JobEnd], None]) -> None:
    """Run a job and tell how it ended; a bug in `work` itself is an end as well."""
    try:
        end = work()
    except BaseException as error:  # the edge of a thread: else the job would run for ever
        logger.exception("job %s", job)
        end = JobEnd(FAILED, INTERNAL, type(error).__name__)
    done(end)


logger = logging.getLogger(__name__)

_LEAST_WAIT_S = 0.1
_STOP_LOOK_S = 0.5
_SHOWN_DRIFT_S = 30.0


@dataclass(slots=True)
class _Entry:
    """One job of the table and where it is.

    Attributes:
        missed: Turns that went by since its last run.
    """

    job: Job
    schedule: Schedule
    timing: Timing
    record: JobRecord
    missed: int = 0


@dataclass(slots=True)
class SchedulerService:
    """The scheduler of one state folder; its owner calls `tick` again and again.

    Attributes:
        table: The jobs, in the order in which those that are due together begin.
        clocks: Wall time, and the time that has passed.
        hands: Where jobs run.
        zone: The operator's, for calendar jobs.
        bell: Rings when something happened that a new look should see.
        holds_back: What cannot be taken back waits for its first whole interval: somebody at a
            console who began to run the jobs has the time to look.
        watcher: Knows what changed files ask for; None when nobody listens.
        is_watching: It is the watcher of sessions, which people see beside the jobs.
        cancel: Set to end: jobs look at it at least once a second.
    """

    table: Sequence[Job]
    settings: Settings
    runner: JobRunner
    ledger: JobHistory
    clocks: TwoClocks
    hands: Executor
    bell: Waker
    zone: Zone = None
    watcher: Watcher | None = None
    holds_back: bool = False
    is_watching: bool = True
    cancel: threading.Event = field(default_factory=threading.Event)
    _entries: dict[str, _Entry] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)
    _changed: set[str] = field(default_factory=set)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _began_at: datetime | None = None
    _watching: JobRecord | None = None

    def begin(self) -> None:
        """Plan every job that is switched on; runs that died with their process are not done."""
        now = self._now()
        self._began_at = now.wall
        records = self.ledger.load()
        enabled = [job for job in self.table if job.runs_under(self.settings)]
        for position, job in enumerate(enabled):
            record = records.get(job.id, JobRecord(job.id))
            is_cut_short = record.is_running
            if is_cut_short:
                record = self._mourned(job, record)
            rule = Schedule(
                job.id,
                job.trigger(self.settings),
                job.catches_up,
                runs_at_start=not (self.holds_back and job.is_irreversible),
                position=position,
            )
            timing = schedule.begin(
                rule, now, self.zone, done_at=record.done_at, is_cut_short=is_cut_short
            )
            self._entries[job.id] = _Entry(job, rule, timing, record)
            self._show_next(self._entries[job.id], now, must_save=is_cut_short)

    def tick(self) -> float:
        """Start what is due.

        Returns:
            Seconds until the next look, at most `MAX_TICK_S`.
        """
        with self._lock:
            now = self._now()
            self._obey_pauses(now)
            self._heed_changes()
            before = {name: entry.missed for name, entry in self._entries.items()}
            due = [entry for entry in self._entries.values() if self._is_due(entry, now)]
            self._tell_missed(before)
            for entry in due:
                self._start(entry, now)
            self._changed.clear()
            for entry in self._entries.values():
                self._show_next(entry, now)
            self._show_watcher()
            self.ledger.retry(now.elapsed_s)
            return self._wait_s(now)

    def ask(self, job: str) -> None:
        """Run a job with the next look, which comes at once."""
        with self._lock:
            self._asked.add(job)
        self.bell.ring()

    @property
    def running(self) -> tuple[str, ...]:
        """The jobs that run now."""
        with self._lock:
            return tuple(name for name, one in self._entries.items() if one.record.is_running)

    def stop(self, within_s: float) -> bool:
        """Tell all jobs to end, and wait for them.

        Args:
            within_s: How long they may take; a run that takes longer is rolled back by the end of
                the process, and counts as not done.

        Returns:
            Whether all of them ended.
        """
        self.cancel.set()
        self.hands.close()
        end_s = self.clocks.elapsed() + within_s
        while self.running and self.clocks.elapsed() < end_s:
            self.bell.wait(_STOP_LOOK_S)
        with self._lock:
            for entry in self._entries.values():
                if not entry.record.is_running:
                    entry.record = replace(entry.record, next_at=None)
                    self._save(entry)
            if self._watching is not None:
                self.ledger.save(replace(self._watching, is_running=False))
        return not self.running

    def views(self) -> tuple[JobView, ...]:
        """Return the jobs as they are now."""
        with self._lock:
            return tuple(
                JobView(one.job.id, True, str(one.schedule.trigger), one.job.help, one.record)
                for one in self._entries.values()
                if one.job.is_listed
            )

    # ---- one job -------------------------------------------------------------------------

    def _is_due(self, entry: _Entry, now: Reading) -> bool:
        record = entry.record
        if entry.job.id in self._asked and not record.is_running:
            self._asked.discard(entry.job.id)
            entry.timing = schedule.asked(entry.schedule, entry.timing, now)
            self._changed.discard(entry.job.id)
            return True
        if record.is_paused:
            return False
        found = schedule.look(
            entry.schedule, entry.timing, now, self.zone, is_running=record.is_running
        )
        entry.timing = found.timing
        entry.missed += found.missed
        if found.is_due:
            self._changed.discard(entry.job.id)
            entry.timing = schedule.started(entry.schedule, entry.timing, now, self.zone)
        # The run at the start takes in everything that was changed before it.
        is_wanted = entry.job.id in self._changed and entry.timing.number > 0
        return found.is_due or (is_wanted and not record.is_running)

    def _start(self, entry: _Entry, now: Reading) -> None:
        job = self._narrowed(entry.job)
        ticket = self.runner.enter(job)
        entry.record = entry.record.begun(now.wall, entry.missed)
        entry.missed = 0
        # Written down before it runs: a kill in the middle of it must be seen afterwards.
        self._save(entry)
        self.hands.submit(
            entry.job.id,
            lambda: self._run(job, ticket),
            lambda end: self._end(entry, end, now.elapsed_s),
        )

    def _run(self, job: Job, ticket: Ticket) -> JobEnd:
        try:
            with self.ledger.keep_open():
                return self.runner.run(job, self.cancel, ticket)
        finally:
            give_back()

    def _narrowed(self, job: Job) -> Job:
        """Return the job with what changed files ask for, when that is why it runs."""
        watcher = self.watcher
        if watcher is None:
            return job
        if job.id not in self._changed:
            watcher.ran(job.id)
            return job
        if job.work is not None:
            watcher.take(job.id)
            return job
        return replace(job, commands=lambda _engine, dry_run: watcher.take(job.id))  # noqa: ARG005

    def _end(self, entry: _Entry, end: JobEnd, started_s: float) -> None:
        with self._lock:
            took_ms = round((self.clocks.elapsed() - started_s) * 1000)
            entry.record = entry.record.ended(end, self.clocks.now(), took_ms)
            self._show_next(entry, self._now(), must_save=True)
            if entry.job.is_listed and not end.is_told:
                self.ledger.note(entry.record)
            if end.status == DONE and entry.job.leads_to in self._entries:
                self._asked.add(str(entry.job.leads_to))
            log_end(entry.job.id, end)
        self.bell.ring()

    def _mourned(self, job: Job, record: JobRecord) -> JobRecord:
        end = JobEnd(FAILED, KILLED, "the process ended in the middle of it; it counts as not done")
        found = record.ended(end, self.clocks.now(), None)
        logger.warning("job %s was cut short at its last run; it is run again", job.id)
        if job.is_listed:
            self.ledger.note(found)
        return found

    # ---- all jobs ------------------------------------------------------------------------

    def _obey_pauses(self, now: Reading) -> None:
        paused = self.ledger.paused()
        if paused is None:
            return
        for entry in self._entries.values():
            is_paused = entry.job.id in paused
            if entry.record.is_paused == is_paused:
                continue
            entry.record = replace(entry.record, is_paused=is_paused)
            if not is_paused:
                entry.timing = schedule.begin(
                    entry.schedule, now, self.zone, done_at=entry.record.done_at
                )
            logger.info("job %s %s", entry.job.id, "paused" if is_paused else "goes on")

    def _heed_changes(self) -> None:
        if self.watcher is not None:
            self._changed.update(self.watcher.due())

    def _tell_missed(self, before: Mapping[str, int]) -> None:
        missed = [
            f"{name} {entry.missed - before[name]}"
            for name, entry in self._entries.items()
            if entry.missed > before[name]
        ]
        if missed:
            logger.info("missed: %s", ", ".join(missed))

    def _show_next(self, entry: _Entry, now: Reading, *, must_save: bool = False) -> None:
        """Store when a job runs next, when that is not what is stored already."""
        record = entry.record
        coming: datetime | None = None
        if not record.is_paused:
            coming = schedule.next_at(entry.schedule, entry.timing, now, self.zone)
        has_moved = (
            coming != record.next_at
            if coming is None or record.next_at is None
            else abs((coming - record.next_at).total_seconds()) > _SHOWN_DRIFT_S
        )
        if has_moved or must_save:
            entry.record = replace(record, next_at=coming)
            self._save(entry)

    def _show_watcher(self) -> None:
        """Store what the watcher does, when that is not what is stored already."""
        if self.watcher is None or self._began_at is None or not self.is_watching:
            return
        record = self.watcher.record(self._began_at)
        if record != self._watching:
            self._watching = record
            self.ledger.save(record)

    def _save(self, entry: _Entry) -> None:
        if entry.job.is_listed:
            self.ledger.save(entry.record)

    def _wait_s(self, now: Reading) -> float:
        waits = [MAX_TICK_S]
        if self.watcher is not None and (waits_s := self.watcher.due_in_s()):
            waits.append(waits_s)
        for entry in self._entries.values():
            if not (entry.record.is_paused or entry.record.is_running):
                coming = schedule.next_at(entry.schedule, entry.timing, now, self.zone)
                waits.append((coming - now.wall).total_seconds())
        return max(_LEAST_WAIT_S, min(waits))

    def _now(self) -> Reading:
        return Reading(self.clocks.now(), self.clocks.elapsed())


def give_back() -> None:
    """Give back what is free; elsewhere than with the GNU C library nothing happens."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    import ctypes  # noqa: PLC0415 - not before the first job has run

    try:
        trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    except OSError:  # a static build has no library to look in
        return None
    return trim


class Executor(Protocol):
    """Where jobs run."""

    def submit(self, job: str, work: Callable[[], JobEnd], done: Callable[[JobEnd], None]) -> None:
        """Begin to run a job and return at once; `done` is told when its place is free again."""

    def close(self) -> None:
        """Take no more work; what runs goes on."""


class Waker(Protocol):
    """Ends a wait early (`bell.Bell`)."""

    def ring(self) -> None:
        """End the waiting, now or when it begins."""

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until it rings."""
