"""The commands of `memory`: `add`, `forget`, `tidy`, `undo`; `promote` and `decline` of notes."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum

from memconsole.domain.commands.command import Command, CommandSpec, Subject, flags, span_word
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
    does="writes one thing into the memory",
    about="text",
    force="is_forced",
    takes_text=True,
    is_reviewed=True,
    is_undoable=True,
    undo="u takes it out again, and so does `memconsole memory undo`",
)


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
    does="takes entries out, asks",
    subject=Subject.ENTRY,
    about="ids",
    is_destructive=True,
    is_undoable=True,
    undo="u brings it back from the archive; only `memory forget --hard` leaves no copy",
)


@dataclass(frozen=True, slots=True)
class MemoryTidy(Command):
    """Remove daily notes that hold nothing.

    Attributes:
        older_than: How many days a note must lie back; it is as old as the day in its name.
    """

    older_than: timedelta = timedelta(days=30)

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return ["--agent", self.agent.id, "--older-than", span_word(self.older_than)]


@dataclass(frozen=True, slots=True)
class Tidied(Reported):
    """Empty notes are gone; `notes` in `details` names them."""


MEMORY_TIDY = CommandSpec(
    kind=MemoryTidy,
    name="memory tidy",
    runner="memory.tidy:tidy",
    title="Tidy",
    help="Remove an agent's daily notes that hold nothing but a heading, or nothing at all",
    does="removes daily notes that are empty",
    span="older_than",
    is_reviewed=True,
    is_undoable=True,
    undo="u puts them back, and so does `memconsole memory undo`",
)


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
    does="takes back the last change",
    is_reviewed=True,
    undo="once more takes back the one before",
)


@dataclass(frozen=True, slots=True)
class _OnNotes(Command):
    """Base of what is done with daily notes that consolidation proposes.

    Attributes:
        ids: Of the notes, or beginnings of them.
    """

    ids: tuple[str, ...]

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return [*self.ids, "--agent", self.agent.id]


@dataclass(frozen=True, slots=True)
class Promote(_OnNotes):
    """Write daily notes into MEMORY.md, each of which the operator names."""


@dataclass(frozen=True, slots=True)
class Promoted(Reported):
    """Daily notes that the operator named stand in MEMORY.md."""


PROMOTE = CommandSpec(
    kind=Promote,
    name="memory promote",
    runner="consolidate.promote:promote",
    title="Promote",
    help="Write daily notes that searches found again into MEMORY.md, each that you name",
    does="writes found notes into MEMORY.md",
    subject=Subject.ENTRY,
    about="ids",
    is_reviewed=True,
    is_undoable=True,
    undo="u takes it out of MEMORY.md again, and so does `memconsole memory undo`",
)


@dataclass(frozen=True, slots=True)
class Decline(_OnNotes):
    """Propose daily notes for MEMORY.md no more."""


@dataclass(frozen=True, slots=True)
class Declined(Reported):
    """Daily notes are not proposed any more."""


DECLINE = CommandSpec(
    kind=Decline,
    name="memory decline",
    runner="consolidate.promote:decline",
    title="Decline",
    help="Propose daily notes for MEMORY.md no more; they stay in their logs",
    does="proposes these notes no more",
    subject=Subject.ENTRY,
    about="ids",
    undo="not needed: `memory promote` still takes them",
)
