"""The soak lane: `python -m benchmarks.soak --days 10 --minutes 10` (`make soak`).

First ten days on fake clocks with a fleet that grows, in this process; then `memconsole --serve`
over the same home for some real minutes. Prints one table, and fails when a budget is not kept. A
whole run puts its table into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from benchmarks.__main__ import store, table
from benchmarks.soak_fleet import Fleet
from benchmarks.soak_vitals import HEAD, Vitals, lived_rows, served_rows, vitals
from memconsole.cli.allocator import begin_with_plain_memory
from memconsole.compose import engine as wiring
from memconsole.compose import jobs as wiring_jobs
from memconsole.domain.agents import Origin
from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.jobs.runs import CHILD_DIED
from memconsole.domain.settings import Settings
from memconsole.scheduler.job_history import JobHistory
from memconsole.scheduler.jobs import TABLE
from memconsole.scheduler.runner import JobRunner
from memconsole.scheduler.scheduler import SchedulerService

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.jobs.runs import JobEnd
    from memconsole.ports.platform import StopSignal

START = datetime(2026, 4, 1, 6, 0, tzinfo=UTC)
BEGIN, END = "<!-- soak results -->", "<!-- end of soak results -->"
_STEP = timedelta(seconds=30)
_TALK_EVERY = timedelta(minutes=7)
_FIRST_AGENTS = 3
_FULL_DAYS, _FULL_MINUTES = 10, 10
_HIRE_EVERY = 3
"""Days after which another agent comes; sessions, transcripts and memory grow every day."""


class FakeTime:
    """Both clocks, and the engine's; moved by hand."""

    def __init__(self) -> None:
        self.wall = START

    def now(self) -> datetime:
        """Return the wall time."""
        return self.wall

    def elapsed(self) -> float:
        """Return seconds since the start."""
        return (self.wall - START).total_seconds()

    def monotonic(self) -> float:
        """Return the same: nothing takes time here."""
        return self.elapsed()


@dataclass(slots=True)
class AtOnce:
    """Runs each job in the moment it is due; counts how they ended."""

    ends: Counter[str] = field(default_factory=Counter)

    def submit(self, job: str, work: Callable[[], JobEnd], done: Callable[[JobEnd], None]) -> None:
        """Run it to its end."""
        end = work()
        self.ends[f"{job} {end.status}"] += 1
        done(end)

    def close(self) -> None:
        """Nothing goes on."""


class Silence:
    """A bell that nobody waits for."""

    def ring(self) -> None:
        """Do nothing."""

    def wait(self, seconds: float) -> bool:
        """Return at once."""
        return bool(seconds < 0)


@dataclass(frozen=True, slots=True)
class Forks:
    """Stands in for child processes, with the fake clock: what they load is not measured as ours.

    Indexes are left alone: thousands of builds would say no more about the scheduler.
    """

    settings: Settings
    clock: FakeTime

    def __call__(self, command: Command, job: str, cancel: StopSignal) -> Outcome:
        """Run a command in a process that ends with it."""
        del cancel
        if isinstance(command, Reindex):
            return Skipped(command, SkipReason.LOCKED, "not in the simulation")
        with tempfile.TemporaryFile() as answer:
            child = os.fork()
            if not child:
                self._end(command, job, answer)
            _, code = os.waitpid(child, 0)
            answer.seek(0)
            if code:
                return Failed(command, CHILD_DIED, f"its process ended with {code}")
            outcome: Outcome = pickle.load(answer)
            return outcome

    def _end(self, command: Command, job: str, answer: BinaryIO) -> NoReturn:
        try:
            engine = wiring.build_engine(self.settings, Origin.SCHEDULER, clock=self.clock)
            pickle.dump(engine.run(command, job=job), answer)
            answer.flush()
            os._exit(0)
        finally:
            os._exit(1)


def simulate(folder: Path, days: int) -> Iterator[Vitals]:
    """Live through simulated days; yield the vitals of each."""
    clock = FakeTime()
    settings = settings_of(folder)
    fleet = Fleet(folder / ".openclaw")
    for _ in range(_FIRST_AGENTS):
        fleet.hire()
    fleet.talk(clock.now())
    renew_state(settings)
    engine = wiring.build_engine(settings, Origin.SCHEDULER, clock=clock)
    jobs = wiring_jobs.build_jobs(settings, engine, clock=clock)
    hands = AtOnce()
    service = SchedulerService(
        TABLE,
        settings,
        JobRunner(engine, jobs.locks, Forks(settings, clock)),
        JobHistory(jobs.store, jobs.runs, Origin.SCHEDULER, str(fleet.home)),
        clock,
        hands,
        Silence(),
    )
    with service.ledger.keep_open():
        service.begin()
        for day in range(1, days + 1):
            live_a_day(service, clock, fleet)
            if day % _HIRE_EVERY == 0:
                fleet.hire()
            gc.collect()
            yield vitals(os.getpid(), f"day {day}")
    print(f"\n{len(fleet.talks)} agents, {fleet.messages:,} messages; runs:")
    for name, count in sorted(hands.ends.items()):
        print(f"  {count:6,} {name}")


def renew_state(settings: Settings) -> None:
    """Make the database in a process of its own, as `--serve` does: NumPy comes with it."""
    program = (
        "import sys; from pathlib import Path; from memconsole.compose.state import renew_state; "
        "from memconsole.domain.settings import Settings; "
        "renew_state(Settings(state_dir=Path(sys.argv[1])))"
    )
    subprocess.run([sys.executable, "-c", program, str(settings.state_dir)], check=True)


def live_a_day(service: SchedulerService, clock: FakeTime, fleet: Fleet) -> None:
    """Awake from six to midnight, asleep after that: the scheduler as well."""
    evening = clock.wall + timedelta(hours=18)
    spoke = clock.wall
    while clock.wall < evening:
        if clock.wall - spoke >= _TALK_EVERY:
            spoke = clock.wall
            fleet.talk(clock.wall)
        service.tick()
        clock.wall += _STEP
    clock.wall += timedelta(hours=6)


def settings_of(folder: Path) -> Settings:
    """Return settings that know nothing of the user's."""
    home = folder / ".openclaw"
    return replace(Settings(state_dir=folder / "state", transport="none"), home=home)


def serve(folder: Path, minutes: float, stops: list[float]) -> Iterator[Vitals]:
    """Run the real program for a while; yield its vitals once all jobs ran, and each minute.

    Args:
        folder: With the home of the simulation.
        minutes: For how long.
        stops: Takes how many seconds its end took.
    """
    environment = {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "MEMCONSOLE_HOME": str(folder / ".openclaw"),
        "MEMCONSOLE_STATE__DIR": str(folder / "state-served"),
        "MEMCONSOLE_TRANSPORT": "none",
        "PYTHONPATH": str(Path.cwd()),
    }
    with (
        Path(folder / "served.log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "memconsole", "--serve"], env=environment, stderr=log
        ) as process,
    ):
        try:
            begun = time.monotonic()
            _sleep(process, min(60, minutes * 20))
            yield vitals(process.pid, "served, all jobs ran")
            while time.monotonic() - begun < minutes * 60:
                _sleep(process, min(60, minutes * 60 - (time.monotonic() - begun)))
                yield vitals(process.pid, f"served {(time.monotonic() - begun) / 60:.1f} min")
        finally:
            process.send_signal(signal.SIGTERM)
            stopped = time.monotonic()
            process.wait(15)
            stops.append(time.monotonic() - stopped)


def _sleep(process: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        process.wait(max(seconds, 0))
    except subprocess.TimeoutExpired:
        return
    raise RuntimeError("memconsole --serve ended by itself")


def main() -> int:
    """Run both parts, print the table, and return 1 when a budget is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=10)
    wanted = parser.parse_args()
    begin_with_plain_memory()  # as --serve does
    logging.getLogger("memconsole").setLevel(logging.ERROR)
    stops: list[float] = []
    with tempfile.TemporaryDirectory(prefix="memconsole-soak-") as place:
        lived = list(_told(simulate(Path(place), wanted.days)))
        looks = serve(Path(place), wanted.minutes, stops) if wanted.minutes else iter(())
        served = list(_told(looks))
    rows = [*lived_rows(lived), *served_rows(served, stops[0] if stops else None)]
    text = table(rows, "Simulated on fake clocks, then served for real")
    print(text)
    if len(lived) >= _FULL_DAYS and wanted.minutes >= _FULL_MINUTES:
        store(text, marks=(BEGIN, END))
    return int(any(row.share > 1 for row in rows))


def _told(looks: Iterator[Vitals]) -> Iterator[Vitals]:
    """Print each look as it comes."""
    print(HEAD)
    for look in looks:
        print(look, flush=True)
        yield look


if __name__ == "__main__":
    sys.exit(main())
