"""What `u` takes back: the newest action that can be, each by its own command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.cleanup import CLEANUP, CleanedUp, Cleanup
from memconsole.domain.commands.memory import MEMORY_ADD, MEMORY_UNDO, MemoryAdd, Remembered
from memconsole.ui.actions.action import Action
from memconsole.ui.actions.targets import Target
from memconsole.ui.actions.undo import undo_of
from tests.ui import sample

if TYPE_CHECKING:
    from memconsole.domain.commands.command import CommandSpec
    from memconsole.domain.commands.outcomes import Reported

MAIN = sample.ref("main")
TARGET = Target(MAIN, None, "main")


def done(spec: CommandSpec, outcome: Reported) -> Action:
    return Action(spec, (TARGET,), outcomes=[outcome])


ADDED = done(MEMORY_ADD, Remembered(MemoryAdd(MAIN, "x"), "written"))
CLEANED = done(CLEANUP, CleanedUp(Cleanup(MAIN), "packed"))
BACK = done(CLEANUP, CleanedUp(Cleanup(MAIN, is_undo=True), "brought back"))


def test_a_cleanup_is_taken_back_by_a_cleanup() -> None:
    found = undo_of([CLEANED, ADDED])
    assert found is not None
    spec, targets = found
    assert (spec.title, targets) == ("Undo cleanup", (TARGET,))
    assert spec.build(MAIN) == Cleanup(MAIN, is_undo=True)
    assert spec.asks


def test_files_and_memory_are_taken_back_each_on_their_own() -> None:
    assert undo_of([BACK, CLEANED]) is None
    assert undo_of([BACK, ADDED, CLEANED]) == (MEMORY_UNDO, (TARGET,))
