"""Gives an edit of an agent's memory its turn, and brings the index up to date behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Failed, Planned, Reported
from memconsole.errors import LockedError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.engine.home.workspace import AgentMemory, Memories
    from memconsole.engine.search.reindex import MemoryIndex
    from memconsole.engine.turn import Turns

_PATIENCE_S = 5.0
"""How long an edit waits for a checkpoint or another edit, which take parts of a second."""


@dataclass(frozen=True, slots=True)
class MemoryTurns:
    """Turns of one edit."""

    turns: Turns
    memories: Memories
    memory_index: MemoryIndex

    def edit(
        self,
        command: Command,
        attempt: Callable[[AgentMemory], Outcome],
        *,
        is_indexed: bool = True,
        fails_when_locked: bool = True,
    ) -> Outcome:
        """Find, lock and edit a memory, once: an operator has seen what shall be done.

        Args:
            command: Whose memory.
            attempt: Looks, decides and writes.
            is_indexed: Take what was changed into the index, where there is one.
            fails_when_locked: What a person asked for fails when another run works in the
                workspace, for no later run would do it.

        Raises:
            UnknownAgentError: There is no such agent.
            NoWorkspaceError: Its workspace is not there, or only guessed.
            LockedError: Another run works in the workspace.
            StateError: Our own database cannot be written; nothing was done.
        """
        opened: list[AgentMemory] = []

        def edited(home: Home, agent: Agent) -> Outcome:
            opened.append(self.memories.at(home, agent))
            return attempt(opened[-1])

        try:
            outcome = self.turns.take(command, edited, tries=1, patience_s=_PATIENCE_S)
        except LockedError as error:
            if fails_when_locked:
                return Failed(command, error.code, str(error), error.hint)
            raise
        if not is_indexed or isinstance(outcome, Planned) or not isinstance(outcome, Reported):
            return outcome
        return self.memory_index.indexed(outcome, opened[-1])
