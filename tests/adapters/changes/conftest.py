"""What the tests of file events share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    for name in ("agents/main/sessions", "agents/main/agent", "workspace/memory/deep/er"):
        (folder / name).mkdir(parents=True)
    return folder
