"""The journal of rotations in our own database."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.rotations import StateRotations
from memconsole.domain.agents import AgentRef
from memconsole.domain.rotation import Identity, Rotation, RotationState
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from pathlib import Path

MAIN = AgentRef("/home/operator/.openclaw", "main")
KEY = "agent:main:main"
BEFORE = Identity("s-1", "r-1", NOW - timedelta(days=1), 160_000)
SENT = Rotation(0, MAIN, KEY, RotationState.SENT, NOW, BEFORE, 150_000)


def test_a_journal_of_before_is_read_as_well(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    StateRotations(StateDatabase(folder, PrivateCopies())).begin(SENT)
    with open_own(folder / "state.db") as connection:
        connection.execute("ALTER TABLE rotation DROP COLUMN captured")
        connection.execute("PRAGMA user_version = 8")
    [found] = StateRotations(StateDatabase(folder, PrivateCopies())).recent(MAIN, KEY, limit=5)
    assert (found.state, found.before, found.captured) == (RotationState.SENT, BEFORE, ())
