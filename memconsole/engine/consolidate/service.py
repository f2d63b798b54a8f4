"""Shows what consolidation would do, without doing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.engine.consolidate.read import preview

if TYPE_CHECKING:
    from memconsole.domain.consolidate.text import ConsolidationPreview
    from memconsole.engine.home.workspace import Memories
    from memconsole.ports.state import ConsolidationLog


class ConsolidationService:
    """What may leave an agent's long-term memory, and what may come."""

    def __init__(self, memories: Memories, log: ConsolidationLog) -> None:
        self._memories = memories
        self._log = log

    def preview(self, agent_id: str) -> ConsolidationPreview:
        """Return what consolidation would do to an agent's memory.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        return preview(self._memories.of(agent_id), self._log)
