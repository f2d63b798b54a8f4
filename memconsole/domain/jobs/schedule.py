"""When a job is due: decided from two clocks and from nothing else.

Intervals follow the time that has passed, sleep included; calendar times follow the wall clock of
the operator's zone. Everything here is a pure function of what it is given.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, TypeAlias

from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import written_span

if TYPE_CHECKING:
    from memconsole.domain.calendar import Zone

MAX_TICK_S = 5.0
"""At least so often somebody has to look; a clock that jumps is noticed no later."""

_JITTER_SHARE = 0.05
_JITTER_MOST_S = 30.0
_LATE_S = 60.0
_LATE = timedelta(minutes=5)
_START_STEP_S = 1.0
_CATCH_UP_STEP_S = 15.0
_CLOCK_WENT_BACK = timedelta(hours=48)
_ONE_DAY = timedelta(days=1)
_MOST_DAYS = 400


@dataclass(frozen=True, slots=True)
class Reading:
    """Both clocks at one moment.

    Attributes:
        wall: Aware; may jump in both directions.
        elapsed_s: Seconds that never go back and go on during sleep.
    """

    wall: datetime
    elapsed_s: float

    def at(self, elapsed_s: float) -> datetime:
        """Return the wall time of another elapsed second, as far as one can know it now."""
        return self.wall + timedelta(seconds=elapsed_s - self.elapsed_s)


@dataclass(frozen=True, slots=True)
class Every:
    """Again and again, by the time that has passed."""

    interval: timedelta

    def __str__(self) -> str:
        return f"every {written_span(self.interval)}"


@dataclass(frozen=True, slots=True)
class DailyAt:
    """Once a calendar day of the operator.

    A time that the clock skips in spring is taken with the offset before the change (RFC 5545); of
    a time that comes twice in autumn the first one counts.
    """

    at: time

    def __str__(self) -> str:
        return f"daily at {self.at:%H:%M}"


Trigger: TypeAlias = Every | DailyAt


@dataclass(frozen=True, slots=True)
class Schedule:
    """The rule of one job.

    Attributes:
        id: Job id; its jitter follows from it.
        catches_up: What was missed is made up for once, and not only with the next turn.
        runs_at_start: It runs once when the scheduler starts.
        position: Place among the jobs: spreads what would begin in the same second.
    """

    id: str
    trigger: Trigger
    catches_up: bool = True
    runs_at_start: bool = True
    position: int = 0


@dataclass(frozen=True, slots=True)
class Timing:
    """When one job runs next.

    Attributes:
        anchor_s: Elapsed second from which intervals are counted.
        number: Which interval from the anchor is next; 0 is the anchor itself.
        day: Next local day of a calendar job; None for an interval.
        catch_up_s: Elapsed second of a run that makes up for missed days.
    """

    anchor_s: float
    number: int
    day: date | None = None
    catch_up_s: float | None = None


@dataclass(frozen=True, slots=True)
class DueCheck:
    """What a look at one job found.

    Attributes:
        is_due: It has to start now.
        missed: Turns that went by without a run since the last look.
    """

    timing: Timing
    is_due: bool = False
    missed: int = 0


def begin(
    schedule: Schedule,
    now: Reading,
    zone: Zone,
    *,
    done_at: datetime | None = None,
    is_cut_short: bool = False,
) -> Timing:
    """Return the timing of a job when the scheduler starts.

    Args:
        schedule: Its rule.
        now: Both clocks.
        zone: The operator's.
        done_at: When its last finished run started; a run that was cut short is none.
        is_cut_short: Its last run was: it counts as not done.
    """
    soon = now.elapsed_s + schedule.position * _START_STEP_S
    if isinstance(schedule.trigger, Every):
        return Timing(soon, 0 if schedule.runs_at_start else 1)
    at = schedule.trigger.at
    day = _first_day_after(at, now.wall, zone)
    is_missed = done_at is not None and done_at < occurrence(day - _ONE_DAY, at, zone)
    is_wanted = (is_missed or is_cut_short) and schedule.catches_up
    return Timing(now.elapsed_s, 0, day, soon if is_wanted else None)


def look(
    schedule: Schedule, timing: Timing, now: Reading, zone: Zone, *, is_running: bool = False
) -> DueCheck:
    """Say whether a job is due; turns that were missed become one, or none.

    A job never overlaps itself: turns that pass while it runs are gone, the next one counts.
    """
    if isinstance(schedule.trigger, Every):
        found = _look_by_interval(schedule, schedule.trigger, timing, now, is_running)
    else:
        found = _look_by_calendar(schedule, schedule.trigger, timing, now, zone)
    return replace(found, is_due=found.is_due and not is_running)


def started(schedule: Schedule, timing: Timing, now: Reading, zone: Zone) -> Timing:
    """Return the timing after a run of this turn has begun."""
    if isinstance(schedule.trigger, Every):
        return replace(timing, number=timing.number + 1)
    if timing.catch_up_s is not None:
        return replace(timing, catch_up_s=None)
    day = timing.day or now.wall.date()
    return replace(
        timing, day=max(day + _ONE_DAY, _first_day_after(schedule.trigger.at, now.wall, zone))
    )


def asked(schedule: Schedule, timing: Timing, now: Reading) -> Timing:
    """Return the timing after a run that somebody asked for: an interval begins anew."""
    if isinstance(schedule.trigger, Every):
        return Timing(now.elapsed_s, 1)
    return timing


def next_at(schedule: Schedule, timing: Timing, now: Reading, zone: Zone) -> datetime:
    """Return when a job runs next, by the wall clock as it goes now; aware UTC."""
    if isinstance(schedule.trigger, Every):
        return now.at(_due_s(schedule, schedule.trigger, timing)).astimezone(UTC)
    if timing.catch_up_s is not None:
        return now.at(timing.catch_up_s).astimezone(UTC)
    day = timing.day or _first_day_after(schedule.trigger.at, now.wall, zone)
    return occurrence(day, schedule.trigger.at, zone)


def occurrence(day: date, at: time, zone: Zone) -> datetime:
    """Return the instant of a local time, aware UTC; it exists once on every day."""
    return datetime.combine(day, at, zone).astimezone(UTC)


def _due_s(schedule: Schedule, trigger: Every, timing: Timing) -> float:
    """Return the elapsed second of the next turn; jitter moves it, and never adds up."""
    interval_s = trigger.interval.total_seconds()
    if timing.number == 0:
        return timing.anchor_s
    most = min(_JITTER_SHARE * interval_s, _JITTER_MOST_S)
    share = zlib.crc32(f"{schedule.id}/{timing.number}".encode()) / 0xFFFFFFFF
    return timing.anchor_s + timing.number * interval_s + most * share


def _look_by_interval(
    schedule: Schedule, trigger: Every, timing: Timing, now: Reading, is_running: bool
) -> DueCheck:
    late_s = now.elapsed_s - _due_s(schedule, trigger, timing)
    if late_s < 0:
        return DueCheck(timing)
    interval_s = trigger.interval.total_seconds()
    if is_running:
        return _passed(schedule, trigger, timing, now)
    if late_s <= _LATE_S:
        return DueCheck(timing, is_due=True)
    if not schedule.catches_up:
        return _passed(schedule, trigger, timing, now)
    soon = now.elapsed_s + schedule.position * _CATCH_UP_STEP_S
    again = Timing(soon, 0)
    return DueCheck(again, is_due=soon <= now.elapsed_s, missed=int(late_s // interval_s) + 1)


def _passed(schedule: Schedule, trigger: Every, timing: Timing, now: Reading) -> DueCheck:
    """Move on to the first turn that is still to come."""
    interval_s = trigger.interval.total_seconds()
    number = max(timing.number + 1, int((now.elapsed_s - timing.anchor_s) // interval_s))
    while _due_s(schedule, trigger, replace(timing, number=number)) <= now.elapsed_s:
        number += 1
    return DueCheck(replace(timing, number=number), missed=number - timing.number)


def _look_by_calendar(
    schedule: Schedule, trigger: DailyAt, timing: Timing, now: Reading, zone: Zone
) -> DueCheck:
    if timing.catch_up_s is not None:
        return DueCheck(timing, is_due=now.elapsed_s >= timing.catch_up_s)
    day = timing.day or _first_day_after(trigger.at, now.wall, zone)
    timing = replace(timing, day=day)
    at = occurrence(day, trigger.at, zone)
    if at - now.wall > _CLOCK_WENT_BACK:
        return DueCheck(replace(timing, day=_first_day_after(trigger.at, now.wall, zone)))
    if now.wall < at:
        return DueCheck(timing)
    if now.wall - at <= _LATE:
        return DueCheck(timing, is_due=True)
    coming = _first_day_after(trigger.at, now.wall, zone)
    soon = now.elapsed_s + schedule.position * _CATCH_UP_STEP_S
    moved = replace(timing, day=coming, catch_up_s=soon if schedule.catches_up else None)
    is_due = schedule.catches_up and soon <= now.elapsed_s
    return DueCheck(moved, is_due=is_due, missed=min((coming - day).days, _MOST_DAYS))


def _first_day_after(at: time, wall: datetime, zone: Zone) -> date:
    """Return the first local day whose time is still to come."""
    day = wall.astimezone(zone).date() - _ONE_DAY
    while occurrence(day, at, zone) <= wall:
        day += _ONE_DAY
    return day
