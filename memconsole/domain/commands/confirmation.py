"""What is shown before a question is what is done after a yes.

A plan that is made for a question may ask the language model, because the text that it answers is
the plan; a dry run that nobody will confirm sends nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Planned
from memconsole.domain.commands.reflect import Reflect

if TYPE_CHECKING:
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome


def for_question(command: Command) -> Command:
    """Return the dry run whose plan is shown before a question."""
    plan = replace(command, dry_run=True)
    return replace(plan, asks_model=True) if isinstance(plan, Reflect) else plan


def carried_out(command: Command, plan: Outcome) -> Command:
    """Return the command that does what a plan said, and nothing else.

    Args:
        command: The command that was planned.
        plan: What came of planning it; a failure is run again, to be written down.
    """
    if isinstance(plan, Planned):
        return command if plan.then is None else plan.then
    return replace(command, asks_model=False) if isinstance(command, Reflect) else command
