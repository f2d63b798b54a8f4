"""What monitoring is told, from a reading to the text that Prometheus reads."""

from __future__ import annotations

import socket
import threading
import urllib.request
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.metrics import PrometheusMetrics
from memconsole.domain.cleanup import OldFile, OldKind
from memconsole.domain.commands.cleanup import Cleanup
from memconsole.domain.fleet.publishing import Standing
from memconsole.domain.jobs.runs import JobRecord
from memconsole.domain.metrics import Family, families
from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from memconsole.errors import StateError
from memconsole.scheduler.jobs import publish_metrics
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW
from tests.engine.rows import row

if TYPE_CHECKING:
    from collections.abc import Iterable

SETTINGS = Settings(state_dir=HOME / "state", timezone="UTC")


def samples(families: Iterable[Family]) -> dict[str, dict[tuple[str, ...], float]]:
    return {one.name.removeprefix("memconsole_"): dict(one.samples) for one in families}


def test_figures_of_everything(world: World) -> None:
    world.sessions.hold(
        row("agent:main:main", 120_000, session_id="one"),
        row("agent:main:dashboard:x", 160_000, session_id="two"),
    )
    world.gateway.verdict = "down"
    world.jobs.stored["checkpoint"] = JobRecord(
        "checkpoint", NOW, NOW, "failed", duration_ms=1500, failures=2
    )
    made = Engine(world.ports, SETTINGS)
    made.health.look_after()
    made.health.look_after()
    end = publish_metrics(made, threading.Event())
    assert end.status == "done"
    found = samples(world.metrics.families)
    main = ("main",)
    assert found["sessions"] == {main: 2}
    assert found["sessions_due"] == {main: 1}
    assert found["tokens_max"] == {main: 160_000}
    assert found["threshold_percent_max"][main] == pytest.approx(106.7)
    assert found["gateway_up"] == {(): 0}
    assert found["gateway_verdict"] == {("down",): 1}
    assert found["job_last"] == {("checkpoint", "failed"): 1}
    assert found["job_duration_seconds"] == {("checkpoint",): 1.5}
    assert found["job_failures"] == {("checkpoint",): 2}
    assert found["alert"][("gateway", "critical")] == 1
    assert found["collected_timestamp_seconds"] == {(): NOW.timestamp()}
    assert found["pool_bytes"] == {main: 0}
    assert found["markers"][("main", "DECISION")] == 0
    assert "dashboard" not in str(found), "session keys may be telephone numbers"


def test_a_late_gateway_is_neither_up_nor_down(world: World) -> None:
    world.gateway.verdict = "late"
    Engine(world.ports, SETTINGS).metrics.publish()
    found = samples(world.metrics.families)
    assert (found["gateway_up"], found["gateway_verdict"]) == ({}, {("late",): 1})


def test_what_sessions_do_is_counted_and_a_zero_is_known(world: World) -> None:
    silent = NOW - timedelta(hours=1)
    world.sessions.hold(
        row("agent:main:main", is_active=True, run_started_at=silent, spoke_at=silent),
        row("agent:main:dashboard:x", is_active=True, run_started_at=NOW),
    )
    Engine(world.ports, SETTINGS).metrics.publish()
    doing = samples(world.metrics.families)["sessions_doing"]
    assert (doing["main", "working"], doing["main", "idle"]) == (2, 0)
    assert doing["main", "stuck"] == 0


def test_what_is_unknown_has_no_sample(world: World) -> None:
    world.sessions.hold(row("agent:main:main", None))
    world.gateway.verdict = "off"
    world.jobs.stored["observer"] = JobRecord("observer", next_at=NOW)
    made = Engine(world.ports, SETTINGS)
    made.metrics.publish()
    found = samples(world.metrics.families)
    assert (found["tokens_max"], found["gateway_up"], found["job_last"]) == ({}, {}, {})
    assert found["job_next_timestamp_seconds"] == {("observer",): NOW.timestamp()}
    without = families(made.snapshot(with_pools=False), {}, {}, {}, version="1")
    assert samples(without)["pool_bytes"] == {}


def test_old_files_and_the_last_cleanup_are_told(world: World) -> None:
    agent = world.platform.agents[0]
    path = agent.sessions_dir / "s-1.jsonl"
    world.old_transcripts.there = [OldFile(path, "s-1", 400, NOW - timedelta(days=40))]
    log = OldFile(Path("/state/logs/x.log.1"), "", 7, NOW, kind=OldKind.LOG)
    world.old_transcripts.ours = [log]
    made = Engine(world.ports, SETTINGS)
    made.metrics.publish()
    found = samples(world.metrics.families)
    assert (found["old_files"]["main", "orphan"], found["old_bytes"]["main", "orphan"]) == (1, 400)
    assert (found["old_bytes"]["", "log"], found["taken_bytes"]) == (7, {("main",): 0, ("",): 0})
    assert found["cleanup_timestamp_seconds"] == {}
    packed = replace(world.old_transcripts.there[0], path=Path(f"{path}.gz"), is_packed=True)
    world.old_transcripts.there = [packed]
    made.run(Cleanup(agent.ref, takes_uncaptured=True))
    made.metrics.publish()
    found = samples(world.metrics.families)
    assert (found["taken_files"]["main",], found["taken_bytes"]["main",]) == (1, 400)
    assert found["cleanup_timestamp_seconds"] == {("main",): NOW.timestamp()}
    world.sessions.hold(row("agent:main:main"), left_out={"unreadable": 1})
    made.metrics.publish()
    assert ("main", "orphan") not in samples(world.metrics.families)["old_files"]


def test_nobody_is_told_who_does_not_listen(world: World) -> None:
    world.metrics.is_wanted = False
    end = publish_metrics(Engine(world.ports, SETTINGS), threading.Event())
    assert (end.status, world.metrics.families) == ("skipped", ())


@pytest.fixture
def world() -> World:
    return World()


FAMILIES = (
    Family("memconsole_sessions", "Live sessions", ("agent",), [(('a"b\\c\n',), 2.0)]),
    Family("memconsole_gateway_up", "Whether it answers", (), [((), 1.0)]),
)
TEXT = """\
# HELP memconsole_sessions Live sessions
# TYPE memconsole_sessions gauge
memconsole_sessions{agent="a\\"b\\\\c\\n"} 2.0
# HELP memconsole_gateway_up Whether it answers
# TYPE memconsole_gateway_up gauge
memconsole_gateway_up 1.0
"""


def test_the_file_is_replaced_whole_and_may_be_read(tmp_path: Path) -> None:
    path = tmp_path / "memconsole.prom"
    (tmp_path / ".memconsole-4194305-0123456789ab.tmp").touch()  # of a killed run: no such process
    made = PrometheusMetrics(path, 0)
    made.publish(FAMILIES)
    made.publish(FAMILIES)
    assert path.read_text() == TEXT
    assert path.stat().st_mode & 0o777 == 0o644
    assert [one.name for one in tmp_path.glob("*.*")] == ["memconsole.prom"]


def test_the_endpoint_is_on_this_host_only() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    made = PrometheusMetrics(None, port)
    made.publish(())
    made.publish(FAMILIES)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            assert answer.read().decode() == TEXT
        address = f"http://127.0.0.1:{port}/metrics?name[]="
        with urllib.request.urlopen(address + "memconsole_gateway_up", timeout=10) as answer:
            assert answer.read().decode() == "".join(TEXT.splitlines(keepends=True)[3:])
        with urllib.request.urlopen(address + "x", timeout=10) as answer:
            assert answer.read() == b""
        assert made._server is not None  # noqa: SLF001, RUF100
        assert made._server[0].server_address[0] == "127.0.0.1"
        with pytest.raises(StateError, match="in use"):
            PrometheusMetrics(None, port).publish(FAMILIES)
    finally:
        made.close()


def test_a_folder_that_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"memconsole\.prom: no such file"):
        PrometheusMetrics(tmp_path / "none" / "memconsole.prom", 0).publish(FAMILIES)


def test_off_is_the_default() -> None:
    assert not PrometheusMetrics(SETTINGS.metrics.textfile, SETTINGS.metrics.port).is_wanted
    assert SETTINGS.metrics.interval == timedelta(minutes=1)


def test_a_host_tells_how_its_publishing_goes_and_one_in_no_fleet_does_not(
    world: World,
) -> None:
    made = Engine(world.ports, SETTINGS)
    made.metrics.publish()
    assert "fleet_up" not in samples(world.metrics.families)
    before = NOW - timedelta(seconds=90)
    standing = Standing("away", before, NOW, before, "refused", 3, {"checkpoint answered": 2})
    world.fleet_standing.write(standing.text())
    made.metrics.publish()
    found = samples(world.metrics.families)
    assert found["fleet_up"] == {(): 0}
    assert found["fleet_last_publish_seconds"] == {(): 90}
    assert found["fleet_owed_rows"] == {(): 3}
    assert found["fleet_commands_total"] == {("checkpoint", "answered"): 2}
    world.fleet_standing.write(standing._replace(at=NOW - timedelta(hours=1)).text())
    made.metrics.publish()
    assert samples(world.metrics.families)["fleet_up"] == {}  # nobody publishes: nobody knows
