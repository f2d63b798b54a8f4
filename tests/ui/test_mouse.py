"""The mouse: rows, tabs, the attention line and the key line can be clicked, the wheel scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.events import MouseDown, MouseScrollDown, MouseUp

from memconsole.ui.widgets.line import Bar
from tests.ui.driving import COMPACT, WIDE, Desk, at_work

if TYPE_CHECKING:
    from tests.ui.fake_engine import FakeEngine


async def click_on(desk: Desk, line: str, words: str) -> None:
    """Click on words of a line at the top or the bottom."""
    bar = desk.app.screen.query_one(f"#{line}", Bar)
    await desk.pilot.click(offset=(desk.bar(line).index(words) + 1, bar.region.y))
    await desk.settle()


async def test_a_click_on_the_key_line_presses_the_key(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await click_on(desk, "keys", "? help")
        assert desk.screen == "help"
        await desk.press("escape")
        await click_on(desk, "keys", "R rotate")
        assert desk.screen == "action"  # no Gateway: its plan alone


async def test_a_click_on_the_attention_line_goes_to_the_finding(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("t")
        assert desk.screen == "bootstrap"
        await desk.pilot.click("#attention", offset=(4, 0))
        await desk.settle()
        assert desk.screen == "overview"


async def test_a_click_on_a_tab_shows_that_panel(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("3")
        last = desk.text("memory").splitlines()[-1]
        x = last.index("4 search") + 2
        await desk.pilot.click("#memory", offset=(x, len(desk.text("memory").splitlines()) - 1))
        await desk.settle()
        assert desk.focus == "search"
        assert desk.pane("search").size.height > 0


async def test_a_click_on_what_stands_in_place_of_the_tabs_takes_no_tab(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("5")
        lines = desk.text("journal").splitlines()
        assert "memory" in desk.pane("journal").hint
        assert "3 memory" not in lines[-1], lines[-1]  # the command line of a run stands there
        await desk.pilot.click("#journal", offset=(4, len(lines) - 1))
        await desk.settle()
        assert desk.focus == "journal"


async def test_a_click_on_a_row_selects_it_and_a_second_one_opens_it(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        lines = desk.text("sessions").splitlines()
        y = next(place for place, line in enumerate(lines) if "▸" not in line and "?" in line)
        await desk.pilot.click("#sessions", offset=(6, y))
        await desk.settle()
        assert desk.focus == "sessions"
        assert "▸" in desk.text("sessions").splitlines()[y]
        await desk.pilot.click("#sessions", offset=(6, y), times=2)
        await desk.settle()
        assert desk.screen == "session"


async def test_the_wheel_scrolls_what_does_not_fit_and_the_cursor_stays_in_view(
    engine: FakeEngine,
) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("question_mark")
        pane, before = desk.pane("dialog"), desk.text("dialog")
        # widget, x, y, by how much, button, and no key held
        pane.post_message(MouseScrollDown(pane, 3, 3, 0, 1, 0, False, False, False))
        await desk.settle()
        assert desk.text("dialog") != before
        assert "▸" in desk.text("dialog")


async def drag(desk: Desk, down: tuple[int, int], up: tuple[int, int], *, button: int = 1) -> None:
    """Put a button of the mouse down in one place of the terminal and up in another."""
    for kind, (x, y) in ((MouseDown, down), (MouseUp, up)):
        # widget, x, y, by how much, button, and no key held
        desk.app.post_message(kind(None, x, y, 0, 0, button, False, False, False))
        await desk.settle()


@pytest.mark.parametrize("size", [COMPACT, WIDE])
async def test_marking_text_with_the_mouse_does_nothing(
    engine: FakeEngine, size: tuple[int, int]
) -> None:
    async with at_work(engine, size) as desk:
        await desk.press("2")
        keys = desk.picture().splitlines()[-1]
        last = size[1] - 1
        places = [(keys.index(word) + 1, last) for word in ("c checkpoint", "R rotate")]
        await drag(desk, *places)
        await drag(desk, places[1], places[1], button=3)
        await drag(desk, places[1], places[1], button=2)
        assert desk.screen == "overview"
        chosen, x = desk.cursor("sessions"), size[0] - 20
        await drag(desk, (x, 4), (x + 5, 7))
        await drag(desk, (x, 7), (x + 9, 7))
        assert desk.cursor("sessions") == chosen
        await drag(desk, (x, 7), (x + 1, 7))
        assert desk.cursor("sessions") != chosen
        await desk.press("F")
        lines = desk.picture().splitlines()
        y = next(place for place, line in enumerate(lines) if "[ Cancel ]" in line)
        yes = lines[y].index("[ y")
        await drag(desk, (lines[y].index("[ Cancel"), y), (yes + 3, y))
        await drag(desk, (yes + 3, y - 2), (yes + 3, y))
        await drag(desk, (yes + 3, y), (yes + 3, y), button=3)
        assert desk.screen == "action"
        assert not engine.done
        await drag(desk, (yes + 3, y), (yes + 3, y))
        assert engine.done


async def test_a_click_on_a_button_answers_the_question(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("F")
        picture = desk.picture().splitlines()
        y = next(place for place, line in enumerate(picture) if "[ Cancel ]" in line)
        await desk.pilot.click(offset=(picture[y].index("[ Cancel ]") + 3, y))
        await desk.settle()
        assert desk.screen == "overview"
        assert not engine.done
