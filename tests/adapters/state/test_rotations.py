"""The journal of rotations in our own database."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.locks import FileLocks
from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.rotations import StateRotations
from memconsole.domain.agents import AgentRef
from memconsole.domain.rotation import Identity, Rotation, RotationState
from memconsole.errors import LockedError, StateError
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from pathlib import Path

MAIN = AgentRef("/home/operator/.openclaw", "main")
KEY = "agent:main:main"
BEFORE = Identity("s-1", "r-1", NOW - timedelta(days=1), 160_000)
AFTER = Identity("s-1", "r-2", NOW, 0)
SENT = Rotation(0, MAIN, KEY, RotationState.SENT, NOW, BEFORE, 150_000)


@pytest.fixture
def rotations(tmp_path: Path) -> StateRotations:
    return StateRotations(StateDatabase(tmp_path / "state", PrivateCopies()))


def test_a_reset_is_kept_before_and_after(rotations: StateRotations) -> None:
    number = rotations.begin(SENT)
    [sent] = rotations.recent(MAIN, KEY, limit=5)
    assert sent == Rotation(number, MAIN, KEY, RotationState.SENT, NOW, BEFORE, 150_000)
    rotations.finish(number, RotationState.PROVEN, AFTER, NOW + timedelta(seconds=1))
    [ended] = rotations.recent(MAIN, KEY, limit=5)
    assert (ended.state, ended.after) == (RotationState.PROVEN, AFTER)
    assert ended.ended_at == NOW + timedelta(seconds=1)


def test_what_was_saved_first_is_kept(rotations: StateRotations) -> None:
    steps = (("checkpoint", "done"), ("observe", "skipped"))
    rotations.begin(replace(SENT, captured=steps))
    rotations.begin(SENT)
    assert [one.captured for one in rotations.recent(MAIN, KEY, limit=5)] == [(), steps]


def test_a_journal_of_before_is_read_as_well(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    StateRotations(StateDatabase(folder, PrivateCopies())).begin(SENT)
    with open_own(folder / "state.db") as connection:
        connection.execute("ALTER TABLE rotation DROP COLUMN captured")
        connection.execute("PRAGMA user_version = 8")
    [found] = StateRotations(StateDatabase(folder, PrivateCopies())).recent(MAIN, KEY, limit=5)
    assert (found.state, found.before, found.captured) == (RotationState.SENT, BEFORE, ())


def test_the_newest_come_first_and_only_of_this_session(rotations: StateRotations) -> None:
    numbers = [rotations.begin(SENT) for _ in range(3)]
    rotations.begin(Rotation(0, MAIN, "other", RotationState.SENT, NOW, Identity(), 1))
    rotations.begin(
        Rotation(0, AgentRef("/elsewhere", "main"), KEY, RotationState.SENT, NOW, BEFORE, 1)
    )
    found = rotations.recent(MAIN, KEY, limit=2)
    assert [one.id for one in found] == numbers[:0:-1]


def test_without_a_database_there_is_no_journal(rotations: StateRotations) -> None:
    assert rotations.recent(MAIN, KEY, limit=5) == ()


def test_a_journal_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    rotations = StateRotations(StateDatabase(tmp_path / "state", PrivateCopies()))
    with pytest.raises(StateError):
        rotations.begin(SENT)


def test_a_session_is_held_by_one(tmp_path: Path) -> None:
    locks, others = FileLocks(tmp_path / "locks"), FileLocks(tmp_path / "locks")
    with locks.session(MAIN.home, KEY):
        with pytest.raises(LockedError), others.session(MAIN.home, KEY):
            pass
        with others.session(MAIN.home, "other"), others.session("/elsewhere", KEY):
            pass
    with others.session(MAIN.home, KEY):
        pass
