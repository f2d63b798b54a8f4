"""Runs programs in turns and takes wall time, processor time and peak memory of each run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROUNDS = 7


def nothing() -> None:
    """Prepare nothing."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One program with its arguments.

    Attributes:
        name: What the table calls it.
        environment: All that it sees.
        prepare: Runs before each run, outside of the measured time.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    prepare: Callable[[], None] = nothing


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians over all rounds.

    Attributes:
        fastest_s: The best round, which is the least disturbed one.
        cpu_s: Processor time, of its user and of the system for it.
        peak_bytes: Largest resident size, of the largest process.
    """

    name: str
    seconds: float
    fastest_s: float
    peak_bytes: int
    cpu_s: float


def measure(subjects: Sequence[Subject], rounds: int = ROUNDS) -> dict[str, Figures]:
    """Run each subject once to warm the caches, then all of them in turns; return the medians.

    Every other round goes backwards: what runs behind the largest of them finds another machine.
    """
    runs: dict[str, list[tuple[float, int, float]]] = {subject.name: [] for subject in subjects}
    for subject in subjects:
        run_once(subject)
    for number in range(rounds):
        for subject in subjects if number % 2 == 0 else reversed(subjects):
            runs[subject.name].append(run_once(subject))
    return {
        name: Figures(
            name=name,
            seconds=median(seconds for seconds, _, _ in taken),
            fastest_s=min(seconds for seconds, _, _ in taken),
            peak_bytes=int(median(peak for _, peak, _ in taken)),
            cpu_s=median(cpu for _, _, cpu in taken),
        )
        for name, taken in runs.items()
    }


def run_once(subject: Subject) -> tuple[float, int, float]:
    """Return seconds, peak bytes and processor seconds of one run; a failure ends everything.

    The peak comes from `wait4` and counts the moment before exec as well, so this process has to
    stay smaller than what it measures: homes are generated in other processes.
    """
    subject.prepare()
    started = time.perf_counter()
    # wait4 takes the place of Popen.wait, which does not tell the resources.
    process = subprocess.Popen(
        subject.command,
        env=dict(subject.environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stderr is not None
        complaint = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        text = complaint.decode(errors="replace")
        sys.exit(f"{subject.name} ended with {process.returncode}: {text}")
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, used.ru_maxrss * unit, used.ru_utime + used.ru_stime
