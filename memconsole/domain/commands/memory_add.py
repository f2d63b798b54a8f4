"""`memory add`: writes one thing down, where the operator says."""

from __future__ import annotations

from enum import StrEnum

from memconsole.domain.commands.command import Command, CommandSpec, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


class Layer(StrEnum):
    """Where something is written down: the daily log only grows, the others are curated."""

    LONG = "long"
    USER = "user"
    DAILY = "daily"


@dataclass(frozen=True, slots=True)
class MemoryAdd(Command):
    """Write one thing down.

    Attributes:
        text: As it was given; becomes one line.
        layer: `long` for MEMORY.md, `user` for USER.md, `daily` for the log of today.
        tag: One of the eight markers; None for none.
        section: Of MEMORY.md or USER.md.
        is_forced: Also what stands there already.
    """

    text: str
    layer: Layer = Layer.LONG
    tag: str | None = None
    section: str = "Notes"
    is_forced: bool = False

    def words(self) -> list[str]:
        """Return the arguments without the text: it may be forgotten one day, the log is kept."""
        tag = [] if self.tag is None else ["--type", self.tag]
        own = self.layer is not Layer.DAILY and self.section != "Notes"
        section = ["--section", self.section] if own else []
        forced = flags(force=self.is_forced)
        return ["-", "--agent", self.agent.id, f"--{self.layer}", *tag, *section, *forced]


@dataclass(frozen=True, slots=True)
class Remembered(Reported):
    """Something was written down; its id is in `details`."""


MEMORY_ADD = CommandSpec(
    kind=MemoryAdd,
    name="memory add",
    runner="memory.add:add",
    title="Add",
    help="Write one thing into an agent's memory, unless it stands there already",
    about="text",
    force="is_forced",
    takes_text=True,
    is_reviewed=True,
    is_undoable=True,
    undo="u takes it out again, and so does `memconsole memory undo`",
)
