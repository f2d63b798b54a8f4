"""What is known about the scheduler's jobs (the `job` object of the contract)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import reason_of, status_of
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memconsole.domain.commands.outcomes import Outcome, Run
    from memconsole.domain.jobs.layers import LayerStatus

DONE, SKIPPED, FAILED = "done", "skipped", "failed"

NOTHING_DUE = "nothing-due"
"""Why a job that found nothing to do was skipped: it never claims success for that."""

INTERNAL = "internal"
"""Why a run failed that met a bug of ours."""

CHILD_DIED = "child-died"
"""Why a run failed whose own process ended without an answer."""

KILLED = "killed"
"""Why a run failed that ended with its process: it counts as not done."""

CANCELLED = "cancelled"
"""Why a run failed that was told to end before it had done everything."""

WATCHER = "watcher"
"""Id under which the watcher is listed and remembered beside the jobs."""

POLLING = "polling"
"""Why the watcher hears of changes late."""


@dataclass(frozen=True, slots=True)
class JobEnd:
    """How one run of a job ended.

    Attributes:
        status: `done`, `skipped` or `failed`.
        reason: The stable word that says why; None when it was done.
        is_told: The run log holds it already: its commands wrote it.
    """

    status: str
    reason: str | None
    message: str
    is_told: bool = False


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run of a job that somebody asked for.

    Attributes:
        outcomes: What came of each of its commands; none of a job that has no commands.
    """

    end: JobEnd
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True, slots=True)
class JobRecord:
    """One job as `state.db` remembers it.

    Attributes:
        started_at: Start of the last run; None when it never ran.
        ended_at: End of the last run that ended.
        status: How that ended.
        is_running: A run has begun and not ended; it may have died with its process.
        done_at: Start of the last run that was done or skipped: what catching up goes by.
        next_at: When it runs next; None when nobody runs jobs or it is paused.
        missed: Turns that went by before the last run.
        failures: Failed runs in a row.
    """

    id: str
    started_at: datetime | None = None
    ended_at: datetime | None = None
    status: str | None = None
    reason: str | None = None
    message: str = ""
    duration_ms: int | None = None
    is_running: bool = False
    is_paused: bool = False
    done_at: datetime | None = None
    next_at: datetime | None = None
    missed: int = 0
    failures: int = 0

    def begun(self, at: datetime, missed: int) -> JobRecord:
        """Return the record of a run that has begun."""
        return replace(self, started_at=at, is_running=True, missed=missed)

    def ended(self, end: JobEnd, at: datetime, duration_ms: int | None) -> JobRecord:
        """Return the record of a run that has ended."""
        has_failed = end.status == FAILED
        # Being told to end is nobody's fault, and no sign of one.
        failures = self.failures + (end.reason != CANCELLED) if has_failed else 0
        return replace(
            self,
            ended_at=at,
            status=end.status,
            reason=end.reason,
            message=end.message,
            duration_ms=duration_ms,
            is_running=False,
            done_at=self.done_at if has_failed else self.started_at,
            failures=failures,
        )


class Start(StrEnum):
    """What a job does when a console begins to run the jobs."""

    AT_ONCE = "now"
    AFTER_INTERVAL = "after its first interval"
    AT_ITS_TIME = "at its time"


@dataclass(frozen=True, slots=True)
class JobView:
    """One job as people see it.

    Attributes:
        is_enabled: The configuration switches it on.
        trigger: Such as `every 20m`.
        help: One sentence without a full stop.
        start: What it does when a console begins to run the jobs.
        owner: Who runs its layer; None where nobody asked.
        watching: Of the watcher, which has no turns: `on`, `off` or `polling`.
    """

    id: str
    is_enabled: bool
    trigger: str
    help: str
    record: JobRecord
    watching: str | None = None
    start: Start = Start.AT_ONCE
    owner: LayerStatus | None = None

    @property
    def state(self) -> str:
        """What it does now, in a word."""
        if self.watching is not None:
            return self.watching
        if not self.is_enabled:
            return "off"
        if self.record.is_paused:
            return "paused"
        return "running" if self.is_running else "waits"

    @property
    def is_served(self) -> bool:
        """Whether somebody runs its layer."""
        return self.owner is not None and self.owner.state == "running"

    @property
    def is_running(self) -> bool:
        """Whether it runs now."""
        return self.record.is_running


def watcher_view(record: JobRecord, *, is_enabled: bool, owner: LayerStatus) -> JobView:
    """Return the watcher as one of the jobs.

    Args:
        record: What the scheduler remembers of it: `reason` and `message` say why it polls.
        is_enabled: The configuration has sessions watched.
        owner: Who runs its layer.
    """
    watching, because = "off", ""
    if not is_enabled:
        because = "watcher.enabled is false: sessions are observed by the turns of observer alone"
    elif owner.state != "running":
        because = "nobody runs the jobs"
    elif record.is_running:
        watching = POLLING if record.reason == POLLING else "on"
        because = record.message
    else:
        because = "the scheduler watches no files"
    record = replace(record, message=because, is_running=watching != "off", next_at=None)
    help_ = "Hear of changed files, and have jobs run for what they lead to"
    return JobView(WATCHER, is_enabled, "continuous", help_, record, watching, owner=owner)


@dataclass(frozen=True, slots=True)
class Repeated:
    """Runs that say the same, one after the other.

    Attributes:
        run: The newest of them.
        count: How many there are.
        first_at: When the oldest of them began.
    """

    run: Run
    count: int
    first_at: datetime


def repeated(runs: Iterable[Run]) -> tuple[Repeated, ...]:
    """Return a history with each stretch of the same in one row, in the order that it has.

    The same is a call that ended alike: what changed something has its own words, and stays alone.
    """
    found: list[Repeated] = []
    for run in runs:
        last = found[-1] if found else None
        if last is not None and _said(last.run) == _said(run):
            found[-1] = replace(last, count=last.count + 1, first_at=run.started_at)
        else:
            found.append(Repeated(run, 1, run.started_at))
    return tuple(found)


def _said(run: Run) -> tuple[object, ...]:
    return run.origin, run.job, run.command_line, run.status, run.reason, run.message


def end_of(outcomes: Sequence[Outcome], is_cancelled: bool = False) -> JobEnd:
    """Return how a job ended whose commands ended so: the worst of them decides.

    Args:
        outcomes: One a command; none means that there was nothing to do.
        is_cancelled: It was told to end before all of them.
    """
    if is_cancelled:
        return JobEnd(FAILED, CANCELLED, f"told to end after {len(outcomes)} steps")
    if not outcomes:
        return JobEnd(SKIPPED, NOTHING_DUE, "there was nothing to do")
    by_status: dict[str, list[Outcome]] = {}
    for one in outcomes:
        by_status.setdefault(status_of(one), []).append(one)
    for status in (FAILED, DONE, "planned", SKIPPED):
        if status in by_status:
            return _end(status, by_status[status], len(outcomes))
    raise AssertionError("an outcome has one of four words")


def _end(status: str, chosen: list[Outcome], total: int) -> JobEnd:

    reasons = Counter(reason for one in chosen if (reason := reason_of(one)) is not None)
    reason = reasons.most_common(1)[0][0] if reasons else None
    first = next((one for one in chosen if reason_of(one) == reason), chosen[0])
    subject = first.command.agent.id
    count = "" if total == 1 else f"{len(chosen)} of {total} {status}; "
    is_told = reason not in (INTERNAL, CHILD_DIED)
    return JobEnd(status, reason, f"{count}{subject}: {first.message}", is_told)
