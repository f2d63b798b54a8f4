"""`capture.groups`: talk of groups stays out of memory unless an operator wants it there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.program import Program

if TYPE_CHECKING:
    from pathlib import Path

KEY = "agent:main:telegram:group:-100"
SAID = "We decided to use Postgres for the orders table"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose one session is a group's."""
    state = tmp_path / ".openclaw"
    (state / "workspace" / "memory").mkdir(parents=True)
    (state / "openclaw.json").write_text("{}")
    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    entry = {"sessionId": "g1", "updatedAt": 1775980800000, "chatType": "group"}
    (folder / "sessions.json").write_text(json.dumps({KEY: entry}))
    head = {"type": "session", "version": 3, "id": "g1", "timestamp": "2026-04-12T08:00:00Z"}
    lines = [head]
    for number, text in enumerate(
        (SAID, "noted, it is written down", "thank you for that", "yes!!")
    ):
        role = "assistant" if number % 2 else "user"
        lines.append(
            {
                "type": "message",
                "id": f"m{number}",
                "parentId": f"m{number - 1}" if number else None,
                "timestamp": f"2026-04-12T08:0{number}:00Z",
                "message": {"role": role, "content": [{"type": "text", "text": f"{text}. " * 4}]},
            }
        )
    (folder / "g1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def program(home: Path, **more: str) -> Program:
    now = "2026-04-12T08:10:00+00:00"
    return Program(
        {"HOME": str(home), "MEMCONSOLE_NOW": now, "MEMCONSOLE_TRANSPORT": "none", **more}
    )


def test_by_itself_nothing_of_a_group_is_copied(home: Path) -> None:
    run = program(home)

    assert (
        run.json("checkpoint", "--session", KEY).row(agent="main")["reason"] == "class-not-captured"
    )
    assert run.json("checkpoint").row(agent="main")["status"] == "skipped"
    assert run.json("observe").row(agent="main")["status"] == "skipped"
    assert run.json("flush", KEY).data[0]["reason"] == "class-not-captured"
    assert list((home / ".openclaw" / "workspace" / "memory").iterdir()) == []


@pytest.mark.parametrize(
    "variable", ["MEMCONSOLE_CAPTURE__GROUPS", "MEMCONSOLE_AGENTS__MAIN__CAPTURE__GROUPS"]
)
def test_where_it_is_wanted_it_is_captured_like_any_session(home: Path, variable: str) -> None:
    run = program(home, **{variable: "true"})
    memory = home / ".openclaw" / "workspace" / "memory"

    for words in (("checkpoint",), ("flush", KEY)):
        assert run.json(*words).data[0]["status"] == "done", words
    assert run.json("summarize", KEY).data[0]["status"] in ("done", "skipped")

    assert SAID in (memory / "ACTIVE_CONTEXT.md").read_text()
    assert "Postgres" in (memory / "observations.md").read_text()
