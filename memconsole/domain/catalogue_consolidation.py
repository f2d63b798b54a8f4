"""What the catalogue says of consolidation (mission §20)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.command_spec import CommandSpec, Subject
from memconsole.domain.consolidation_commands import Consolidate, Decline, Promote

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands import Command


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
