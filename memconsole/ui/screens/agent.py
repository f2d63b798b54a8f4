"""What the screens about one agent share: whose they are, and what commands act on there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.targets import for_agents, pool_of

if TYPE_CHECKING:
    from memconsole.domain.command_spec import Subject
    from memconsole.domain.memory import Pool
    from memconsole.ui.targets import Target


class AgentScreen(ConsoleScreen):
    """A screen about one agent."""

    def __init__(self, name: str, agent_id: str) -> None:
        super().__init__(name)
        self._agent_id = agent_id

    @property
    def where(self) -> str:
        """Name of the screen, and the agent it is about."""
        return f"{self.name} {self.desk.glyphs.dot} {self._agent_id}"

    @property
    def _pool(self) -> Pool | None:
        """The agent's memory, as it was read."""
        return pool_of(self.desk.snapshot, self._agent_id)

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the agent."""
        snapshot = self.desk.snapshot
        return () if snapshot is None else for_agents(snapshot, (self._agent_id,), subject)
