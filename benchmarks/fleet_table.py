"""The table of a fleet in docs/benchmarks.md: each part replaces its own rows, by their names.

A whole run takes about an hour, so it goes on where one was broken off: what is done stands in a
file of the cache, with the rows it made. When all parts are done, rows that none of them made go.
"""

from __future__ import annotations

import json
import os
import platform
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from benchmarks.__main__ import PAGE
from benchmarks.budgets import CACHE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from benchmarks.budgets import Row

BEGIN, END = "<!-- fleet results -->", "<!-- end of fleet results -->"
HEAD = ("| work | measured | at most | | when, under which load |", "|---|---|---|---|---|")
RUN = CACHE / "fleet-run.json"


def line_of(row: Row, when: str) -> str:
    """Return a row of the table."""
    verdict = "" if row.budget == "–" else "ok" if row.share <= 1 else "**missed**"
    return f"| {row.work} | {row.measured} | {row.budget} | {verdict} | {when} |"


def merged(text: str, lines: Iterable[str], *, only: Iterable[str] | None = None) -> str:
    """Return a page whose table has these rows in the place of those of the same names.

    Args:
        text: The page.
        lines: Of the table; a new name comes at its end.
        only: Names of the rows that stay; None for all of them.
    """
    before, _, rest = text.partition(BEGIN)
    body, _, after = rest.partition(END)
    rows = {_name(line): line for line in body.splitlines() if line.startswith("| ")}
    rows.pop(_name(HEAD[0]), None)
    rows |= {_name(line): line for line in lines}
    if only is not None:
        kept = set(only)
        rows = {name: line for name, line in rows.items() if name in kept}
    table = "\n".join([*HEAD, *rows.values()])
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def _name(line: str) -> str:
    return line.split("|")[1].strip()


def when_measured(loads: Iterable[float]) -> str:
    """Return a day, and what else the machine had to do, as a cell."""
    least, most = (f"{found(loads):.0f}" for found in (min, max))
    load = least if least == most else f"{least} to {most}"
    return f"{datetime.now(UTC):%Y-%m-%d}, {load} on {os.cpu_count()} cores"


def run_parts(
    parts: Mapping[str, Callable[[], Iterable[Row]]],
    chosen: Iterable[str],
    *,
    anew: bool = False,
    page: Path = PAGE,
    run: Path = RUN,
) -> int:
    """Measure parts and put the rows of each into the page as soon as it is done.

    Args:
        parts: What yields the rows of each.
        chosen: Their names; none for a whole run, which goes on where the last one ended.
        anew: Begin the whole run from its first part.
        page: With the table.
        run: Remembers a whole run.

    Returns:
        1 when a budget is missed.
    """
    names = list(chosen)
    is_whole = not names
    done: dict[str, list[str]] = {}
    if is_whole and run.exists() and not anew:
        done = json.loads(run.read_text("utf-8"))
    missed = False
    for name in names or [one for one in parts if one not in done]:
        start, loads, rows = time.monotonic(), [os.getloadavg()[0]], []
        for row in parts[name]():
            print(row, flush=True)
            rows.append(row)
            loads.append(os.getloadavg()[0])
            missed |= row.share > 1
        when = when_measured(loads)
        page.write_text(merged(page.read_text("utf-8"), [line_of(one, when) for one in rows]))
        print(f"{name}: {(time.monotonic() - start) / 60:.0f} min, Python {_PYTHON}", flush=True)
        if is_whole:
            done[name] = [row.work for row in rows]
            run.parent.mkdir(parents=True, exist_ok=True)
            run.write_text(json.dumps(done))
    if is_whole:
        every = [work for works in done.values() for work in works]
        page.write_text(merged(page.read_text("utf-8"), [], only=every))
        run.unlink(missing_ok=True)
    return int(missed)


_PYTHON = platform.python_version()
