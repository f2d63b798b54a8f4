"""What the catalogue says of editing memory by hand (mission §19)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.command_spec import CommandSpec, Subject
from memconsole.domain.commands import MemoryAdd, MemoryForget, MemoryUndo

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands import Command


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
