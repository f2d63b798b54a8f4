"""What consolidation remembers in our own database."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.memory import StateConsolidation
from memconsole.domain.consolidate.note_hits import NoteHit
from memconsole.errors import StateError
from tests.doubles.platform import NOW
from tests.doubles.state import FakeConsolidation

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.ports.state import ConsolidationLog

FIND = NoteHit("d-1a2b3c4d", "memory/2026-01-20.md", "0123456789abcdef", NOW.date(), 0.5, NOW)
LONG_AGO = NOW - timedelta(days=60)


@pytest.fixture(params=["state.db", "fake"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> ConsolidationLog:
    """The real one and the fake, which promise the same."""
    if request.param == "fake":
        return FakeConsolidation()
    return StateConsolidation(StateDatabase(tmp_path / "state", PrivateCopies()))


def test_one_question_counts_once_a_day_with_its_best_score(log: ConsolidationLog) -> None:
    assert log.hits("/ws") == ()
    later = replace(FIND, score=0.9, at=NOW + timedelta(hours=1))
    log.add("/ws", [later, replace(FIND, score=0.4)], keep_since=LONG_AGO)
    log.add("/ws", [replace(later, score=0.3)], keep_since=LONG_AGO)
    assert log.hits("/ws") == (later,)
    assert log.hits("/elsewhere") == ()


def test_other_questions_days_and_notes_count_on_their_own(log: ConsolidationLog) -> None:
    hits = [
        FIND,
        replace(FIND, query="f" * 16),
        replace(FIND, day=FIND.day + timedelta(days=1), at=NOW + timedelta(days=1)),
        replace(FIND, entry="d-00000000", at=NOW + timedelta(days=2)),
    ]
    log.add("/ws", hits, keep_since=LONG_AGO)
    assert sorted(map(repr, log.hits("/ws"))) == sorted(map(repr, hits))


def test_what_is_old_goes(log: ConsolidationLog) -> None:
    old = replace(FIND, entry="d-00000000", at=NOW - timedelta(days=61))
    log.add("/ws", [old], keep_since=NOW - timedelta(days=62))
    assert log.hits("/ws") == (old,)
    log.add("/ws", [FIND], keep_since=LONG_AGO)
    assert log.hits("/ws") == (FIND,)


def test_what_was_declined_stays_declined(log: ConsolidationLog) -> None:
    assert log.declined("/ws") == frozenset()
    log.decline("/ws", ["d-1a2b3c4d"], NOW)
    log.decline("/ws", ["d-1a2b3c4d", "d-00000000"], NOW)
    assert log.declined("/ws") == {"d-1a2b3c4d", "d-00000000"}
    assert log.declined("/elsewhere") == frozenset()


def test_the_last_report_is_remembered(log: ConsolidationLog) -> None:
    assert log.last("/ws") is None
    log.reported("/ws", "one", NOW)
    log.reported("/ws", "two", NOW + timedelta(days=1))
    assert log.last("/ws") == ("two", NOW + timedelta(days=1))
    assert log.last("/elsewhere") is None


def test_rows_that_another_program_spoiled_are_left_out(tmp_path: Path) -> None:
    database = StateDatabase(tmp_path / "state", PrivateCopies())
    log = StateConsolidation(database)
    log.add("/ws", [FIND], keep_since=LONG_AGO)
    log.reported("/ws", "one", NOW)

    def spoil(connection: object) -> None:
        execute = connection.execute  # type: ignore[attr-defined]
        for day, at in (("yesterday", NOW.isoformat()), ("2026-01-26", "soon")):
            row = ("/ws", day, "q", day, "memory/x.md", 0.5, at)
            execute("INSERT INTO found_note VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        execute("UPDATE proposed SET at = 'soon'")

    database.write(spoil)
    assert log.hits("/ws") == (FIND,)
    assert log.last("/ws") is None


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    log = StateConsolidation(StateDatabase(tmp_path / "state", PrivateCopies()))
    with pytest.raises(StateError):
        log.add("/ws", [FIND], keep_since=LONG_AGO)
    with pytest.raises(StateError):
        log.decline("/ws", ["d-1a2b3c4d"], NOW)
    with pytest.raises(StateError):
        log.reported("/ws", "one", NOW)
    assert (log.hits("/ws"), log.declined("/ws"), log.last("/ws")) == ((), frozenset(), None)
