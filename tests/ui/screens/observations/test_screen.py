"""The observations screen: what is shown, what is left out, and what keys do there."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.memory.observation_log import add
from memconsole.domain.memory.observations import (
    OBSERVATIONS,
    Kind,
    Observation,
    ObservationLog,
    Priority,
)
from memconsole.text.markdown import quote_line
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, at_work

if TYPE_CHECKING:
    from tests.ui.fake_engine import FakeEngine

TODAY = sample.NOW.date()


@pytest.fixture
def engine(engine: FakeEngine) -> FakeEngine:
    engine.texts[OBSERVATIONS] = add(
        ObservationLog(),
        [
            Observation(
                Priority.HIGH,
                "Two keys for every [deployment]",
                TODAY - timedelta(2),
                "14:05",
                Kind.RULE,
                8.0,
                id="o-1",
                extra=("mc:conflict=o-2",),
            ),
            Observation(
                Priority.MEDIUM, "One key for small ones", TODAY, "09:00", Kind.DECISION, id="o-2"
            ),
            Observation(Priority.LOW, "The tea was cold", TODAY, None, Kind.EVENT, id="o-3"),
        ],
    ).text
    return engine


async def test_the_newest_day_comes_first_and_one_is_shown_in_full(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("w")
        assert desk.screen == "observations"
        text = desk.text("list")
        assert text.index("One key for small ones") < text.index("Two keys for every [deployment]")
        assert "3 · " in text
        await desk.press("G")
        assert "contradicts One key for small ones" in " ".join(desk.text("one").split())
        assert "8 of 10" in desk.text("one")
        await desk.press("escape")
        assert desk.screen == "overview"


async def test_keys_choose_what_is_shown(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("w", "a", "p")
        assert "Two keys" in desk.text("list")
        assert "The tea" not in desk.text("list")
        await desk.press("a", "p", "a", "p")
        assert "The tea was cold" in desk.text("list")
        await desk.press("a", "p", "a", "t")
        assert "1 of 3 · decision" in desk.text("list")
        await desk.press(*["a", "t"] * 5)
        assert "nothing of that kind" in desk.text("list")
        await desk.press(*["a", "t"] * 3, "a", "x")
        assert "Two keys" in desk.text("list")
        assert "One key" not in desk.text("list")
        await desk.press("a", "x")
        assert "3 · " in desk.text("list")


async def test_commands_act_on_the_agent(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("w", "F")
        assert desk.screen == "action"
        assert "Reflect" in desk.text("dialog")


async def test_a_line_is_shown_as_it_was_said(engine: FakeEngine) -> None:
    said = "[DECISION] `a_b` *twice* at C:\\temp"
    lines = [
        Observation(Priority.LOW, quote_line(said), TODAY, id="o-1"),
        Observation(Priority.LOW, "Never", TODAY, id="o-2", extra=("mc:conflict=o-1",)),
    ]
    engine.texts[OBSERVATIONS] = add(ObservationLog(), lines).text
    assert said not in engine.texts[OBSERVATIONS]
    async with at_work(engine, WIDE) as desk:
        await desk.press("w")
        assert said in desk.text("list")
        assert f"text        {said}" in desk.text("one")
        await desk.press("y")
        assert desk.app.clipboard == said
        await desk.press("j")
        assert f"contradicts {said}" in desk.text("one")


async def test_no_file_is_no_failure(engine: FakeEngine) -> None:
    engine.texts.pop(OBSERVATIONS)
    async with at_work(engine, WIDE) as desk:
        await desk.press("w")
        assert "no observations yet" in desk.text("list")
