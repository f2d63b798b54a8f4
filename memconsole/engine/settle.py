"""Runs one step of a command that goes on whatever becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.outcomes import Failed, Skipped, SkipReason, notices_of
from memconsole.errors import LockedError, MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.commands import Command
    from memconsole.domain.outcomes import Outcome


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
