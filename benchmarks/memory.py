"""Measures a memory of 5,000 files: `make bench-memory`.

What one call works is measured in processor time, so that other work on the machine does not count;
the files are in the page cache.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.__main__ import table
from benchmarks.budgets import CACHE, ROOT, Row, environment, memconsole, seconds
from benchmarks.measure import Subject, measure
from benchmarks.memory_pool import FILES
from benchmarks.records import NOW
from benchmarks.search import store_between
from memconsole.adapters.clock import SystemClock
from memconsole.compose import engine as wiring
from memconsole.domain.agents import Origin
from memconsole.domain.commands.index_md import IndexMd
from memconsole.domain.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memconsole.engine.engine import Engine

BEGIN, END = "<!-- memory results -->", "<!-- end of memory results -->"
ROUNDS = 9
_MOST_TOKENS = 2_000


def rows() -> Iterator[Row]:
    """INDEX.md and what a session is given, of a memory that is years old."""
    state = pool()
    index = _times(_index, state, is_new=True)
    yield _row("INDEX.md of 5,000 files, by an engine that has read none of them", index, 1_000)
    tokens = _index(_engine(state))
    yield Row("its tokens", f"{tokens:,}", f"{_MOST_TOKENS:,}", tokens / _MOST_TOKENS)
    given = _times(lambda engine: engine.bootstrap.given(), state)
    yield _row("what a session is given, 5,000 files, warm", given, 150)
    command = [memconsole(), "--home", str(state), "bootstrap", "--json"]
    hook = Subject("bootstrap", command, environment("memory"))
    yield seconds("the same as the hook asks for it, a new process", measure([hook])[hook.name], 3)
    preview = _times(lambda engine: engine.consolidation.preview("main"), state)
    yield _row("preview of consolidation, 5,000 files", preview, 1_000)


def pool() -> Path:
    """Return the home of that memory, written once, with its INDEX.md."""
    folder = CACHE / f"memory-{FILES}"
    state = folder / "user" / ".openclaw"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        command = [sys.executable, "-m", "benchmarks.memory_pool", str(state.parent)]
        subprocess.run(command, check=True, cwd=ROOT)
        _engine(state).run(IndexMd(_engine(state).home.read().agents[0].ref, is_forced=True))
        (folder / "done").touch()
    return state


def _engine(state: Path) -> Engine:
    settings = Settings(state_dir=state.parent / "state", home=state)
    return wiring.build_engine(settings, Origin.CLI, clock=SystemClock(NOW.isoformat()))


def _index(engine: Engine) -> int:
    """Make INDEX.md without writing it; return its tokens."""
    agent = engine.home.read().agents[0].ref
    outcome = engine.run(IndexMd(agent, is_forced=True, dry_run=True))
    tokens = outcome.details["tokens"]
    assert isinstance(tokens, int)
    return tokens


def _times(
    work: Callable[[Engine], object], state: Path, *, is_new: bool = False
) -> tuple[float, float]:
    """Return median and best of the processor time of some work, in milliseconds.

    Args:
        work: What is done, once unmeasured.
        state: The home.
        is_new: Each time by an engine of its own.
    """
    engine = _engine(state)
    work(engine)
    taken = []
    for _ in range(ROUNDS):
        engine = _engine(state) if is_new else engine
        start = time.process_time()
        work(engine)
        taken.append(1000 * (time.process_time() - start))
    return median(taken), min(taken)


def _row(work: str, taken: tuple[float, float], limit_ms: int) -> Row:
    told = f"{taken[0]:.0f} ms of processor time (best {taken[1]:.0f} ms)"
    return Row(work, told, f"{limit_ms} ms", taken[0] / limit_ms)


def main() -> int:
    """Measure, print the table and store it in the docs; 1 when a budget is missed."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    found = list(rows())
    text = table(found)
    print(text)
    store_between(BEGIN, END, text)
    return int(any(row.share > 1 for row in found))


if __name__ == "__main__":
    sys.exit(main())
