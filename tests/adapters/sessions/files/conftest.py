"""What the tests of the file era share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.adapters.sessions.files.file_homes import Sessions

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Sessions:
    """An empty sessions folder of agent `main`."""
    return Sessions(tmp_path / ".openclaw")
