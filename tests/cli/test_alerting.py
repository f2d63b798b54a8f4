"""`alerts test` and `alerts list`: shapes, words and exit codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.contract import check_envelope

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.fakes import World


def test_what_is_wrong_is_listed_until_it_is_well(world: World, call: Caller) -> None:
    assert call.json("alerts", "list").data == []
    assert "nothing is wrong" in call("alerts", "list").out
    world.gateway.verdict = "down"
    assert call.json("once", "health").code == 0
    result = call.json("alerts", "list")
    check_envelope(result.envelope)
    assert result.data[0]["id"] == "gateway"
    assert "CRIT gateway" in call("alerts", "list").out
    status = call.json("status")
    check_envelope(status.envelope)
    assert status.data["alerts"] == result.data


def test_each_channel_has_its_outcome(world: World, call: Caller) -> None:
    result = call.json("alerts", "test")
    check_envelope(result.envelope)
    assert [(one["key"], one["status"]) for one in result.data] == [
        ("log", "done"),
        ("webhook", "done"),
    ]
    world.alerts.webhook.failures = 2
    result = call.json("alerts", "test")
    assert (result.code, result.data[1]["status"]) == (1, "failed")
    assert result.data[1]["message"] == "the connection was refused"
    sent = len(world.alerts.webhook.messages)
    assert "planned webhook" in call("alerts", "test", "--dry-run").out
    assert len(world.alerts.webhook.messages) == sent


def test_nothing_is_sent_read_only(world: World, call: Caller) -> None:
    assert call("--read-only", "alerts", "test").code == 1
    assert world.alerts.webhook.messages == []
