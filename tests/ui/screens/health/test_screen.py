"""The health screen: checks and findings, the ill ones first, and one in full."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Severity
from memconsole.domain.alerts import AlertStatus, OpenAlert
from memconsole.domain.config_check.finding import ConfigReport, Finding
from memconsole.domain.health import Check, CheckStatus, HealthReport
from memconsole.domain.memory.secrets import FoundSecret, SecretsFound, Spot
from memconsole.errors import EntryIdError, HomeUnreadableError
from memconsole.ui.screens.health.screen import MUTED_FOR
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, at_work
from tests.ui.fake_engine import settings
from tests.ui.pictures import SIZES, SnapCompare, same_picture

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class Secrets:
    """Finds the same secrets at every look, and counts the looks."""

    def __init__(self) -> None:
        self.looks = 0

    def find(self) -> SecretsFound:
        self.looks += 1
        seen = sample.NOW - timedelta(hours=2)
        spots = (("MEMORY.md", 7), ("notes/a key.md", 3), ("memory/token.md", 0))
        found = (
            FoundSecret("main", path, seen, spot=Spot(line, "token", "the key is [redacted:token]"))
            for path, line in spots
        )
        return SecretsFound(tuple(found), (), files=12)


def ids_of(agent_id: str, names: Sequence[str]) -> tuple[str, ...]:
    """Know the entry of one line."""
    if names != ["MEMORY.md:7"]:
        raise EntryIdError(f"{agent_id}: {names[0]} is part of no entry")
    return ("m-1a2b3c4d",)


async def test_the_check_secrets_opens_where_they_stand_and_forgets_a_line_after_its_plan(
    engine: FakeEngine,
) -> None:
    secrets = Secrets()
    engine.secrets = secrets  # type: ignore[assignment]
    engine.memory.ids_of = ids_of  # type: ignore[method-assign]
    found = Check("secrets", CheckStatus.WARNING, "3 secrets in memory files")
    engine.health_report = HealthReport((found,), sample.NOW)
    async with at_work(engine) as desk:
        await desk.press("h")
        assert secrets.looks == 0  # files are read whole for it: only who asks pays
        await desk.press("enter")
        text = desk.text("one")
        assert "3 in 12 memory files" in text
        assert all(word in text for word in ("MEMORY.md:7", "the key is [redacted:token]", "2h"))
        await desk.press("j", "a", "D")
        assert "notes/a key.md:3 is part of no entry" in desk.bar("keys")
        await desk.press("j", "a", "D")
        assert "it stands in the file's name" in desk.bar("keys")
        await desk.press("g", "a", "D")
        assert "memconsole memory forget m-1a2b3c4d --agent main" in desk.text("dialog")
