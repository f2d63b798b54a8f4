"""Runs one step of a command that goes on whatever becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.outcomes import Failed, Skipped, SkipReason
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
