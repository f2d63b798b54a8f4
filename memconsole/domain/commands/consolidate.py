"""`consolidate`: archives observations that have decayed, or reports what could go and stay."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Consolidate(Command):
    """Archive observations whose importance has decayed.

    Attributes:
        shown: Digest of the file that the operator was shown; another one is left alone. None takes
            it as it is.
        is_high_included: Also lines with 🔴.
    """

    shown: str | None = None
    is_high_included: bool = False

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        flag = "--apply-high" if self.is_high_included else "--apply"
        return ["--agent", self.agent.id, flag, "--yes"]


@dataclass(frozen=True, slots=True)
class Consolidated(Reported):
    """Observations that had decayed are in the archive, and a line says where."""


CONSOLIDATE = CommandSpec(
    kind=Consolidate,
    name="consolidate",
    runner="consolidate.run:consolidate",
    title="Consolidate",
    help="Archive observations that have decayed, after showing them, and propose notes for "
    "MEMORY.md",
    does="archives what has decayed, asks",
    force="is_high_included",
    is_destructive=True,
    is_undoable=True,
    undo="u brings the lines back from the archive, and so does `memconsole memory undo`",
)


@dataclass(frozen=True, slots=True)
class Propose(Command):
    """Write into DREAMS.md what consolidation would do; nothing else is changed."""

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return ["--agent", self.agent.id, *flags(report=True)]


@dataclass(frozen=True, slots=True)
class Proposed(Reported):
    """DREAMS.md says what consolidation would do."""


PROPOSE = CommandSpec(kind=Propose, name="consolidate", runner="consolidate.run:propose")
