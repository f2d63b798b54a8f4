"""Pictures of the jobs screen."""

from __future__ import annotations

import pytest

from tests.ui.pictures import SIZES, SnapCompare, same_picture
from tests.ui.screens.jobs.test_screen import engine_with, fake_jobs


@SIZES
@pytest.mark.parametrize("state", ["running", "stopped"])
def test_jobs(snap_compare: SnapCompare, state: str, size: tuple[int, int]) -> None:
    assert same_picture(snap_compare, engine_with(fake_jobs(), state), size, "v", "j")
