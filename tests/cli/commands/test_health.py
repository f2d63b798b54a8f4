"""`health`: its shape, its exit codes, and the Gateway's verdict in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.domain.health import CHECK_IDS
from tests.cli.contract import check_envelope

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World


def test_every_check_is_told_in_its_order(call: Caller) -> None:
    result = call.json("health")
    check_envelope(result.envelope)
    assert [one["id"] for one in result.data["checks"]] == list(CHECK_IDS)


@pytest.mark.parametrize(("verdict", "code"), [("up", 0), ("down", 1), ("off", 0)])
def test_a_bad_check_ends_with_one(verdict: str, code: int, world: World, call: Caller) -> None:
    world.gateway.verdict = verdict
    world.host.lines = ("node openclaw gateway",)
    result = call.json("health")
    assert result.code == code
    [gateway] = [one for one in result.data["checks"] if one["id"] == "gateway"]
    assert gateway["value"] == verdict


def test_people_read_what_to_do(world: World, call: Caller) -> None:
    world.gateway.verdict = "down"
    out = call("health").out
    assert "WARN gateway" in out
    assert "(at one look)" in out
    assert "openclaw gateway run" in out
    assert "could not be looked at" in out
