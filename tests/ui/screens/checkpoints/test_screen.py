"""The screen of checkpoints: which two are compared, and what is shown of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.errors import UnknownAgentError
from memconsole.text.markdown import quote_line
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, at_work
from tests.ui.sample_checkpoints import captures

if TYPE_CHECKING:
    from memconsole.domain.checkpoint.rules import Capture
    from tests.ui.driving import Desk
    from tests.ui.fake_engine import FakeEngine


@pytest.fixture
def engine(engine: FakeEngine) -> FakeEngine:
    engine.captures = captures()
    return engine


def title(desk: Desk) -> str:
    """Return the upper frame of the changes."""
    return desk.text("changes").splitlines()[0]


async def test_the_newest_stands_beside_the_one_before_it(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("d")
        assert desk.screen == "checkpoints"
        assert "+3 -1" in desk.text("list").splitlines()[2]
        assert "same" in desk.text("list").splitlines()[3]
        assert "first" in desk.text("list").splitlines()[5]
        assert "13:46 → 14:16 · +3 -1" in title(desk)
        text = desk.text("changes")
        assert "+ - **[14:08]** Then let it wait for the sales source" in text
        assert "- - [ ] ask why the sales source was empty" in text
        assert "  - **[13:10]** Good. And the digest?" in text
        await desk.press("j")
        assert "same" in title(desk)
        await desk.press("G")
        assert "the first that is known" in title(desk)


async def test_a_line_is_shown_as_it_was_said(engine: FakeEngine) -> None:
    said = "[DECISION] keep `a_b` *twice*"
    newest, *others = captures()
    line = f"- **[14:10]** {quote_line(said)}"
    newest = replace(newest, block=newest.block.replace("- **[14:10]**", f"{line}\n- **[14:10]**"))
    engine.captures = (newest, *others)
    async with at_work(engine, WIDE) as desk:
        await desk.press("d")
        assert f"+ - **[14:10]** {said}" in desk.text("changes")


async def test_marks_choose_what_is_compared(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("d", "space")
        assert "13:46 → 14:16" in title(desk)
        await desk.press("G")
        assert "25 Jan 13:10 → 14:16 · +5 -1" in title(desk)
        await desk.press("space", "g")
        assert "25 Jan 13:10 → 14:16" in title(desk)
        await desk.press("space", "j", "space")
        assert "25 Jan 13:10 → 13:16" in title(desk)
        await desk.press("escape")
        assert desk.screen == "checkpoints"
        assert "the first that is known" in title(desk)


async def test_a_mark_below_the_cursor_is_the_older_one_and_enter_goes_into_the_changes(
    engine: FakeEngine,
) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("d", "G", "space", "g")
        assert "25 Jan 13:10 → 14:16" in title(desk)
        await desk.press("escape")
        assert "13:46 → 14:16" in title(desk)
        await desk.press("enter")
        assert desk.focus == "changes"
        await desk.press("space")
        assert "only checkpoints can be marked" in desk.bar("keys")
        await desk.press("escape")
        assert desk.screen == "overview"


async def test_no_checkpoint_is_no_failure(engine: FakeEngine) -> None:
    engine.captures = ()
    async with at_work(engine, WIDE) as desk:
        await desk.press("d")
        for size in (WIDE, COMPACT):
            await desk.resize(*size)
            assert "no checkpoint was taken yet: c takes one" in desk.text("list")
            assert "nothing is selected" in desk.text("changes")
        await desk.press("c")
        assert desk.screen == "action"
        assert "main" in desk.text("dialog")


async def test_what_cannot_be_read_says_why(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def checkpoints(agent_id: str) -> tuple[Capture, ...]:
        raise UnknownAgentError(agent_id, ())

    monkeypatch.setattr(engine.memory, "checkpoints", checkpoints)
    async with at_work(engine, WIDE) as desk:
        await desk.press("d")
        assert "main" in desk.text("list").splitlines()[1]


async def test_a_new_checkpoint_appears_and_the_cursor_stays(engine: FakeEngine) -> None:
    newest, *older = captures()
    engine.captures = tuple(older)
    async with at_work(engine, WIDE) as desk:
        await desk.press("d")
        before = desk.cursor("list")
        engine.captures = (newest, *older)
        await desk.press("r")
        assert "14:16" not in desk.text("list")  # nothing says that there is another one
        main, *others = sample.usual().agents
        newer = replace(main, checkpoint_at=sample.NOW)
        engine.reading = replace(sample.usual(), agents=(newer, *others))
        await desk.press("r")
        assert "14:16" in desk.text("list")
        assert desk.cursor("list") == before
