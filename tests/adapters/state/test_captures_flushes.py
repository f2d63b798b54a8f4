"""The last flush of each talk in `state.db`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.captures import StateFlushes
from memconsole.adapters.state.database import StateDatabase
from memconsole.domain.agents import AgentRef
from memconsole.domain.flush import Cycle, FlushMark, Stage
from memconsole.errors import StateError

if TYPE_CHECKING:
    from pathlib import Path

MAIN = AgentRef("/home/one", "main")
KEY = "agent:main:main"
AT = datetime(2026, 1, 26, 13, tzinfo=UTC)


def flushes(folder: Path) -> StateFlushes:
    return StateFlushes(StateDatabase(folder, PrivateCopies()))


@pytest.mark.parametrize(
    "mark",
    [
        FlushMark(Cycle("s-1", 0, AT), frozenset({Stage.EARLY}), AT),
        FlushMark(Cycle("s-1", 3, AT), frozenset(Stage), AT),
        FlushMark(Cycle(None, None, None), frozenset(), AT),
    ],
)
def test_what_is_stored_comes_back(tmp_path: Path, mark: FlushMark) -> None:
    store = flushes(tmp_path)
    assert store.last(MAIN, KEY) is None
    store.store(MAIN, KEY, mark)
    assert flushes(tmp_path).last(MAIN, KEY) == mark


def test_the_newest_replaces_and_homes_are_kept_apart(tmp_path: Path) -> None:
    store = flushes(tmp_path)
    first = FlushMark(Cycle("s-1", 0, AT), frozenset({Stage.EARLY}), AT)
    second = FlushMark(Cycle("s-1", 1, AT), frozenset(), AT)
    for mark in (first, second):
        store.store(MAIN, KEY, mark)
    assert store.last(MAIN, KEY) == second
    assert store.last(AgentRef("/home/two", "main"), KEY) is None
    assert store.last(MAIN, "agent:main:other") is None


def test_a_state_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = flushes(tmp_path / "file")
    assert store.last(MAIN, KEY) is None
    with pytest.raises(StateError):
        store.store(MAIN, KEY, FlushMark(Cycle(), frozenset(), AT))
