"""`summarize`: once, with its reason, and nothing of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.caller import stored
from tests.cli.contract import check_envelope
from tests.doubles.platform import talk

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

MAIN = "agent:main:main"
GROUP = "agent:main:telegram:group:-100"


@pytest.fixture(autouse=True)
def sessions(world: World) -> None:
    ref = world.platform.agents[0].ref
    held = [stored(ref, MAIN, 120_000), stored(ref, GROUP, 9_000)]
    world.sessions.hold(*held)
    for one in held:
        texts = [f"message number {n} about the database" for n in range(4)]
        world.sessions.transcripts[one.session_id or ""] = talk(*texts)


def test_a_session_is_summarised_once(world: World, call: Caller) -> None:
    result = call.json("summarize", MAIN, "--reason", "new")
    check_envelope(result.envelope)
    [row] = result.data
    assert (result.code, row["command"], row["status"]) == (0, "summarize", "done")
    assert row["key"] == MAIN
    [wrote] = row["wrote"]
    assert wrote["path"].startswith("memory/2026-01-26-")
    [again] = call.json("summarize", MAIN, "--reason", "reset").data
    assert (again["status"], again["reason"]) == ("skipped", "nothing-new")
    assert len(world.summaries.stored) == 1


def test_hooks_name_an_earlier_session_by_its_id(world: World, call: Caller) -> None:
    session_id = stored(world.platform.agents[0].ref, MAIN).session_id or ""
    [row] = call.json("summarize", MAIN, "--session-id", session_id, "--reason", "daily").data
    assert (row["status"], row["details"]["session_id"]) == ("done", session_id)


def test_a_group_is_left_out(call: Caller) -> None:
    result = call.json("summarize", GROUP)
    [row] = result.data
    assert (result.code, row["status"], row["reason"]) == (0, "skipped", "class-not-captured")


def test_a_plan_writes_nothing(world: World, call: Caller) -> None:
    [row] = call.json("summarize", MAIN, "--dry-run").data
    assert row["status"] == "planned"
    assert world.workspace.writes == []


@pytest.mark.parametrize(
    ("words", "named"),
    [(["agent:main:nobody"], "agent:main:nobody"), ([MAIN, "--reason", "boredom"], "boredom")],
)
def test_wrong_names_are_said(words: list[str], named: str, call: Caller) -> None:
    result = call.json("summarize", *words)
    assert result.code == 2
    assert named in result.error["message"]


def test_read_only_refuses(world: World, call: Caller) -> None:
    result = call.json("--read-only", "summarize", MAIN)
    assert result.code == 1
    assert world.workspace.writes == []
