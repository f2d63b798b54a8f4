"""`memory tidy`: removes daily notes that hold nothing but a heading."""

from __future__ import annotations

from datetime import timedelta

from memconsole.domain.commands.command import Command, CommandSpec
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class MemoryTidy(Command):
    """Remove daily notes that hold nothing.

    Attributes:
        older_than: How many days a note must lie back; it is as old as the day in its name.
    """

    older_than: timedelta = timedelta(days=30)

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        is_whole = not self.older_than % _DAY
        hours = self.older_than // timedelta(hours=1)
        span = f"{self.older_than // _DAY}d" if is_whole else f"{hours}h"
        return ["--agent", self.agent.id, "--older-than", span]


@dataclass(frozen=True, slots=True)
class Tidied(Reported):
    """Empty notes are gone; `notes` in `details` names them."""


MEMORY_TIDY = CommandSpec(
    kind=MemoryTidy,
    name="memory tidy",
    runner="memory.tidy:tidy",
    title="Tidy",
    help="Remove an agent's daily notes that hold nothing but a heading, or nothing at all",
    is_reviewed=True,
    is_undoable=True,
    undo="u puts them back, and so does `memconsole memory undo`",
)
