"""The words of another talk never come under a session's name, whatever its entry says."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.program import Program
from tests.transcripts import header, line, message

if TYPE_CHECKING:
    from pathlib import Path

    from tests.program import Answer

A1 = "a1a1a1a1-1111-4222-8333-444444444444"
B2 = "b2b2b2b2-1111-4222-8333-444444444444"
J3 = "c3c3c3c3-1111-4222-8333-444444444444"
KEY = "agent:iris:main"
NOW = datetime(2026, 4, 12, 9, tzinfo=UTC)

COMMANDS = {
    "transcript": ("transcript", KEY),
    "session": ("session", KEY),
    "prune-preview": ("prune-preview", KEY),
    "checkpoint": ("checkpoint", "--agent", "iris"),
    "checkpoint of the key": ("checkpoint", "--agent", "iris", "--session", KEY, "--force"),
    "observe": ("observe", "--agent", "iris"),
    "observe of the key": ("observe", "--agent", "iris", "--session", KEY, "--flush"),
    "flush": ("flush", KEY),
    "summarize": ("summarize", KEY),
    "recover": ("recover", "--agent", "iris"),
    "reindex": ("reindex", "--agent", "iris"),
}
SAYS_SO = frozenset(COMMANDS) - {"recover", "reindex"}
"""The others look at what there is, and there is nothing of this session."""


class Place:
    """A home with the agents `iris` and `juno`, who talk of boats of two colours."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.state = self.home / ".openclaw"
        for agent in ("iris", "juno"):
            self.sessions(agent).mkdir(parents=True)
            (self.workspace(agent) / "memory").mkdir(parents=True)
        roster = [
            {"id": agent, "workspace": str(self.workspace(agent))} for agent in ("iris", "juno")
        ]
        (self.state / "openclaw.json").write_text(json.dumps({"agents": {"list": roster}}))
        settings = folder / "settings.toml"
        settings.write_text("[search]\nsessions = true\n[observer]\nmin_lines = 1\n")
        environment = {"HOME": str(self.home), "MEMCONSOLE_NOW": NOW.isoformat(), "TZ": "UTC"}
        self.program = Program({**environment, "MEMCONSOLE_CONFIG": str(settings)})

    def sessions(self, agent: str) -> Path:
        return self.state / "agents" / agent / "sessions"

    def workspace(self, agent: str) -> Path:
        return self.state / f"workspace-{agent}"

    def talk(self, agent: str, session_id: str, colour: str, name: str = "") -> Path:
        """Write a talk that is worth remembering; its last word is five minutes old."""
        path = self.sessions(agent) / (name or f"{session_id}.jsonl")
        texts = (f"we decided: the boat is {colour}", "understood") * 4
        lines = [header(session_id)]
        for number, text in enumerate(texts, start=1):
            role = "user" if number % 2 else "assistant"
            at = NOW - timedelta(minutes=5 + len(texts) - number)
            lines.append(message(number, text, role, at=at))
        path.write_bytes(b"".join(one + b"\n" for one in lines))
        return path

    def entry(self, session_id: str, file: object) -> None:
        entry = {
            "sessionId": session_id,
            "sessionFile": str(file),
            "updatedAt": NOW.timestamp() * 1000,
            "totalTokens": 9_000,
        }
        (self.sessions("iris") / "sessions.json").write_text(json.dumps({KEY: entry}))

    def everything(self, answer: Answer) -> str:
        """Return what was printed, and all that iris has in her workspace and in the index."""
        texts = [answer.out, answer.err]
        if answer.arguments[1] == "reindex":
            texts.append(self.program("search", "boat", "--agent", "iris", "--sessions").out)
        root = self.workspace("iris")
        texts += [path.read_text("utf-8") for path in root.rglob("*") if path.is_file()]
        return "\n".join(texts)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_the_session_of_an_entry_wins_over_the_file_that_it_names(
    place: Place, command: tuple[str, ...]
) -> None:
    place.talk("iris", A1, "blue")
    other = place.talk("iris", B2, "red")
    place.entry(A1, other)

    answer = place.program.json(*command)

    assert answer.code == 0
    if command[0] in ("transcript", "checkpoint"):
        assert "boat is blue" in place.everything(answer)
    assert "boat is red" not in answer.out


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("way", ["named", "linked"])
def test_another_agents_session_is_not_opened(place: Place, name: str, way: str) -> None:
    named = theirs = place.talk("juno", J3, "red")
    if way == "linked":
        named = place.sessions("iris") / f"{J3}.jsonl"
        named.symlink_to(theirs)
    place.entry(J3, named)

    answer = place.program.json(*COMMANDS[name])

    assert "boat is red" not in place.everything(answer)
    if name in SAYS_SO:
        assert answer.code == 1
        assert "transcript-outside" in answer.out


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_with_another_sessions_header_is_not_taken_in(place: Place, name: str) -> None:
    theirs = place.talk("juno", J3, "red")
    os.link(theirs, place.sessions("iris") / f"{A1}.jsonl")
    place.entry(A1, "")

    answer = place.program.json(*COMMANDS[name])

    assert "boat is red" not in place.everything(answer)
    if name in SAYS_SO:
        assert answer.code == 1
        assert "session-id-mismatch" in answer.out


def test_the_other_sessions_of_an_agent_are_saved_all_the_same(place: Place) -> None:
    place.talk("iris", B2, "blue")
    entries = {
        KEY: {"sessionId": A1, "sessionFile": str(place.talk("juno", J3, "red"))},
        "agent:iris:telegram:direct:7": {"sessionId": B2},
    }
    (place.sessions("iris") / "sessions.json").write_text(json.dumps(entries))

    answer = place.program.json("checkpoint", "--agent", "iris")

    assert (answer.code, answer.row(command="checkpoint")["status"]) == (0, "done")
    assert answer.row(command="checkpoint")["details"]["key"] == "agent:iris:telegram:direct:7"
    assert answer.warning_codes() == {"transcript-outside"}
    assert "boat is blue" in place.everything(answer)


def test_a_link_is_told_where_the_entry_names_no_file(place: Place) -> None:
    (place.sessions("iris") / f"{A1}.jsonl").symlink_to(place.talk("juno", J3, "red"))
    place.entry(A1, "")

    answer = place.program.json("transcript", KEY)

    assert (answer.code, answer.error["code"]) == (1, "transcript-outside")


def test_status_names_the_sessions_that_are_not_read(place: Place) -> None:
    place.entry(J3, place.talk("juno", J3, "red"))

    for command in ("status", "sessions", "agents"):
        assert "transcript-outside" in place.program.json(command).warning_codes()


def test_the_list_says_that_a_transcript_is_refused(place: Place) -> None:
    place.entry(J3, place.talk("juno", J3, "red"))
    outside = place.program.json("sessions").row(key=KEY)
    os.link(place.talk("juno", J3, "red"), place.sessions("iris") / f"{A1}.jsonl")
    place.entry(A1, "")
    mismatch = place.program.json("sessions").row(key=KEY)

    assert [outside["transcript"], mismatch["transcript"]] == ["refused", "refused"]
    assert "refused" in place.program("sessions").out


def test_a_header_is_not_needed_where_the_name_says_whose_it_is(place: Place) -> None:
    path = place.sessions("iris") / f"{A1}.jsonl"
    path.write_bytes(line({"role": "user", "content": "the boat is blue"}) + b"\n")
    place.entry(A1, "")

    answer = place.program.json("transcript", KEY)

    assert [one["text"] for one in answer.data] == ["the boat is blue"]


def test_a_file_that_nobody_needs_to_read_is_refused_all_the_same(place: Place) -> None:
    """A fresh count tells all that is shown of it; whose the file is, only its header tells."""
    os.link(place.talk("juno", J3, "red"), place.sessions("iris") / f"{A1}.jsonl")
    counted = {"sessionId": A1, "totalTokens": 2_000, "totalTokensFresh": True}
    own = {**counted, "sessionId": B2}
    place.talk("iris", B2, "blue")
    entries = {KEY: counted, "agent:iris:telegram:direct:7": own}
    (place.sessions("iris") / "sessions.json").write_text(json.dumps(entries))

    listed = place.program.json("sessions", "--agent", "iris")

    told = {one["key"]: one["transcript"] for one in listed.data}
    assert told == {KEY: "refused", "agent:iris:telegram:direct:7": "present"}
    assert "session-id-mismatch" in listed.out
