"""The agent's own index on one line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memconsole.domain.platform_search.index import PlatformIndexHealth
from memconsole.errors import StoreError
from memconsole.ui.drawing.spans import Role
from memconsole.ui.screens.search.why import index_line
from tests.ui.driving import WIDE, at_work
from tests.ui.fake_engine import FakeEngine
from tests.ui.sample_why import ILL, ill_engine

WHOLE = replace(ILL, missing=(), stale=(), without_vector=0)


def said(health: PlatformIndexHealth) -> tuple[str, Role]:
    """Return the line, and the role of what matters in it."""
    line = index_line(health, "·")
    roles = [span.role for span in line if span.role is not Role.MUTED]
    return "".join(span.text for span in line), roles[0] if roles else Role.MUTED


@pytest.mark.parametrize(
    ("health", "text", "role"),
    [
        (
            PlatformIndexHealth("main", because="it is damaged"),
            " its own index  it is damaged",
            Role.WARNING,
        ),
        (WHOLE, " its own index  whole · 46 files, 310 chunks", Role.OK),
        (
            replace(WHOLE, recent=("a.md",)),
            " its own index  whole · 46 files, 310 chunks · 1 new change to take in",
            Role.OK,
        ),
        (
            ILL,
            " its own index  46 files, 310 chunks · 1 memory file not in it · 2 memory files "
            "changed since · 2 chunks without a vector",
            Role.WARNING,
        ),
        (
            replace(WHOLE, is_canary_found=False),
            " its own index  46 files, 310 chunks · its own words “rehearse database backup” are "
            "not found",
            Role.DUE,
        ),
    ],
    ids=["unreadable", "whole", "waiting", "ill", "deaf"],
)
def test_the_line(health: PlatformIndexHealth, text: str, role: Role) -> None:
    assert said(health) == (text, role)


async def test_the_memory_screen_has_it_where_there_is_an_index() -> None:
    async with at_work(ill_engine(), WIDE) as desk:
        await desk.press("3", "enter")
        assert desk.screen == "memory"
        assert "46 files, 310 chunks · 1 memory file not in it" in desk.bar("own-index")
        assert "its own index" in desk.picture()


async def test_without_an_index_it_takes_no_room() -> None:
    async with at_work(FakeEngine(), WIDE) as desk:
        await desk.press("3", "enter")
        assert desk.screen == "memory"
        assert "its own index" not in desk.picture()


async def test_an_index_that_cannot_be_looked_at_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = FakeEngine()

    def damaged(agent_id: str | None = None) -> tuple[PlatformIndexHealth, ...]:
        raise StoreError(f"the index of {agent_id} is locked")

    monkeypatch.setattr(engine.platform_search, "indexes", damaged)
    async with at_work(engine, WIDE) as desk:
        await desk.press("3", "enter")
        assert "the index of main is locked" in desk.bar("own-index")
