"""Fixtures of the store suites."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sessions.agent import AgentSessionStore
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from tests.adapters.sessions.both_stores import BUILDERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.homes import HomeBuilder

LATER = datetime(2027, 1, 1, tzinfo=UTC)


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[PrivateCopies]:
    """Private copies in a folder of this test."""
    with closing(PrivateCopies(tmp_path / "copies")) as made:
        yield made


@pytest.fixture(params=BUILDERS)
def builder(request: pytest.FixtureRequest, tmp_path: Path) -> HomeBuilder:
    """An agent's home in one of the eras."""
    made: HomeBuilder = BUILDERS[request.param](tmp_path / ".openclaw")
    return made


@pytest.fixture
def agent_store(copies: PrivateCopies) -> AgentSessionStore:
    """The store that knows both eras, at a moment behind all that the tests write."""
    return AgentSessionStore(copies, now=lambda: LATER)
