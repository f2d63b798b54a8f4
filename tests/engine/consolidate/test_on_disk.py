"""Consolidation on a real disk: encodings, kills at every step, many hands."""

from __future__ import annotations

import codecs
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.commands.consolidate import Consolidate, Consolidated
from memconsole.domain.commands.memory import MemoryUndo, Promote, Promoted, Undone
from memconsole.domain.commands.outcomes import Skipped
from memconsole.domain.consolidate.note_hits import NoteHit
from memconsole.domain.memory.entries import entries_of
from tests.doubles.platform import NOW
from tests.engine.memory_stage import STEPS, Place, killed_at

if TYPE_CHECKING:
    from pathlib import Path

GONE = ("The rack moved to the second floor", "Lunch was at noon")
OBSERVATIONS = (
    "# Observations Log\r\n\r\nProse of a person.\r\n\r\nDate: 2026-01-02\r\n"
    f"- 🟡 14:06 {GONE[0]} <!-- dc:type=fact dc:importance=5.0 -->\r\n"
    "  - 🔴 14:07 Two keys <!-- dc:type=rule dc:importance=9.5 -->\r\n"
    f"- 🟢 {GONE[1]} <!-- dc:type=event dc:importance=1.0 -->"
)
NOTE = "- [FACT] Port 8443 is the gateway\n"
NOTES = "memory/2026-01-20.md"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    found = Place(tmp_path)
    (found.workspace / "memory" / "observations.md").write_bytes(OBSERVATIONS.encode())
    return found


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")],
)
def test_a_round_trip_leaves_every_byte_as_it_was(place: Place, mark: bytes, encoding: str) -> None:
    path = place.workspace / "memory" / "observations.md"
    path.write_bytes(mark + OBSERVATIONS.encode(encoding))
    before = place.files()
    outcome = place.run(Consolidate(place.ref))
    assert isinstance(outcome, Consolidated), outcome
    after = path.read_bytes()
    assert after.startswith(mark)
    assert GONE[0].encode(encoding) not in after
    assert "Prose of a person.\r\n".encode(encoding) in after
    assert isinstance(place.run(MemoryUndo(place.ref)), Undone)
    assert place.files() == before


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_any_step_loses_nothing_and_the_next_run_finishes(
    place: Place, step: str
) -> None:
    killed_at(place, step, Consolidate(place.ref))
    for text in (*GONE, "Two keys", "Prose of a person."):
        assert place.holding(text.encode()), text
    place.run(Consolidate(place.ref))
    path = place.workspace / "memory" / "observations.md"
    assert not any(text in path.read_text("utf-8") for text in GONE)
    archive = (place.workspace / "memory/archive/observations/2026-01-26.md").read_text("utf-8")
    assert all(text in archive for text in GONE)
    assert isinstance(place.run(Consolidate(place.ref)), Skipped)


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_while_promoting_leaves_memory_whole(place: Place, step: str) -> None:
    (place.workspace / NOTES).write_text(NOTE)
    memory = place.workspace / "MEMORY.md"
    memory.write_text("# Memory\n\n- kept\n")
    id_ = entries_of(NOTES, NOTE)[0].id
    find = NoteHit(id_, NOTES, "0" * 16, NOW.date(), 0.9, NOW)
    place.engine._ports.consolidation.add(str(place.workspace), [find], keep_since=NOW)
    killed_at(place, step, Promote(place.ref, (id_,)))
    assert memory.read_text().startswith("# Memory\n\n- kept\n")
    outcome = place.run(Promote(place.ref, (id_,)))
    assert isinstance(outcome, Promoted | Skipped), outcome
    assert memory.read_text().count("Port 8443 is the gateway") == 1


def test_what_others_added_since_stays_when_it_is_taken_back(place: Place) -> None:
    path = place.workspace / "memory" / "observations.md"
    place.run(Consolidate(place.ref))
    added = "- 🟡 13:30 Said since\r\n"
    path.write_bytes(path.read_bytes() + added.encode())
    outcome = place.run(MemoryUndo(place.ref))
    assert isinstance(outcome, Undone), outcome
    assert outcome.details["exact"] is False
    text = path.read_bytes().decode()
    assert text.startswith(OBSERVATIONS)
    assert text.endswith(added)


def test_what_was_found_is_known_by_the_real_path_of_the_workspace(place: Place) -> None:
    root = str(place.workspace.resolve())
    (place.workspace / NOTES).write_text(NOTE)
    id_ = entries_of(NOTES, NOTE)[0].id
    hits = [NoteHit(id_, NOTES, f"{number:016x}", NOW.date(), 1.0, NOW) for number in range(8)]
    place.engine._ports.consolidation.add(root, hits, keep_since=NOW)
    [one] = place.engine.consolidation.preview("main").proposals
    assert replace(one.note, line=1) == entries_of(NOTES, NOTE)[0]
