"""A large home is shown while it is read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.ui.messages import SnapshotGrew, SnapshotTaken
from tests.ui import sample
from tests.ui.driving import Desk, at_work
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot


def some(count: int = 12) -> ConsoleSnapshot:
    whole = sample.crowd()
    agents = whole.agents[:count]
    names = {agent.ref.id for agent in agents}
    sessions = tuple(one for one in whole.sessions if one.agent.id in names)
    unread = len(whole.agents) - count
    return replace(whole, agents=agents, sessions=sessions, attention=(), unread=unread)


async def show(desk: Desk, part: ConsoleSnapshot) -> None:
    desk.app.post_message(SnapshotGrew(part))
    await desk.settle()


async def begun(desk: Desk) -> None:
    """Forget the reading that was taken at once."""
    desk.app.snapshot = None
    await show(desk, some())


async def test_agents_appear_as_they_are_read_and_all_is_not_quiet_before_the_end() -> None:
    async with at_work(FakeEngine(sample.crowd())) as desk:
        await begun(desk)
        assert "1 Agents · 12 of 50 read" in desk.text("agents")
        assert "reading the home: 12 of 50 agents" in desk.bar("attention")
        await show(desk, some(30))
        assert "1 Agents · 30 of 50 read" in desk.text("agents")
        desk.app.post_message(SnapshotTaken(sample.crowd(), 1.0))
        await desk.settle()
        assert "1 Agents · 50 " in desk.text("agents")
        assert "of 50 agents" not in desk.bar("attention")


async def test_without_a_finding_the_cursor_is_on_the_worst_agent_once_all_are_read() -> None:
    whole = replace(sample.crowd(), attention=())
    part = replace(some(), agents=some().agents[-2:], unread=48)
    async with at_work(FakeEngine(whole)) as desk:
        desk.app.snapshot = None
        desk.app.screen._placed = False  # type: ignore[attr-defined]  # as at the start
        desk.pane("agents").place.cursor = None
        await show(desk, part)
        desk.app.post_message(SnapshotTaken(whole, 1.0))
        await desk.settle()
        assert desk.cursor("agents") == desk.pane("agents").listing.rows[0].key


async def test_a_part_never_takes_the_place_of_a_whole_reading() -> None:
    async with at_work(FakeEngine(sample.crowd())) as desk:
        await show(desk, some())
        assert "1 Agents · 50 " in desk.text("agents")


@pytest.mark.parametrize("count", [12, 49])
def test_what_is_not_all_is_counted_as_at_least(count: int) -> None:
    assert not some(count).is_whole
    assert sample.crowd().is_whole
