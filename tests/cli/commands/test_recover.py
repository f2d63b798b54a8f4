"""`recover`: every agent in turn, and nothing twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.sessions.stored import SessionState
from tests.cli.caller import stored
from tests.cli.contract import check_envelope
from tests.doubles.platform import talk

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

KEY = "agent:main:main"


def hold_ended(world: World) -> None:
    held = stored(world.platform.agents[0].ref, KEY, 9_000, state=SessionState.ARCHIVED)
    world.sessions.hold(held)
    texts = [f"uncaptured message number {n} about the scanner" for n in range(12)]
    world.sessions.transcripts[held.session_id or ""] = talk(*texts)


def test_what_ended_uncaptured_is_captured_once(world: World, call: Caller) -> None:
    hold_ended(world)
    result = call.json("recover")
    check_envelope(result.envelope)
    row = result.data[0]
    assert (result.code, row["command"], row["status"]) == (0, "recover", "done")
    assert all(f"number {n} " in "".join(world.workspace.files.values()) for n in range(12))
    again = call.json("recover", "--agent", "main").data[0]
    assert (again["status"], again["reason"]) == ("skipped", "nothing-new")


def test_a_plan_writes_nothing(world: World, call: Caller) -> None:
    hold_ended(world)
    assert call.json("recover", "--dry-run").data[0]["status"] == "planned"
    assert world.workspace.writes == []


def test_an_unknown_agent_is_named(call: Caller) -> None:
    result = call.json("recover", "--agent", "nobody")
    assert result.code == 2
    assert "nobody" in result.error["message"]
