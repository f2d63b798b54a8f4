"""`observe`: every agent in turn, one session, what has ended; groups never."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.sessions.stored import SessionState
from tests.cli.caller import stored
from tests.cli.contract import check_envelope
from tests.doubles.platform import NOW, talk

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

KEY = "agent:main:main"
TEXTS = ("We decided to use Postgres for billing.", "Understood.", "Never deploy on a Friday.")


def hold(world: World, key: str = KEY, **changes: object) -> str:
    held = stored(world.platform.agents[0].ref, key, 9_000, **changes)
    world.sessions.hold(held)
    assert held.session_id is not None
    world.sessions.transcripts[held.session_id] = talk(*TEXTS, start=NOW)
    return held.session_id


def test_what_is_worth_remembering_is_added_once(world: World, call: Caller) -> None:
    hold(world)
    result = call.json("observe", "--agent", "main")
    check_envelope(result.envelope)
    [row] = result.data
    assert (result.code, row["command"], row["status"]) == (0, "observe", "done")
    assert [one["path"] for one in row["wrote"]] == [OBSERVATIONS]
    assert (row["details"]["mode"], row["details"]["added"]) == ("normal", 2)
    again = call.json("observe", "--agent", "main").data[0]
    assert (again["status"], again["reason"]) == ("skipped", "nothing-new")


def test_a_plan_writes_nothing_and_shows_the_lines(world: World, call: Caller) -> None:
    hold(world)
    [row] = call.json("observe", "--agent", "main", "--dry-run").data
    assert row["status"] == "planned"
    assert any("Postgres" in line for line in row["details"]["lines"])
    assert world.workspace.writes == []


def test_a_session_is_found_by_its_key(world: World, call: Caller) -> None:
    hold(world)
    result = call.json("observe", "--session", KEY, "--flush")
    assert (result.data[0]["key"], result.data[0]["status"]) == (KEY, "done")
    assert call.json("observe", "--session", "agent:main:nobody").code == 2


def test_a_session_that_has_ended_is_found_by_its_id(world: World, call: Caller) -> None:
    ended = hold(world, state=SessionState.ARCHIVED)
    [row] = call.json("observe", "--recover", ended).data
    assert (row["status"], row["details"]["mode"]) == ("done", "recover")


def test_recovery_stands_alone(call: Caller) -> None:
    result = call.json("observe", "--recover", "x", "--flush")
    assert result.code == 2
    assert "--recover" in result.error["message"]


def test_a_group_is_never_copied(world: World, call: Caller) -> None:
    key = "agent:main:telegram:group:-100"
    hold(world, key)
    [row] = call.json("observe", "--session", key).data
    assert (row["status"], row["reason"]) == ("skipped", "class-not-captured")
