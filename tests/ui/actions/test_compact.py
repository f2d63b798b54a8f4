"""`K`: a compaction is planned, asked for, and shown with what it left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.compact import Compact, Compacted
from memconsole.domain.commands.outcomes import Planned, Written
from tests.ui import sample
from tests.ui.actions.test_action import with_gateway
from tests.ui.driving import COMPACT, at_work, words

if TYPE_CHECKING:
    from tests.ui.fake_engine import FakeEngine

KEY = "agent:main:main"
COMMAND = Compact(sample.ref("main"), KEY)


async def test_it_asks_and_then_shows_what_came_of_it() -> None:
    engine = with_gateway()
    plan = Compact(sample.ref("main"), KEY, dry_run=True)
    engine.outcomes["compact --dry-run"] = Planned(
        plan, f"would save {KEY}, then ask for its compaction at 151.2K tokens"
    )
    engine.outcomes["compact"] = Compacted(
        COMMAND,
        f"{KEY} was compacted: 151.2K tokens before, 45K after",
        wrote=(Written("memory/ACTIVE_CONTEXT.md", 2_150),),
    )
    async with at_work(engine, COMPACT) as desk:
        await desk.press("K")
        text = words(desk.text("dialog"))
        assert "then ask for its compaction at 151.2K tokens" in text
        assert "[ y compact ]" in text
        assert not engine.done
        await desk.press("y")
        text = words(desk.text("dialog"))
    assert engine.done == [COMMAND]
    assert "151.2K tokens before, 45K after" in text
    assert "memory/ACTIVE_CONTEXT.md" in text
    assert "undo: not possible" in text


async def test_without_the_gateway_only_the_plan_works(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("K")
        assert "only the Gateway can do it" in desk.text("dialog") or desk.screen == "overview"
    assert not engine.done
