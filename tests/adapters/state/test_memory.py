"""What consolidation remembers in our own database."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.memory import StateConsolidation
from memconsole.domain.consolidate.note_hits import NoteHit
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from pathlib import Path


FIND = NoteHit("d-1a2b3c4d", "memory/2026-01-20.md", "0123456789abcdef", NOW.date(), 0.5, NOW)
LONG_AGO = NOW - timedelta(days=60)


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
