"""The one table of commands: command line, keys, palette and help are made from it (house §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.catalogue_consolidation import CONSOLIDATION
from memconsole.domain.catalogue_memory import MEMORY
from memconsole.domain.command_spec import CommandSpec, Subject
from memconsole.domain.commands import (
    Checkpoint,
    Compact,
    Flush,
    IndexMd,
    Observe,
    Recover,
    Reflect,
    Reindex,
    Rotate,
    Summarize,
)

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands import Command


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
