"""The health screen: checks and findings, the ill ones first, and one in full."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.config_finding import ConfigReport, Finding
from memconsole.domain.health import Check, CheckStatus, HealthReport
from memconsole.domain.snapshot import Severity
from memconsole.errors import HomeUnreadableError
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, at_work
from tests.ui.pictures import SIZES, SnapCompare, same_picture

if TYPE_CHECKING:
    from tests.ui.fake_engine import FakeEngine

CHECKS = (
    Check("gateway", CheckStatus.OK, "the Gateway 2026.9.6 answers"),
    Check("cron-errors", CheckStatus.UNKNOWN, "no record of scheduled runs is readable"),
    Check(
        "outputs-freshness",
        CheckStatus.WARNING,
        "behind: ACTIVE_CONTEXT.md of [research]",
        value=7.5,
        limit=6,
        hint="`memconsole checkpoint` renews it.",
        since=sample.NOW - timedelta(hours=3),
        details=({"agent": "research", "age_hours": 7.5, "left": None},),
    ),
)
FINDINGS = (
    Finding(
        "compaction-mode",
        Severity.CRITICAL,
        "compaction only truncates",
        key="agents.defaults.compaction.mode",
        current="default",
        recommended="safeguard",
    ),
)


@pytest.fixture
def engine(engine: FakeEngine) -> FakeEngine:
    engine.health_report = HealthReport(CHECKS, sample.NOW)
    engine.config_report = ConfigReport(FINDINGS, "/home/op/.openclaw/openclaw.json", "2026.9.6")
    return engine


async def test_what_is_ill_comes_first_with_what_to_do(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("h")
        assert desk.screen == "health"
        text = desk.text("checks")
        assert text.index("outputs-freshness") < text.index("cron-errors") < text.index("gateway ")
        assert "1 check of 3 ill, 1 could not be looked at" in text
        full = " ".join(desk.text("one").split())
        assert "behind: ACTIVE_CONTEXT.md of [research]" in full
        assert "do `memconsole checkpoint` renews it." in full
        assert "agent research, age_hours 7.5" in full
        await desk.press("escape")
        assert desk.screen == "overview"


async def test_findings_say_what_would_be_better(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("h", "2")
        full = " ".join(desk.text("one").split())
        assert "key agents.defaults.compaction.mode" in full
        assert "now default" in full
        assert "better safeguard" in full


async def test_who_could_not_look_says_so(engine: FakeEngine) -> None:
    engine.config_report = HomeUnreadableError("/home/op", "no permission")
    async with at_work(engine, COMPACT) as desk:
        await desk.press("h")
        assert "none of the session stores in /home/op can be read" in " ".join(
            desk.text("findings").split()
        )


@SIZES
def test_picture(snap_compare: SnapCompare, engine: FakeEngine, size: tuple[int, int]) -> None:
    assert same_picture(snap_compare, engine, size, "h")
