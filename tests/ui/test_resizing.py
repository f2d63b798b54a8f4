"""Another size of the terminal: what was selected stays selected, in both directions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.memory.observation_log import add
from memconsole.domain.memory.observations import (
    OBSERVATIONS,
    Observation,
    ObservationLog,
    Priority,
)
from tests.ui import sample
from tests.ui.driving import COMPACT, SINGLE, WIDE, Desk, at_work
from tests.ui.sample_checkpoints import captures

if TYPE_CHECKING:
    from memconsole.ui.widgets.pane import Pane
    from tests.ui.fake_engine import FakeEngine

TINY = (18, 5)
SIZES = ((60, 24), WIDE, SINGLE, (200, 50), TINY, COMPACT, (100, 30), TINY, WIDE, (80, 40))


async def through_all(desk: Desk, *, ends: tuple[int, int]) -> None:
    """Give the terminal many sizes, one after the other."""
    for size in (*SIZES, ends):
        await desk.resize(*size)


@pytest.mark.parametrize("steps", [0, 1, 3, 5])
async def test_the_session_under_the_cursor_stays_selected(engine: FakeEngine, steps: int) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press(*["j"] * steps)
        chosen = desk.cursor("sessions")
        assert chosen is not None
        aim = desk.bar("keys").split("  ")[0]
        await desk.resize(*WIDE)
        assert desk.cursor("sessions") == chosen
        assert desk.cursor("agents") == chosen.split("/")[0]
        assert desk.bar("keys").split("  ")[0][:20] == aim[:20]
        for size in SIZES:
            await desk.resize(*size)
            assert desk.cursor("sessions") == chosen


async def test_the_session_of_an_agent_stays_selected_in_the_list_of_all(
    engine: FakeEngine,
) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("1", "j", "2", "j")
        chosen = desk.cursor("sessions")
        assert chosen is not None
        assert chosen != desk.pane("sessions").place.rows[0].key
        await through_all(desk, ends=COMPACT)
        assert desk.cursor("sessions") == chosen
        assert desk.focus == "sessions"


async def test_the_agent_under_the_cursor_stays_selected(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("1", "j")
        chosen = desk.cursor("agents")
        assert chosen is not None
        assert not (desk.cursor("sessions") or "").startswith(chosen)
        await through_all(desk, ends=WIDE)
        assert (desk.focus, desk.cursor("agents")) == ("agents", chosen)
        await desk.press("G")
        await through_all(desk, ends=WIDE)
        assert desk.cursor("agents") == "*"
        assert "all agents" in desk.text("sessions")


WORDS = " ".join(f"word{number}" for number in range(400))
PAGES = {
    "a message": (("2", "enter"), "messages"),
    "a file": (("m", "2"), "file"),
    "a finding": (("exclamation_mark", "2"), "one"),
    "changes": (("d", "2"), "changes"),
    "an observation": (("w", "2"), "one"),
}


@pytest.mark.parametrize("page", PAGES)
async def test_the_words_under_the_cursor_stay_where_lines_are_broken_anew(
    engine: FakeEngine, page: str
) -> None:
    """Text is broken for each width: the line that has the cursor goes on saying the same."""
    keys, name = PAGES[page]
    fill_with_words(engine)
    async with at_work(engine, (60, 40)) as desk:
        await desk.press(*keys)
        pane = desk.pane(name)
        rows = [row for row in pane.place.rows if "word" in row.cells[0].text]
        long = rows[len(rows) // 2]
        pane.select(long.key)
        thing = pane.row.value if pane.row else ""
        for size in ((200, 40), (60, 40), (120, 40), (70, 40)):
            await desk.resize(*size)
            assert pane.row is not None
            if name == "file":
                assert abs(first_word(pane) - first_word_of(long.cells[0].text)) < 40
            else:
                assert pane.row.value == thing or name == "one"
            assert "word" in pane.row.cells[0].text


def first_word(pane: Pane) -> int:
    """Return which word the line under the cursor begins with."""
    return first_word_of(pane.row.cells[0].text if pane.row else "")


def first_word_of(text: str) -> int:
    """Return the number of the first word of a line."""
    return int(text.split("word")[1].split(maxsplit=1)[0])


def fill_with_words(engine: FakeEngine) -> None:
    """Put a long paragraph between shorter ones wherever pages are shown."""
    view = engine.transcripts["agent:main:main"]
    long = replace(view.messages[0], text=WORDS)
    engine.transcripts["agent:main:main"] = replace(
        view, messages=(*view.messages[:2], long, *view.messages[2:] * 3)
    )
    for name in engine.texts:
        engine.texts[name] = f"# Memory\n\n{WORDS}\n\n- and an end\n"
    usual = sample.usual()
    found = tuple(replace(one, message=WORDS) for one in usual.attention)
    engine.reading = replace(usual, attention=found)
    newest, *others = captures()
    engine.captures = (replace(newest, block=f"{newest.block}\n{WORDS}\n"), *others)
    line = Observation(Priority.LOW, WORDS, sample.NOW.date(), id="o-1")
    engine.texts[OBSERVATIONS] = add(ObservationLog(), [line]).text


async def test_the_key_of_the_help_stays_selected_in_one_column_and_in_two(
    engine: FakeEngine,
) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("question_mark", "tab", *["j"] * 5)
        chosen = desk.cursor("more")
        await desk.resize(*COMPACT)
        assert (desk.focus, desk.cursor("dialog")) == ("dialog", chosen)
        await desk.resize(*WIDE)
        assert (desk.focus, desk.cursor("more")) == ("more", chosen)
