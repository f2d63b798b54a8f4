"""A command's turn in one workspace: it exists, is locked, and is read anew after an edit."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.outcomes import Skipped, SkipReason
from memconsole.errors import ConcurrentEditError

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.agents import Agent
    from memconsole.domain.commands import Command
    from memconsole.domain.outcomes import Outcome
    from memconsole.ports import Locks

logger = logging.getLogger(__name__)


def no_workspace(command: Command, agent: Agent) -> Skipped | None:
    """Return why nothing can be done where the agent's workspace is not there; else None.

    A workspace that is only guessed is not written into: what lies at the usual place may be
    somebody else's, or left over from last year.
    """
    if agent.workspace_doubt:
        return Skipped(
            command,
            SkipReason.WORKSPACE_MISSING,
            f"the workspace of {agent.id} is not known: {agent.workspace_doubt}",
            hint="Nothing is written into a guessed workspace; `memconsole status` says more.",
        )
    if agent.workspace_exists:
        return None
    return Skipped(
        command,
        SkipReason.WORKSPACE_MISSING,
        f"the workspace {agent.workspace} of {agent.id} does not exist",
        hint="The platform makes it at the agent's first run; memconsole never does.",
    )


def in_turn(
    locks: Locks,
    agent: Agent,
    attempt: Callable[[], Outcome],
    *,
    prepare: Callable[[], None] | None = None,
) -> Outcome:
    """Hold the workspace's lock for an attempt, and for a second one after somebody's edit.

    Args:
        locks: Gives the lock.
        agent: Whose workspace.
        attempt: Looks, decides and writes.
        prepare: Makes sure that what was done can be remembered, before anything is done.

    Raises:
        LockedError: Another run works in the workspace.
        ConcurrentEditError: Somebody edits the file at the same time, twice in a row.
    """
    with locks.workspace(agent.workspace):
        if prepare is not None:
            prepare()
        try:
            return attempt()
        except ConcurrentEditError as error:
            logger.info("%s; looking again", error)
            return attempt()
