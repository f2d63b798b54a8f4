"""memconsole and the released Gateways: what it sees, what it does, and what it leaves alone."""

from __future__ import annotations

import json
import logging
import subprocess
import time
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memconsole.adapters.gateway.client import GatewayClient
from memconsole.adapters.gateway.connector import Connector
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.domain.gateway import GatewayPlace
from tests.doubles.platform import NOW
from tests.lanes.gateways.family import listening
from tests.lanes.gateways.gateway import wait_until
from tests.lanes.gateways.install import commands, compiled, node, program
from tests.lanes.gateways.model_server import SUMMARY
from tests.lanes.gateways.releases import OPENCLAW_9, TOKEN, WINDOW

if TYPE_CHECKING:
    from tests.lanes.gateways.conftest import Lane
    from tests.lanes.gateways.relay import Relay
    from tests.program import Answer

logger = logging.getLogger(__name__)

Json = Any
"""What foreign JSON holds."""

DUE = 152_000
CONNECT_AND_LIST_S = 0.05

pytestmark = pytest.mark.gateway_real


def transcripts(lane: Lane) -> dict[str, bytes]:
    """Return what the file era keeps of conversations, by path."""
    found = Path(lane.gateway.state).glob("agents/*/sessions/*.jsonl*")
    return {str(path): path.read_bytes() for path in found if path.suffix != ".lock"}


def is_captured(proof: Json) -> bool:
    """Tell whether the conversation was saved before anything was sent."""
    return {"step": "checkpoint", "status": "done"} in proof["captured"]


def is_reset_once(relay: Relay) -> bool:
    """Tell whether one reset was done; a refused property allows one request more."""
    return relay.granted.count("sessions.reset") == 1 and len(relay.sent("sessions.reset")) <= 2


def in_time(lane: Lane, command: str) -> Answer:
    """Return an answer with the Gateway's part in it, which waits for it no longer than a second.

    On a busy machine that may take more than one try.
    """
    for _ in range(20):
        answer = lane.memconsole(command)
        if answer.warning_codes().isdisjoint({"gateway-late", "gateway-refused"}):
            return answer
    raise AssertionError("the Gateway was late each time")


def is_in_transcript(lane: Lane, key: str, words: str) -> bool:
    """Tell whether a compaction with these words is in the transcript, as memconsole reads it."""
    messages = lane.memconsole("transcript", key).data
    return any(one["kind"] == "compaction" and words in one["text"] for one in messages)


def test_lists_the_counts_of_the_gateway(lane: Lane) -> None:
    lane.conversation("agent:main:main", DUE)
    lane.conversation("agent:work:main", 4_000)
    if lane.gateway.release.needs_device:
        wait_until(
            lambda: "missing-scope" in lane.memconsole("sessions").warnings[0]["message"],
            lambda: "it is never said that this device is not known",
        )
        lane.memconsole("compact", "agent:work:main", "--yes")  # acts: our device is made known

    answer = in_time(lane, "sessions")

    assert answer.code == 0
    assert not answer.warnings
    due, below = (answer.row(key=f"agent:{one}:main") for one in ("main", "work"))
    assert (due["source"], due["tokens"], due["window"]) == ("gateway", DUE, WINDOW)
    assert (due["token_state"], due["due"], due["class"]) == ("fresh", True, "main")
    assert (below["source"], below["tokens"], below["due"]) == ("gateway", 4_000, False)
    gateway = in_time(lane, "status").data["gateway"]
    assert gateway["verdict"] == "up"


def test_listens_on_loopback_only(lane: Lane) -> None:
    found = listening(lane.gateway.pid)

    assert "127.0.0.1" in found
    assert all(ip_address(one).is_loopback for one in found)


def client_of(lane: Lane, folder: Path) -> GatewayClient:
    """Return our client, with an identity of its own."""
    place = GatewayPlace(lane.gateway.url, TOKEN, is_explicit=True)
    devices = DeviceFile(folder / "device.key")
    devices.load_or_make()
    connector = Connector("ws", lane.gateway.state, {}, devices)
    return GatewayClient(lambda: place, connector, now=lambda: NOW)


def test_connect_and_list_take_no_time(lane: Lane, tmp_path: Path) -> None:
    took: list[float] = []
    for _ in range(15):
        client = client_of(lane, tmp_path)
        started_at = time.perf_counter()
        reading = client.read()
        took.append(time.perf_counter() - started_at)
        client.close()
        assert reading.status.verdict == "up"

    logger.info("%.1f ms at best, median %.1f ms", min(took) * 1000, sorted(took)[7] * 1000)
    assert min(took) <= CONNECT_AND_LIST_S


def test_rotates_a_due_session_and_proves_it(lane: Lane, relay: Relay) -> None:
    key = "agent:main:dashboard:due"
    lane.conversation(key, DUE)
    chosen = "off" if lane.gateway.release.is_database else "low"  # that refuses what models cannot
    lane.gateway.call("sessions.patch", key=key, thinkingLevel=chosen)
    before = lane.gateway.rows()[key]

    answer = lane.memconsole("rotate", key, "--yes", url=relay.url)

    assert answer.code == 0, answer
    [outcome] = answer.data
    proof = outcome["details"]["proof"]
    assert (outcome["status"], proof["proven"]) == ("done", True)
    assert proof["before"]["tokens"] == DUE
    assert is_captured(proof)
    assert is_reset_once(relay)
    after = lane.gateway.rows()[key]
    assert (after["sessionId"] == before["sessionId"]) is lane.gateway.release.keeps_session_id
    assert not after.get("totalTokens")
    kept = {"thinking": after["thinkingLevel"]} if after.get("thinkingLevel") else {}
    assert outcome["details"]["overrides"] == {
        "before": {"thinking": chosen},
        "after": kept,
    }
    notes = (lane.gateway.home / "ws-main" / "memory" / "ACTIVE_CONTEXT.md").read_text()
    assert "SQLite stays in WAL mode" in notes

    [again] = lane.memconsole("rotate", key, "--yes", url=relay.url).data
    assert again["status"] == "skipped"
    assert is_reset_once(relay)


@pytest.mark.parametrize("key", ["agent:ghost:main", "agent:main:mian", "mian"])
@pytest.mark.parametrize("command", ["rotate", "compact"])
def test_an_unknown_key_makes_no_ghost(lane: Lane, relay: Relay, command: str, key: str) -> None:
    agents, rows = lane.gateway.agents_on_disk(), lane.gateway.rows().keys()

    answer = lane.memconsole(command, key, "--yes", url=relay.url)

    assert answer.code != 0
    assert not relay.sent(f"sessions.{'reset' if command == 'rotate' else command}")
    assert lane.gateway.agents_on_disk() == agents
    assert lane.gateway.rows().keys() == rows


def test_looking_for_an_unknown_key_makes_no_ghost(lane: Lane, tmp_path: Path) -> None:
    agents, rows = lane.gateway.agents_on_disk(), lane.gateway.rows().keys()
    client = client_of(lane, tmp_path)

    assert client.find("agent:ghost:main") is None
    assert client.find("agent:main:mian") is None

    client.close()
    assert lane.gateway.agents_on_disk() == agents
    assert lane.gateway.rows().keys() == rows


def test_a_busy_session_waits_for_the_next_run(lane: Lane, relay: Relay) -> None:
    key = "agent:main:dashboard:busy"
    lane.conversation(key, DUE)
    said = f"[hold] Count the shelves once more, please. [tokens={DUE + 1000}]"
    run = lane.gateway.send(key, said)
    prompts = lane.gateway.model.prompts_saying
    wait_until(lambda: bool(prompts("[hold]")), lane.gateway.said)

    for command in ("rotate", "compact"):
        answer = lane.memconsole(command, key, "--yes", url=relay.url)
        [outcome] = answer.data
        is_refused = command == "compact" and not lane.gateway.release.has_summaries
        assert outcome["status"] == ("failed" if is_refused else "skipped")
        if not is_refused:
            assert outcome["reason"] == "active-run"
    assert not relay.sent("sessions.reset")
    assert not relay.sent("sessions.compact")

    lane.gateway.model.release()
    lane.gateway.await_run(run)
    lane.gateway.await_count(key, "[hold]")
    [outcome] = lane.memconsole("rotate", key, "--yes", url=relay.url).data
    assert (outcome["status"], outcome["details"]["proof"]["proven"]) == ("done", True)


def test_compacts_where_that_makes_a_summary(lane: Lane, relay: Relay) -> None:
    key = "agent:main:dashboard:long"
    lane.conversation(key, 60_000)
    before = transcripts(lane)

    answer = lane.memconsole("compact", key, "--yes", url=relay.url)

    [outcome] = answer.data
    if lane.gateway.release.has_summaries:
        assert (answer.code, outcome["status"]) == (0, "done")
        assert is_captured(outcome["details"])
        assert outcome["details"]["tokens_after"] < outcome["details"]["tokens_before"]
        assert is_in_transcript(lane, key, "takes its lock for one shelf at a time")
    else:
        assert (answer.code, outcome["reason"]) == (1, "truncates-only")
        assert not relay.sent("sessions.compact")
        assert transcripts(lane) == before


@pytest.mark.parametrize("gateway", [OPENCLAW_9], indirect=True, ids=lambda one: one.name)
def test_a_compaction_that_the_gateway_gives_up_is_told(lane: Lane, relay: Relay) -> None:
    key = "agent:main:dashboard:vague"
    lane.conversation(key, 60_000)
    lane.gateway.model.summary = "They talked about several things."

    answer = lane.memconsole("compact", key, "--yes", url=relay.url)

    lane.gateway.model.summary = SUMMARY
    [outcome] = answer.data
    assert (outcome["status"], outcome["reason"]) == ("skipped", "not-compacted")
    assert "quality" in outcome["message"]
    assert len(relay.sent("sessions.compact")) == 1
    assert not is_in_transcript(lane, key, "several things")


def test_a_wrong_token_is_told_and_nothing_is_sent(lane: Lane, relay: Relay) -> None:
    wrong = {"MEMCONSOLE_GATEWAY__TOKEN": "another-token"}

    answer = lane.memconsole("rotate", "agent:main:main", "--yes", url=relay.url, settings=wrong)

    assert (answer.code, answer.error["code"]) == (3, "bad-token")
    assert "another-token" not in answer.out + answer.err
    assert {method for method, _ in relay.requests} == {"connect"}


def test_two_at_once_reset_once(lane: Lane, relay: Relay) -> None:
    key = "agent:main:dashboard:twice"
    lane.conversation(key, DUE)

    both = [lane.begin("rotate", key, "--yes", url=relay.url) for _ in range(2)]
    outcomes = [lane.end(one)["data"][0] for one in both]

    assert sorted(one["status"] for one in outcomes) == ["done", "skipped"]
    assert is_reset_once(relay)


@pytest.mark.parametrize("gateway", [OPENCLAW_9], indirect=True, ids=lambda one: one.name)
def test_rotates_through_the_program_of_the_platform(lane: Lane) -> None:
    """Older programs take the same words, and up to half a minute for each call."""
    key = "agent:main:dashboard:program"
    lane.conversation(key, DUE)
    way = {
        "MEMCONSOLE_GATEWAY__TRANSPORT": "cli",
        "PATH": commands(lane.gateway.release),
        **compiled(),
    }

    [outcome] = lane.end(lane.begin("rotate", key, "--yes", settings=way))["data"]

    assert (outcome["status"], outcome["details"]["proof"]["proven"]) == ("done", True)
    assert not lane.gateway.rows()[key].get("totalTokens")


def test_the_policy_that_is_advised_is_one_that_the_release_takes(
    lane: Lane, tmp_path: Path
) -> None:
    """A release refuses its whole configuration for a word that it does not know."""
    release = lane.gateway.release
    advised = lane.memconsole("config", "check", "--recommend").data
    [policy] = [
        json.loads(one["recommended"])
        for one in advised
        if one["id"] == "session-reset" and one["recommended"]
    ]
    folder = tmp_path / release.state
    folder.mkdir()
    written = {"session": policy, "gateway": {"mode": "local"}}
    (folder / release.config_name).write_text(json.dumps(written))

    read = subprocess.run(
        [node(), program(release), "config", "get", "session"],
        env={"HOME": str(tmp_path), "PATH": commands(release), **compiled()},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (read.returncode, json.loads(read.stdout)) == (0, policy), read.stderr


def test_a_lost_answer_is_settled_by_looking(lane: Lane, relay: Relay) -> None:
    key = "agent:main:dashboard:lost"
    lane.conversation(key, DUE)
    relay.losing = "sessions.reset"

    answer = lane.memconsole("rotate", key, "--yes", url=relay.url)

    [outcome] = answer.data
    assert (outcome["status"], outcome["details"]["proof"]["proven"]) == ("done", True)
    assert is_reset_once(relay)


def test_branches_off_what_stood_before_a_reset(lane: Lane, relay: Relay) -> None:
    key = "agent:main:dashboard:branched"
    lane.conversation(key, 4_000)
    lane.gateway.call("sessions.reset", key=key)
    lane.gateway.chat(key, "Good morning, something else. [tokens=1200]")
    before = lane.gateway.rows()

    answer = lane.memconsole("restore", key, "--branch", "--yes", url=relay.url)

    [outcome] = answer.data
    after = lane.gateway.rows()
    if lane.gateway.release != OPENCLAW_9:
        assert (answer.code, outcome["reason"]) == (1, "branch-unsupported")
        assert (relay.sent("sessions.fork"), after.keys()) == ([], before.keys())
        return
    proof = outcome["details"]["proof"]
    assert (answer.code, outcome["status"], proof["proven"]) == (0, "done", True)
    assert relay.granted.count("sessions.fork") == 1
    [made] = after.keys() - before.keys()
    assert made == proof["branch"]["key"]
    assert after[key]["sessionId"] == before[key]["sessionId"] == proof["after"]["session_id"]
    texts = " ".join(one["text"] for one in lane.memconsole("transcript", made).data)
    assert "SQLite stays in WAL mode" in texts
    assert "something else" not in texts


def test_survives_a_restart_in_the_middle(lane: Lane, relay: Relay) -> None:
    """The last test of a release: its Gateway dies after the reset, and comes back."""
    key = "agent:main:dashboard:restart"
    lane.conversation(key, DUE)
    relay.losing, relay.on_loss = "sessions.reset", lane.gateway.kill

    process = lane.begin("rotate", key, "--yes", url=relay.url)
    wait_until(lambda: not lane.gateway.is_running, lambda: f"{relay.requests}")
    lane.gateway.start()
    [outcome] = lane.end(process)["data"]

    assert is_reset_once(relay)
    if process.returncode == 0:  # it came back while it was looked for
        assert outcome["details"]["proof"]["proven"] is True
    else:
        assert (process.returncode, outcome["status"]) == (3, "failed")
        assert is_captured(outcome["details"]["proof"])

    [again] = lane.memconsole("rotate", key, "--yes", url=relay.url).data
    assert again["status"] == "skipped"
    assert is_reset_once(relay)
    assert not lane.gateway.rows()[key].get("totalTokens")
