"""Who works, waits and hangs, on homes of every era: by locks, by entries, by the database."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.homes import FileHome, SqliteHome
from tests.program import Program
from tests.transcripts import START, header, message, milliseconds, stamp

if TYPE_CHECKING:
    from datetime import datetime

    from tests.homes import HomeBuilder

NOW = START + timedelta(minutes=120)
TOOL = [{"type": "toolCall", "id": "c1", "name": "exec", "arguments": {}}]
DIRECT = "agent:main:telegram:direct:"
SAID = {
    "agent:main:main": (("user", 105), ("assistant", 110)),
    f"{DIRECT}1": (("assistant", 61), ("user", 118)),
    f"{DIRECT}2": (("user", 115), ("tool", 117)),
    f"{DIRECT}3": (("user", 70), ("tool", 80)),
    f"{DIRECT}4": (("assistant", 70), ("user", 80)),
    f"{DIRECT}5": (("user", 61), ("assistant", 62)),
    "agent:main:main:heartbeat": (("user", 70), ("tool", 80)),
}
"""Who said what, in minutes since the start."""
RUNS = {f"{DIRECT}1": 118, f"{DIRECT}2": 115, f"{DIRECT}3": 70, f"{DIRECT}5": 119}
RUNS["agent:main:main:heartbeat"] = 70
"""When the run began that is going on."""
DOES = {
    "agent:main:main": ("waits-for-person", 110),
    f"{DIRECT}1": ("working", 118),
    f"{DIRECT}2": ("waits-for-tool", 117),
    f"{DIRECT}3": ("stuck", 80),
    f"{DIRECT}4": ("unanswered", 80),
    f"{DIRECT}5": ("working", 119),  # a run in an old session has just begun
    "agent:main:main:heartbeat": ("stuck", 80),
}


def at(minutes: int) -> datetime:
    return START + timedelta(minutes=minutes)


def talk(session_id: str, said: tuple[tuple[str, int], ...]) -> list[bytes]:
    records = [header(session_id, START)]
    for number, (who, minutes) in enumerate(said, start=1):
        role = "assistant" if who == "tool" else who
        more: dict[str, Any] = {"content": TOOL, "stopReason": "toolUse"} if who == "tool" else {}
        records.append(message(number, "as we said", role, at=at(minutes), **more))
    return records


def fill(home: HomeBuilder, *, is_told: bool) -> None:
    """Write all sessions; `is_told`: an entry says that a run is going on."""
    for number, (key, said) in enumerate(SAID.items()):
        name = f"{number}b2c3d4e-1111-4222-8333-444444444444"
        began = RUNS.get(key)
        run: dict[str, object] = {"status": "done" if began is None else "running"}
        if began is not None:
            run["startedAt"] = milliseconds(at(began))
        home.live(key, name, talk(name, said), **(run if is_told else {}))
        if began is not None and not is_told:
            start = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
            lock = {"pid": os.getpid(), "createdAt": stamp(at(began)), "starttime": start}
            path = home.agent.sessions_dir / f"{name}.jsonl.lock"
            path.write_text(json.dumps(lock))


@pytest.mark.parametrize("era", ["2026.3", "2026.7", "2026.9"])
def test_a_run_without_a_sign_of_life_is_stuck_and_who_waits_is_told(
    tmp_path: Path, era: str
) -> None:
    home = tmp_path / ".openclaw"
    builder = SqliteHome if era == "2026.9" else FileHome
    fill(builder(home), is_told=era != "2026.3")
    program = Program({"HOME": str(tmp_path), "MEMCONSOLE_NOW": NOW.isoformat(), "TZ": "UTC"})

    sessions = program.json("sessions")
    found = {
        row["key"]: (row["activity"]["doing"], row["activity"]["since"]) for row in sessions.data
    }
    assert found == {key: (doing, at(since).isoformat()) for key, (doing, since) in DOES.items()}
    assert sessions.row(key="agent:main:main:heartbeat")["class"] == "heartbeat"
    health = {one["id"]: one for one in program.json("health").data["checks"]}
    assert health["stuck-runs"]["value"] == 2
