"""`reflect`: consolidates an agent's observations, and takes that back."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.domain.commands.command import Command, CommandSpec, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.commands.outcomes import Detail


@dataclass(frozen=True, slots=True)
class Draft:
    """What a plan would put in the place of `observations.md`.

    Attributes:
        text: The new file.
        shown: Digest of the file that it was made of; another file is left alone.
        is_own: The built-in consolidation made it; otherwise a model or a person did.
        notes: What is said of the model.
    """

    text: str
    shown: str
    is_own: bool
    notes: Mapping[str, Detail] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reflect(Command):
    """Consolidate an agent's `observations.md`.

    Attributes:
        is_forced: Also when it is not due, and a candidate of less than a tenth.
        candidate: A text from elsewhere that shall take its place, if the gate lets it pass.
        candidate_name: Where that text came from, for the command line.
        is_undo: Put the newest backup back instead.
        draft: What a plan showed, and nothing else, shall take its place.
        asks_model: Whether a model that is set up is asked; None asks it unless this is a dry run.
    """

    is_forced: bool = False
    candidate: str | None = None
    candidate_name: str = ""
    is_undo: bool = False
    draft: Draft | None = None
    asks_model: bool | None = None

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        text = [] if self.candidate is None else ["--candidate", self.candidate_name]
        chosen = flags(force=self.is_forced, undo=self.is_undo)
        return ["--agent", self.agent.id, *text, *chosen]


@dataclass(frozen=True, slots=True)
class Reflected(Reported):
    """`observations.md` was consolidated, and everything that went is in the archive."""


REFLECT = CommandSpec(
    kind=Reflect,
    name="reflect",
    runner="reflect.run:reflect",
    title="Reflect",
    help="Consolidate an agent's observations: merge, fold, archive what has expired",
    key="F",
    does="merges and archives observations",
    force="is_forced",
    is_destructive=True,
    is_undoable=True,
    stages=("consolidation", "backup", "archive", "replace"),
    undo="`memconsole reflect --undo` puts the file back; what went is in the archive",
)
