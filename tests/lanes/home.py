"""A small platform home for the lanes: the real program over real files."""

from __future__ import annotations

import json
import sys
from pathlib import Path

NOW = "2026-01-26T13:20:00+00:00"
ROOT = Path(__file__).resolve().parents[2]
DUE = "151.2K DUE"
"""What the first screen says about this home."""

_AT = 1_769_433_000_000
_TALK = (
    ("user", "Can you look at the inventory sync again?"),
    ("assistant", "It waited 41 s for a lock; the other runs took 3 s."),
    ("user", "Good. And the digest?"),
    ("assistant", "I read the log of last night, line by line, before I answered. " * 12),
    ("user", "And what came of it?"),
    ("assistant", "It went out at 06:00, without the sales part."),
)
"""Long enough for a checkpoint, which leaves talks of less than a kilobyte alone."""


def make_home(folder: Path) -> Path:
    """Write a home with one agent whose main session is due; return its state folder."""
    state = folder / ".openclaw"
    sessions = state / "agents" / "main" / "sessions"
    memory = state / "workspace" / "memory"
    sessions.mkdir(parents=True)
    memory.mkdir(parents=True)
    session_id = "7f3a2c11-0b1c-4d2e-8f3a-111122223333"
    entry = {
        "sessionId": session_id,
        "updatedAt": _AT,
        "totalTokens": 151_200,
        "totalTokensFresh": True,
        "contextTokens": 200_000,
        "model": "claude-opus-4-5",
    }
    (sessions / "sessions.json").write_text(json.dumps({"agent:main:main": entry}))
    lines: list[dict[str, object]] = [
        {"type": "session", "id": session_id, "timestamp": "2026-01-26T12:40:00.000Z"}
    ]
    for number, (role, text) in enumerate(_TALK):
        lines.append(
            {
                "type": "message",
                "id": f"{number:08x}",
                "parentId": f"{number - 1:08x}" if number else None,
                "timestamp": f"2026-01-26T13:0{number}:00.000Z",
                "message": {"role": role, "content": [{"type": "text", "text": text}]},
            }
        )
    transcript = "".join(json.dumps(line) + "\n" for line in lines)
    (sessions / f"{session_id}.jsonl").write_text(transcript)
    (state / "workspace" / "MEMORY.md").write_text("# Memory\n\n- DECISION: SQLite in WAL mode\n")
    (memory / "2026-01-25.md").write_text("# 2026-01-25\n\n- TODO: order a larger disk\n")
    return state


def environment(folder: Path) -> dict[str, str]:
    """Return what the program needs to see of the world."""
    return {
        "HOME": str(folder),
        "MEMCONSOLE_NOW": NOW,
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
    }


def console(*options: str) -> list[str]:
    """Return the call that opens the console over the home that the environment names."""
    return [sys.executable, "-m", "memconsole", *options]


def command(state: Path, *options: str) -> list[str]:
    """Return the call that opens the console over a home."""
    return console("--home", str(state), "--transport", "none", *options)
