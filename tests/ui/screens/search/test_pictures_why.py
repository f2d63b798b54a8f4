"""Pictures of why an agent does not see a note."""

from __future__ import annotations

import pytest

from tests.ui.fake_engine import FakeEngine
from tests.ui.pictures import SIZES, SnapCompare, same_picture
from tests.ui.sample_why import ill_engine, why_engine

THING = "that database thing"
SCREENS = {
    "compared": (why_engine, ("a", "o", *THING, "tab", "a", "w")),
    "asked": (why_engine, ("a", "o", *THING, "tab", "a", "w", "a", "a", "j")),
    "nothing-found": (FakeEngine, ("a", "o", *"zebra", "tab", "a", "w")),
    "memory-index": (ill_engine, ("3", "enter")),
}


@SIZES
@pytest.mark.parametrize("screen", SCREENS)
def test_screen(snap_compare: SnapCompare, screen: str, size: tuple[int, int]) -> None:
    engine, keys = SCREENS[screen]
    assert same_picture(snap_compare, engine(), size, *keys)
