"""The generated home of the walks in tmux, and somebody who walks there."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.lanes.walk import NAMES, SIZES, PlayedHome, environment_of, walking

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.lanes.walk import Walk


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> PlayedHome:
    """The home of the demo, generated once for all walks."""
    return PlayedHome(tmp_path_factory.mktemp("played"))


@pytest.fixture
def played(generated: PlayedHome) -> PlayedHome:
    """The home of the demo as it is at first."""
    if shutil.which("tmux") is None:
        pytest.fail("tmux is needed (apt-get install tmux)")
    generated.put_back()
    return generated


@pytest.fixture(params=SIZES, ids=NAMES)
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    """Columns and rows of the terminal."""
    columns, rows = request.param
    return columns, rows


@pytest.fixture
def walk(played: PlayedHome, size: tuple[int, int], tmp_path: Path) -> Iterator[Walk]:
    """Somebody before the first screen, with a Gateway that answers."""
    with (
        played.gateway() as gateway,
        walking(tmp_path, size, environment_of(played.operator, gateway)) as walk,
    ):
        yield walk.opens()
