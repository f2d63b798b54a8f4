"""The screens behind the first one: session, memory, runs."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.gateway import GatewayStatus
from memconsole.domain.memory.files import PoolItem
from memconsole.ui.drawing.document import RENDERED_UP_TO
from tests.ui import sample
from tests.ui.driving import COMPACT, SINGLE, WIDE, Desk, at_work
from tests.ui.fake_engine import FakeEngine
from tests.ui.sample_details import furnish

if TYPE_CHECKING:
    from collections.abc import Callable


async def test_a_session_shows_what_was_said_and_how_it_stands(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("2", "enter")
        shown = {
            "messages": (
                "13:47 assistant",
                "[image/png, 717 KB]",
                "─── 13:50 compaction ───",
                "─── 24 Jan 14:20 reset ───",
                "last 8 messages, 1 damaged, 31 filtered",
            ),
            "state": ("151.2K of 150K · DUE", "window      76% of 200K", "checkpoint  4 min ago"),
            "fill": ("tool results", "88.0K"),
            "growth": ("150K ─",),
            "windows": ("3f00ba4…", "imported"),
        }
        for pane, expected in shown.items():
            assert [words for words in expected if words not in desk.text(pane)] == []
        await desk.press("slash", *"digest", "enter")
        first = desk.cursor("messages")
        assert "13:47 assistant" in desk.text("messages")  # a search hides nothing
        await desk.press("n")
        assert desk.cursor("messages") != first
        await desk.press("N")
        assert desk.cursor("messages") == first
        await desk.press("5", "enter")
        assert "its messages are in panel 1" in desk.picture()
        await desk.press("j", "enter")
        assert len(desk.app.screen_stack) == 3
        await desk.press("escape", "1", "escape", "g")
        assert desk.cursor("messages") == "earlier"
        whole = replace(engine.transcripts["agent:main:main"], is_whole=True)
        engine.transcripts["agent:main:main"] = whole
        await desk.press("enter")
        assert "earlier messages" not in desk.text("messages")


async def test_a_session_has_one_name_in_title_list_and_dialog(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("2")
        assert "c checkpoint main / main " in desk.bar("keys")
        await desk.press("enter")
        assert " ▸ main / main " in desk.bar("title")
        await desk.press("a", "p")
        assert " ▸ pruning · main / main " in desk.bar("title")


async def test_the_reason_why_a_session_is_not_due_is_shown(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("2", "j", "enter")
        state = " ".join(desk.text("state").replace("│", "").replace("┃", "").split())
        growth = desk.text("growth")

    assert "below its threshold of 150K" in state
    assert "2K/h, due in 8 h (by samples)" in state
    assert "·" in growth.split("\n", 1)[1]


async def test_a_session_that_grows_is_read_again_and_followed(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("2", "enter")
        number = desk.pane("messages").place.number
        view = engine.transcripts["agent:main:main"]
        more = replace(view.messages[-1], text="One more thing.", id="eeeeeeee")
        engine.transcripts["agent:main:main"] = replace(view, messages=(*view.messages, more))
        await _touch(desk, engine)
        assert "One more thing." in desk.text("messages")
        after = desk.pane("messages").place.number

    assert number is not None
    assert after is not None
    assert after > number


async def _touch(desk: Desk, engine: FakeEngine) -> None:
    usual = sample.usual()
    first = usual.sessions[0]
    stored = replace(first.stored, updated_at=sample.NOW)
    engine.reading = replace(usual, sessions=(replace(first, stored=stored), *usual.sessions[1:]))
    desk.app.readings.request()
    await desk.settle()


async def test_a_transcript_that_cannot_be_read_says_so_in_its_panel(engine: FakeEngine) -> None:
    engine.transcripts.clear()
    async with at_work(engine) as desk:
        await desk.press("2", "enter")
        text = " ".join(desk.text("messages").split())

    assert "there is no session 'agent:main:main'." in text
    assert "lists every key and id" in text


async def test_one_lower_panel_at_a_time_in_a_compact_session(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("2", "enter")
        assert desk.pane("state").size.height > 0
        assert desk.pane("fill").size.height == 0
        await desk.press("3")
        assert desk.pane("state").size.height == 0
        assert desk.pane("fill").size.height > 0
        assert "2 state  4 growth  5 windows" in desk.text("fill")


@pytest.mark.parametrize("size", [COMPACT, WIDE])
@pytest.mark.parametrize(
    ("keys", "pane"), [("2 enter 5", "windows"), ("m 3", "markers"), ("w 2", "one"), ("o 3", "one")]
)
async def test_a_panel_alone_has_the_whole_room(
    engine: FakeEngine, size: tuple[int, int], keys: str, pane: str
) -> None:
    async with at_work(engine, size) as desk:
        await desk.press(*keys.split(), "z")
        assert desk.pane(pane).size.height >= size[1] - 5


async def test_a_window_is_handed_over_after_its_plan_and_the_one_that_goes_on_is_not() -> None:
    engine = FakeEngine(replace(sample.usual(), gateway=GatewayStatus("up", version="2026.9.6")))
    furnish(engine)
    async with at_work(engine) as desk:
        await desk.press("2", "enter", "5", "z")
        text = desk.text("windows")
        await desk.press("a", "r")
        refused = desk.picture()
        await desk.press("j", "a", "r")
        assert not engine.done
        await desk.press("y", "escape", "a", "b")
        assert "Branch" in desk.text("dialog")
        await desk.press("y")

    assert "goes on" in text
    assert re.search(r"3f00ba4e.* reset .* 124 KB +checkpoint, summary", text)
    assert re.search(r"9f00ba4e.* imported .* nothing", text)
    assert "this window goes on" in refused
    handed, branched = (one.words() for one in engine.done)
    window = "3f00ba4e-1111-4222-8333-444455556666"
    assert handed == ["agent:main:main", "--window", window]
    assert branched == [*handed, "--branch"]


async def test_one_panel_at_all_in_a_small_session(engine: FakeEngine) -> None:
    async with at_work(engine, SINGLE) as desk:
        await desk.press("2", "enter")
        assert desk.pane("messages").size.width == SINGLE[0]
        await desk.press("4")
        assert desk.pane("messages").size.width == 0
        assert desk.pane("growth").size.width == SINGLE[0]


async def test_memory_shows_a_tree_and_the_rendered_file_and_opens_no_link(
    engine: FakeEngine,
) -> None:
    opened: list[str] = []

    async with at_work(engine) as desk:
        desk.app.open_url = _collect(opened)  # type: ignore[method-assign]  # watched
        await desk.press("3", "enter")
        markers, checks = desk.text("markers"), desk.text("advice")
        await desk.press("j")
        tree, picture = desk.text("files"), desk.picture()
        row = next(y for y, line in enumerate(picture.split("\n")) if "See the plan" in line)
        column = picture.split("\n")[row].index("the plan")
        await desk.pilot.click(offset=(column + 1, row))
        await desk.settle()

    assert "MEMORY.md:7" in markers
    assert "DECISION: SQLite in WAL" in markers
    assert "MEMORY.md: 17.2K of 20K characters, fits" in checks
    assert "memory/notes-latin1.md: not UTF-8" in checks
    assert "memory/" in tree
    assert "├ 2026-01-20.md" in tree
    assert "└ notes-latin1.md" in tree
    assert "The shop runs on two servers. See the plan" in picture
    assert "• DECISION: SQLite in WAL mode for the inventory" in picture
    assert 'print("[bold]not markup[/bold]")' in picture
    assert opened == []


def _collect(opened: list[str]) -> Callable[..., None]:
    def open_url(url: str, **_: object) -> None:
        opened.append(url)

    return open_url


async def test_p_shows_plain_text_and_a_marker_leads_to_its_line(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("3", "enter", "j", "a", "p")
        assert desk.focus == "file"
        assert "    1 # Memory" in desk.text("file")
        await desk.press("a", "p")
        assert desk.focus == "file"
        assert "plain text" not in desk.text("file")
        await desk.press("3", "j", "enter")
        assert desk.focus == "file"
        assert desk.cursor("file") == "8:0"


async def test_a_large_file_stays_plain(engine: FakeEngine) -> None:
    usual = sample.usual()
    pool = replace(
        sample.pool("main"), items=(PoolItem("big.md", RENDERED_UP_TO + 1, 9, False, True),)
    )
    agents = (replace(usual.agents[0], pool=pool), *usual.agents[1:])
    engine.reading = replace(usual, agents=agents)
    engine.texts["big.md"] = "# x\n" + "word " * (RENDERED_UP_TO // 4)
    async with at_work(engine) as desk:
        await desk.press("3", "enter")
        assert "    1 # x" in desk.text("file")
        assert "big.md, plain text" in desk.text("file")


async def test_a_file_that_is_gone_says_so(engine: FakeEngine) -> None:
    engine.texts.clear()
    async with at_work(engine) as desk:
        await desk.press("3", "enter")
        assert "this file is gone" in desk.text("file")


async def test_runs_show_the_one_that_was_asked_for(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("5", "j", "enter")
        assert desk.cursor("list") == "run-2"
        text = desk.text("run")
        assert "memconsole rotate --agent main" in text
        assert "failed: gateway-unavailable" in text
        await desk.press("k")
        assert "skipped: nothing-new" in desk.text("run")


async def test_runs_follow_the_history(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("5", "enter")
        first = replace(sample.runs()[0], id=9, message="a new one")
        engine.history = (first, *sample.runs())
        engine.reading = replace(
            sample.usual(), activity=engine.history, taken_at=sample.NOW + timedelta(seconds=2)
        )
        desk.app.readings.request()
        await desk.settle()
        assert "a new one" in desk.text("list")
