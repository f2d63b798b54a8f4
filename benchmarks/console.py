"""Measures the console in a terminal: `make bench-console`.

Ratios come from one run, in turns with the least that a Textual app can be (`bare.py`). What the
host does meanwhile is in every figure; the last line of the table names its load.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from benchmarks.__main__ import PAGE, table
from benchmarks.bare import FIRST_CELL
from benchmarks.budgets import MB, ROOT, SMALL, Row, environment, generated
from benchmarks.measure import ROUNDS
from benchmarks.records import Shape
from benchmarks.terminal import Terminal, running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

BEGIN, END = "<!-- console results -->", "<!-- end of console results -->"
FIFTY = Shape(agents=50, sessions=20, turns=2, sqlite_every=0)

FRAME, FIGURES = "memconsole", "K DUE"
"""What stands in the first frame, and what only a reading can tell."""

IDLE_S = 15.0
_WORST = "agent1"
"""The agent that the console puts its cursor on, first by name among equals."""

KEYS = 40
_STILL_S = 1.5


def first_paint() -> Iterator[Row]:
    """The first frame, and the first figures, against the bare app and without a Gateway."""
    home = generated("small", SMALL)
    seen = environment("console")
    # Port 9 (discard) is closed wherever nobody set it up.
    starts = {
        "bare": (_bare(), FIRST_CELL, FIRST_CELL),
        "console": (_console(home, "--transport", "none"), FRAME, FIGURES),
        "down": (_console(home, "--gateway", "ws://127.0.0.1:9"), FRAME, FIGURES),
    }
    frames: dict[str, list[float]] = {name: [] for name in starts}
    figures: dict[str, list[float]] = {name: [] for name in starts}
    worked: dict[str, list[tuple[float, float]]] = {name: [] for name in starts}
    for number in range(ROUNDS + 1):
        for name, (command, frame, figure) in starts.items():
            with running(command, seen) as terminal:
                framed, drawn = terminal.until(frame) - terminal.started, terminal.cpu_s()
                told, filled = terminal.until(figure) - terminal.started, terminal.cpu_s()
                if not number:  # the first round warms the caches, and makes our database
                    terminal.until_still(_STILL_S)
            if number:
                frames[name].append(framed)
                figures[name].append(told)
                worked[name].append((drawn, filled))
    bare, ours = median(frames["bare"]), median(frames["console"])
    yield _ratio("first frame, against a bare app with one table", ours, bare, 1.2)
    full, down = median(figures["console"]), median(figures["down"])
    yield _ratio("first figures, against the first frame of the bare app", full, bare, 1.6)
    yield _ratio("first figures with the Gateway down, against none configured", down, full, 1.1)
    # On a machine that others use as well this says more than the clock.
    least = min(drawn for drawn, _ in worked["bare"])
    for place, work in enumerate(("first frame", "first figures")):
        own = min(one[place] for one in worked["console"])
        yield _ratio(
            f"{work}, least processor time, against that of the bare app", own, least, None
        )


def idle() -> Iterator[Row]:
    """Nothing changes for fifteen seconds."""
    home = generated("small", SMALL)
    with running(_console(home, "--transport", "none"), environment("console")) as terminal:
        terminal.until(FIGURES)
        terminal.read_for(3)
        terminal.forget()
        used, started = terminal.cpu_s(), time.monotonic()
        terminal.read_for(IDLE_S)
        took = time.monotonic() - started
        share = 100 * (terminal.cpu_s() - used) / took
        written = len(terminal.forget())
        memory = terminal.resident_bytes() / MB
    work = f"idle for {IDLE_S:.0f} s"
    yield Row(f"{work}, to the terminal", f"{written} B", "0 B", 2.0 if written else 0.0)
    yield Row(f"{work}, of one core", f"{share:.2f} %", "0.5 %", share / 0.5)
    yield Row(f"{work}, memory", f"{memory:.0f} MB", "80 MB", memory / 80)


def change() -> Iterator[Row]:
    """One session of fifty agents' counts more tokens."""
    home = generated("fifty", FIFTY)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "listed"
        command = [sys.executable, "-m", "benchmarks.watched", str(log)]
        command += ["--home", str(home), "--transport", "none"]
        with running(command, _seen()) as terminal, kept(_store(home)):
            terminal.until(FIGURES)
            terminal.until_still(3)
            delays, sizes, listed = [], [], set()
            for number in range(ROUNDS):
                terminal.forget()
                log.write_text("", encoding="utf-8")
                at = count_anew(_store(home), 153_100 + 1_000 * number)
                # Only cells that changed are written: of `153.1K` nothing behind the 3.
                delays.append(terminal.until(f"{153 + number}") - at)
                terminal.until_still(_STILL_S)
                sizes.append(len(terminal.forget()))
                listed.update(log.read_text(encoding="utf-8").split())
    bare = median(_bare_changes())
    worst = max(delays)
    told = f"{median(delays):.2f} s (worst {worst:.2f} s)"
    yield Row("one session file changes: until it is drawn", told, "1 s", median(delays))
    yield Row(
        f"one session file changes: bytes (a bare app that updates one cell writes {bare:.0f})",
        f"{median(sizes):.0f} B",
        "400 B",
        median(sizes) / 400,
    )
    yield Row("one session file changes: agents listed", str(len(listed)), "1", float(len(listed)))


def _bare_changes() -> Iterator[int]:
    with running(_bare(), _seen()) as terminal:
        terminal.until(FIRST_CELL)
        terminal.until_still(3)
        for _ in range(ROUNDS):
            terminal.forget()
            terminal.press("u")
            terminal.until_still(_STILL_S)
            yield len(terminal.forget())


def keys() -> Iterator[Row]:
    """The cursor moves among fifty agents, at rest and while one after the other changes."""
    home = generated("fifty", FIFTY)
    command = _console(home, "--transport", "none", "--read-only")
    with running(_bare(), _seen()) as terminal:
        terminal.until(FIRST_CELL)
        bare = answers(terminal)
    with running(command, _seen()) as terminal, kept(_store(home)):
        terminal.until(FIGURES)
        terminal.until_still(3)
        calm = answers(terminal)
        with changing(home):
            busy = answers(terminal)
    yield _answered("a key on a bare table", bare, None)
    yield _answered("a key among fifty agents", calm, 25)
    yield _answered("a key among fifty agents while files change", busy, 25)


def answers(terminal: Terminal) -> list[float]:
    """Press a key again and again; return the seconds until each was answered."""
    found = []
    for number in range(KEYS):
        terminal.read_for(0.15)
        pressed = terminal.press("\x1b[B" if number % 4 < 2 else "\x1b[A")
        answered = terminal.first_byte(5.0)
        found.append(5.0 if answered is None else answered - pressed)
    return found


@contextmanager
def changing(home: Path) -> Iterator[None]:
    """Change the count of a session every 300 ms, so that the console has no rest."""
    stop = threading.Event()

    def work() -> None:
        number = 0
        while not stop.wait(0.3):
            number += 1
            count_anew(_store(home), 152_000 + 100 * (number % 9))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def count_anew(store: Path, tokens: int) -> float:
    """Give the first session another count, as the platform does; return when."""
    entries = json.loads(store.read_text(encoding="utf-8"))
    entries[f"agent:{_WORST}:main"]["totalTokens"] = tokens
    half = store.with_name("sessions.json.tmp")
    half.write_text(json.dumps(entries), encoding="utf-8")
    half.replace(store)
    return time.monotonic()


@contextmanager
def kept(store: Path) -> Iterator[None]:
    """Put the store back as it was."""
    before = store.read_bytes()
    try:
        yield
    finally:
        store.write_bytes(before)


def _store(home: Path) -> Path:
    return home / "agents" / _WORST / "sessions" / "sessions.json"


def _console(home: Path, *options: str) -> Sequence[str]:
    return [sys.executable, "-m", "memconsole", "--home", str(home), *options]


def _bare() -> Sequence[str]:
    return [sys.executable, "-m", "benchmarks.bare"]


def _seen() -> Mapping[str, str]:
    return environment("console") | {"PYTHONPATH": str(ROOT)}


def _ratio(work: str, ours: float, other: float, limit: float | None) -> Row:
    times = ours / other
    told = f"{times:.2f} × ({1000 * ours:.0f} ms against {1000 * other:.0f} ms)"
    return Row(
        work, told, *(("no budget", 0.0) if limit is None else (f"{limit:g} ×", times / limit))
    )


def _answered(work: str, found: list[float], limit_ms: int | None) -> Row:
    late = 1000 * quantiles(found, n=20)[-1]
    told = f"{1000 * median(found):.0f} ms (p95 {late:.0f} ms, worst {1000 * max(found):.0f} ms)"
    return Row(
        work,
        told,
        *(("no budget", 0.0) if limit_ms is None else (f"p95 {limit_ms} ms", late / limit_ms)),
    )


PARTS = {"paint": first_paint, "idle": idle, "change": change, "keys": keys}


def main() -> int:
    """Return 1 when a budget is missed."""
    if not Path("/proc/self/stat").exists():
        sys.exit("The console is measured on Linux only: figures of processes come from /proc.")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *PARTS])
    chosen = parser.parse_args().names or list(PARTS)
    os.chdir(ROOT)
    rows: list[Row] = []
    for name in chosen:
        sys.stderr.write(f"measuring {name}\n")
        rows.extend(PARTS[name]())
    text = table(rows)
    print(text)
    if set(PARTS) <= set(chosen):
        store(text)
    return int(any(row.share > 1 for row in rows))


def store(text: str, page: Path = PAGE) -> None:
    """Put the table between the markers of the page."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
