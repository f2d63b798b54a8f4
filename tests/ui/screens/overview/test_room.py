"""The room of the first screen: which columns, which panels, and what the title keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.ui.drawing.listing import text_row
from memconsole.ui.drawing.spans import Role
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.widgets.place import Place
from tests.ui import sample
from tests.ui.driving import COMPACT, at_work
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    from memconsole.ui.drawing.spans import Line

pytestmark = pytest.mark.usefixtures("engine")


async def test_a_session_says_when_it_was_saved_and_heard_and_what_comes_next(
    engine: FakeEngine,
) -> None:
    async with at_work(engine) as desk:
        lines = desk.text("sessions").split("\n")

    assert lines[1].split()[1:7] == ["session", "fill", "tokens", "saved", "heard", "next"]
    [main] = [line for line in lines if "DUE" in line]
    assert " ".join(main.split()).endswith("151.2K DUE 26m 3m compacts 3h │")


COLUMNS = {
    (60, 24): "session tokens next",
    (80, 24): "agent session fill tokens saved next",
    (200, 40): "session fill tokens saved heard next does grows window 8 hours",
}
TITLES = {
    120: "/home/operator/.openclaw gateway ○ not asked scheduler ● next checkpoint 14:32",
    80: "memconsole gateway ○ not asked scheduler ● next checkpoint 14:32 14:20",
    60: "memconsole gw ○ not asked sch ● checkpoint 14:32 14:20",
    40: "memconsole gw ○ sch ● 14:20",
    24: "memconsole gw ○ sch ●",
}


async def test_each_width_has_its_columns_its_title_and_keys_in_the_last_line(
    engine: FakeEngine,
) -> None:
    async with at_work(engine) as desk:
        await desk.press("2")
        for size, headings in COLUMNS.items():
            await desk.resize(*size)
            text = desk.text("sessions")
            assert " ".join(text.split("\n")[1].strip("│┃").split()) == headings
            assert "Ada (phone)" in text
            assert "312.0K suspect" in text
        for width, title in TITLES.items():
            await desk.resize(width, 24)
            assert title in " ".join(desk.bar("title").split())
        for size in ((120, 40), (120, 30), (160, 50), COMPACT, (60, 20)):
            await desk.resize(*size)
            for keys in ((), ("z", "z")):
                await desk.press(*keys)
                assert desk.picture().split("\n")[size[1] - 1].startswith(" c ")
        [main] = [line for line in desk.pane("sessions").lines if "DUE" in _text(line)]

    # The gauge is behind the name where both have no room.
    roles = [span.role for span in main if span.text.startswith("main")]
    assert roles == [Role.DUE_FILL]


def _text(line: Line) -> str:
    return "".join(span.text for span in line)


async def test_agents_and_sessions_stand_in_the_order_of_their_danger() -> None:
    usual = sample.usual()
    engine = FakeEngine(replace(usual, agents=usual.agents[::-1], sessions=usual.sessions[::-1]))
    async with at_work(engine, COMPACT) as desk:
        rows = desk.pane("sessions").place.rows
        assert "main/agent:main:main/" in rows[0].key
        await desk.press("1")
        agents = [row.key for row in desk.pane("agents").place.rows]

    assert agents == ["main", "work", "research", "*"]


async def test_a_small_terminal_has_one_list_and_one_lower_panel(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        assert desk.focus == "sessions"
        assert "2 Sessions · all agents" in desk.text("sessions")
        assert desk.pane("agents").size.width == 0
        assert "5 Journal" in desk.text("journal")  # what happened last needs no key
        assert (desk.pane("memory").size.width, desk.pane("journal").size.width) == (0, 80)
        await desk.press("4")
        assert desk.pane("search").size == (COMPACT[0], 3)
        await desk.press("3")
        assert (desk.pane("memory").size.width, desk.pane("journal").size.width) == (80, 0)


async def test_the_panels_below_one_list_are_of_the_agent_under_its_cursor(
    engine: FakeEngine,
) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("3", "2")
        assert "3 Memory · main" in desk.text("memory")
        await desk.press(*["j"] * 5)
        assert "3 Memory · work" in desk.text("memory")
        assert "c checkpoint work " in desk.bar("keys")
        await desk.press("1", "k", "enter")
        assert desk.focus == "sessions"
        assert desk.cursor("sessions") == desk.pane("sessions").place.rows[0].key


@pytest.mark.parametrize("size", [(120, 40), COMPACT])
async def test_a_panel_that_is_maximised_stands_alone(
    engine: FakeEngine, size: tuple[int, int]
) -> None:
    async with at_work(engine, size) as desk:
        for number in "54321":
            await desk.press(number, "z")
            seen = [one.id for one in desk.app.screen.query(Pane) if one.size.height]
            assert seen == [desk.focus]
            assert desk.pane(desk.focus or "").size.width == size[0]
            await desk.press("z")


async def test_what_is_due_stays_in_view_while_the_rest_scrolls() -> None:
    crowd = sample.crowd()
    due = sample.view(sample.stored("agent-07", "main", 70), sample.fresh(160_000))
    sessions = (due, *(one for one in crowd.sessions if one.key_text != due.key_text))
    async with at_work(FakeEngine(replace(crowd, sessions=sessions)), COMPACT) as desk:
        await desk.press("G")
        text = desk.text("sessions")
        assert "160.0K DUE" in text
        assert desk.pane("sessions").place.offset > 100
        await desk.press("g")
        assert "agent-07" in (desk.cursor("sessions") or "")


@pytest.mark.parametrize("line", [0, 1, 2, 3, 4, 5])
def test_a_click_takes_the_row_that_is_drawn_there(line: int) -> None:
    rows = tuple(text_row(str(number), value=str(number)) for number in range(50))
    place = Place(pinned=2, height=6)
    place.take(rows)
    place.move(30)
    assert place.at(line) == place.view[line]
    assert [row.key for row in place.view] == ["0", "1", "27", "28", "29", "30"]


def test_the_worst_rows_are_in_view_until_somebody_moves() -> None:
    rows = tuple(text_row(str(number), value=str(number)) for number in range(50))
    place = Place(height=3)
    place.take(rows[7:9])
    place.take(rows)  # worse ones came, above the cursor
    assert [row.key for row in place.view] == ["5", "6", "7"]
    place.resize(10)
    assert place.view[0].key == "0"
    place.move(20)
    place.resize(5)
    place.resize(10)
    assert place.view[0].key == "23"  # where somebody was, it stays
