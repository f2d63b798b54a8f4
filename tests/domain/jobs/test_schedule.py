"""`domain/jobs/schedule.py`: what is due, by two clocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.jobs.schedule import (
    DailyAt,
    Every,
    Reading,
    Schedule,
    Timing,
    Trigger,
    asked,
    begin,
    look,
    next_at,
    occurrence,
    started,
)
from memconsole.text.figures import written_span

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 4, 11, 19, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TWENTY = Every(timedelta(minutes=20))


@dataclass
class Clocks:
    """Two clocks; the wall clock can be moved alone."""

    wall: datetime = START
    elapsed_s: float = 0.0

    @property
    def now(self) -> Reading:
        return Reading(self.wall, self.elapsed_s)

    def pass_(self, span: timedelta) -> None:
        self.wall += span
        self.elapsed_s += span.total_seconds()


@dataclass
class Bench:
    """One job of no length, looked at every few seconds.

    Attributes:
        runs: Elapsed seconds at which it ran.
        days: Wall times at which it ran.
    """

    schedule: Schedule
    zone: ZoneInfo = BERLIN
    clocks: Clocks = field(default_factory=Clocks)
    runs: list[float] = field(default_factory=list)
    days: list[datetime] = field(default_factory=list)
    missed: int = 0
    timing: Timing = field(init=False)

    def __post_init__(self) -> None:
        self.timing = begin(self.schedule, self.clocks.now, self.zone)

    def tick(self) -> None:
        now = self.clocks.now
        found = look(self.schedule, self.timing, now, self.zone)
        self.timing, self.missed = found.timing, self.missed + found.missed
        if found.is_due:
            self.runs.append(now.elapsed_s)
            self.days.append(now.wall)
            self.timing = started(self.schedule, self.timing, now, self.zone)

    def live(self, span: timedelta, step: timedelta = timedelta(seconds=5)) -> None:
        """Look for a while, as the scheduler does."""
        for _ in range(int(span / step)):
            self.tick()
            self.clocks.pass_(step)
        self.tick()


def every(minutes: float, **rule: object) -> Schedule:
    return Schedule("job", Every(timedelta(minutes=minutes)), **rule)  # type: ignore[arg-type]


def daily(at: time, **rule: object) -> Schedule:
    return Schedule("job", DailyAt(at), **rule)  # type: ignore[arg-type]


def test_an_interval_runs_at_start_and_then_in_its_grid() -> None:
    bench = Bench(every(20))
    bench.live(timedelta(hours=2))
    assert bench.runs[0] == 0
    assert len(bench.runs) == 6
    for number, run in enumerate(bench.runs):
        assert 0 <= run - number * 1200 <= 35  # jitter of up to 30 s, seen 5 s later


def test_a_job_that_does_not_run_at_start_waits_for_its_interval() -> None:
    bench = Bench(every(20, runs_at_start=False))
    bench.live(timedelta(minutes=25))
    assert len(bench.runs) == 1
    assert bench.runs[0] >= 1200


def test_jitter_differs_between_jobs_and_stays_below_a_twentieth() -> None:
    dues = {
        name: next_at(
            Schedule(name, Every(timedelta(minutes=5))), Timing(0, 1), Reading(START, 0), BERLIN
        )
        for name in ("checkpoint", "rotation", "health", "index_sync")
    }
    waits = {(due - START).total_seconds() for due in dues.values()}
    assert len(waits) == 4
    assert all(300 <= wait <= 315 for wait in waits)


@given(
    interval=st.integers(min_value=1, max_value=6 * 60),
    gaps=st.lists(
        st.tuples(
            st.integers(min_value=0, max_value=600), st.integers(min_value=0, max_value=24 * 60)
        ),
        max_size=4,
    ),
    jumps=st.lists(st.integers(min_value=-600, max_value=600), max_size=4),
    catches_up=st.booleans(),
)
def test_whatever_the_clocks_do_an_interval_is_kept(
    interval: int, gaps: list[tuple[int, int]], jumps: list[int], catches_up: bool
) -> None:
    """No two runs close together, no wait longer than interval and a minute while awake."""
    bench = Bench(every(interval, catches_up=catches_up, position=2))
    asleep: list[float] = []
    for (awake, sleep), jump in zip(gaps, [*jumps, 0, 0, 0, 0], strict=False):
        bench.live(timedelta(minutes=awake), timedelta(seconds=20))
        before = bench.clocks.elapsed_s
        bench.clocks.pass_(timedelta(minutes=sleep))
        asleep.append(before)
        bench.clocks.wall += timedelta(minutes=jump)
    bench.live(timedelta(minutes=2 * interval + 2), timedelta(seconds=20))
    for earlier, later in zip(bench.runs, bench.runs[1:], strict=False):
        if not any(earlier <= at <= later for at in asleep):
            assert later - earlier <= interval * 60 + 60
            assert later - earlier >= interval * 60 - 50
    # It is never lost: after the last sleep it runs within an interval.
    assert bench.runs[-1] >= bench.clocks.elapsed_s - interval * 60 - 60


@given(hours=st.integers(min_value=1, max_value=100))
def test_a_sleep_is_made_up_for_once(hours: int) -> None:
    bench = Bench(every(20, position=3))
    bench.live(timedelta(minutes=30), MINUTE)
    seen = len(bench.runs)
    bench.clocks.pass_(timedelta(hours=hours))
    woke = bench.clocks.elapsed_s
    bench.live(timedelta(minutes=15))
    assert len(bench.runs) == seen + 1
    assert 45 <= bench.runs[-1] - woke <= 50  # the fourth job waits three steps
    assert abs(bench.missed - hours * 3) <= 1


def test_without_catching_up_the_grid_goes_on_after_a_sleep() -> None:
    bench = Bench(every(20, catches_up=False))
    bench.live(timedelta(minutes=5), MINUTE)
    bench.clocks.pass_(timedelta(hours=8, minutes=10))  # 8:15 after the first run
    woke = bench.clocks.elapsed_s
    bench.live(timedelta(minutes=15))
    assert bench.missed == 24
    assert [300 <= run - woke <= 340 for run in bench.runs[1:]] == [True]


def test_turns_that_pass_while_it_runs_are_gone() -> None:
    schedule, now = every(20), Reading(START, 0)
    timing = started(schedule, begin(schedule, now, BERLIN), now, BERLIN)
    found = look(schedule, timing, Reading(START, 2700), BERLIN, is_running=True)
    assert not found.is_due
    assert found.missed == 2
    assert not look(schedule, found.timing, Reading(START, 2701), BERLIN).is_due
    assert look(schedule, found.timing, Reading(START, 3631), BERLIN).is_due


def test_a_run_that_was_asked_for_begins_the_interval_anew() -> None:
    now = Reading(START, 1000)
    timing = asked(every(20), Timing(0, 1), now)
    assert START + timedelta(minutes=20) <= next_at(every(20), timing, now, BERLIN)
    assert asked(daily(time(3)), Timing(0, 0, date(2026, 4, 12)), now) == Timing(
        0, 0, date(2026, 4, 12)
    )


def test_a_calendar_job_runs_once_a_day_at_its_time() -> None:
    bench = Bench(daily(time(3, 30)))
    bench.live(timedelta(days=3), MINUTE)
    assert [f"{run.astimezone(BERLIN):%d %H:%M}" for run in bench.days] == [
        "12 03:30",
        "13 03:30",
        "14 03:30",
    ]


@pytest.mark.parametrize(
    ("day", "shown"), [(date(2026, 3, 29), "03:30"), (date(2026, 10, 25), "02:30")]
)
def test_on_both_days_of_the_clock_change_it_runs_once(day: date, shown: str) -> None:
    """02:30 does not exist in spring and comes twice in autumn."""
    noon = datetime.combine(day - timedelta(days=1), time(12), BERLIN)
    bench = Bench(daily(time(2, 30)), clocks=Clocks(noon.astimezone(UTC)))
    bench.live(timedelta(days=2), MINUTE)
    runs = [run.astimezone(BERLIN) for run in bench.days]
    assert [run.date() for run in runs] == [day, day + timedelta(days=1)]
    assert [f"{run:%H:%M}" for run in runs] == [shown, "02:30"]
    assert runs[0].fold == 0


CHANGES = {
    "Europe/Berlin": (date(2026, 3, 29), date(2026, 10, 25)),
    "America/New_York": (date(2026, 3, 8), date(2026, 11, 1)),
    "America/Santiago": (date(2026, 4, 4), date(2026, 9, 6)),  # at midnight
    "Australia/Lord_Howe": (date(2026, 4, 5), date(2026, 10, 4)),  # by half an hour
    "Antarctica/Troll": (date(2026, 3, 29), date(2026, 10, 25)),  # by two hours
}


@pytest.mark.parametrize("at", [time(0), time(0, 45), time(1, 45), time(2, 30), time(3)])
@pytest.mark.parametrize(
    ("name", "day"), [(name, day) for name, days in CHANGES.items() for day in days]
)
def test_a_calendar_job_runs_once_around_every_change_of_the_clock(
    name: str, day: date, at: time
) -> None:
    zone = ZoneInfo(name)
    before, after = (datetime.combine(day + timedelta(days=n), at, zone) for n in (-1, 1))
    assert before.utcoffset() != after.utcoffset(), "the clock changes in between"
    start = datetime.combine(day - timedelta(days=1), time(12), zone).astimezone(UTC)
    bench = Bench(daily(at), zone, Clocks(start))
    bench.live(timedelta(hours=44), 5 * MINUTE)
    assert [run.astimezone(zone).date() for run in bench.days] == [day, day + timedelta(days=1)]
    assert bench.missed == 0


@given(
    st.dates(min_value=date(2000, 1, 1), max_value=date(2037, 12, 31)),
    st.times(),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]),
)
def test_every_local_time_happens_once_on_every_day(day: date, at: time, name: str) -> None:
    zone = ZoneInfo(name)
    today = occurrence(day, at, zone)
    assert today < occurrence(day + timedelta(days=1), at, zone)
    assert abs(today.astimezone(zone).replace(tzinfo=None) - datetime.combine(day, at)) <= (
        timedelta(hours=1)
    )


def test_a_clock_set_back_does_not_repeat_a_day() -> None:
    bench = Bench(daily(time(3, 30)))
    bench.live(timedelta(hours=7), MINUTE)
    bench.clocks.wall -= timedelta(hours=1)
    bench.live(timedelta(hours=3), MINUTE)
    assert len(bench.runs) == 1


def test_a_clock_that_was_a_year_ahead_does_not_stop_a_calendar_job() -> None:
    bench = Bench(daily(time(3, 30)), clocks=Clocks(START + timedelta(days=365)))
    bench.clocks.wall = START
    bench.live(timedelta(hours=8), MINUTE)
    assert len(bench.runs) == 1


def test_a_clock_set_forward_counts_as_missed_days() -> None:
    bench = Bench(daily(time(3, 30)))
    bench.clocks.wall += timedelta(days=10)
    bench.live(timedelta(minutes=2))
    assert len(bench.runs) == 1
    assert bench.missed == 10


def test_a_night_asleep_is_made_up_for_once_if_the_job_says_so() -> None:
    for catches_up, runs in ((True, 1), (False, 0)):
        bench = Bench(daily(time(3, 30), catches_up=catches_up, position=1))
        bench.clocks.pass_(timedelta(hours=10))
        bench.live(timedelta(minutes=10))
        assert (len(bench.runs), bench.missed) == (runs, 1)


@pytest.mark.parametrize(
    ("done_at", "is_made_up"),
    [
        (None, False),  # it never ran: nothing was missed
        (START - timedelta(days=2), True),
        (START - timedelta(hours=1), False),
    ],
)
def test_what_was_missed_while_nothing_ran_is_made_up_for_at_start(
    done_at: datetime | None, is_made_up: bool
) -> None:
    schedule = daily(time(3, 30), position=2)
    timing = begin(schedule, Reading(START, 100), BERLIN, done_at=done_at)
    assert (timing.catch_up_s == 102) is is_made_up
    assert next_at(schedule, timing, Reading(START, 100), BERLIN) == (
        START + timedelta(seconds=2) if is_made_up else datetime(2026, 4, 12, 1, 30, tzinfo=UTC)
    )


def test_a_run_that_makes_up_is_not_made_twice() -> None:
    bench = Bench(daily(time(3, 30)))
    bench.timing = begin(
        bench.schedule, bench.clocks.now, BERLIN, done_at=START - timedelta(days=3)
    )
    bench.live(timedelta(hours=10), MINUTE)
    assert [f"{run.astimezone(BERLIN):%d %H:%M}" for run in bench.days] == ["11 21:00", "12 03:30"]


@pytest.mark.parametrize(
    ("trigger", "words"),
    [
        (TWENTY, "every 20m"),
        (Every(timedelta(minutes=90)), "every 1h30m"),
        (Every(timedelta(days=1)), "every 1d"),
        (DailyAt(time(4, 30)), "daily at 04:30"),
    ],
)
def test_a_trigger_reads_as_in_the_configuration(trigger: Trigger, words: str) -> None:
    assert str(trigger) == words
    assert written_span(timedelta()) == "0s"
