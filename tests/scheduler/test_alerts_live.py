"""A Gateway that dies and returns, over real sockets, while the scheduler's clocks are fake.

One alert and one recovery reach a real webhook, and checkpoints go on all the while.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.alerts import child
from memconsole.adapters.alerts.channels import ChildChannel, LogChannel, Secrets
from memconsole.adapters.gateway.client import GatewayClient
from memconsole.adapters.gateway.connector import Connector
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.adapters.host.status_file import JsonStatusFile
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.alerts import StateAlerts
from memconsole.adapters.state.database import StateDatabase
from memconsole.demo.gateway import LoopbackGateway
from memconsole.domain.gateway import GatewayPlace
from memconsole.domain.settings.channels import ChannelSettings
from memconsole.ports.bundle import AlertPorts
from memconsole.scheduler.jobs import TABLE
from tests.doubles.bundle import World
from tests.doubles.platform import talk
from tests.engine.rows import row
from tests.receiver import receiver
from tests.scheduler.stage import FakeClocks, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memconsole.domain.commands.outcomes import Detail
    from memconsole.ports.alerts import AlertChannel
    from memconsole.ports.bundle import Ports
    from memconsole.ports.platform import StopSignal
    from tests.receiver import Receiver

STEP = timedelta(seconds=30)
JOBS = tuple(job for job in TABLE if job.id in ("health", "checkpoint"))


class LiveWorld(World):
    """Fakes, but for the Gateway's client and all of alerting."""

    def __init__(self, folder: Path, channel: AlertChannel, clocks: FakeClocks) -> None:
        super().__init__()
        self.clocks = clocks
        self.folder = folder
        self.gateway_host = LoopbackGateway(lambda: (), now=clocks.now).start()
        self.place = GatewayPlace(self.gateway_host.url, self.gateway_host.token, is_explicit=True)
        self.client = self._new_client()
        channels = (LogChannel(folder / "alerts.log"), channel)
        self.alerting = AlertPorts(
            StateAlerts(StateDatabase(folder, PrivateCopies())),
            lambda: channels,
            JsonStatusFile(folder / "last_status.json"),
            "host-1",
        )

    def _new_client(self) -> GatewayClient:
        connector = Connector("ws", self.folder, {}, DeviceFile(self.folder / "device.key"))
        return GatewayClient(lambda: self.place, connector, now=self.clocks.now)

    @property
    def ports(self) -> Ports:
        return replace(super().ports, gateway=self.client, alerts=lambda: self.alerting)

    def kill(self) -> None:
        """End the Gateway without a farewell."""
        self.gateway_host.close()

    def restore(self) -> None:
        """Start it again at its old place; the client is new, like the process around it."""
        self.client.close()
        self.client = self._new_client()
        self.gateway_host.start(int(self.place.url.rpartition(":")[2]))

    def end(self) -> None:
        self.client.close()
        self.gateway_host.close()


class WallClock:
    """The scheduler's wall clock as the engine's."""

    def __init__(self, clocks: FakeClocks) -> None:
        self.now = clocks.now
        self.monotonic = clocks.elapsed


class Direct:
    """The webhook without a process of its own."""

    name = kind = "webhook"

    def __init__(self, url: str) -> None:
        self.url = url

    def check(self) -> None:
        """There is nothing to miss."""

    def send(self, message: Mapping[str, Detail], cancel: StopSignal | None) -> None:
        child.send({"kind": "webhook", "url": self.url, "message": message, "timeout_s": 0.3})


@contextmanager
def stage_of(folder: Path, channel: AlertChannel) -> Iterator[tuple[Stage, LiveWorld]]:
    """Run a scheduler with two jobs."""
    clocks = FakeClocks()
    world = LiveWorld(folder, channel, clocks)
    world.clock = WallClock(clocks)  # type: ignore[assignment]  # the engine reads it only
    world.sessions.hold(row())
    world.sessions.transcripts["id-main"] = talk("please look", "I did", "and again", "yes")
    try:
        yield Stage(JOBS, world=world, clocks=clocks), world
    finally:
        world.end()


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def test_one_alert_and_one_recovery(hook: Receiver, tmp_path: Path) -> None:
    settings = ChannelSettings("webhook", "webhook", url=hook.url)
    with stage_of(tmp_path, ChildChannel(settings, Secrets({}, None))) as (stage, world):
        stage.live(timedelta(minutes=11), STEP)
        assert hook.told() == []
        world.kill()
        stage.live(timedelta(minutes=25), STEP)
        assert hook.told() == [("alert", ["gateway", "gateway-process"])]
        world.restore()
        stage.start()  # a new process remembers whom it told
        stage.live(timedelta(minutes=25), STEP)
        assert hook.told()[1:] == [("recovery", ["gateway", "gateway-process"])]
        assert len(stage.started("checkpoint")) == 4
        assert {one.status for one in stage.store.records().values()} <= {"done", "skipped"}
        assert (tmp_path / "last_status.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("manner", ["refuses", "closes", "sleeps"])
def test_a_bad_receiver_is_told_later(manner: str, hook: Receiver, tmp_path: Path) -> None:
    hook.manner = manner
    with stage_of(tmp_path, Direct(hook.url)) as (stage, world):
        world.kill()
        stage.live(timedelta(minutes=7), STEP)  # people are told after the second look
        assert hook.bodies == []
        assert stage.store.records()["health"].reason == "not-delivered"
        assert stage.store.records()["checkpoint"].status in ("done", "skipped")
        hook.manner = "takes"
        stage.live(timedelta(minutes=11), STEP)
        [(kind, issues)] = hook.told()
        assert (kind, set(issues) >= {"gateway", "gateway-process"}) == ("alert", True)
