"""Consolidations of observations in our own database."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.memory import StateReflections
from memconsole.domain.memory.records import ReflectionRecord
from tests.adapters.older_state import make_older
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from pathlib import Path

BEFORE_EDITS = 15
"""The version before a consolidation told how it is taken back."""

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


def test_one_that_an_earlier_release_stored_is_found_before_anything_is_written(
    tmp_path: Path,
) -> None:
    database = StateDatabase(tmp_path / "state", PrivateCopies())
    make_older(database.path, BEFORE_EDITS)
    with open_own(database.path) as connection:
        connection.execute("UPDATE reflection SET at = ?, undone_at = NULL", (NOW.isoformat(),))
    found = StateReflections(database).last("kept")
    assert found is not None
    assert (found.at, found.backup, found.edits) == (NOW, "kept", ())
