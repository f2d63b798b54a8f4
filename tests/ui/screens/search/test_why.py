"""Why an agent does not see a note, as an operator finds out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Severity
from memconsole.domain.snapshot.snapshot import Attention
from memconsole.errors import GatewayUnavailableError
from tests.ui import sample
from tests.ui.driving import WIDE, Desk, at_work
from tests.ui.sample_why import why_engine

if TYPE_CHECKING:
    from tests.ui.fake_engine import FakeEngine

THING = "that database thing"


@pytest.fixture
def engine() -> FakeEngine:
    return why_engine()


async def open_why(desk: Desk) -> None:
    await desk.press("a", "o", *THING, "tab", "a", "w")
    assert desk.screen == "why"


async def test_each_note_has_both_ranks_its_reason_and_what_would_help(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await open_why(desk)
        assert engine.requests[-1].is_explained
        assert not engine.requests[-1].is_typing
        notes = desk.text("list")
        assert "the agent finds 0 of 3" in notes
        assert "main: rules of 2026.9" in notes
        assert "least score 0.35" in notes
        lines = [line.replace("▸", " ") for line in notes.splitlines() if ".md:" in line]
        assert [line.split()[1:3] for line in lines] == [["1", "none"], ["2", "?"], ["3", "none"]]
        assert "too old" in lines[0]
        assert "its vectors are not ours to ask" in lines[1]
        assert "not indexed" in lines[2]
        reason = desk.text("reason")
        assert "memory/2026-01-20.md, lines 12 to 15" in reason
        assert "not found" in reason
        assert "too old: 97 days leave 11% of its score" in reason
        assert "Write what must last into MEMORY.md" in reason
        assert "96.9 days leave 11% of its score" in reason
        await desk.press("j")
        assert "not known; 0.09 alike is enough" in desk.text("reason")
        assert "0.97, place 1 by words" in desk.text("reason")
        await desk.press("k", "a", "a")
        assert engine.asked_agents == [THING]
        assert "the agent finds 1 of 3" in desk.text("list")
        assert "gateway" in desk.text("list")
        await desk.press("j")
        assert "rank 2, score 0.47" in desk.text("reason")


async def test_the_attention_line_knows_whose_notes_came_late(engine: FakeEngine) -> None:
    late = Attention(Severity.WARNING, "x", "main has none", "", "main", command="checkpoint")
    engine.reading = replace(sample.usual(), attention=(late,))
    async with at_work(engine, WIDE) as desk:
        await desk.press("a", "o", *THING, "tab")
        engine.gate.clear()
        await desk.pilot.press("a", "w")
        while desk.screen != "why" or ". then c saves it" not in desk.bar("attention"):
            await desk.pilot.pause()
        engine.gate.set()
        await desk.settle()
        assert "   c saves it" in desk.bar("attention")


async def test_a_gateway_that_does_not_answer_leaves_what_is_known(engine: FakeEngine) -> None:
    engine.answers = GatewayUnavailableError("nobody listens", "Start it.")
    async with at_work(engine, WIDE) as desk:
        await open_why(desk)
        await desk.press("a", "a")
        assert "nobody listens" in desk.bar("keys")
        assert "too old" in desk.text("list")


async def test_a_note_opens_at_its_line_and_escape_comes_back(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await open_why(desk)
        await desk.press("enter")
        assert desk.screen == "memory"
        for screen in ("why", "search"):
            await desk.press("escape")
            assert desk.screen == screen
        await desk.press("colon", *"why")
        assert "Why its agent does not see a note" in desk.picture()


async def test_without_a_search_there_is_nothing_to_explain(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("a", "o", "escape", "a", "w")
        assert desk.screen != "why"
