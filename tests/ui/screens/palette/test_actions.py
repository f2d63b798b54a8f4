"""The list behind `a`: what one screen alone can do, by its letter, by Enter and by the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.ui.driving import COMPACT, WIDE, at_work

if TYPE_CHECKING:
    from tests.ui.fake_engine import FakeEngine


async def test_a_letter_behind_a_does_it(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("a")
        assert desk.screen == "actions"
        assert "Search with facets and preview" in desk.text("dialog")
        await desk.press("o")
        assert desk.screen == "search"


async def test_enter_does_what_the_cursor_is_on(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("a", "j", "j", "enter")
        assert desk.screen == "search"


async def test_what_cannot_work_now_is_dimmed_and_says_why(engine: FakeEngine) -> None:
    why = "select a session to see what would be pruned of it"
    async with at_work(engine, WIDE) as desk:
        await desk.press("a")
        assert f"not now: {why}"[:40] in desk.text("dialog")
        await desk.press("p")
        assert desk.screen == "overview"
        assert why in desk.bar("keys")
        await desk.press("2", "a", "p")
        assert desk.screen == "pruning"


async def test_a_letter_that_stands_for_nothing_says_so(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("a", "c")
        assert desk.screen == "actions"
        assert "c: no such action here" in desk.text("dialog")
        await desk.press("escape")
        assert desk.screen == "overview"
        assert not engine.commands


async def test_the_key_line_offers_them_where_there_are_any(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        assert "a actions" in desk.bar("keys")
        await desk.press("d")
        assert desk.screen == "checkpoints"
        assert "a actions" not in desk.bar("keys")
        await desk.press("a")
        assert desk.screen == "checkpoints"
        assert "this screen has no actions of its own" in desk.bar("keys")


async def test_palette_and_help_list_them_with_both_keys(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("question_mark")
        assert any(
            "a o" in line and "search with facets" in line
            for line in desk.text("dialog").splitlines()
        )
        await desk.press("escape", "colon", *"whole")
        assert "a o" in desk.text("dialog")
        await desk.press("enter")
        assert desk.screen == "search"
