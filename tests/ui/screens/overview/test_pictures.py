"""Pictures of the first screen in its states."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.errors import HomeNotFoundError
from tests.ui import sample
from tests.ui.driving import Stopwatch, console, settle
from tests.ui.fake_engine import FakeEngine
from tests.ui.pictures import SIZES, SnapCompare, same_picture
from tests.ui.sample_fleet import fleet

if TYPE_CHECKING:
    from textual.pilot import Pilot

STATES = {
    "usual": sample.usual,
    "empty": sample.empty,
    "one-agent": sample.lone,
    "fifty-agents": sample.crowd,
    "unreadable-store": sample.unreadable,
}

KEYS = {
    "marked": ("space", "space"),
    "all-agents": ("G",),
    "everything": ("2", "a", "s"),
    "filter": ("2", "slash", "a", "p", "p"),
    "maximised": ("2", "z"),
    "activity": ("5",),
    "frozen": ("f",),
}


@SIZES
@pytest.mark.parametrize("state", STATES)
def test_overview(snap_compare: SnapCompare, state: str, size: tuple[int, int]) -> None:
    assert same_picture(snap_compare, FakeEngine(STATES[state]()), size)


@SIZES
@pytest.mark.parametrize("keys", KEYS)
def test_overview_after_keys(snap_compare: SnapCompare, keys: str, size: tuple[int, int]) -> None:
    assert same_picture(snap_compare, FakeEngine(), size, *KEYS[keys])


@SIZES
def test_overview_of_a_missing_home(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    engine = FakeEngine(HomeNotFoundError("/home/operator/.openclaw"))
    assert same_picture(snap_compare, engine, size)


@SIZES
def test_overview_of_stale_data(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    engine, watch = FakeEngine(), Stopwatch()
    app = console(engine, watch=watch)

    async def grow_old(pilot: Pilot[int]) -> None:
        await settle(pilot)
        engine.reading = HomeNotFoundError("/home/operator/.openclaw")
        watch.seconds = timedelta(minutes=7).total_seconds()
        await pilot.press("r")
        await settle(pilot)

    assert snap_compare(app, terminal_size=size, run_before=grow_old)


@pytest.mark.parametrize("size", [(59, 20), (40, 12), (24, 8), (19, 5)], ids=str)
def test_overview_in_small_terminals(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert same_picture(snap_compare, FakeEngine(), size)


@pytest.mark.parametrize(
    "ui",
    [
        {"theme": "light"},
        {"theme": "contrast"},
        {"theme": "ansi"},
        {"mono": True},
        {"ascii": True},
        {"read_only": True},
    ],
    ids=lambda ui: "-".join(map(str, next(iter(ui.items())))),
)
def test_overview_in_its_modes(snap_compare: SnapCompare, ui: dict[str, object]) -> None:
    assert same_picture(snap_compare, FakeEngine(ui=ui), (120, 40))


@SIZES
def test_overview_when_all_is_due(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    usual = sample.usual()
    sessions = tuple(
        sample.view(view.stored, sample.fresh(150_000 + place * 1_111), 9_000)
        for place, view in enumerate(usual.sessions)
        if not view.is_cron_run
    )
    agents = tuple(sample.agent_view(agent.agent, sessions) for agent in usual.agents)
    due = sample.snapshot(agents, sessions, activity=sample.runs())
    assert same_picture(snap_compare, FakeEngine(replace(due)), size)


@pytest.mark.parametrize(
    ("count", "size"),
    [(5, (80, 24)), (50, (120, 40)), (500, (120, 40))],
    ids=["5-80x24", "50-120x40", "500-120x40"],
)
def test_overview_of_a_fleet(snap_compare: SnapCompare, count: int, size: tuple[int, int]) -> None:
    assert same_picture(snap_compare, FakeEngine(fleet(count)), size)
