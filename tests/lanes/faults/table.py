"""The table of the lane: what was tried of each command, and what was wrong."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from benchmarks.__main__ import store
from tests.lanes.faults.commands import TRIALS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.lanes.faults.lane import Row

ROW: Final = "faults_row"
"""Name under which a test hands its row on: command, calls, kills, failing, faults."""

MARKS: Final = ("<!-- fault results -->", "<!-- end of fault results -->")

SAMPLE: Final = int(os.environ.get("FAULTS_SAMPLE") or 0) or None
"""Faults tried of each command; None for all."""

TURN: Final = int(os.environ.get("FAULTS_TURN") or 0)
"""Which of the samples: those of turns 0, 1, 2 … come to every fault."""


def handed_on(row: Row) -> list[str | int]:
    """Return a row as one process hands it to another."""
    return [row.name, row.calls, row.kills, row.failing, len(row.faults)]


def print_table(rows: Iterable[list[str | int]], *, is_stored: bool) -> str:
    """Return the rows as a Markdown table, in the order of the commands."""
    order = [trial.name for trial in TRIALS]
    found = sorted(rows, key=lambda row: order.index(str(row[0])))
    lines = [
        "| command | writing calls | kills | failing calls | faults |",
        "|---|---|---|---|---|",
    ]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in found]
    totals = [sum(int(row[place]) for row in found) for place in range(1, 5)]
    lines.append("| **all** | " + " | ".join(str(total) for total in totals) + " |")
    how = "Every fault" if SAMPLE is None else f"A sample of {SAMPLE} faults a command, turn {TURN}"
    where = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    lines += ["", f"{how}. {datetime.now(UTC):%Y-%m-%d}, {where}."]
    text = "\n".join(lines)
    if is_stored:
        store(text, marks=MARKS)
    return text
