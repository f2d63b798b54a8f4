"""`flush`: one talk now, or all that came near to their compaction."""

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


@pytest.fixture(autouse=True)
def session(world: World) -> None:
    held = stored(world.platform.agents[0].ref, MAIN, 145_000)
    world.sessions.hold(held)
    texts = [f"we decided number {n} about the database" for n in range(8)]
    world.sessions.transcripts[held.session_id or ""] = talk(*texts)


def test_what_is_due_is_flushed_once(world: World, call: Caller) -> None:
    result = call.json("flush")
    check_envelope(result.envelope)
    [row] = result.data
    assert (result.code, row["command"], row["key"], row["status"]) == (0, "flush", MAIN, "done")
    assert row["details"]["stages"] == ["early"]
    assert call.json("flush").data == []
    assert call("flush").out == "Nothing to do.\n"


def test_a_key_is_flushed_whenever_it_is_asked(call: Caller) -> None:
    assert call.json("flush", MAIN).data[0]["status"] == "done"
    assert call.json("flush", MAIN, "--dry-run").code == 0
    result = call.json("flush", "agent:main:nope")
    assert (result.code, result.error["code"]) == (2, "unknown-session")


def test_read_only_refuses(world: World, call: Caller) -> None:
    assert call.json("--read-only", "flush", MAIN).code == 1
    assert world.flushes.stored == {}
