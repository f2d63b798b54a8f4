"""The first screen: what it says, and every key of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.gateway import GatewayStatus
from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
from memconsole.errors import HomeNotFoundError
from tests.ui import sample
from tests.ui.driving import COMPACT, SINGLE, Stopwatch, at_work
from tests.ui.fake_engine import FakeEngine
from tests.ui.fake_search import status

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("engine")


async def test_the_first_screen_says_how_things_stand(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        attention, title, sessions = desk.bar("attention"), desk.bar("title"), desk.text("sessions")
        assert desk.cursor("agents") == "main"  # the agent that needs it

    begin = " ! main / main is due: 151.2K of 150K, growing 9K/h   c saves it"
    assert attention.startswith(begin)
    assert "memconsole  /home/operator/.openclaw" in title
    assert "gateway ○ not asked" in title
    assert "scheduler ● next checkpoint 14:32" in title
    assert title.rstrip().endswith("14:20")
    states = ("151.2K DUE", "64.2K est", "128.4K stale", "312.0K suspect", "slack · c0ffee ? ?")
    assert [one for one in states if one not in " ".join(sessions.split())] == []
    [unknown] = (line for line in sessions.split("\n") if "c0ffee" in line)
    assert "█" not in unknown  # an unknown count has an empty gauge


async def test_a_quiet_home_says_so() -> None:
    async with at_work(FakeEngine(sample.lone())) as desk:
        line = desk.bar("attention")

    assert line.rstrip() == (
        " ✓ quiet · fullest 14 % main · oldest save 4 min · scheduler next 14:32 · gateway 4 ms"
    )


async def test_the_cursor_among_the_agents_leads_the_other_panels(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        assert "c checkpoint main / main  " in desk.bar("keys")  # as the finding about it says
        assert "R rotate main / main  " in desk.bar("keys")
        await desk.press("j")
        assert desk.cursor("agents") == "work"
        assert "c checkpoint work / main  " in desk.bar("keys")  # the newest, by its name
        assert "2 Sessions · work · 3 live" in desk.text("sessions")
        assert "3 Memory · work" in desk.text("memory")
        assert "150 KB" in desk.text("memory")
        await desk.press("2")
        assert "R rotate work / " in desk.bar("keys")
        await desk.press("space", "space")
        assert "R rotate 2 marked" in desk.bar("keys")


@pytest.mark.parametrize("size", [(120, 40), COMPACT])
async def test_what_waits_in_an_index_is_shown_below_all_that_was_there(
    size: tuple[int, int], engine: FakeEngine
) -> None:
    async with at_work(engine, size) as desk:
        before = [line.strip("│┃ ") for line in desk.text("memory").split("\n")[1:-1]]
        assert "vectors due" not in desk.text("memory")
        engine.statuses["main"] = status(lacking=1_200)
        desk.app.indexing.changed(("main",))
        await desk.settle()
        after = [line.strip("│┃ ") for line in desk.text("memory").split("\n")[1:-1]]
        assert after[: len(before)] == before
        assert desk.pane("memory").listing.rows[-1].key == "waiting"


async def test_moving_keys_and_each_agent_keeps_its_own_place(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("2")
        seen = [desk.pane("sessions").place.number]
        for key in ("j", "down", "k", "up", "G", "g", "end", "home", "pagedown", "pageup"):
            await desk.press(key)
            seen.append(desk.pane("sessions").place.number)
        assert seen == [0, 1, 2, 1, 0, 6, 0, 6, 0, 6, 0]
        await desk.press("j", "j")
        kept = desk.cursor("sessions")
        await desk.press("1", "j")
        assert desk.cursor("sessions") != kept
        await desk.press("k")
        assert desk.cursor("sessions") == kept


async def test_enter_goes_in_and_escape_comes_back_and_never_quits(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("enter")
        assert desk.focus == "sessions"
        for panel, screen in (("2", "session"), ("3", "memory"), ("5", "runs")):
            await desk.press(panel, "enter")
            assert desk.screen == screen
            await desk.press("escape")
            assert desk.screen == "overview"
        await desk.press("escape", "escape", "escape")
        assert desk.focus == "agents"
        assert desk.app.return_code is None
        assert desk.app.is_running


async def test_slash_filters_the_panel_and_n_goes_through_the_matches(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("2", "slash", *"app")
        assert "whatsapp" in desk.text("sessions")
        assert "telegram" not in desk.text("sessions")
        assert "/app" in desk.text("sessions").split("\n")[0]
        await desk.press("enter")
        assert desk.focus == "sessions"
        await desk.press("escape")
        assert "telegram" in desk.text("sessions")
        await desk.press("slash", *"app", "escape")
        assert "telegram" in desk.text("sessions")
        assert "/app" not in desk.text("sessions")
        await desk.press("slash", *"c", "enter", "g")
        rows = [row.key for row in desk.pane("sessions").place.rows]
        seen = [desk.cursor("sessions")]
        for key in ("n", "n", "N", "N", "N"):
            await desk.press(key)
            seen.append(desk.cursor("sessions"))

    assert len(rows) > 2
    assert seen == [rows[0], rows[1], rows[2], rows[1], rows[0], rows[-1]]


async def test_s_goes_through_the_orders_and_a_shows_what_is_folded(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        assert "310 cron runs folded" in desk.text("sessions")
        await desk.press("2")
        for presses, arrow in ((1, "tokens▼"), (1, "grows▼"), (2, "session▲")):
            await desk.press(*["s"] * presses)
            assert arrow in desk.text("sessions")
        assert "cron:nightly-digest" in desk.pane("sessions").place.rows[0].key
        await desk.press("a", "a")
        assert len(desk.pane("sessions").place.rows) == 317
        assert "folded" not in desk.text("sessions")


async def test_z_shows_one_panel_alone_and_back(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("2", "z")
        assert desk.pane("sessions").size.width == 120
        assert desk.pane("agents").size.width == 0
        await desk.press("escape")
        assert desk.pane("sessions").size.width == 79
        await desk.press("z", "z")
        assert desk.pane("agents").size.width == 41


async def test_short_lists_leave_their_room_to_the_activity_and_keep_their_size(
    engine: FakeEngine,
) -> None:
    async with at_work(engine) as desk:
        heights = {name: desk.pane(name).size.height for name in ("agents", "search", "journal")}
        assert heights == {"agents": 10, "search": 10, "journal": 16}
        await desk.press("j", "j", "j", "a", "a")  # all agents, and what is folded
        assert desk.pane("agents").size.height == 10
        await desk.press("z")
        assert desk.pane("agents").size.height > 30


async def test_long_lists_keep_the_room() -> None:
    async with at_work(FakeEngine(sample.crowd())) as desk:
        assert desk.pane("agents").size.height > desk.pane("journal").size.height + 5


async def test_keys_of_the_refreshing(engine: FakeEngine) -> None:
    watch = Stopwatch()
    async with at_work(engine, watch=watch) as desk:
        await desk.press("f")
        assert " frozen " in desk.bar("title")
        asked = len(engine.asked)
        watch.seconds = 240
        desk.app.readings.poll()
        desk.app.tick()
        await desk.settle()
        assert len(engine.asked) == asked
        assert "4 min ago stale" in desk.text("sessions")
        await desk.press("f")
        assert len(engine.asked) == asked + 1
        assert "frozen" not in desk.bar("title")
        await desk.press("r")
        assert engine.asked[asked:] == [None, None]
        await desk.press("plus")
        assert desk.app.readings.interval == timedelta(seconds=5)
        assert "refreshing every 5 s" in desk.bar("keys")
        await desk.press("minus", "minus", "minus")
        assert desk.app.readings.interval == timedelta(seconds=1)


async def test_y_copies_by_osc_52_and_into_a_private_file(
    engine: FakeEngine, tmp_path: Path
) -> None:
    engine.settings = replace(engine.settings, state_dir=tmp_path)
    async with at_work(engine) as desk:
        await desk.press("2", "y")
        assert desk.app.clipboard == "agent:main:main"
        assert "copied agent:main:main" in desk.bar("keys")

    copy = tmp_path / "clipboard.txt"
    assert copy.read_text() == "agent:main:main\n"
    assert copy.stat().st_mode & 0o777 == 0o600


async def test_q_quits(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.pilot.press("q")
        await desk.pilot.pause()

    assert desk.app.return_code == 0


async def test_space_marks_and_keys_that_cannot_work_say_why(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("space", "space")
        assert desk.pane("agents").place.marks == {"main", "work"}
        assert "2 marked" in desk.text("agents")
        await desk.press("escape")
        assert not desk.pane("agents").place.marks
        await desk.press("5", "s")
        assert "this panel has one order only" in desk.bar("keys")
        await desk.press("space")
        assert "only agents and sessions can be marked" in desk.bar("keys")


async def test_a_reading_keeps_cursor_scroll_focus_and_marks() -> None:
    engine = FakeEngine(sample.crowd())
    async with at_work(engine) as desk:
        await desk.press(*["j"] * 30, "space", "k")
        before = (desk.cursor("agents"), desk.pane("agents").place.offset)
        marks = desk.pane("agents").place.marks
        agents = sample.crowd().agents
        engine.reading = replace(sample.crowd(), agents=(agents[-1], *agents[:-1]))
        desk.app.readings.request()
        await desk.settle()
        after = (desk.cursor("agents"), desk.pane("agents").place.offset)
        assert desk.pane("agents").place.marks == marks == {before[0]}
        assert desk.focus == "agents"

    assert before == after
    assert before[1] > 0


async def test_a_home_that_is_missing_says_so_and_comes_back() -> None:
    engine = FakeEngine(HomeNotFoundError("/home/operator/.openclaw"))
    async with at_work(engine) as desk:
        assert "the platform home /home/operator/.openclaw does not exist" in desk.bar("attention")
        assert "--home DIR" in desk.bar("attention")
        engine.reading = sample.usual()
        await desk.press("r")
        assert "main / main is due" in desk.bar("attention")


async def test_a_reading_that_fails_leaves_the_old_one_and_its_age(engine: FakeEngine) -> None:
    watch = Stopwatch()
    async with at_work(engine, watch=watch) as desk:
        engine.reading = HomeNotFoundError("/home/operator/.openclaw")
        watch.seconds = 65
        await desk.press("r")
        assert "does not exist" in desk.bar("attention")
        assert "151.2K DUE" in desk.text("sessions")
        assert "1 min ago stale" in desk.text("sessions")


async def test_an_unreadable_store_never_looks_like_an_empty_one() -> None:
    async with at_work(FakeEngine(sample.unreadable())) as desk:
        text = desk.text("sessions")
        assert "work · not readable" in text
        assert "cannot be read" in text
        assert "permission denied" in text
        assert "holds no messages yet" not in text
        await desk.press("1", "G")
        assert "all agents · 7+? live" in desk.text("sessions")


async def test_one_list_of_all_agents_tells_stores_that_cannot_be_read_from_empty_ones() -> None:
    broken = sample.unreadable()
    views = tuple(one for one in broken.agents if one.sessions is None)
    reading = replace(broken, agents=views, sessions=())
    async with at_work(FakeEngine(reading), COMPACT) as desk:
        text = desk.text("sessions")
        assert "the sessions of 1 agent cannot be read:" in text
        assert "permission denied" in text
        assert "no live session" not in text


async def test_an_empty_home_explains_itself() -> None:
    async with at_work(FakeEngine(sample.empty()), COMPACT) as desk:
        assert "no agents yet" in desk.text("sessions")
        await desk.press("c")
        assert "this home has no agents yet" in desk.bar("keys")


async def test_the_line_of_detail_is_of_the_newest_reading(engine: FakeEngine) -> None:
    async with at_work(engine, SINGLE) as desk:
        assert "main · 151.2K of 150K" in desk.bar("detail")
        usual = engine.reading
        assert isinstance(usual, ConsoleSnapshot)
        first = next(one for one in usual.sessions if one.key_text == "agent:main:main")
        less = replace(first, count=sample.fresh(25_900))
        sessions = tuple(less if one is first else one for one in usual.sessions)
        engine.reading = replace(usual, sessions=sessions)
        await desk.press("r")
        assert "main · 25.9K of 150K" in desk.bar("detail")


async def test_a_small_terminal_has_one_list_and_one_line_of_detail(engine: FakeEngine) -> None:
    async with at_work(engine, SINGLE) as desk:
        assert desk.focus == "sessions"
        assert desk.pane("agents").size.width == 0
        assert desk.pane("sessions").size.width == SINGLE[0]
        assert "main · 151.2K of 150K · DUE · window 76%" in desk.bar("detail")
        await desk.press("1")
        assert desk.pane("agents").size.width == SINGLE[0]


async def test_a_row_opens_by_a_double_click_and_the_wheel_scrolls(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.pilot.click("#sessions", offset=(8, 3))
        await desk.settle()
        assert desk.focus == "sessions"
        assert desk.pane("sessions").place.number == 1
        await desk.pilot.click("#sessions", offset=(8, 2), times=2)
        await desk.settle()
        assert desk.screen == "session"


async def test_the_attention_line_names_keys_for_what_is_under_the_cursor(
    engine: FakeEngine,
) -> None:
    up = FakeEngine(replace(sample.usual(), gateway=GatewayStatus("up", version="2026.9.6")))
    async with at_work(up) as desk:
        assert "main / main is due" in desk.bar("attention")
        assert "   R shows the plan" in desk.bar("attention")
        await desk.press("j")
        assert "   . then R shows the plan" in desk.bar("attention")
        await desk.press("v", "full_stop")
        assert desk.screen == "overview"
        assert "R rotate main / main" in desk.bar("keys")
        assert "   R shows the plan" in desk.bar("attention")


async def test_the_point_goes_from_finding_to_finding(engine: FakeEngine) -> None:
    listed = sample.usual().attention
    async with at_work(engine) as desk:
        for number, finding in enumerate((*listed, listed[0])):
            await desk.press("full_stop")
            assert finding.message[:20] in desk.bar("attention")
            if number and number < len(listed):
                assert f"{number + 1} of {len(listed)}" in desk.bar("attention")


async def test_what_was_never_visited_stands_on_the_worst_session() -> None:
    usual = sample.usual()
    due = next(one for one in usual.attention if one.code == "session-due")
    async with at_work(FakeEngine(usual)) as desk:
        await desk.press("s", "2")
        assert (desk.cursor("sessions") or "").split("/")[1] == due.key
