"""Consolidations of observations in our own database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.memory import StateReflections
from tests.adapters.state.older_state import make_older
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from pathlib import Path

BEFORE_EDITS = 15
"""The version before a consolidation told how it is taken back."""


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
