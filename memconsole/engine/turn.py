"""Gives a command its turn in a workspace: it exists, is locked, and is read anew after an edit."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason, notices_of
from memconsole.errors import ConcurrentEditError, LockedError, MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.agents import Agent
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports


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
        f"the workspace {agent.workspace_shown} of {agent.id} does not exist",
        hint="The platform makes it at the agent's first run; memconsole never does.",
    )


def in_turn(
    agent: Agent,
    attempt: Callable[[], Outcome],
    *,
    ports: Ports,
    reader: Reader,
    settings: Settings,
    tries: int = 2,
    patience: float = 0,
) -> Outcome:
    """Hold the workspace's lock for an attempt, and for another one after somebody's edit.

    What an earlier run left half done is put right before. What an attempt writes stands with the
    record of it, or is taken back.

    Args:
        agent: Whose workspace.
        attempt: Looks, decides and writes.
        ports: For lock and journal.
        reader: For finishing what was promised.
        settings: As `reader`.
        tries: How many attempts there are.
        patience: Seconds to wait for another run in the workspace.

    Raises:
        LockedError: Another run works in the workspace.
        ConcurrentEditError: Somebody edits the file at the same time, in every attempt.
        StateError: Our own database cannot be written; nothing was done.
    """
    root = agent.workspace
    with ports.locks.workspace(root, patience):
        if promised := ports.journal.close(root):
            from memconsole.engine.erasure import finish  # noqa: PLC0415 - hardly ever needed

            finish(promised, agent, ports=ports, reader=reader, settings=settings)
        for _ in range(1, tries):
            try:
                with ports.journal.turn(root):
                    return attempt()
            except ConcurrentEditError as error:
                logger.info("%s; looking again", error)
        with ports.journal.turn(root):
            return attempt()


def settle(command: Command, run: Callable[[], Outcome]) -> Outcome:
    """Run one step; an expected failure comes back as `Failed`, a held lock as a skip."""
    try:
        return run()
    except LockedError as error:
        return Skipped(command, SkipReason.LOCKED, str(error), error.hint)
    except MemconsoleError as error:
        return Failed(command, error.code, str(error), error.hint)


def notices_of_step(name: str, outcome: Outcome) -> tuple[Notice, ...]:
    """Return the warnings of one step; that it failed is one, where the whole goes on."""
    if not isinstance(outcome, Failed):
        return notices_of(outcome)
    said = f"{name} failed: {outcome.message}"
    return (Notice("capture-failed", said, agent=outcome.command.agent.id or None),)
