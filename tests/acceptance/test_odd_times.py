"""Times in seconds, ahead of the clock, and from before the platform."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.program import Program
from tests.transcripts import header, message

if TYPE_CHECKING:
    from pathlib import Path

    from tests.program import Answer

NOW = datetime(2026, 5, 2, 10, tzinfo=UTC)
AHEAD = datetime(2026, 5, 5, 10, tzinfo=UTC)
LONG_AGO = datetime(2009, 1, 1, tzinfo=UTC)
ID = "a1a1a1a1-1111-4222-8333-444444444444"
ENTRIES = {
    "agent:main:main": {"sessionId": ID, "updatedAt": 1777716000},
    "agent:main:dashboard:ahead": {"updatedAt": 1777975200000},
    "agent:main:dashboard:old": {"updatedAt": 1230768000000},
    "agent:main:dashboard:micro": {"updatedAt": 1777716000000000},
    "agent:main:dashboard:nano": {"updatedAt": 1777716000000000000},
    "agent:main:dashboard:text": {"updatedAt": "1777716000000"},
    "agent:main:dashboard:iso": {"updatedAt": "2026-05-02T12:00:00+02:00"},
    "agent:main:dashboard:below": {"updatedAt": -1777716000},
    "agent:main:dashboard:soon": {"updatedAt": "soon"},
    "agent:main:dashboard:list": {"updatedAt": [1777716000]},
}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    state = tmp_path / ".openclaw"
    (state / "workspace" / "memory").mkdir(parents=True)
    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    (folder / "sessions.json").write_text(json.dumps(ENTRIES))
    lines = [
        header(ID, NOW),
        message(1, "the boat is blue", at=LONG_AGO),
        message(2, "as blue as can be", "assistant", at=AHEAD),
        b'{"role":"user","content":"a","timestamp":"1777716000000000"}',
        b'{"role":"user","content":"b","timestamp":-1777716000}',
        b'{"role":"user","content":"c","timestamp":["soon"]}',
    ]
    (folder / f"{ID}.jsonl").write_bytes(b"".join(one + b"\n" for one in lines))
    return Program({"HOME": str(tmp_path), "MEMCONSOLE_NOW": NOW.isoformat(), "TZ": "UTC"})


def told(answer: Answer, code: str) -> str:
    [found] = [one["message"] for one in answer.warnings if one["code"] == code]
    return str(found)


def test_times_of_sessions(program: Program) -> None:
    answer = program.json("sessions", "--all")

    def updated(key: str) -> object:
        return answer.row(key=key)["updated_at"]

    assert updated("agent:main:main") == "2026-05-02T10:00:00+00:00"
    shown = datetime.fromisoformat(str(updated("agent:main:dashboard:ahead")))
    assert (shown - NOW).total_seconds() < 60
    assert updated("agent:main:dashboard:old") is None
    assert told(answer, "future-timestamp").startswith("agent:main:dashboard:ahead: ")
    for key in ("micro", "nano", "text", "iso"):
        assert updated(f"agent:main:dashboard:{key}") == "2026-05-02T10:00:00+00:00"
    for key in ("below", "soon", "list"):
        assert updated(f"agent:main:dashboard:{key}") is None
    assert told(answer, "clock-skew").startswith("agent:main:dashboard:old and 3 more: ")


def test_times_of_messages(program: Program) -> None:
    answer = program.json("transcript", "agent:main:main")

    first, second, micro, below, listed = answer.data
    assert first["at"] is below["at"] is listed["at"] is None
    assert micro["at"] == "2026-05-02T10:00:00+00:00"
    assert (datetime.fromisoformat(second["at"]) - NOW).total_seconds() < 60
    assert told(answer, "future-timestamp").startswith("1 record of agent:main:main ")
    assert told(answer, "clock-skew").startswith("3 records of agent:main:main ")
