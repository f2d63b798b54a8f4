"""The room of the first screen: which columns, which panels, and what the title keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.ui.drawing.listing import text_row
from memconsole.ui.drawing.spans import Role
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


@pytest.mark.parametrize(
    ("width", "headings"),
    [
        (60, "session tokens next"),
        (80, "agent session fill tokens saved next"),
        (200, "session fill tokens saved heard next does grows window 8 hours"),
    ],
)
async def test_columns_come_with_the_width_and_go_in_a_fixed_order(
    engine: FakeEngine, width: int, headings: str
) -> None:
    async with at_work(engine, (width, 40 if width > 100 else 24)) as desk:
        heading = desk.text("sessions").split("\n")[1]
        text = desk.text("sessions")

    assert " ".join(heading.strip("│┃").split()) == headings
    assert "Ada (phone)" in text
    assert "312.0K suspect" in text


async def test_the_gauge_is_behind_the_name_where_both_have_no_room(engine: FakeEngine) -> None:
    async with at_work(engine, (60, 20)) as desk:
        [main] = [line for line in desk.pane("sessions").lines if "DUE" in _text(line)]

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
        assert desk.pane("memory").size.width == COMPACT[0]
        await desk.press("4")
        assert desk.pane("search").size == (COMPACT[0], 3)
        await desk.press("5")
        assert (desk.pane("memory").size.width, desk.pane("journal").size.width) == (0, 80)


async def test_the_panels_below_one_list_are_of_the_agent_under_its_cursor(
    engine: FakeEngine,
) -> None:
    async with at_work(engine, COMPACT) as desk:
        assert "3 Memory · main" in desk.text("memory")
        await desk.press(*["j"] * 5)
        assert "3 Memory · work" in desk.text("memory")
        assert "c checkpoint work " in desk.bar("keys")
        await desk.press("1", "k", "enter")
        assert desk.focus == "sessions"
        assert desk.cursor("sessions") == desk.pane("sessions").place.rows[0].key


@pytest.mark.parametrize(
    ("width", "title"),
    [
        (
            120,
            "/home/operator/.openclaw gateway ○ not asked scheduler ● next checkpoint 14:32",
        ),
        (80, "memconsole gateway ○ not asked scheduler ● next checkpoint 14:32 14:20"),
        (60, "memconsole gw ○ not asked sch ● checkpoint 14:32 14:20"),
        (40, "memconsole gw ○ sch ● 14:20"),
        (24, "memconsole gw ○ sch ●"),
    ],
)
async def test_the_home_goes_first_from_the_title_and_the_machinery_never(
    engine: FakeEngine, width: int, title: str
) -> None:
    async with at_work(engine, (width, 24)) as desk:
        assert title in " ".join(desk.bar("title").split())


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


@pytest.mark.parametrize("size", [(120, 40), (120, 30), (160, 50), COMPACT, (60, 20)], ids=str)
async def test_the_keys_stand_in_the_last_line_however_many_findings_there_are(
    engine: FakeEngine, size: tuple[int, int]
) -> None:
    async with at_work(engine, size) as desk:
        assert desk.picture().split("\n")[size[1] - 1].startswith(" c ")
        await desk.press("z", "z")
        assert desk.picture().split("\n")[size[1] - 1].startswith(" c ")
