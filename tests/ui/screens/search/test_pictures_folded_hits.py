"""Results that say the same are one line of the panel; the whole search shows each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.ui.driving import WIDE, at_work
from tests.ui.fake_engine import FakeEngine
from tests.ui.fake_search import found
from tests.ui.pictures import SIZES, SnapCompare, same_picture

if TYPE_CHECKING:
    from memconsole.domain.search.values import SearchHit, SearchRequest

THING = "that database thing"


def copied(request: SearchRequest) -> tuple[SearchHit, ...]:
    """Return the usual results, the first of them copied into two more notes."""
    hits = found(request)
    copies = [
        replace(hit, path=f"memory/2026-01-{day}.md", start_line=day, score=hit.score - day / 200)
        for hit in hits[:1]
        for day in (21, 22)
    ]
    return (replace(hits[0], same=tuple(copies)), *hits[1:])


@pytest.fixture
def engine() -> FakeEngine:
    engine = FakeEngine()
    engine.answer = copied
    return engine


async def test_what_says_the_same_is_one_line_with_its_count(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("4", "slash", *THING, "tab")
        text = desk.text("search")
        assert "4 Search · main · 2 folded" in text
        assert text.count("+2 alike · ") == 1
        assert "memory/2026-01-21.md" not in text
        assert "MEMORY.md:7" in text
        assert len(desk.pane("search").place.rows) == 3
        await desk.press("a", "o")
        assert desk.screen == "search"
        text = desk.text("results")
        assert "alike" not in text
        assert "folded" not in text
        assert len(desk.pane("results").place.rows) == 5
        await desk.press("escape")
        assert "2 folded" in desk.text("search")


@SIZES
def test_folded(snap_compare: SnapCompare, engine: FakeEngine, size: tuple[int, int]) -> None:
    assert same_picture(snap_compare, engine, size, "4", "slash", *THING)
