"""The budgets, and the subjects that are measured for each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Subject, measure
from benchmarks.records import NOW, Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.measure import Figures

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "bench"
PEER = "clawmonitor==0.2.1"
MB = 1_000_000

SMALL = Shape(agents=3, sessions=12, sqlite_every=0)
BIG = Shape(agents=50, sessions=200, turns=10, tool_bytes=19_000)
HALF_THE_SESSIONS = Shape(agents=50, sessions=100, turns=10, tool_bytes=19_000)
TENTH_OF_THE_BYTES = Shape(agents=50, sessions=200, turns=10, tool_bytes=600)
LONG = Shape(agents=1, sessions=1, turns=23_500, tool_bytes=20_000)
SHORT = Shape(agents=1, sessions=1, turns=235, tool_bytes=20_000)


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure against its budget.

    Attributes:
        measured: With its unit, as the table shows it.
        share: Measured over allowed; more than 1 is a miss.
    """

    work: str
    measured: str
    budget: str
    share: float


def version() -> Iterator[Row]:
    """`memconsole --version` against a Python that does nothing."""
    bare = Subject("python -c pass", [sys.executable, "-c", "pass"], environment("version"))
    ours = Subject("--version", [memconsole(), "--version"], environment("version"))
    found = measure([bare, ours])
    yield ratio("`memconsole --version`", found[ours.name], found[bare.name], 3.0)


def small_status() -> Iterator[Row]:
    """`status --json` of three agents against the peer's snapshot of the same home."""
    home = generated("small", SMALL)
    peer_command = [str(peer()), "--openclaw-root", str(home), "snapshot", "--json"]
    peers = Subject("clawmonitor snapshot --json", peer_command, environment("peer"))
    ours = status("status --json", home)
    found = measure([peers, ours])
    work = "`status --json`, three agents of the file era"
    yield ratio(work, found[ours.name], found[peers.name], 1.5)
    yield memory(work, found[ours.name], 45)


def big_status() -> Iterator[Row]:
    """`status` of fifty agents with two hundred sessions each, and what it grows with."""
    big = status("big", generated("big", BIG))
    again = status("big again", generated("big", BIG), keeps=True)
    half = status("half the sessions", generated("half", HALF_THE_SESSIONS))
    lean = status("a tenth of the bytes", generated("lean", TENTH_OF_THE_BYTES))
    found = measure([big, again, half, lean])
    work = "`status`, 50 agents × 200 sessions, 2 GB of transcripts"
    yield seconds(f"{work}, again", found[again.name], 1.5)
    yield seconds(f"{work}, without a state folder", found[big.name], 1.5)
    yield memory(work, found[big.name], 150)
    yield ratio("the same, twice the sessions", found[big.name], found[half.name], 2.2)
    yield ratio("the same, ten times the bytes", found[big.name], found[lean.name], 1.2)


def checkpoints() -> Iterator[Row]:
    """A checkpoint of a transcript of 500 MB against one of 5 MB."""
    long = checkpoint("500 MB", generated("long", LONG))
    short = checkpoint("5 MB", generated("short", SHORT))
    found = measure([long, short])
    work = "checkpoint, transcript of 500 MB instead of 5 MB"
    yield ratio(work, found[long.name], found[short.name], 1.2)
    more = found[long.name].peak_bytes - found[short.name].peak_bytes
    yield Row(work, f"{more / MB:+.1f} MB", "+20 MB", more / (20 * MB))


BUDGETS = {
    "version": version,
    "small": small_status,
    "big": big_status,
    "checkpoint": checkpoints,
}


def status(name: str, home: Path, *, keeps: bool = False) -> Subject:
    """Return `status --json` on a home; with a state folder, ends of transcripts are kept there."""
    seen = environment(name)
    if keeps:
        state = Path(seen["HOME"]) / ".local/state/memconsole"
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Subject(name, [memconsole(), "--home", str(home), "status", "--json"], seen)


def checkpoint(name: str, home: Path) -> Subject:
    """Return a checkpoint that finds neither state nor earlier files, however often it runs."""
    seen = environment(name)

    def forget() -> None:
        shutil.rmtree(seen["HOME"])
        Path(seen["HOME"]).mkdir()
        shutil.rmtree(home.parent / "ws-main" / "memory", ignore_errors=True)

    return Subject(name, [memconsole(), "--home", str(home), "checkpoint"], seen, forget)


def environment(name: str) -> dict[str, str]:
    """Return an environment with a home folder of its own."""
    user = CACHE / "users" / name.replace(" ", "-")
    user.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(user),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "MEMCONSOLE_NOW": NOW.isoformat(),
    }


def memconsole() -> str:
    """Return the installed program of this Python."""
    return str(Path(sys.executable).with_name("memconsole"))


def peer() -> Path:
    """Return the peer's program, installed into an environment of its own."""
    folder = CACHE / PEER
    program = folder / "bin" / "clawmonitor"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-qq", PEER]
        subprocess.run(pip, check=True)
    return program


def generated(name: str, shape: Shape) -> Path:
    """Return a generated home, written once; a process of its own keeps this one small."""
    words = [f"{getattr(shape, field.name)}" for field in fields(Shape)]
    folder = CACHE / "-".join([name, *words])
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        sys.stderr.write(f"writing {folder}\n")
        options = [f"--{f.name.replace('_', '-')}={getattr(shape, f.name)}" for f in fields(Shape)]
        command = [sys.executable, "-m", "benchmarks.homes", str(folder / "user"), *options]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        (folder / "done").touch()
    return folder / "user" / ".openclaw"


def ratio(work: str, ours: Figures, other: Figures, limit: float) -> Row:
    """Compare the times of two subjects of one run."""
    times = ours.seconds / other.seconds
    told = f"{times:.2f} × ({1000 * ours.seconds:.0f} ms against {1000 * other.seconds:.0f} ms)"
    return Row(f"{work}, against {other.name}", told, f"{limit:g} ×", times / limit)


def seconds(work: str, ours: Figures, limit_s: float) -> Row:
    """Compare a time with its limit."""
    told = f"{ours.seconds:.2f} s (best {ours.fastest_s:.2f} s)"
    return Row(work, told, f"{limit_s:g} s", ours.seconds / limit_s)


def memory(work: str, ours: Figures, limit_mb: int) -> Row:
    """Compare the peak of resident memory with its limit."""
    peak = ours.peak_bytes / MB
    return Row(f"{work}, memory", f"{peak:.0f} MB", f"{limit_mb} MB", peak / limit_mb)
