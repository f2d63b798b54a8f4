"""Pictures of the checkpoints and of what changed between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ui.pictures import SIZES, SnapCompare, same_picture
from tests.ui.sample_checkpoints import captures

if TYPE_CHECKING:
    from tests.ui.fake_engine import FakeEngine

SCREENS = {"newest": ("d",), "marked": ("d", "space", "G"), "changes": ("d", "enter", "j", "j")}


@SIZES
@pytest.mark.parametrize("screen", SCREENS)
def test_checkpoints(
    snap_compare: SnapCompare, engine: FakeEngine, screen: str, size: tuple[int, int]
) -> None:
    engine.captures = captures()
    assert same_picture(snap_compare, engine, size, *SCREENS[screen])


@SIZES
def test_no_checkpoints(
    snap_compare: SnapCompare, engine: FakeEngine, size: tuple[int, int]
) -> None:
    assert same_picture(snap_compare, engine, size, "d")
