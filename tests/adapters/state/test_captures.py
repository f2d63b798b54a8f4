"""Captures in our own database: what is let go, and what an older one left."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.captures import (
    StateCaptures,
    StateFlushes,
    StateObserver,
    StateRecovery,
)
from memconsole.adapters.state.database import StateDatabase
from memconsole.domain.agents import AgentRef
from memconsole.domain.flush import Cycle, FlushMark
from memconsole.domain.memory.records import Capture
from memconsole.domain.observe.rules import Cursor
from tests.adapters.state.older_state import make_older
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

MAIN = AgentRef("/home/operator/.openclaw", "main")
HERE = Cursor("0a", 4711, NOW)
OLDER = 5
"""The version before there was an observer."""
CAPTURE = Capture(
    agent=MAIN,
    session_id="a0b7",
    session_key="agent:main:main",
    at=NOW,
    content_hash="0" * 64,
    block="# Active Context — main\n",
    is_logged=True,
    day_file="memory/2026-01-26.md",
    workspace="/home/operator/ws",
)


@pytest.fixture
def database(tmp_path: Path) -> StateDatabase:
    return StateDatabase(tmp_path / "state", PrivateCopies())


@pytest.fixture
def observer(database: StateDatabase) -> StateObserver:
    return StateObserver(database)


def later(**step: float) -> datetime:
    return NOW + timedelta(**step)


def test_old_captures_go_but_an_agents_last_one_stays(database: StateDatabase) -> None:
    log = StateCaptures(database)
    quiet = replace(CAPTURE, agent=AgentRef(MAIN.home, "quiet"))
    log.add(quiet)
    log.add(CAPTURE)
    log.add(replace(CAPTURE, session_id="new", at=later(days=91)))
    assert log.last(MAIN, CAPTURE.session_id) is None
    assert log.latest_by_agent(MAIN.home)["quiet"] == quiet


def test_places_of_long_ago_are_forgotten(observer: StateObserver) -> None:
    observer.advance(MAIN, "h1", {"s1": HERE}, NOW)
    observer.advance(MAIN, "h2", {"s2": HERE}, NOW + timedelta(days=400))
    assert set(observer.cursors(MAIN)) == {"s2"}


def test_an_older_database_is_copied_and_brought_along(tmp_path: Path) -> None:
    database = StateDatabase(tmp_path / "state", PrivateCopies())
    make_older(database.path, OLDER)
    observer = StateObserver(database)
    assert (observer.last(MAIN), observer.cursors(MAIN)) == (None, {})
    observer.advance(MAIN, "h2", {"s1": HERE}, NOW)
    assert observer.last(MAIN) == ("h2", NOW)
    assert database.path.with_name(f"state.db.v{OLDER}").exists()


def test_old_fingerprints_are_let_go(database: StateDatabase) -> None:
    recovery = StateRecovery(database)
    recovery.remember(MAIN, "s-1", "a", NOW - timedelta(days=91))
    recovery.remember(MAIN, "s-2", "b", NOW)
    assert recovery.fingerprints(MAIN, "s-1") == frozenset()


def test_a_session_is_saved_up_to_what_any_capture_reached(database: StateDatabase) -> None:
    captures = StateCaptures(database)
    captures.add(CAPTURE)
    captures.add(replace(CAPTURE, agent=AgentRef("/elsewhere", "main"), at=later(hours=9)))
    assert captures.latest_by_session(MAIN.home) == {("main", "a0b7"): NOW}

    StateObserver(database).advance(
        MAIN,
        "h1",
        {"a0b7": Cursor("0b", 1, later(minutes=5)), "b1": HERE, "c2": Cursor(None, 0, None)},
        NOW,
    )
    cycle = Cycle("d3", 0, NOW)
    mark = FlushMark(cycle, frozenset(), later(minutes=7))
    StateFlushes(database).store(MAIN, "agent:main:d", mark)
    StateRecovery(database).remember(MAIN, "e4", "f00d", later(minutes=9))

    assert captures.latest_by_session(MAIN.home) == {
        ("main", "a0b7"): later(minutes=5),
        ("main", "b1"): NOW,
        ("main", "d3"): later(minutes=7),
        ("main", "e4"): later(minutes=9),
    }
