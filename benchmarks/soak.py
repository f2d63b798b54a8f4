"""The soak lane: `python -m benchmarks.soak --days 10 --minutes 10` (`make soak`).

First ten days on fake clocks with a fleet that grows, in this process; then `memconsole --serve`
over the same home for some real minutes. Prints one table, and fails when a budget is not kept.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.soak_fleet import Fleet
from memconsole import wiring, wiring_jobs
from memconsole.domain.origin import Origin
from memconsole.domain.outcomes import Skipped, SkipReason
from memconsole.domain.settings import Settings
from memconsole.scheduler.jobs import TABLE
from memconsole.scheduler.ledger import Ledger
from memconsole.scheduler.runner import JobRunner
from memconsole.scheduler.service import SchedulerService

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.domain.commands import Command
    from memconsole.domain.jobs import JobEnd
    from memconsole.domain.outcomes import Outcome
    from memconsole.ports import StopSignal

START = datetime(2026, 4, 1, 6, 0, tzinfo=UTC)
MOST_BYTES = 60_000_000
MOST_CPU_SHARE = 0.01
MOST_DRIFT = 0.05
_STEP = timedelta(seconds=30)
_TALK_EVERY = timedelta(minutes=7)
_FIRST_AGENTS = 3
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
class Vitals:
    """What a process uses.

    Attributes:
        cpu_s: Processor time so far.
        taken_s: When it was looked at, by the stopwatch.
    """

    at: str
    resident: int
    descriptors: int
    threads: int
    cpu_s: float
    taken_s: float


def vitals(pid: int, at: str) -> Vitals:
    """Look at a process of this host (Linux)."""
    proc = Path(f"/proc/{pid}")
    status = dict(
        line.split(":", 1) for line in (proc / "status").read_text().splitlines() if ":" in line
    )
    times = (proc / "stat").read_text().rpartition(")")[2].split()
    ticks = int(times[11]) + int(times[12])
    return Vitals(
        at,
        int(status["VmRSS"].split()[0]) * 1024,
        len(os.listdir(proc / "fd")),  # noqa: PTH208 - a folder that changes while it is read
        int(status["Threads"]),
        ticks / os.sysconf("SC_CLK_TCK"),
        time.monotonic(),
    )


def no_child(command: Command, job: str, cancel: StopSignal) -> Outcome:
    """Stand in for a child process: what it loads would be measured as ours."""
    del job, cancel
    return Skipped(command, SkipReason.LOCKED, "not in the simulation")


def simulate(folder: Path, days: int) -> Iterator[Vitals]:
    """Live through simulated days; yield the vitals of each."""
    clock = FakeTime()
    settings = settings_of(folder)
    fleet = Fleet(folder / ".openclaw")
    for _ in range(_FIRST_AGENTS):
        fleet.hire()
    fleet.talk(clock.now())
    engine = wiring.build_engine(settings, Origin.SCHEDULER, clock=clock)
    jobs = wiring_jobs.build_jobs(settings, engine, clock=clock)
    hands = AtOnce()
    service = SchedulerService(
        TABLE,
        settings,
        JobRunner(engine, jobs.locks, no_child),
        Ledger(jobs.store, jobs.runs, Origin.SCHEDULER, str(fleet.home)),
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
    return replace(
        Settings(state_dir=folder / "state", transport="none"), home=home, is_home_explicit=True
    )


def serve(folder: Path, minutes: float) -> Iterator[Vitals]:
    """Run the real program for a while; yield its vitals once all jobs ran, and each minute."""
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
            print(f"\nSIGTERM: exit {process.wait(15)} in {time.monotonic() - stopped:.1f} s")


def _sleep(process: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        process.wait(max(seconds, 0))
    except subprocess.TimeoutExpired:
        return
    raise RuntimeError("memconsole --serve ended by itself")


def table(rows: list[Vitals]) -> None:
    """Print what was measured."""
    print(f"\n{'':22}{'resident':>10}{'fds':>6}{'threads':>9}{'CPU':>10}")
    for row in rows:
        size = f"{row.resident / 1e6:.1f} MB"
        print(f"{row.at:22}{size:>10}{row.descriptors:>6}{row.threads:>9}{row.cpu_s:>8.1f} s")


def judge(lived: list[Vitals], served: list[Vitals]) -> list[str]:
    """Return the budgets that were not kept."""
    found = []
    if len(lived) > 1 and lived[-1].descriptors > lived[0].descriptors:
        found.append("descriptors leak in the simulation")
    if not served:
        return found
    first, last = served[0], served[-1]
    seconds = last.taken_s - first.taken_s
    share = (last.cpu_s - first.cpu_s) / seconds if seconds else 0.0
    drift = last.resident / first.resident - 1
    print(f"\nidle: {share:.2%} of a core, memory {drift:+.1%}, {last.resident / 1e6:.1f} MB")
    if last.resident > MOST_BYTES:
        found.append(f"more than {MOST_BYTES / 1e6:.0f} MB resident")
    if abs(drift) > MOST_DRIFT:
        found.append(f"memory moved by more than {MOST_DRIFT:.0%}")
    if share > MOST_CPU_SHARE:
        found.append(f"more than {MOST_CPU_SHARE:.0%} of a core")
    if last.descriptors > first.descriptors or last.threads > first.threads:
        found.append("descriptors or threads leak")
    return found


def main() -> int:
    """Run both parts, print the table, and return 1 when a budget is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=10)
    wanted = parser.parse_args()
    logging.getLogger("memconsole").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="memconsole-soak-") as place:
        lived: list[Vitals] = []
        for row in simulate(Path(place), wanted.days):
            lived.append(row)
            print(f"{row.at}: {row.resident / 1e6:.1f} MB", flush=True)
        served = list(serve(Path(place), wanted.minutes)) if wanted.minutes else []
    table([*lived, *served])
    broken = judge(lived, served)
    for budget in broken:
        print(f"NOT KEPT: {budget}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
