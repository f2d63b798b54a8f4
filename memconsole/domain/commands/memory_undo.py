"""`memory undo`: takes back the last action on an agent's memory."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class MemoryUndo(Command):
    """Take back the last action on a memory that was not taken back yet."""


@dataclass(frozen=True, slots=True)
class Undone(Reported):
    """The last action on memory was taken back."""


MEMORY_UNDO = CommandSpec(
    kind=MemoryUndo,
    name="memory undo",
    runner="memory.undo:undo",
    title="Undo",
    help="Take back the last add, forget or reflect of an agent's memory that was not taken "
    "back yet",
    is_reviewed=True,
    undo="once more takes back the one before",
)
