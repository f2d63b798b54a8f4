"""How far the observer has read: what goes in comes out, an older database is brought along."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.captures import StateObserver
from memconsole.adapters.state.database import StateDatabase
from memconsole.domain.agents import AgentRef
from memconsole.domain.observe.rules import Cursor
from memconsole.errors import StateError
from tests.adapters.older_state import make_older

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)
MAIN = AgentRef("/home/operator/.openclaw", "main")
OTHER = AgentRef("/home/operator/.openclaw", "work")
HERE = Cursor("0a", 4711, NOW)
NAMELESS = Cursor(None, 7, None)
OLDER = 5
"""The version before there was an observer."""


@pytest.fixture
def observer(tmp_path: Path) -> StateObserver:
    return StateObserver(StateDatabase(tmp_path / "state", PrivateCopies()))


def test_nothing_is_known_at_first(observer: StateObserver) -> None:
    assert observer.last(MAIN) is None
    assert observer.cursors(MAIN) == {}


def test_what_is_stored_comes_back_for_its_agent_only(observer: StateObserver) -> None:
    observer.advance(MAIN, "h1", {"s1": HERE, "s2": NAMELESS}, NOW)
    assert observer.last(MAIN) == ("h1", NOW)
    assert observer.cursors(MAIN) == {"s1": HERE, "s2": NAMELESS}
    assert (observer.last(OTHER), observer.cursors(OTHER)) == (None, {})


def test_a_later_run_replaces_what_it_saw_and_keeps_the_rest(observer: StateObserver) -> None:
    observer.advance(MAIN, "h1", {"s1": HERE, "s2": NAMELESS}, NOW)
    later = Cursor("0b", 9000, NOW + timedelta(hours=1))
    observer.advance(MAIN, "h2", {"s1": later}, NOW + timedelta(hours=1))
    assert observer.cursors(MAIN) == {"s1": later, "s2": NAMELESS}
    assert observer.last(MAIN) == ("h2", NOW + timedelta(hours=1))


def test_places_of_long_ago_are_forgotten(observer: StateObserver) -> None:
    observer.advance(MAIN, "h1", {"s1": HERE}, NOW)
    observer.advance(MAIN, "h2", {"s2": HERE}, NOW + timedelta(days=400))
    assert set(observer.cursors(MAIN)) == {"s2"}


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    observer = StateObserver(StateDatabase(tmp_path / "state", PrivateCopies()))
    with pytest.raises(StateError):
        observer.advance(MAIN, "h", {}, NOW)


def test_an_older_database_is_copied_and_brought_along(tmp_path: Path) -> None:
    database = StateDatabase(tmp_path / "state", PrivateCopies())
    make_older(database.path, OLDER)
    observer = StateObserver(database)
    assert (observer.last(MAIN), observer.cursors(MAIN)) == (None, {})
    observer.advance(MAIN, "h2", {"s1": HERE}, NOW)
    assert observer.last(MAIN) == ("h2", NOW)
    assert database.path.with_name(f"state.db.v{OLDER}").exists()
