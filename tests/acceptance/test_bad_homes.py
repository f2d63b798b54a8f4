"""Homes that are missing, broken, hostile or somebody else's: one sentence each, no harm done."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.bad_homes import BAD_HOMES, MAIN, SESSION, Bad, sound_home, stores
from tests.program import Answer, Program, tree

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-04-12T09:00:00+00:00"
READING = (
    ("status",),
    ("agents",),
    ("sessions", "--all"),
    ("session", MAIN),
    ("transcript", MAIN),
    ("memory", "pool"),
    ("markers",),
    ("rotate", "--dry-run"),
    ("checkpoint", "--dry-run"),
    ("runs",),
)
AT = ("--json", "--home")


@pytest.fixture(params=BAD_HOMES, ids=lambda bad: bad.name)
def bad(request: pytest.FixtureRequest) -> Bad:
    one: Bad = request.param
    return one


@pytest.fixture
def program(user_home: Path) -> Program:
    environment = {"HOME": str(user_home), "TZ": "UTC", "MEMCONSOLE_NOW": NOW}
    return Program(environment, is_plain_user=True)


def test_the_sound_home_is_sound(program: Program, user_home: Path) -> None:
    """The homes below are bad because they were broken, not because of how they were made."""
    sound_home(user_home / ".openclaw")
    answer = program.json("status")
    assert answer.code == 0
    assert [row["tokens_max"] for row in answer.data["agents"]] == [152000, 152000]
    assert [row["status"] for row in program.json("checkpoint").data] == ["done", "done"]


def test_a_bad_home_is_explained(bad: Bad, program: Program, user_home: Path) -> None:
    """`status` exits as the contract says, with one sentence that names what is wrong."""
    state = sound_home(user_home / ".openclaw")
    bad.break_it(state)
    answer, shown = program.each([(*AT, str(state), "status"), ("--home", str(state), "status")])
    assert answer.code == shown.code == bad.code, answer
    if bad.code:
        assert bad.says in answer.error["message"]
        assert answer.error["hint"]
        assert is_one_sentence_and_a_hint(shown)
    elif bad.says:
        told = [row["message"] + str(row.get("path")) for row in answer.warnings]
        assert [one for one in told if bad.says in one], answer


def is_one_sentence_and_a_hint(answer: Answer) -> bool:
    lines = answer.err.strip().splitlines()
    return answer.out == "" and lines[0].startswith("memconsole: ") and len(lines) <= 4


def test_every_command_survives_a_bad_home(bad: Bad, program: Program, user_home: Path) -> None:
    """No command crashes, hangs or touches the home; the sound part goes on working."""
    state = sound_home(user_home / ".openclaw")
    bad.break_it(state)
    before = tree(state)
    answers = program.each([(*AT, str(state), *command) for command in READING])
    assert tree(state) == before
    workspaces = (state / "workspace", state / "workspace-other")
    before = tree(state, without=workspaces)
    answers.append(program(*AT, str(state), "checkpoint"))
    assert tree(state, without=workspaces) == before
    for answer in answers:
        assert answer.code in (0, 1, 2, 3), answer
        assert answer.envelope["schema"] == 1


@pytest.mark.parametrize("name", ["one store closed", "a pipe as store", "noise as database"])
def test_the_other_agent_is_still_served(name: str, program: Program, user_home: Path) -> None:
    state = sound_home(user_home / ".openclaw")
    [bad] = [one for one in BAD_HOMES if one.name == name]
    bad.break_it(state)
    answer = program.json("sessions", "--agent", "other")
    assert [row["tokens"] for row in answer.data] == [152000]
    assert program.json("checkpoint", "--agent", "other").row(agent="other")["status"] == "done"
    assert program.json("status").envelope["left_out"]["unreadable"] == 1


def test_an_empty_home_says_so(program: Program, user_home: Path) -> None:
    state = user_home / ".openclaw"
    state.mkdir()
    assert program.json("agents").data == []
    assert "no agents" in program("status").out.lower()


def test_a_home_of_one_transcript(program: Program, user_home: Path) -> None:
    """Nothing but `agents/main/sessions/<id>.jsonl`: read, and checkpointed when asked."""
    state = sound_home(user_home / ".openclaw")
    shutil.rmtree(state / "agents" / "other")
    (state / "openclaw.json").unlink()
    stores(state)[0].unlink()
    answer = program.json("sessions", "--all")
    assert [(row["session_id"], row["state"]) for row in answer.data] == [(SESSION, "orphan")]
    assert program.json("checkpoint").row(agent="main")["status"] == "done"
    text = (state / "workspace" / "memory" / "ACTIVE_CONTEXT.md").read_text("utf-8")
    assert "Sentence 4 of a sound home." in text
