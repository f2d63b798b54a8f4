"""Lists the commands an operator may choose: palette, keys and help are made from this table."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from memconsole.domain.commands.commands import (
    Checkpoint,
    Compact,
    Consolidate,
    Decline,
    Flush,
    IndexMd,
    MemoryAdd,
    MemoryForget,
    MemoryUndo,
    Observe,
    Promote,
    Recover,
    Reflect,
    Reindex,
    Rotate,
    Summarize,
)
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.commands import Command


class Subject(StrEnum):
    """What a command acts on, and so what must be selected or named."""

    AGENT = "agent"
    SESSION = "session"
    ENTRY = "entry"


class CommandBuilder(Protocol):
    """Makes the command for one subject."""

    def __call__(
        self,
        agent: AgentRef,
        key: str | None = None,
        *,
        dry_run: bool = False,
        is_forced: bool = False,
    ) -> Command:
        """Return the command.

        Args:
            agent: Whose it is.
            key: What it is about: a session key, ids of entries with blanks between them, or the
                text to write down.
            dry_run: Only say what would be done.
            is_forced: Pass over what would make it skip.
        """
        ...


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One command as every face offers it.

    Attributes:
        name: Name on the command line and in the palette.
        title: Imperative verb for buttons and dialogs.
        help: One sentence, without a full stop, for `--help`, the palette and the key list.
        key: Key of the console; empty for what only the palette offers.
        subject: What it acts on; `build` of anything but an agent's command needs a key.
        is_destructive: It asks first, and without a terminal needs `--yes`.
        needs_gateway: Only the Gateway can do it; a dry run never needs it.
        build: Makes the command.
        undo: What can be done about it afterwards; empty when there is nothing to say.
        takes_text: What it writes down is asked for first: it is the key.
        is_reviewed: The console asks first as well, although it can be undone.
    """

    name: str
    title: str
    help: str
    key: str
    subject: Subject
    is_destructive: bool
    needs_gateway: bool
    build: CommandBuilder
    undo: str = ""
    takes_text: bool = False
    is_reviewed: bool = False

    @property
    def asks(self) -> bool:
        """Whether the console shows the plan and waits for a yes."""
        return self.is_destructive or self.is_reviewed


def _consolidate(
    agent: AgentRef,
    key: str | None = None,  # noqa: ARG001 - observations are of an agent
    *,
    dry_run: bool = False,
    is_forced: bool = False,
) -> Command:
    return Consolidate(agent, is_high_included=is_forced, dry_run=dry_run)


def _promote(
    agent: AgentRef,
    key: str | None = None,
    *,
    dry_run: bool = False,
    is_forced: bool = False,  # noqa: ARG001 - gates are for proposals, not for the operator
) -> Command:
    if key is None:
        raise ValueError("what is promoted has an id")
    return Promote(agent, tuple(key.split()), dry_run=dry_run)


def _decline(
    agent: AgentRef,
    key: str | None = None,
    *,
    dry_run: bool = False,
    is_forced: bool = False,  # noqa: ARG001 - there is nothing to pass over
) -> Command:
    if key is None:
        raise ValueError("what is declined has an id")
    return Decline(agent, tuple(key.split()), dry_run=dry_run)


CONSOLIDATION: tuple[CommandSpec, ...] = (
    CommandSpec(
        name="consolidate",
        title="Consolidate",
        help="Archive observations that have decayed, after showing them, and propose notes for "
        "MEMORY.md",
        key="",
        subject=Subject.AGENT,
        is_destructive=True,
        needs_gateway=False,
        build=_consolidate,
        undo="u brings the lines back from the archive, and so does `memconsole memory undo`",
    ),
    CommandSpec(
        name="memory promote",
        title="Promote",
        help="Write daily notes that searches found again into MEMORY.md, each that you name",
        key="",
        subject=Subject.ENTRY,
        is_destructive=False,
        needs_gateway=False,
        build=_promote,
        undo="u takes it out of MEMORY.md again, and so does `memconsole memory undo`",
        is_reviewed=True,
    ),
    CommandSpec(
        name="memory decline",
        title="Decline",
        help="Propose daily notes for MEMORY.md no more; they stay in their logs",
        key="",
        subject=Subject.ENTRY,
        is_destructive=False,
        needs_gateway=False,
        build=_decline,
        undo="not needed: `memory promote` still takes them",
    ),
)
"""Off by default means that nothing of it is done by itself; these are for operators."""


def _add(
    agent: AgentRef, key: str | None = None, *, dry_run: bool = False, is_forced: bool = False
) -> Command:
    if key is None:
        raise ValueError("what is added has a text")
    return MemoryAdd(agent, key, is_forced=is_forced, dry_run=dry_run)


def _forget(
    agent: AgentRef,
    key: str | None = None,
    *,
    dry_run: bool = False,
    is_forced: bool = False,  # noqa: ARG001 - what is forgotten for good is not for one key
) -> Command:
    if key is None:
        raise ValueError("what is forgotten has an id")
    return MemoryForget(agent, tuple(key.split()), dry_run=dry_run)


def _undo(
    agent: AgentRef,
    key: str | None = None,  # noqa: ARG001 - it takes back whatever was last
    *,
    dry_run: bool = False,
    is_forced: bool = False,  # noqa: ARG001 - there is nothing to pass over
) -> Command:
    return MemoryUndo(agent, dry_run=dry_run)


MEMORY: tuple[CommandSpec, ...] = (
    CommandSpec(
        name="memory add",
        title="Add",
        help="Write one thing into an agent's memory, unless it stands there already",
        key="",
        subject=Subject.AGENT,
        is_destructive=False,
        needs_gateway=False,
        build=_add,
        undo="u takes it out again, and so does `memconsole memory undo`",
        takes_text=True,
        is_reviewed=True,
    ),
    CommandSpec(
        name="memory forget",
        title="Forget",
        help="Take entries out of an agent's memory, after showing them and asking",
        key="",
        subject=Subject.ENTRY,
        is_destructive=True,
        needs_gateway=False,
        build=_forget,
        undo="u brings it back from the archive; only `memory forget --hard` leaves no copy",
    ),
    CommandSpec(
        name="memory undo",
        title="Undo",
        help="Take back the last add, forget or reflect of an agent's memory that was not taken "
        "back yet",
        key="",
        subject=Subject.AGENT,
        is_destructive=False,
        needs_gateway=False,
        build=_undo,
        undo="once more takes back the one before",
        is_reviewed=True,
    ),
)
"""Their keys are those of the memory screen; the palette offers them everywhere."""


def _checkpoint(
    agent: AgentRef, key: str | None = None, *, dry_run: bool = False, is_forced: bool = False
) -> Command:
    return Checkpoint(agent, session_key=key, is_forced=is_forced, dry_run=dry_run)


def _observe(
    agent: AgentRef, key: str | None = None, *, dry_run: bool = False, is_forced: bool = False
) -> Command:
    return Observe(agent, session_key=key, is_flush=is_forced, dry_run=dry_run)


def _rotate(
    agent: AgentRef, key: str | None = None, *, dry_run: bool = False, is_forced: bool = False
) -> Command:
    if key is None:
        raise ValueError("a rotation names its session")
    return Rotate(agent, key, is_forced=is_forced, dry_run=dry_run)


def _compact(
    agent: AgentRef,
    key: str | None = None,
    *,
    dry_run: bool = False,
    is_forced: bool = False,  # noqa: ARG001 - nothing of it can be passed over
) -> Command:
    if key is None:
        raise ValueError("a compaction names its session")
    return Compact(agent, key, dry_run=dry_run)


def _reindex(
    agent: AgentRef,
    key: str | None = None,  # noqa: ARG001 - an index is of an agent
    *,
    dry_run: bool = False,
    is_forced: bool = False,
) -> Command:
    return Reindex(agent, is_full=is_forced, dry_run=dry_run)


def _reflect(
    agent: AgentRef,
    key: str | None = None,  # noqa: ARG001 - observations are of an agent
    *,
    dry_run: bool = False,
    is_forced: bool = False,
) -> Command:
    return Reflect(agent, is_forced=is_forced, dry_run=dry_run)


def _summarize(
    agent: AgentRef,
    key: str | None = None,
    *,
    dry_run: bool = False,
    is_forced: bool = False,  # noqa: ARG001 - a session has one summary
) -> Command:
    if key is None:
        raise ValueError("a summary names its session")
    return Summarize(agent, key, dry_run=dry_run)


def _flush(
    agent: AgentRef,
    key: str | None = None,
    *,
    dry_run: bool = False,
    is_forced: bool = False,  # noqa: ARG001 - it is done whenever it is asked for
) -> Command:
    if key is None:
        raise ValueError("a flush names its session")
    return Flush(agent, key, dry_run=dry_run)


def _recover(
    agent: AgentRef,
    key: str | None = None,  # noqa: ARG001 - it finds the talks by itself
    *,
    dry_run: bool = False,
    is_forced: bool = False,  # noqa: ARG001 - nothing is captured twice
) -> Command:
    return Recover(agent, dry_run=dry_run)


def _index_md(
    agent: AgentRef,
    key: str | None = None,  # noqa: ARG001 - an index is of a workspace
    *,
    dry_run: bool = False,
    is_forced: bool = False,
) -> Command:
    return IndexMd(agent, is_forced=is_forced, dry_run=dry_run)


CATALOGUE: tuple[CommandSpec, ...] = (
    CommandSpec(
        name="checkpoint",
        title="Checkpoint",
        help="Save an agent's current work to ACTIVE_CONTEXT.md and the daily log",
        key="c",
        subject=Subject.AGENT,
        is_destructive=False,
        needs_gateway=False,
        build=_checkpoint,
        undo="not needed: the daily log only grows, the next checkpoint renews ACTIVE_CONTEXT.md",
    ),
    CommandSpec(
        name="observe",
        title="Observe",
        help="Add what is worth remembering in an agent's talks to observations.md",
        key="b",
        subject=Subject.AGENT,
        is_destructive=False,
        needs_gateway=False,
        build=_observe,
        undo="not needed: lines are only added; a line that should not stay can be deleted by hand",
    ),
    CommandSpec(
        name="rotate",
        title="Rotate",
        help="Start due sessions anew before the platform compacts them",
        key="R",
        subject=Subject.SESSION,
        is_destructive=True,
        needs_gateway=True,
        build=_rotate,
        undo="not possible: the talk begins anew; its transcript and its memory are kept",
    ),
    CommandSpec(
        name="compact",
        title="Compact",
        help="Ask the Gateway to compact a session, after saving its work",
        key="K",
        subject=Subject.SESSION,
        is_destructive=True,
        needs_gateway=True,
        build=_compact,
        undo="not possible: the model sees a summary from now on; the transcript keeps every turn",
    ),
    CommandSpec(
        name="reindex",
        title="Reindex",
        help="Bring an agent's search index up to date",
        key="i",
        subject=Subject.AGENT,
        is_destructive=False,
        needs_gateway=False,
        build=_reindex,
        undo="not needed: an index holds nothing of its own and can be made again at any time",
    ),
    CommandSpec(
        name="reflect",
        title="Reflect",
        help="Consolidate an agent's observations: merge, fold, archive what has expired",
        key="F",
        subject=Subject.AGENT,
        is_destructive=True,
        needs_gateway=False,
        build=_reflect,
        undo="`memconsole reflect --undo` puts the file back; what went is in the archive",
    ),
    CommandSpec(
        name="summarize",
        title="Summarise",
        help="Write the summary of a session into memory, once",
        key="",
        subject=Subject.SESSION,
        is_destructive=False,
        needs_gateway=False,
        build=_summarize,
        undo="not needed: the summary is a file of its own, or stands behind a divider",
    ),
    CommandSpec(
        name="flush",
        title="Flush",
        help="Save a talk before the platform compacts it",
        key="",
        subject=Subject.SESSION,
        is_destructive=False,
        needs_gateway=False,
        build=_flush,
        undo="not needed: observations and the daily log only grow",
    ),
    CommandSpec(
        name="recover",
        title="Recover",
        help="Capture what was said in talks that ended before it was captured",
        key="",
        subject=Subject.AGENT,
        is_destructive=False,
        needs_gateway=False,
        build=_recover,
        undo="not needed: files are only added to",
    ),
    CommandSpec(
        name="index-md",
        title="Write INDEX.md",
        help="List what an agent's memory holds in INDEX.md, where it has grown large",
        key="",
        subject=Subject.AGENT,
        is_destructive=False,
        needs_gateway=False,
        build=_index_md,
        undo="not needed: it is made of the other files, and can be made again at any time",
    ),
    *MEMORY,
    *CONSOLIDATION,
)
"""Every command that acts, in the order it is shown."""


def spec_of(name: str) -> CommandSpec:
    """Return the command of that name.

    Raises:
        KeyError: There is none; names come from code, not from people.
    """
    for spec in CATALOGUE:
        if spec.name == name:
            return spec
    raise KeyError(name)
