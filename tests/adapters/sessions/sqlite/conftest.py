"""What the tests of the SQLite era share: an empty home, and the store that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sessions.sqlite.store import SqliteSessionStore
from tests.homes import SqliteHome

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sqlite.private_copy import PrivateCopies


@pytest.fixture
def home(tmp_path: Path) -> SqliteHome:
    return SqliteHome(tmp_path / ".openclaw")


@pytest.fixture
def store(copies: PrivateCopies) -> SqliteSessionStore:
    return SqliteSessionStore(copies)
