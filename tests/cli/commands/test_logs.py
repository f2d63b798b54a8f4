"""`logs rotate`: which logs are due, what came of them, and the job that does the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.logs import LogFile, LogOwner
from tests.cli.contract import check_envelope

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

BIG = LogFile(Path("/logs/big.log"), LogOwner.FOREIGN, 5_242_880)
SMALL = LogFile(Path("/logs/small.log"), LogOwner.FOREIGN, 5_242_879)


def test_only_logs_that_have_grown_are_rotated(world: World, call: Caller) -> None:
    assert "no log has reached" in call("logs", "rotate").out
    world.logs.files = [SMALL, BIG]
    result = call.json("logs", "rotate", "--dry-run")
    check_envelope(result.envelope)
    assert [(one["key"], one["status"]) for one in result.data] == [("/logs/big.log", "planned")]
    assert world.logs.rotated == []
    [done] = call.json("logs", "rotate").data
    assert done["wrote"] == [{"path": "/logs/big.log.1", "bytes": 5_242_880, "mode": "0600"}]
    assert world.logs.rotated == [("big.log", 3)]


def test_one_that_fails_does_not_stop_the_others(world: World, call: Caller) -> None:
    world.logs.files = [BIG, LogFile(Path("/logs/own.log"), LogOwner.OWN, 9_999_999)]
    world.logs.refused = {"big.log"}
    result = call.json("logs", "rotate")
    assert (result.code, [one["status"] for one in result.data]) == (1, ["failed", "done"])
    assert "left alone" in call("logs", "rotate").out


def test_the_job_does_the_same(world: World, call: Caller) -> None:
    assert call.json("once", "log_rotation").data[0]["reason"] == "nothing-due"
    world.logs.files = [BIG]
    assert call.json("once", "log_rotation").data[0]["status"] == "done"
    world.logs.refused = {"big.log"}
    assert call.json("once", "log_rotation").code == 1


def test_read_only_rotates_nothing(world: World, call: Caller) -> None:
    world.logs.files = [BIG]
    assert call("--read-only", "logs", "rotate").code == 1
    assert world.logs.rotated == []
