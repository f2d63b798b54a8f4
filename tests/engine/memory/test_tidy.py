"""`memory tidy` on a real disk: what goes, what stays, and how it comes back."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.commands.memory import MemoryTidy, MemoryUndo, Tidied, Undone
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from tests.engine.memory_stage import STEPS, Place, killed_at

if TYPE_CHECKING:
    from pathlib import Path

HEADING = "# main — 2025-12-01\r\n\r\n".encode()
EMPTY = {
    "memory/2025-12-01.md": HEADING,
    "memory/2025-12-02.md": b"",
    "memory/2025-12-03-late.md": b"\n\n",
}
KEPT = {
    "memory/2025-12-04.md": b"# main\n\n- The lease ends in May\n",
    "memory/2025-12-05.md": "# main\n".encode("utf-16"),
    "memory/2026-01-20.md": b"# main\n",
    "memory/topic.md": b"",
}
ARCHIVE = "memory/archive/tidied-2026-01.md"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    for path, data in (EMPTY | KEPT).items():
        (made.workspace / path).write_bytes(data)
        (made.workspace / path).chmod(0o640)
    return made


def test_empty_notes_go_and_come_back_to_the_byte(place: Place) -> None:
    done = place.run(MemoryTidy(place.ref))
    assert isinstance(done, Tidied), done
    assert done.details["notes"] == list(EMPTY)
    left = place.files()
    assert {path: left[path] for path in KEPT} == KEPT
    assert set(left) == {*KEPT, ARCHIVE}
    assert "mc:path=memory/2025-12-01.md" in left[ARCHIVE].decode()
    back = place.run(MemoryUndo(place.ref))
    assert isinstance(back, Undone), back
    assert back.details["exact"] is True
    assert place.files() == EMPTY | KEPT
    assert {(place.workspace / path).stat().st_mode & 0o777 for path in EMPTY} == {0o640}
    assert isinstance(place.run(MemoryUndo(place.ref)), Skipped)


def test_a_plan_names_the_notes_and_touches_none(place: Place) -> None:
    plan = place.run(MemoryTidy(place.ref, dry_run=True))
    assert isinstance(plan, Planned)
    assert "3 empty daily notes (memory/2025-12-01.md, " in plan.message
    assert place.files() == EMPTY | KEPT


def test_younger_notes_stay(place: Place) -> None:
    skip = place.run(MemoryTidy(place.ref, timedelta(days=60)))
    assert isinstance(skip, Skipped)
    assert skip.reason is SkipReason.NOTHING_NEW
    assert "older than 60d" in skip.message
    assert place.files() == EMPTY | KEPT


def test_a_note_that_somebody_wrote_anew_keeps_its_words(place: Place) -> None:
    place.run(MemoryTidy(place.ref))
    path = place.workspace / "memory" / "2025-12-01.md"
    path.write_text("- said later\n")
    assert isinstance(place.run(MemoryUndo(place.ref)), Undone)
    assert "- said later" in path.read_text()


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_loses_nothing(place: Place, step: str) -> None:
    killed_at(place, step, MemoryTidy(place.ref))
    outcome = place.run(MemoryTidy(place.ref))
    assert not isinstance(outcome, Failed), outcome
    assert isinstance(place.run(MemoryUndo(place.ref)), Undone)
    assert place.files() == EMPTY | KEPT
