"""`alerts test` and `alerts list`: shapes, words and exit codes."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.jobs.runs import JobRecord
from tests.cli.contract import check_envelope
from tests.doubles.platform import HOME, NOW

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World


def test_what_is_wrong_is_listed_until_it_is_well(world: World, call: Caller) -> None:
    unseen = call.json("alerts", "list")
    assert (unseen.data, [one["code"] for one in unseen.envelope["warnings"]]) == (
        [],
        ["never-looked"],
    )
    world.jobs.stored["health"] = JobRecord("health", done_at=NOW)
    world.alerts.store.looks["/another/home"] = NOW  # they share the state folder
    assert "nobody has ever looked" in call("alerts", "list").out
    world.alerts.store.looks[str(HOME)] = NOW
    world.clock.advance(timedelta(minutes=3))
    assert call.json("alerts", "list").envelope["warnings"] == []
    assert "nothing was wrong at the last look at health, 3 min ago" in call("alerts", "list").out
    world.gateway.verdict = "down"
    for _ in range(2):  # one bad look at the Gateway proves little
        assert call.json("once", "health").code == 0
        world.clock.advance(timedelta(minutes=1))
    result = call.json("alerts", "list")
    check_envelope(result.envelope)
    assert result.data[0]["id"] == "gateway"
    assert "CRIT gateway" in call("alerts", "list").out
    status = call.json("status")
    check_envelope(status.envelope)
    told_at = NOW + timedelta(minutes=4)
    again_at = told_at + timedelta(minutes=30)
    told = {"told_at": told_at.isoformat(), "again_at": again_at.isoformat()}
    rest = {**told, "muted_until": None}
    assert result.data == [{**one, **rest} for one in status.data["alerts"]]


def test_one_is_muted_for_a_while_and_told_again(world: World, call: Caller) -> None:
    world.gateway.verdict = "up"
    world.host.percents[HOME] = 98.0
    call.json("once", "health")
    result = call.json("alerts", "mute", "disk", "--for", "8h")
    check_envelope(result.envelope)
    assert result.data[0]["message"] == "nobody is told of disk for 8 h"
    [row] = [one for one in call.json("alerts", "list").data if one["id"] == "disk"]
    assert row["muted_until"] == (NOW + timedelta(hours=8)).isoformat()
    sent = len(world.alerts.webhook.messages)
    world.clock.advance(timedelta(hours=1))
    call.json("once", "health")
    assert len(world.alerts.webhook.messages) == sent
    assert "told 1 h ago, muted for 7 h more" in call("alerts", "list").out
    result = call.json("alerts", "unmute", "disk")
    check_envelope(result.envelope)
    assert "told 1 h ago, again with the next look" in call("alerts", "list").out
    call.json("once", "health")
    assert len(world.alerts.webhook.messages) == sent + 1
    assert "told 0 s ago, again in 30 min" in call("alerts", "list").out


def test_a_dry_run_mutes_nothing_and_unmutes_nothing(world: World, call: Caller) -> None:
    world.host.percents[HOME] = 98.0
    call.json("once", "health")
    before = call.json("alerts", "list").data
    result = call.json("--read-only", "alerts", "mute", "disk", "--for", "8h", "--dry-run")
    check_envelope(result.envelope)
    [row] = result.data
    assert (row["status"], row["message"]) == ("planned", "nobody would be told of disk for 8 h")
    assert call.json("alerts", "list").data == before
    call("alerts", "mute", "disk")
    muted = call.json("alerts", "list").data
    [row] = call.json("alerts", "unmute", "disk", "--dry-run").data
    assert (row["status"], row["message"]) == ("planned", "people would be told of disk again")
    assert call.json("alerts", "list").data == muted != before
    assert call("alerts", "mute", "nothing", "--dry-run").code == 2


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("alerts", "mute", "disk"), 2, "'disk' is not wrong now"),
        (("alerts", "unmute", "disk"), 2, "Open alerts: gateway."),
        (("alerts", "mute", "gateway", "--for", "0h"), 2, "--for '0h' is no duration"),
        (("alerts", "mute", "gateway", "--for", "ever"), 2, "Write such as 90m, 8h or 7d."),
        (("--read-only", "alerts", "mute", "gateway"), 1, "read-only"),
    ],
)
def test_what_cannot_be_muted_says_why(
    world: World, call: Caller, arguments: tuple[str, ...], code: int, words: str
) -> None:
    world.gateway.verdict, world.host.lines = "down", ("node openclaw gateway",)
    call.json("once", "health")
    answer = call(*arguments)
    assert answer.code == code
    assert words in answer.err
    assert call.json("alerts", "list").data[0]["muted_until"] is None


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


def test_a_secret_in_the_name_of_a_channel_is_not_read(world: World, call: Caller) -> None:
    token = "ghp_" + "Ab1" * 12
    world.alerts.webhook.name = f"hook-{token}"
    for words in (("alerts", "test"), ("alerts", "test", "--dry-run")):
        assert token not in (shown := call(*words).out)
        assert "[redacted:github-token]" in shown
        assert token not in call("--json", *words).out
    world.alerts.webhook.failures = 2
    answer = call("alerts", "test")
    assert token not in answer.out + answer.err


def test_nothing_is_sent_read_only(world: World, call: Caller) -> None:
    assert call("--read-only", "alerts", "test").code == 1
    assert world.alerts.webhook.messages == []
