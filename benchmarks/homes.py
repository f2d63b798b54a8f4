"""Writes a platform home of any size: `python -m benchmarks.homes FOLDER --agents 50 …`."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.records import NOW, Session, Shape
from benchmarks.sqlite_home import write_database

if TYPE_CHECKING:
    from collections.abc import Iterable

_MEMORY = """# Long-term memory of {agent}

- [DECISION] The inventory service keeps its database in WAL mode.
- [PREFERENCE] Answers are short.
- [TODO] Renew the certificate before May.
"""
_DAILY = "# {agent} — {day}\n\n## 9:00 AM - Stand-up\n\n- [FACT] The replica is in rack two.\n"


def write_home(parent: Path, shape: Shape) -> Path:
    """Write a home and its workspaces below `parent`; return the state folder."""
    state = parent / ".openclaw"
    for index, agent in enumerate(agent_ids(shape.agents)):
        sessions = [Session(shape, agent, number) for number in range(shape.sessions)]
        folder = state / "agents" / agent
        if shape.sqlite_every and index % shape.sqlite_every == 1:
            write_database(folder / "agent" / "openclaw-agent.sqlite", agent, sessions)
        else:
            _write_files(folder / "sessions", sessions)
        _write_workspace(parent / f"ws-{agent}", agent)
    entries = {agent: {"workspace": f"~/ws-{agent}"} for agent in agent_ids(shape.agents)}
    roster = {"entries": entries, "defaults": {"model": {"primary": "stub/stub-large"}}}
    text = "// A generated home.\n" + json.dumps({"agents": roster}, indent=2)
    (state / "openclaw.json").write_text(text, encoding="utf-8")
    return state


def agent_ids(count: int) -> list[str]:
    """Return the ids of the first `count` agents."""
    return ["main", *(f"agent{number}" for number in range(1, count))][:count]


def _write_files(folder: Path, sessions: Iterable[Session]) -> None:
    folder.mkdir(parents=True)
    store = {}
    for session in sessions:
        store[session.key] = session.entry(is_versioned=False)
        path = folder / f"{session.id}.jsonl"
        with path.open("w", encoding="utf-8") as lines:
            lines.writelines(f"{json.dumps(event)}\n" for event in session.events(3))
        at = session.updated_at.timestamp()
        os.utime(path, (at, at))
    (folder / "sessions.json").write_text(json.dumps(store, indent=2), encoding="utf-8")


def _write_workspace(workspace: Path, agent: str) -> None:
    memory = workspace / "memory"
    memory.mkdir(parents=True)
    (workspace / "MEMORY.md").write_text(_MEMORY.format(agent=agent), encoding="utf-8")
    day = f"{NOW:%Y-%m-%d}"
    (memory / f"{day}.md").write_text(_DAILY.format(agent=agent, day=day), encoding="utf-8")


def main() -> None:
    """Write the home that the options describe and print its state folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for field in fields(Shape):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=int, default=field.default)
    chosen = vars(parser.parse_args())
    print(write_home(chosen.pop("folder"), Shape(**chosen)))


if __name__ == "__main__":
    main()
