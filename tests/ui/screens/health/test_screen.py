"""The health screen: checks and findings, the ill ones first, and one in full."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Severity
from memconsole.domain.alerts import AlertStatus, OpenAlert
from memconsole.domain.config_check.finding import ConfigReport, Finding
from memconsole.domain.health import Check, CheckStatus, HealthReport
from memconsole.errors import HomeUnreadableError
from memconsole.ui.screens.health.screen import MUTED_FOR
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, at_work
from tests.ui.fake_engine import settings
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


def alert_status(told_min: int | None = 12, muted: timedelta | None = None) -> AlertStatus:
    """Return the alert of the check that is ill."""
    ill = CHECKS[2]
    told = None if told_min is None else sample.NOW - timedelta(minutes=told_min)
    return AlertStatus(
        OpenAlert(ill.id, ill.status, ill.message, ill.hint, sample.NOW, sample.NOW),
        told_at=told,
        again_at=None if told is None else told + timedelta(minutes=30),
        muted_until=None if muted is None else sample.NOW + muted,
    )


@pytest.fixture
def engine(engine: FakeEngine) -> FakeEngine:
    engine.standings = (alert_status(),)
    engine.health_report = HealthReport(CHECKS, sample.NOW)
    engine.config_report = ConfigReport(FINDINGS, "/home/op/.openclaw/openclaw.json", "2026.9.6")
    return engine


async def test_what_is_ill_comes_first_with_what_to_do(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("h")
        assert desk.screen == "health"
        text = desk.text("checks")
        assert text.index("outputs-freshness") < text.index("cron-errors") < text.index("gateway ")
        assert "1 check of 3 failed, 1 could not be looked at" in text
        full = " ".join(desk.text("one").split())
        assert "behind: ACTIVE_CONTEXT.md of [research]" in full
        assert "do `memconsole checkpoint` renews it." in full
        assert "agent research, age_hours 7.5" in full
        await desk.press("escape")
        assert desk.screen == "overview"


async def test_when_people_are_told_again_stands_beside_the_check(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("h")
        [row] = [line for line in desk.text("checks").splitlines() if "outputs" in line]
        assert "18 min" in row
        full = " ".join(desk.text("one").split())
        assert "told 12 min ago" in full
        assert "again in 18 min" in full


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (alert_status(None), "told nobody was told yet"),
        (alert_status(45), "again with the next look"),
        (alert_status(muted=timedelta(hours=8)), "muted for 8 h more, unless it gets worse"),
    ],
)
async def test_what_is_known_of_an_alert_in_full(
    engine: FakeEngine, one: AlertStatus, words: str
) -> None:
    engine.standings = (one,)
    async with at_work(engine, WIDE) as desk:
        await desk.press("h")
        assert words in " ".join(desk.text("one").split())


async def test_an_alert_is_muted_for_a_day_and_told_again(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("h", "a", "x")
        assert [one.muted_until for one in engine.standings] == [sample.NOW + MUTED_FOR]
        assert "muted" in desk.text("checks")
        assert "nobody is told of outputs-freshness" in desk.bar("keys")
        assert "memconsole alerts mute outputs-freshness" in desk.bar("keys")
        await desk.press("a", "x")
        assert [one.muted_until for one in engine.standings] == [None]
        assert "memconsole alerts unmute outputs-freshness" in desk.bar("keys")
        await desk.press("j", "a", "x")
        assert "there is no open alert under the cursor" in desk.bar("keys")


async def test_nothing_is_muted_read_only(engine: FakeEngine) -> None:
    engine.settings = settings(read_only=True)
    async with at_work(engine, WIDE) as desk:
        await desk.press("h", "a", "x")
        assert "read-only" in desk.bar("keys")
        assert engine.standings[0].muted_until is None


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
