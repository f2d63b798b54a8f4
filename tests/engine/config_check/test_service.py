"""The report over a whole home: what it looks at, what it cannot, and what wants attention."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import PlatformConfig, Severity, Storage
from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from memconsole.errors import HomeUnreadableError
from tests.doubles.bundle import World
from tests.doubles.platform import talk
from tests.doubles.platform_files import PATH
from tests.engine.compaction.test_evidence import LOST, compaction
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.config_check.finding import ConfigReport
    from memconsole.domain.snapshot.snapshot import Attention

MAIN = "agent:main:main"


def world(mode: str = "safeguard", *, version: str | None = "2026.1.24-3", **more: object) -> World:
    agents = {"defaults": {"compaction": {"mode": mode}}}
    config = PlatformConfig(path=PATH, checked={"agents": agents}, last_version=version)
    made = World(config=replace(config, **more))  # type: ignore[arg-type]  # checked by name
    made.gateway.verdict = "down"
    return made


def engine(made: World) -> Engine:
    return Engine(made.ports, Settings(state_dir=Path("/state")))


def ids(report: ConfigReport) -> dict[str, Severity]:
    return {one.id: one.severity for one in report.findings}


def test_one_reading_serves_the_console_and_the_report() -> None:
    made = world()
    held = row(MAIN)
    made.sessions.hold(held)
    made.sessions.transcripts[held.session_id or ""] = [*talk("a", "b"), compaction(LOST)]
    asked = engine(made)
    report = asked.config.check(asked.snapshot())
    assert report.looked_at == 1
    assert ids(report)["compaction-evidence"] is Severity.CRITICAL
    assert report.evidence == asked.config.evidence()


def test_sessions_that_nobody_can_read_leave_the_configuration_to_be_checked() -> None:
    made = world()
    made.sessions.hold(row(MAIN), storage=Storage.UNREADABLE)
    asked = engine(made)
    report = asked.config.check()
    assert ids(report)["evidence-unread"] is Severity.WARNING
    assert ids(report)["compaction-mode"] is Severity.HIGH
    with pytest.raises(HomeUnreadableError):
        asked.config.evidence()


def test_the_release_that_runs_counts_more_than_the_one_that_wrote() -> None:
    made = world()
    made.gateway.verdict = "up"
    report = engine(made).config.check()
    assert report.release == made.gateway.version == "2026.9.6"
    assert ids(report)["compaction-mode"] is Severity.INFO


def test_without_sessions_the_configured_model_gives_the_window() -> None:
    small = world("default", windows={"stub/s": 16_000}, default_model="stub/s")
    report = engine(small).config.check()
    assert ids(report)["flush-arithmetic"] is Severity.CRITICAL
    unknown = {one.id: one for one in engine(world("default")).config.check().findings}
    assert "this is the usual one" in unknown["rotation-first"].why


def attention(made: World) -> list[tuple[str, Severity]]:
    return [(one.code, one.severity) for one in findings(made)]


def findings(made: World) -> list[Attention]:
    """Return what wants attention, but for the Gateway, which is not there."""
    return [one for one in engine(made).snapshot().attention if one.code != "gateway"]


def test_an_affected_release_wants_attention_and_an_unknown_one_does_not() -> None:
    assert attention(world()) == [("compaction-mode", Severity.HIGH)]
    assert attention(world(version=None)) == []
    assert attention(world("default")) == []
    [found] = findings(world())
    assert found.hint == "`memconsole config fix` shows what to set."
