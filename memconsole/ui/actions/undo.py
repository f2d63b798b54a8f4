"""What `u` does: takes the last action back that can be taken back, by a command of its own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.commands.cleanup import Cleanup
from memconsole.domain.commands.memory import MEMORY_UNDO, MemoryUndo
from memconsole.domain.commands.outcomes import status_of
from memconsole.domain.commands.reflect import Reflect
from memconsole.ui.actions.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.command import Command, CommandSpec
    from memconsole.ui.actions.action import Action


def undo_of(actions: Iterable[Action]) -> tuple[CommandSpec, tuple[Target, ...]] | None:
    """Return what takes the newest of these actions back that can be; None when none can.

    Args:
        actions: Those that were done, newest first.
    """
    taken_back: Counter[tuple[AgentRef, bool]] = Counter()
    for action in actions:
        commands = [one.command for one in action.outcomes if status_of(one) == "done"]
        taken_back.update(_stack(one) for one in commands if _is_undo(one))
        edits = [one for one in commands if _is_edit(one)]
        refs = {one.agent for one in edits if not taken_back[_stack(one)]}
        taken_back.subtract(_stack(one) for one in edits if taken_back[_stack(one)])
        if refs:
            return _spec(action, edits), tuple(Target(ref, None, ref.id) for ref in sorted(refs))
    return None


def _stack(command: Command) -> tuple[AgentRef, bool]:
    """Return what is taken back last in, first out: memory, and the files of ended sessions."""
    return command.agent, isinstance(command, Cleanup)


def _is_undo(command: Command) -> bool:
    is_undo = isinstance(command, Reflect | Cleanup) and command.is_undo
    return is_undo or isinstance(command, MemoryUndo)


def _is_edit(command: Command) -> bool:
    return (command.is_undoable or isinstance(command, Cleanup)) and not _is_undo(command)


def _spec(action: Action, edits: Iterable[Command]) -> CommandSpec:
    """Return the command that takes an action back; memory is one stack for `memory undo`."""
    if any(isinstance(one, Reflect | Cleanup) for one in edits):
        title, given = f"Undo {action.spec.name}", {"is_undo": True}
        return replace(action.spec, title=title, force="", given=given, undo="")
    return MEMORY_UNDO


def why_nothing(actions: Iterable[Action]) -> str:
    """Return why nothing can be taken back."""
    for action in actions:
        if action.spec.name == MEMORY_UNDO.name:
            return "undo: what was done here is taken back; the memory screen (m) goes further back"
        return f"undo {action.spec.name}: {action.spec.undo or 'not possible'}"
    return "undo: nothing was done in this console yet"
