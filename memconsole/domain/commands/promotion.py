"""`memory promote` and `memory decline`: what becomes of notes that consolidation proposes."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, Subject
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Promote(Command):
    """Write daily notes into MEMORY.md, each of which the operator names.

    Attributes:
        ids: Of the notes, or beginnings of them.
    """

    ids: tuple[str, ...]

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return [*self.ids, "--agent", self.agent.id]


@dataclass(frozen=True, slots=True)
class Promoted(Reported):
    """Daily notes that the operator named stand in MEMORY.md."""


PROMOTE = CommandSpec(
    kind=Promote,
    name="memory promote",
    runner="consolidate.promote:promote",
    title="Promote",
    help="Write daily notes that searches found again into MEMORY.md, each that you name",
    subject=Subject.ENTRY,
    about="ids",
    is_reviewed=True,
    is_undoable=True,
    undo="u takes it out of MEMORY.md again, and so does `memconsole memory undo`",
)


@dataclass(frozen=True, slots=True)
class Decline(Command):
    """Propose daily notes for MEMORY.md no more.

    Attributes:
        ids: Of the notes, or beginnings of them.
    """

    ids: tuple[str, ...]

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return [*self.ids, "--agent", self.agent.id]


@dataclass(frozen=True, slots=True)
class Declined(Reported):
    """Daily notes are not proposed any more."""


DECLINE = CommandSpec(
    kind=Decline,
    name="memory decline",
    runner="consolidate.promote:decline",
    title="Decline",
    help="Propose daily notes for MEMORY.md no more; they stay in their logs",
    subject=Subject.ENTRY,
    about="ids",
    undo="not needed: `memory promote` still takes them",
)
