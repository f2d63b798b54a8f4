"""`compact`: asks, needs the Gateway, and says what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.domain.gateway import LiveSession
from tests.cli.caller import stored
from tests.cli.contract import check_envelope
from tests.doubles.platform import talk

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

MAIN = "agent:main:main"


@pytest.fixture(autouse=True)
def session(world: World) -> None:
    held = stored(world.platform.agents[0].ref, MAIN, 120_000)
    world.sessions.hold(held)
    texts = [f"message number {n} about the database" for n in range(8)]
    world.sessions.transcripts[held.session_id or ""] = talk(*texts)
    world.gateway.hold(LiveSession(MAIN, session_id=held.session_id, tokens=120_000))


def test_it_asks_and_without_a_terminal_needs_yes(world: World, call: Caller) -> None:
    result = call.json("compact", MAIN)
    assert (result.code, result.error["code"]) == (2, "not-confirmed")
    assert world.gateway.compactions == []


def test_a_compaction_is_answered_with_its_numbers(world: World, call: Caller) -> None:
    result = call.json("compact", MAIN, "--yes")
    check_envelope(result.envelope)
    [row] = result.data
    assert (result.code, row["command"], row["status"]) == (0, "compact", "done")
    assert [one["step"] for one in row["details"]["captured"]] == ["checkpoint", "observe"]
    assert world.gateway.compactions == [MAIN]


def test_the_plan_needs_no_gateway(world: World, call: Caller) -> None:
    world.gateway.verdict = "down"
    [row] = call.json("compact", MAIN, "--dry-run").data
    assert row["status"] == "planned"
    refused = call.json("compact", MAIN, "--yes")
    assert (refused.code, refused.error["code"]) == (3, "down")


def test_where_it_only_cuts_it_is_refused(world: World, call: Caller) -> None:
    world.gateway.version = "2026.3.13"
    [row] = call.json("compact", MAIN, "--yes").data
    assert (row["status"], row["reason"]) == ("failed", "truncates-only")
    [forced] = call.json("compact", MAIN, "--yes", "--force-truncate").data
    assert forced["status"] == "done"


def test_an_unknown_key_is_named(call: Caller) -> None:
    result = call.json("compact", "agent:main:nope", "--yes")
    assert (result.code, result.error["code"]) == (2, "unknown-session")
