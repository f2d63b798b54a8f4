"""Fingerprints of captured talks and keys of sessions in our own database."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.captures import (
    StateCaptures,
    StateFlushes,
    StateRecovery,
    StateSummaries,
)
from memconsole.adapters.state.database import StateDatabase
from memconsole.domain.agents import AgentRef
from memconsole.domain.flush import Cycle, FlushMark
from memconsole.domain.memory.records import Capture, SummaryRecord
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from pathlib import Path

MAIN = AgentRef("/home/operator/.openclaw", "main")


@pytest.fixture
def state(tmp_path: Path) -> StateDatabase:
    return StateDatabase(tmp_path / "state", PrivateCopies())


def test_fingerprints_are_kept_each_once(state: StateDatabase) -> None:
    recovery = StateRecovery(state)
    for mark in ("a", "b", "a"):
        recovery.remember(MAIN, "s-1", mark, NOW)
    assert recovery.fingerprints(MAIN, "s-1") == {"a", "b"}
    assert recovery.fingerprints(MAIN, "s-2") == frozenset()
    assert recovery.fingerprints(replace(MAIN, id="work"), "s-1") == frozenset()


def test_old_ones_are_let_go(state: StateDatabase) -> None:
    recovery = StateRecovery(state)
    recovery.remember(MAIN, "s-1", "a", NOW - timedelta(days=91))
    recovery.remember(MAIN, "s-2", "b", NOW)
    assert recovery.fingerprints(MAIN, "s-1") == frozenset()


def test_keys_are_known_from_looks_and_from_captures(state: StateDatabase) -> None:
    recovery = StateRecovery(state)
    recovery.note(MAIN, {"s-1": "agent:main:main"}, NOW)
    recovery.note(MAIN, {"s-1": "agent:main:main", "s-2": "agent:main:dashboard:x"}, NOW)
    captured = Capture(MAIN, "s-3", "agent:main:main", NOW, "hash", "block", False, None, "/ws")
    StateCaptures(state).add(captured)
    summary = SummaryRecord(MAIN, "s-4", "agent:main:main", NOW, NOW, "memory/x.md", "recovery")
    StateSummaries(state).add(summary)
    mark = FlushMark(Cycle("s-5", 0, NOW), frozenset(), NOW)
    StateFlushes(state).store(MAIN, "agent:main:telegram:direct:7", mark)
    assert recovery.keys(MAIN) == {
        "s-1": "agent:main:main",
        "s-2": "agent:main:dashboard:x",
        "s-3": "agent:main:main",
        "s-4": "agent:main:main",
        "s-5": "agent:main:telegram:direct:7",
    }
    assert recovery.keys(replace(MAIN, home="/elsewhere")) == {}
