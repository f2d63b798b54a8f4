"""Brings the search index of a memory up to date after an edit, where there is one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from memconsole.domain.agents import Notice
from memconsole.domain.commands.outcomes import Reported
from memconsole.domain.search.indexing import IndexState, Source
from memconsole.engine.search.open import targets
from memconsole.errors import IndexUnavailableError, LockedError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from memconsole.engine.home.workspace import AgentMemory
    from memconsole.ports.bundle import SearchNeeds

Changed = TypeVar("Changed", bound=Reported)


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """The search index of a memory, where there is one.

    Attributes:
        ports: What a search needs.
    """

    ports: SearchNeeds

    def indexed(self, outcome: Changed, memory: AgentMemory) -> Changed:
        """Take in what an action changed, and return its outcome with what came of that."""
        state, notice = self.refresh(memory, is_full=False)
        notices = outcome.notices if notice is None else (*outcome.notices, notice)
        return replace(outcome, details={**outcome.details, "index": state}, notices=notices)

    def refresh(self, memory: AgentMemory, *, is_full: bool) -> tuple[str, Notice | None]:
        """Take the files in as they are now.

        Args:
            memory: The memory.
            is_full: Build the index anew, so that nothing of its old file is left, and drop those
                of workspaces that stand nowhere any more.

        Returns:
            `none`, `updated`, `rebuilt` or `stale`; why it is stale.
        """
        agent, settings = memory.agent, memory.settings
        index = self.ports.search().index
        if is_full:
            index.drop_gone()
        state = "none"
        for target in targets(self.ports, settings, memory.home, (agent,), (Source.MEMORY,)):
            if index.status(target.scope, target.settings).state is IndexState.MISSING:
                continue
            try:
                documents = target.documents()
                index.sync(target.scope, documents, target.read, target.settings, is_full=is_full)
            except (LockedError, IndexUnavailableError) as error:
                return "stale", Notice("index-stale", str(error), agent=agent.id)
            state = "rebuilt" if is_full else "updated"
        return state, None
