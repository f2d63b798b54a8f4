"""Pictures of the screens behind the first one, and of what lies over them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.domain.gateway import GatewayStatus
from tests.ui import sample
from tests.ui.fake_engine import FakeEngine
from tests.ui.pictures import SIZES, SnapCompare, same_picture
from tests.ui.sample_details import furnish

SCREENS = {
    "session": ("2", "enter"),
    "session-forecast": ("2", "j", "enter", "4"),
    "session-find": ("2", "enter", "slash", *"digest", "enter"),
    "memory": ("3", "enter", "j"),
    "memory-plain": ("3", "enter", "j", "a", "p"),
    "memory-checks": ("3", "enter", "4"),
    "runs": ("5", "enter", "j"),
    "findings": ("exclamation_mark",),
    "log": ("l",),
    "help": ("question_mark",),
    "palette": ("colon",),
    "palette-search": ("colon", *"the"),
    "checkpoint": ("c",),
    "checkpoint-marked": ("space", "space", "c"),
    "rotate-refused": ("R",),
}


@SIZES
@pytest.mark.parametrize("screen", SCREENS)
def test_screen(
    snap_compare: SnapCompare, engine: FakeEngine, screen: str, size: tuple[int, int]
) -> None:
    assert same_picture(snap_compare, engine, size, *SCREENS[screen])


@SIZES
@pytest.mark.parametrize("keys", [("R",), ("R", "left", "enter")], ids=["asks", "details"])
def test_question(snap_compare: SnapCompare, keys: tuple[str, ...], size: tuple[int, int]) -> None:
    up = replace(sample.usual(), gateway=GatewayStatus("up", version="2026.9.6"))
    assert same_picture(snap_compare, FakeEngine(up), size, *keys)


@SIZES
def test_failure(snap_compare: SnapCompare, engine: FakeEngine, size: tuple[int, int]) -> None:
    engine.outcomes["checkpoint"] = Failed(
        Checkpoint(sample.ref("main")),
        "workspace",
        "memory/2026-01-26.md was not written: no space left on the device",
        hint="Free some space; the old file is whole.",
        duration_ms=8,
    )
    assert same_picture(snap_compare, engine, size, "c")


@SIZES
def test_skipped(snap_compare: SnapCompare, engine: FakeEngine, size: tuple[int, int]) -> None:
    engine.outcomes["checkpoint --dry-run"] = Skipped(
        Checkpoint(sample.ref("main"), dry_run=True),
        SkipReason.NOTHING_NEW,
        "nothing new since 14:05",
    )
    assert same_picture(snap_compare, engine, size, "c")


@pytest.mark.parametrize("size", [(50, 18), (30, 10)], ids=str)
@pytest.mark.parametrize("screen", ["session", "memory", "checkpoint", "help"])
def test_screen_in_small_terminals(
    snap_compare: SnapCompare, engine: FakeEngine, screen: str, size: tuple[int, int]
) -> None:
    assert same_picture(snap_compare, engine, size, *SCREENS[screen])


@pytest.mark.parametrize("screen", ["session", "memory", "rotate-refused"])
@pytest.mark.parametrize("mode", ["ascii", "mono"])
def test_screen_in_modes(snap_compare: SnapCompare, screen: str, mode: str) -> None:
    engine = FakeEngine(ui={mode: True})
    furnish(engine)
    assert same_picture(snap_compare, engine, (120, 40), *SCREENS[screen])


@pytest.mark.parametrize("screen", ["session", "runs", "help", "findings", "rotate-refused"])
def test_screen_in_the_light_theme(snap_compare: SnapCompare, screen: str) -> None:
    engine = FakeEngine(ui={"theme": "light"})
    furnish(engine)
    assert same_picture(snap_compare, engine, (120, 40), *SCREENS[screen])
