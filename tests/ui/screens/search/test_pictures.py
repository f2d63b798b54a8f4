"""Pictures of the search: in its panel and as a screen, in every state of its index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.domain.search.indexing import IndexState
from memconsole.ui.workers.indexing import Building
from tests.ui.driving import console, settle
from tests.ui.fake_engine import FakeEngine
from tests.ui.fake_search import status
from tests.ui.pictures import SIZES, SnapCompare, same_picture

if TYPE_CHECKING:
    from textual.pilot import Pilot

THING = "that database thing"
STATES = {
    "results": (THING, status()),
    "weak": ("birds", status()),
    "nothing-found": ("zebra crossing", status()),
    "could-not-look": (
        THING,
        status(IndexState.UNAVAILABLE, because="its file is cut off after 4096 bytes"),
    ),
}
SCREENS = {
    "results": ("a", "o", *THING, "tab"),
    "facets": ("a", "o", *THING, "tab", "a", "m", "3", "j", "j"),
    "explained": ("a", "o", *THING, "tab", "a", "e", "2"),
    "all-agents": ("G", "a", "o", *"database", "tab"),
    "nothing-found": ("a", "o", *"zebra", "tab", "a", "d"),
    "empty": ("a", "o"),
}


@SIZES
@pytest.mark.parametrize("state", STATES)
def test_panel(snap_compare: SnapCompare, state: str, size: tuple[int, int]) -> None:
    text, index = STATES[state]
    engine = FakeEngine()
    engine.statuses["main"] = index
    assert same_picture(snap_compare, engine, size, "4", "slash", *text)


@SIZES
def test_panel_while_building(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    engine = FakeEngine(ui={"read_only": True})
    engine.statuses["main"] = status(IndexState.MISSING)
    app = console(engine)

    async def build(pilot: Pilot[int]) -> None:
        await settle(pilot)
        app.indexing.building = Building("main", 12, 47)
        for key in ("4", "slash", *THING):
            await pilot.press(key)
        await settle(pilot)

    assert snap_compare(app, terminal_size=size, run_before=build)


@SIZES
def test_panel_without_an_index(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    engine = FakeEngine()
    engine.statuses["main"] = status(IndexState.MISSING)
    assert same_picture(snap_compare, engine, size, "4")


@SIZES
def test_panel_with_earlier_queries(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    keys = ("4", "slash", *"birds", "tab", "escape", "slash", *"lock", "tab", "escape")
    assert same_picture(snap_compare, FakeEngine(), size, *keys)


@SIZES
@pytest.mark.parametrize("screen", SCREENS)
def test_screen(snap_compare: SnapCompare, screen: str, size: tuple[int, int]) -> None:
    assert same_picture(snap_compare, FakeEngine(), size, *SCREENS[screen])


@pytest.mark.parametrize("ui", [{"ascii": True}, {"mono": True}, {"theme": "light"}], ids=" ".join)
def test_screen_in_modes(snap_compare: SnapCompare, ui: dict[str, object]) -> None:
    assert same_picture(snap_compare, FakeEngine(ui=ui), (120, 40), *SCREENS["results"])


def test_screen_in_a_small_terminal(snap_compare: SnapCompare) -> None:
    assert same_picture(snap_compare, FakeEngine(), (50, 18), *SCREENS["results"])
