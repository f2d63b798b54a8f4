"""Consolidation: proposals are accepted or declined one by one, and what decayed is archived."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memconsole.domain.commands.consolidate import Consolidate
from memconsole.domain.commands.memory import Decline, Promote
from memconsole.domain.commands.outcomes import Failed, Planned
from memconsole.domain.memory.observations import Priority
from memconsole.errors import HomeUnreadableError
from memconsole.text.markdown import quote_line
from tests.ui.driving import COMPACT, WIDE, Desk, at_work, words
from tests.ui.fake_engine import FakeEngine
from tests.ui.pictures import SIZES, SnapCompare, same_picture
from tests.ui.sample_consolidation import (
    DAY,
    DISK,
    MAIN,
    PREVIEW,
    STRONG,
    SYNC,
    decayed,
    proposal,
)
from tests.ui.sample_details import furnish


@pytest.fixture
def engine(engine: FakeEngine) -> FakeEngine:
    engine.consolidated = PREVIEW
    return engine


async def opened(desk: Desk) -> None:
    """Go to the consolidation of main."""
    await desk.press("m", "o")
    assert desk.screen == "consolidation"


async def test_proposals_are_accepted_and_declined_line_by_line(engine: FakeEngine) -> None:
    plan = Planned(Promote(MAIN, (DISK.id,), dry_run=True), "would add 1 line to MEMORY.md")
    engine.outcomes["memory promote --dry-run"] = plan
    async with at_work(engine, WIDE) as desk:
        await opened(desk)
        proposals = words(desk.text("proposals"))
        assert f"{DISK.id} 0.85" in proposals
        assert "[bold]Mira[/bold] orders disks" in proposals
        assert "searches are remembered since 3 days only" in proposals
        full = words(desk.text("one"))
        assert "found 8 times by 5 questions on 3 days, last 5 h ago" in full
        assert f"stands in {DAY}:1" in full
        assert "relevance" in full
        await desk.press("a", "a")
        assert "would add 1 line to MEMORY.md" in desk.text("dialog")
        assert engine.done == []
        await desk.press("y", "escape")
        assert engine.done == [Promote(MAIN, (DISK.id,))]
        await desk.press("space", "space", "a", "x", "escape")
        assert engine.done[1:] == [Decline(MAIN, (DISK.id, SYNC.id))]
        await desk.press("a", "u")
        assert "Undo main" in desk.text("dialog")


async def test_a_line_is_shown_as_it_was_said(engine: FakeEngine) -> None:
    said = "[DECISION] keep `a_b` *twice*"
    engine.consolidated = replace(
        PREVIEW,
        archived=(decayed(1, Priority.LOW, quote_line(said), 0.0),),
        proposals=(proposal(DISK, f"- {quote_line(said)}", STRONG),),
    )
    async with at_work(engine, WIDE) as desk:
        await opened(desk)
        assert f"would add   - {said}" in desk.text("one")
        assert f"- {said}" in desk.text("proposals")
        await desk.press("2")
        assert said in desk.text("archive")
        assert f"text        {said}" in desk.text("one")


async def test_what_was_shown_is_archived_or_nothing(engine: FakeEngine) -> None:
    engine.outcomes["consolidate"] = Failed(
        Consolidate(MAIN, PREVIEW.shown),
        "changed-since",
        "observations.md was changed since it was shown",
    )
    async with at_work(engine, COMPACT) as desk:
        await opened(desk)
        await desk.press("2")
        archive = words(desk.text("archive"))
        assert "6.2K → 4.1K of 5K" in archive
        assert "low 0.0 12 event The tea was cold" in archive
        assert "stays, high weight: Two keys" in archive
        assert "importance 6 of 10, 0.0 left" in words(desk.text("one"))
        await desk.press("a", "A")
        assert "Consolidate main" in desk.text("dialog")
        await desk.press("y")
        assert engine.done == [Consolidate(MAIN, PREVIEW.shown)]
        assert "was changed since it was shown" in desk.text("dialog")


async def test_what_cannot_be_done_says_why(engine: FakeEngine) -> None:
    engine.consolidated = replace(PREVIEW, archived=(), high=(), proposals=())
    async with at_work(engine, COMPACT) as desk:
        await opened(desk)
        assert "no note was found again often enough" in words(desk.text("proposals"))
        for key, said in (
            ("a", "select a proposal first"),
            ("x", "select a proposal first"),
            ("A", "no observation has decayed far enough to be archived"),
        ):
            await desk.press("a", key)
            assert said in desk.bar("keys")
        engine.consolidated = HomeUnreadableError("/home/op", "no permission")
        await desk.press("escape", "o")
        assert "none of the session stores" in words(desk.text("proposals"))


async def test_read_only_dims_everything() -> None:
    engine = FakeEngine(ui={"read_only": True})
    furnish(engine)
    engine.consolidated = PREVIEW
    async with at_work(engine, COMPACT) as desk:
        await opened(desk)
        for key in ("a", "x", "A", "u"):
            await desk.press("a", key)
            assert "memconsole runs read-only" in desk.bar("keys")
        assert engine.commands == []


@SIZES
@pytest.mark.parametrize("keys", [("m", "o"), ("m", "o", "2")], ids=["proposals", "archive"])
def test_picture(
    snap_compare: SnapCompare, engine: FakeEngine, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    assert same_picture(snap_compare, engine, size, *keys)


def test_picture_in_ascii(snap_compare: SnapCompare) -> None:
    engine = FakeEngine(ui={"ascii": True})
    furnish(engine)
    engine.consolidated = PREVIEW
    assert same_picture(snap_compare, engine, (80, 24), "m", "o")
