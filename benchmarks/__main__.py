"""Measures all budgets, or those that are named; prints the table and stores it in the docs."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from benchmarks import gateway
from benchmarks.budgets import BUDGETS, ROOT, Row
from benchmarks.measure import ROUNDS

if TYPE_CHECKING:
    from pathlib import Path

PAGE = ROOT / "docs" / "benchmarks.md"
ALL = {**BUDGETS, "gateway": gateway.gateway}
BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def main() -> int:
    """Return 1 when a budget is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *ALL], help=", ".join(ALL))
    chosen = parser.parse_args().names or list(ALL)
    rows: list[Row] = []
    for name in chosen:
        sys.stderr.write(f"measuring {name}\n")
        rows.extend(ALL[name]())
    text = table(rows)
    print(text)
    if len(chosen) == len(ALL):
        store(text)
    return int(any(row.share > 1 for row in rows))


def table(rows: list[Row], how: str = f"Medians of {ROUNDS} interleaved runs") -> str:
    """Return the rows as a Markdown table with a line about how and where they were measured."""
    lines = ["| work | measured | at most | |", "|---|---|---|---|"]
    for row in rows:
        verdict = "ok" if row.share <= 1 else "**missed**"
        lines.append(f"| {row.work} | {row.measured} | {row.budget} | {verdict} |")
    load = os.getloadavg()[0]
    where = f"{os.cpu_count()} cores, load {load:.1f}, {platform.system()} {platform.machine()}"
    when = f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}"
    lines += ["", f"{how}. {when}, {where}."]
    return "\n".join(lines)


def store(text: str, page: Path = PAGE, marks: tuple[str, str] = (BEGIN, END)) -> None:
    """Put the table between two markers of the page."""
    begin, end = marks
    before, _, rest = page.read_text("utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
