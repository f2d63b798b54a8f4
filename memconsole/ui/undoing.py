"""What `u` does: takes the last action back that can be taken back, by a command of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.commands import Reflect
from memconsole.domain.outcomes import status_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.catalogue import CommandSpec
    from memconsole.domain.commands import Command
    from memconsole.ui.actions import Action
    from memconsole.ui.targets import Target


def _put_back(
    agent: AgentRef,
    key: str | None = None,  # noqa: ARG001 - observations are of an agent
    *,
    dry_run: bool = False,
    is_forced: bool = False,  # noqa: ARG001 - there is nothing to pass over
) -> Command:
    return Reflect(agent, is_undo=True, dry_run=dry_run)


def undo_of(actions: Iterable[Action]) -> tuple[CommandSpec, tuple[Target, ...]] | None:
    """Return what takes the newest of these actions back that can be; None when none can.

    Args:
        actions: Those that were done, newest first.
    """
    taken_back: set[AgentRef] = set()
    for action in actions:
        commands = [one.command for one in action.outcomes if status_of(one) == "done"]
        undone = {one.agent for one in commands if isinstance(one, Reflect) and one.is_undo}
        taken_back |= undone
        refs = {one.agent for one in commands if isinstance(one, Reflect)} - taken_back
        if refs:
            spec = replace(action.spec, title="Undo reflect", build=_put_back, undo="")
            return spec, tuple(one for one in action.targets if one.agent in refs)
    return None


def why_nothing(actions: Iterable[Action]) -> str:
    """Return why nothing can be taken back."""
    for action in actions:
        return f"undo {action.spec.name}: {action.spec.undo or 'not possible'}"
    return "undo: nothing was done in this console yet"
