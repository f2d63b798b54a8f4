"""Searching in the console: while typing, narrowed, opened, and while an index is built."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from textual.events import Hide, Key

from memconsole.domain.agents import Notice
from memconsole.domain.commands.reindex import Reindex, Reindexed
from memconsole.domain.search.indexing import IndexState
from memconsole.domain.search.values import Narrowing
from memconsole.errors import IndexUnavailableError
from memconsole.ui.drawing.spans import Role
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, at_work
from tests.ui.fake_engine import FakeEngine
from tests.ui.fake_search import status

if TYPE_CHECKING:
    from memconsole.domain.search.values import SearchRequest
    from tests.ui.driving import Desk

THING = "that database thing"
MISSING = status(IndexState.MISSING)


async def open_search(desk: Desk, text: str = THING) -> None:
    """Type a query into panel 4."""
    await desk.press("4", "slash", *text)


async def test_results_come_while_typing_with_both_legs_and_the_words_marked(
    engine: FakeEngine,
) -> None:
    async with at_work(engine) as desk:
        await open_search(desk)
        text = desk.text("search")
        assert desk.focus == "query"
        assert desk.cursor("search") == "hit:main:memory/2026-01-20.md:12"
        found = [
            span.text
            for line in desk.pane("search").lines
            for span in line
            if span.role is Role.FOUND
        ]

    assert "4 Search · main" in text
    assert "1,204 chunks · fresh · 12 min" in text
    assert ".91 ▆▅  memory/2026-01-20.md:12" in text
    assert ".74 ▅▆  MEMORY.md:7" in text
    assert ".40 ▃" in text
    assert "weak match · " in text
    assert found == ["database"] * 3
    assert all(request.is_typing for request in engine.requests)
    assert engine.requests[-1].text == THING
    assert engine.requests[-1].agent_id == "main"


async def test_a_superseded_search_is_given_up(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("4", "slash")
        engine.gate.clear()
        await desk.pilot.press("d")
        while not engine.requests:
            await desk.pilot.pause()
        await desk.pilot.press("b")
        while not engine.given_up:
            await desk.pilot.pause()
        engine.gate.set()
        await desk.settle()

    assert engine.given_up == ["d"]
    assert [request.text for request in engine.requests] == ["d", "db"]


async def test_letters_that_come_fast_make_one_search(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        desk.app.typing_pause_s = 3600.0
        await desk.press("4", "slash")
        await desk.pilot.press(*"data")
        assert engine.requests == []
        await desk.press("enter")

    assert [(one.text, one.is_typing) for one in engine.requests] == [("data", False)]


async def test_a_large_index_answers_with_words_first(engine: FakeEngine) -> None:
    engine.statuses["main"] = status(chunks=60_000)
    async with at_work(engine) as desk:
        await open_search(desk, "d")
        await desk.press("b")

    assert [(one.text, one.text_only) for one in engine.requests] == [
        ("d", False),
        ("db", True),
        ("db", False),
    ]


async def test_tab_goes_to_the_results_then_enter_to_the_line_of_the_file(
    engine: FakeEngine,
) -> None:
    async with at_work(engine) as desk:
        await open_search(desk)
        await desk.press("tab")
        assert desk.focus == "search"
        await desk.press("j", "enter")
        assert desk.screen == "memory"
        assert desk.cursor("files") == "file:MEMORY.md"
        assert desk.focus == "file"
        assert desk.cursor("file") == "7:0"
        await desk.press("escape")
        assert desk.cursor("search") == "hit:main:MEMORY.md:7"
        assert f"> {THING}" in desk.text("search")


@pytest.mark.parametrize("size", [COMPACT, WIDE])
async def test_enter_opens_what_the_cursor_is_on_and_y_copies_its_path(
    engine: FakeEngine, size: tuple[int, int]
) -> None:
    async with at_work(engine, size) as desk:
        await open_search(desk)
        await desk.press("down", "enter")
        assert desk.screen == "memory"
        assert desk.focus == "file"
        await desk.press("y")
        assert desk.app.clipboard == "MEMORY.md:7"
        await desk.press("a", "w")
        assert desk.app.clipboard.startswith("- DECISION: SQLite in WAL mode")


async def test_a_letter_right_behind_enter_is_no_letter_of_the_query(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await open_search(desk, "zebra")
        for key in ("enter", "j", "j", "k"):
            desk.app.post_message(Key(key, key if len(key) == 1 else None))
        await desk.settle()
        assert desk.app.queries.before("") == "zebra"
        assert "> zebra " in desk.text("search")
        assert desk.focus == "search"


async def test_query_cursor_and_focus_survive_a_reading_and_a_resize(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await open_search(desk, "databas")
        await desk.press("down")
        assert desk.cursor("search") == "hit:main:MEMORY.md:7"
        engine.reading = replace(sample.usual(), taken_at=sample.NOW + timedelta(seconds=4))
        desk.app.readings.request()
        await desk.settle()
        for size in ((80, 24), (50, 18), (1, 1), (120, 40)):
            await desk.resize(*size)
        assert desk.focus == "query"
        assert desk.cursor("search") == "hit:main:MEMORY.md:7"
        await desk.press("e")
        assert "> database" in desk.text("search")


async def test_a_field_that_hears_late_that_it_was_hidden_keeps_the_keys(
    engine: FakeEngine,
) -> None:
    async with at_work(engine) as desk:
        await open_search(desk, "databas")
        for size in ((1, 1), (120, 40)):
            await desk.resize(*size)
        desk.app.screen.query_one("#query").post_message(Hide())
        await desk.settle()
        assert desk.focus == "query"


async def test_escape_takes_the_query_away_and_it_can_be_asked_again(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await open_search(desk, "inventory")
        await desk.press("tab", "escape")
        assert "again  inventory" in desk.text("search")
        await desk.press("enter")
        assert "> inventory" in desk.text("search")
        await desk.press("escape", "slash", *"birds", "tab", "slash", "ctrl+r")
        assert "> inventory" in desk.text("search")
        await desk.press("ctrl+r", "escape")
        assert "again  birds" in desk.text("search")


async def test_another_agent_is_searched_for_the_same_words(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await open_search(desk)
        await desk.press("tab", "1", "j")
        assert "4 Search · work" in desk.text("search")
        assert engine.requests[-1].agent_id == "work"
        assert engine.requests[-1].text == THING
        await desk.press("G")
        assert "4 Search · all agents" in desk.text("search")
        assert engine.requests[-1].agent_id is None


async def test_nothing_found_and_could_not_look_never_look_alike(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await open_search(desk, "zebra")
        text = desk.text("search")
        assert "nothing found" in text
        assert "none of these words occurs in the index" in text
        assert "could not look" not in text
        engine.statuses["main"] = status(
            IndexState.UNAVAILABLE, because="it is cut off after 4096 bytes"
        )
        desk.app.indexing.changed(("main",))
        await desk.settle()
        text = desk.text("search")
        assert "could not look: it is cut off after 4096 bytes" in text
        assert "i builds the index anew" in text
        assert "nothing found" not in text
        assert " could not look ╮" in text.split("\n")[0]


@pytest.mark.parametrize("asked", [THING, "zebra"])
async def test_a_question_that_vectors_cannot_compare_says_so(
    engine: FakeEngine, asked: str
) -> None:
    engine.notices = (Notice("other-language", "it is not in English"),)
    async with at_work(engine) as desk:
        await open_search(desk, asked)
        assert "not in English: built-in vectors cannot compare it" in desk.text("search")


async def test_a_search_that_fails_says_why_and_a_bug_is_not_the_end(engine: FakeEngine) -> None:
    def broken(request: object) -> tuple[()]:
        raise ZeroDivisionError

    engine.answer = IndexUnavailableError("the index is locked", hint="Wait for the other one.")
    async with at_work(engine) as desk:
        await open_search(desk, "data")
        text = " ".join(desk.text("search").split())
        assert "could not look: the index is locked. Wait for the other one." in text
        engine.answer = broken
        await desk.press("b")
        assert "could not look: it failed, which is a bug; press l" in desk.text("search")
        assert desk.app.is_running


async def test_a_missing_index_is_built_with_progress_and_words_meanwhile(
    engine: FakeEngine,
) -> None:
    engine.statuses["main"] = MISSING
    engine.build_gate.clear()
    async with at_work(engine) as desk:
        assert "no index yet" in desk.text("search")
        assert engine.commands == []
        await desk.press("4")
        await desk.pilot.press("slash", *"database")
        while not engine.scans or desk.app.indexing.building is None:
            await desk.pilot.pause()
        while "words only, from the files, while the index is built" not in desk.text("search"):
            await desk.pilot.pause()
        text = desk.text("search")
        assert "building 12 of 47" in text
        assert "memory/2026-01-20.md:12" in text
        engine.build_gate.set()
        await desk.settle()
        text = desk.text("search")
        assert "1,204 chunks · fresh" in text
        assert "MEMORY.md:7" in text
        assert "words only" not in text
        assert desk.focus == "query"

    assert engine.commands == [Reindex(sample.ref("main"))]


async def test_the_index_of_an_agent_that_is_looked_at_is_built_without_a_key(
    engine: FakeEngine,
) -> None:
    engine.statuses["work"] = MISSING
    async with at_work(engine) as desk:
        desk.app.index_pause_s = 0.001
        await desk.press("j")
        while not engine.commands:
            await desk.pilot.pause()
        await desk.settle()

    assert engine.commands == [Reindex(sample.ref("work"))]


async def test_read_only_builds_nothing_and_looks_into_the_files() -> None:
    engine = FakeEngine(ui={"read_only": True})
    engine.statuses["main"] = MISSING
    async with at_work(engine) as desk:
        await open_search(desk, "database")
        text = desk.text("search")

    assert "no index, read-only" in text
    assert "words only, from the files, without an index" in text
    assert engine.commands == []


async def test_an_index_that_cannot_be_built_says_why(engine: FakeEngine) -> None:
    engine.statuses["main"] = MISSING

    def fail(*_: object) -> object:
        raise OSError("disk")

    engine.build = fail  # type: ignore[method-assign, assignment]  # a bug is what is tested
    async with at_work(engine) as desk:
        await open_search(desk, "zebra")
        text = " ".join(desk.text("search").split())
        assert "could not look: building failed, which is a bug (OSError)" in text
        assert desk.app.is_running


async def test_a_reindex_of_somebody_else_is_seen(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await open_search(desk)
        await desk.press("tab")
        engine.statuses["main"] = status(chunks=2_000)
        asked = len(engine.requests)
        await desk.press("i", "escape")
        assert len(engine.requests) > asked


async def test_changed_files_are_taken_in_and_asked_again(engine: FakeEngine) -> None:
    engine.watch.outcomes = (Reindexed(Reindex(sample.ref("main")), "1 document taken in"),)
    async with at_work(engine) as desk:
        await open_search(desk, "database")
        await desk.press("tab", "j")
        noted, asked = len(engine.watch.noted), len(engine.requests)
        engine.statuses["main"] = status(chunks=1_205)
        engine.watch.due = 0.0
        desk.app.indexing.note(frozenset({sample.HOME / "workspace-main" / "memory" / "x.md"}))
        while "1,205" not in desk.text("search"):
            await desk.pilot.pause()
            await desk.settle()
        assert len(engine.requests) > asked
        assert desk.cursor("search") == "hit:main:MEMORY.md:7"

    assert len(engine.watch.noted) == noted + 1


async def test_a_pool_read_anew_is_noted_where_no_file_events_arrive(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        usual = sample.usual()
        pool = replace(sample.pool("main"), read_at=sample.NOW + timedelta(seconds=9))
        engine.reading = replace(
            usual, agents=(replace(usual.agents[0], pool=pool), *usual.agents[1:])
        )
        await desk.press("r")

    assert engine.watch.noted == [frozenset({sample.HOME / "workspace-main"})]


# ---- the whole search ------------------------------------------------------------------------


async def test_o_opens_the_whole_search_with_what_is_searched_for(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await open_search(desk)
        await desk.press("tab", "a", "o")
        assert desk.screen == "search"
        results, preview, facets = (desk.text(one) for one in ("results", "preview", "facets"))
        assert "memory/2026-01-20.md:12" in results
        assert "12 Jan" in results or "14 Jan" in results
        assert "meaning ▆ .91   words ▅ .69" in preview
        assert "2026-01-20 > Inventory" in preview
        assert "because the thing that waits is the lock" in preview
        assert "● main" in facets
        await desk.press("j")
        assert "the shop chose PostgreSQL" in desk.text("preview")
        await desk.press("enter")
        assert desk.screen == "memory"
        await desk.press("escape", "escape")
        assert desk.screen == "overview"


async def test_facets_narrow_by_key_and_by_row(engine: FakeEngine) -> None:
    def last() -> SearchRequest:
        return engine.requests[-1]

    async with at_work(engine, WIDE) as desk:
        await open_search(desk, "database")
        await desk.press("tab", "a", "o", "a", "m", "a", "d")
        day_ago = sample.NOW - timedelta(days=1)
        assert last().narrowing == Narrowing(day_ago, "DECISION")
        await desk.press("a", "t", "a", "a")
        assert last().with_sessions is False
        assert last().agent_id == "work"
        await desk.press("s", "a", "e")
        assert last().by_date
        assert last().is_explained
        assert "not found, older than its limit" in desk.text("preview")
        assert "when▼" in desk.text("results")
        await desk.press("a", "x")
        assert last().narrowing.is_open
        await desk.press("3", "g", "enter")
        assert last().agent_id is None
        assert "● all agents" in desk.text("facets")


async def test_the_whole_search_opens_empty_and_waits_for_words(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("4", "enter")
        assert desk.screen == "search"
        assert desk.focus == "query"
        await desk.press(*"zebra", "escape")
        assert desk.focus == "results"
        await desk.press("a", "m")
        assert "marker and date narrow it: x takes them away" in desk.text("results")
        await desk.press("slash", "ctrl+u", "escape")
        assert desk.screen == "overview"


async def test_commands_act_on_the_agent_that_is_searched(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("1", "j", "a", "o", *"database", "tab")
        assert desk.pane("preview").size.height > 0
        assert desk.pane("facets").size.height == 0
        await desk.press("3")  # one lower panel at a time
        assert desk.pane("facets").size.height > 0
        assert desk.pane("preview").size.height == 0
        for key in ("c", "i"):
            await desk.press(key, "escape")

    assert {command.spec.name for command in engine.commands} == {"checkpoint", "reindex"}
    assert {command.agent.id for command in engine.commands} == {"work"}
