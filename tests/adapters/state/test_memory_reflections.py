"""Consolidations of observations in our own database."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.memory import StateReflections
from memconsole.domain.memory.records import ReflectionRecord
from tests.fakes import NOW

if TYPE_CHECKING:
    from pathlib import Path

FIRST = ReflectionRecord(0, "/ws", NOW, 9_000, 5_000, "memory/b/1.md", 30_000, "abc")


def test_the_newest_that_was_not_undone_is_found(tmp_path: Path) -> None:
    log = StateReflections(StateDatabase(tmp_path / "state", PrivateCopies()))
    assert log.last("/ws") is None
    for minutes in (0, 5):
        at = NOW + timedelta(minutes=minutes)
        log.add(ReflectionRecord(0, "/ws", at, 9_000, 5_000, "memory/b/1.md", 30_000, "abc"))
    newest = log.last("/ws")
    assert newest == ReflectionRecord(
        2, "/ws", NOW + timedelta(minutes=5), 9_000, 5_000, "memory/b/1.md", 30_000, "abc"
    )
    log.undone(newest, NOW)
    older = log.last("/ws")
    assert older is not None
    assert older.id == 1
    assert log.last("/elsewhere") is None
