"""The demo's Gateway and our client, over a real socket: rotation, proof, ghosts, restarts."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.gateway.client import GatewayClient
from memconsole.adapters.gateway.connector import Connector
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.demo.gateway import LoopbackGateway, rows_of
from memconsole.domain.commands.compact import Compact, Compacted
from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.domain.commands.rotate import Rotate, Rotated
from memconsole.domain.gateway import GatewayPlace
from memconsole.engine.engine import Engine
from tests.adapters.gateway.scripted import until
from tests.doubles.platform import NOW
from tests.engine.checkpoint.checkpoint_stage import MAIN, Stage
from tests.engine.rows import row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.domain.commands.outcomes import Outcome

KEY = "agent:main:main"
BUSY = "agent:main:dashboard:busy"


class Live:
    """An engine over fakes, but for a real client and the demo's Gateway."""

    def __init__(self, folder: Path) -> None:
        self.stage = Stage()
        self.stage.hold(
            row(KEY, 160_000, session_id="id-main", started_at=NOW - timedelta(days=1)),
            row(BUSY, 170_000, session_id="id-busy", is_active=True),
        )
        disk = Engine(self.stage.world.ports, self.stage.settings)
        self.gateway = LoopbackGateway(
            lambda: rows_of(disk.sessions.all()), now=self.stage.world.clock.now
        )
        self.gateway.start()
        self.place = GatewayPlace(self.gateway.url, self.gateway.token, is_explicit=True)
        connector = Connector("ws", folder, {}, DeviceFile(folder / "device.key"))
        self.client = GatewayClient(lambda: self.place, connector, now=lambda: NOW)
        ports = replace(self.stage.world.ports, gateway=self.client)
        self.engine = Engine(ports, self.stage.settings)

    def methods(self) -> list[str]:
        return [method for method, _ in self.gateway.requests]

    def close(self) -> None:
        self.client.close()
        self.gateway.close()


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    made = Live(tmp_path)
    yield made
    made.close()


def failed(outcome: Outcome, code: str) -> None:
    assert isinstance(outcome, Failed), outcome
    assert outcome.code == code


def test_a_rotation_with_its_proof_takes_three_looks(live: Live) -> None:
    outcome = live.engine.run(Rotate(MAIN, KEY))
    assert isinstance(outcome, Rotated), outcome
    proof = outcome.details["proof"]
    assert isinstance(proof, dict)
    assert proof["proven"] is True
    assert live.methods() == [
        "sessions.describe",
        "sessions.describe",
        "sessions.reset",
        "sessions.describe",
    ]
    views = {view.key_text: view for view in live.engine.snapshot().sessions}
    assert (views[KEY].tokens, views[KEY].is_due) == (0, False)
    again = live.engine.run(Rotate(MAIN, KEY))
    assert isinstance(again, Skipped)
    assert again.reason is SkipReason.NOT_DUE


def test_a_rotation_needs_three_requests_beside_the_reset(live: Live) -> None:
    live.engine.snapshot()
    before = len(live.methods())
    assert isinstance(live.engine.run(Rotate(MAIN, KEY)), Rotated)
    sent = live.methods()[before:]
    assert sent.count("sessions.reset") == 1
    assert len(sent) - 1 <= 3


def test_what_another_client_resets_is_news(live: Live, tmp_path: Path) -> None:
    connector = Connector("ws", tmp_path, {}, DeviceFile(tmp_path / "other.key"))
    other = GatewayClient(lambda: live.place, connector, now=lambda: NOW)
    stop = threading.Event()
    counts: list[int | None] = []

    def look() -> None:
        for _ in live.engine.gateway.listen(stop):
            views = {view.key_text: view for view in live.engine.snapshot().sessions}
            counts.append(views[KEY].tokens)

    ear = threading.Thread(target=look)
    ear.start()
    until(lambda: counts == [160_000])
    other.reset(KEY, None)
    until(lambda: counts[-1] == 0)
    live.gateway.close()
    until(lambda: live.client.read().status.verdict == "down")
    stop.set()
    ear.join(10)
    other.close()
    assert not ear.is_alive()


def test_a_mistyped_key_makes_no_ghost(live: Live) -> None:
    failed(live.engine.run(Rotate(MAIN, "agent:mian:main", is_forced=True)), "unknown-session")
    assert "sessions.reset" not in live.methods()
    assert set(live.gateway.rows) == {KEY, BUSY}


def test_a_busy_session_is_deferred(live: Live) -> None:
    outcome = live.engine.run(Rotate(MAIN, BUSY))
    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.BUSY


def test_a_compaction(live: Live) -> None:
    outcome = live.engine.run(Compact(MAIN, KEY))
    assert isinstance(outcome, Compacted), outcome
    assert outcome.details["tokens_after"] == 9_000
    again = live.engine.run(Compact(MAIN, KEY))
    assert isinstance(again, Skipped)
    assert "Already compacted" in again.message


def test_a_restart_between_two_rotations_is_not_noticed(live: Live) -> None:
    assert live.engine.snapshot().gateway.verdict == "up"
    port = int(live.gateway.url.rpartition(":")[2])
    live.gateway.close()
    live.gateway.start(port)
    assert isinstance(live.engine.run(Rotate(MAIN, KEY)), Rotated)


def test_a_token_that_was_changed_is_a_verdict(live: Live) -> None:
    live.place = replace(live.place, token="EXAMPLE-old-token")
    failed(live.engine.run(Rotate(MAIN, KEY)), "bad-token")
    assert live.stage.entries() == 0


def test_a_release_without_describe_is_searched_by_list(live: Live) -> None:
    live.gateway.methods = ("sessions.list", "sessions.reset")
    assert isinstance(live.engine.run(Rotate(MAIN, KEY)), Rotated)
    assert live.methods() == ["sessions.list", "sessions.list", "sessions.reset", "sessions.list"]


def test_the_list_has_pages(live: Live) -> None:
    many = [row(f"agent:main:dashboard:{n}", n, session_id=f"id-{n}") for n in range(1_203)]
    live.stage.hold(*many)
    assert len(live.client.read().sessions) == 1_203
    assert live.methods() == ["sessions.list"] * 3
