"""`memory forget`: takes entries out of an agent's memory."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, Subject, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class MemoryForget(Command):
    """Take entries out of memory.

    Attributes:
        ids: Ids, or beginnings of them.
        is_hard: Leave no copy in anything that is ours. No face forces it with a key.
    """

    ids: tuple[str, ...]
    is_hard: bool = False

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return [*self.ids, "--agent", self.agent.id, "--yes", *flags(hard=self.is_hard)]


@dataclass(frozen=True, slots=True)
class Forgotten(Reported):
    """Entries are out of the memory."""


MEMORY_FORGET = CommandSpec(
    kind=MemoryForget,
    name="memory forget",
    runner="memory.forget:forget",
    title="Forget",
    help="Take entries out of an agent's memory, after showing them and asking",
    subject=Subject.ENTRY,
    about="ids",
    is_destructive=True,
    is_undoable=True,
    undo="u brings it back from the archive; only `memory forget --hard` leaves no copy",
)
