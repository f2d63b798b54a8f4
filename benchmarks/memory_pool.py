"""Writes the memory of an agent that is years old: `python -m benchmarks.memory_pool FOLDER`.

Most of it are daily logs and session summaries, as capture leaves them; the rest are plans,
research and set-up notes in folders of their own.
"""

from __future__ import annotations

import argparse
import json
import os
from datetime import timedelta
from pathlib import Path

from benchmarks.records import NOW, prose

FILES = 5_000

_OTHERS = ("research-", "plan-", "pump-setup-", "garden/", "projects/greenhouse/")
_TAGS = ("DECISION", "GOTCHA", "SOLUTION", "FACT", "TODO")


def write_pool(parent: Path, files: int = FILES) -> Path:
    """Write a home with one agent and its memory below `parent`; return the state folder."""
    state, memory = parent / ".openclaw", parent / "ws-main" / "memory"
    memory.mkdir(parents=True)
    state.mkdir()
    roster = {"agents": {"list": [{"id": "main", "workspace": str(memory.parent)}]}}
    (state / "openclaw.json").write_text(json.dumps(roster), encoding="utf-8")
    for number in range(files):
        path = memory / _name(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(number), encoding="utf-8")
        at = (NOW - timedelta(hours=7 * number)).timestamp()
        os.utime(path, (at, at))
    for name, size in (("ACTIVE_CONTEXT.md", 4_000), ("observations.md", 18_000)):
        (memory / name).write_text(f"# {name}\n\n{prose(size, 1)}\n", encoding="utf-8")
    return state


def _name(number: int) -> str:
    day = (NOW - timedelta(days=number // 4)).date()
    if number % 4 == 0:
        return f"{day}.md"
    if number % 4 < 3:
        return f"{day}-talk-{number % 97}-{number}.md"
    return f"{_OTHERS[number // 4 % len(_OTHERS)]}{number}.md"


def _text(number: int) -> str:
    tag = _TAGS[number % len(_TAGS)]
    size = 300 + (number * 7_919) % 3_000
    return f"# Notes | number {number}\n\n- [{tag}] {prose(80, number)}\n\n{prose(size, number)}\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    write_pool(parser.parse_args().folder)
