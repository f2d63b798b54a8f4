"""What a process of this host uses while it soaks, and whether its budgets are kept (Linux)."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.budgets import Row

MOST_BYTES = 60_000_000
MOST_CPU_SHARE = 0.01
MOST_DRIFT = 0.05
MOST_STOP_S = 10.0


@dataclass(frozen=True, slots=True)
class Vitals:
    """What a process uses.

    Attributes:
        at: When it was looked at, in words.
        resident: Bytes.
        cpu_s: Processor time so far.
        taken_s: When it was looked at, by the stopwatch.
    """

    at: str
    resident: int
    descriptors: int
    threads: int
    cpu_s: float
    taken_s: float

    def __str__(self) -> str:
        size = f"{self.resident / 1e6:.1f} MB"
        counts = f"{self.descriptors:>6}{self.threads:>9}{self.cpu_s:>8.1f} s"
        return f"{self.at:22}{size:>10}{counts}"


HEAD = f"{'':22}{'resident':>10}{'fds':>6}{'threads':>9}{'CPU':>10}"


def vitals(pid: int, at: str) -> Vitals:
    """Look at a process."""
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


def lived_rows(days: list[Vitals]) -> list[Row]:
    """Judge simulated days; the first one loads what is loaded once, so the second is the start."""
    if len(days) < 3:
        return []
    name, first, last = f"{len(days)} simulated days", days[1], days[-1]
    took_s = last.taken_s - days[0].taken_s
    per_day = (last.cpu_s - days[0].cpu_s) / (len(days) - 1)
    return [
        _drift(f"{name}: memory at the end, against the second day", first, last),
        _leaks(f"{name}: descriptors and threads", first, last),
        Row(
            f"{name}: processor time a day, against the day",
            f"{per_day / 86_400:.3%} ({per_day:.0f} s; {took_s / (len(days) - 1):.0f} s real)",
            f"{MOST_CPU_SHARE:.0%}",
            per_day / 86_400 / MOST_CPU_SHARE,
        ),
    ]


def served_rows(looks: list[Vitals], stop_s: float | None) -> list[Row]:
    """Judge the real program from its first look, when all jobs ran, to its last."""
    if not looks:
        return []
    first, last = looks[0], looks[-1]
    seconds = last.taken_s - first.taken_s
    share = (last.cpu_s - first.cpu_s) / seconds if seconds else 0.0
    name = f"`memconsole --serve`, {seconds / 60:.0f} min"
    rows = [
        Row(
            f"{name}: memory",
            f"{last.resident / 1e6:.1f} MB",
            f"{MOST_BYTES / 1e6:.0f} MB",
            last.resident / MOST_BYTES,
        ),
        _drift(f"{name}: memory at the end, against the start", first, last),
        _leaks(f"{name}: descriptors and threads", first, last),
        Row(
            f"{name}: of one core", f"{share:.2%}", f"{MOST_CPU_SHARE:.0%}", share / MOST_CPU_SHARE
        ),
    ]
    if stop_s is not None:
        limit = f"{MOST_STOP_S:.0f} s"
        rows.append(Row(f"{name}: SIGTERM", f"{stop_s:.1f} s", limit, stop_s / MOST_STOP_S))
    return rows


def _drift(work: str, first: Vitals, last: Vitals) -> Row:
    drift = last.resident / first.resident - 1
    sizes = f"{first.resident / 1e6:.1f} to {last.resident / 1e6:.1f} MB"
    return Row(work, f"{drift:+.1%} ({sizes})", f"±{MOST_DRIFT:.0%}", abs(drift) / MOST_DRIFT)


def _leaks(work: str, first: Vitals, last: Vitals) -> Row:
    more = max(last.descriptors - first.descriptors, last.threads - first.threads)
    told = f"{last.descriptors} and {last.threads}"
    limit = f"{first.descriptors} and {first.threads}"
    return Row(work, told, limit, 2.0 if more > 0 else 1.0)
