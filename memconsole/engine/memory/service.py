"""Reads what agents wrote down: files, entries, marked lines, checkpoints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.files import trend_since, trends
from memconsole.engine.home.lookup import agents_of
from memconsole.engine.memory.show import advice_shown, entries_shown, file_named

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.memory.advice import MemoryAdvice
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import Marker, Pool
    from memconsole.domain.memory.records import Capture
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.platform import Clock, MemoryReader, SampleStore, Workspace
    from memconsole.ports.state import CaptureLog

_CHECKPOINTS: Final = 200
"""How many of them can be compared: four days of one every half hour."""


class MemoryService:
    """The memory of agents.

    Raises:
        UnknownAgentError: By every method that takes an agent: there is no such agent.
    """

    def __init__(
        self,
        reader: Reader,
        *,
        workspace: Workspace,
        memory: MemoryReader,
        captures: CaptureLog,
        samples: SampleStore,
        clock: Clock,
    ) -> None:
        self._reader = reader
        self._workspace = workspace
        self._memory = memory
        self._captures = captures
        self._samples = samples
        self._clock = clock

    def pools(self, agent_id: str | None = None, *, with_trend: bool = False) -> tuple[Pool, ...]:
        """Return the memory pools, one a workspace."""
        home = self._reader.home()
        agents = agents_of(home, agent_id)
        pools: dict[Path, Pool] = {}
        for agent in agents:
            pools.setdefault(agent.workspace, self._reader.pool(home, agent))
        if not with_trend:
            return tuple(pools.values())
        since = trend_since(self._clock.now())
        known = trends(self._samples.pool_days(str(home.path), since=since))
        return tuple(
            replace(one, trend=known.get(one.agents[0], ())) if one.agents else one
            for one in pools.values()
        )

    def markers(self, agent_id: str | None = None) -> tuple[tuple[str, Marker], ...]:
        """Return (agent id, marked line) of every pool; a shared pool names its first agent."""
        found = []
        for pool in self.pools(agent_id):
            owner = pool.agents[0] if pool.agents else ""
            found += [(owner, marker) for marker in self._memory.markers(pool.root)]
        return tuple(found)

    def entries(self, agent_id: str, name: str | None = None) -> tuple[MemoryEntry, ...]:
        """Return the entries of one file of an agent's memory, or of all files.

        Raises:
            UsageError: The memory has no file of that name.
            WorkspaceError: The named file cannot be read.
        """
        return entries_shown(self._workspace, self.pools(agent_id)[0], name)

    def advice(self, agent_id: str) -> MemoryAdvice:
        """Return what wants a look in a curated memory: said twice, outdated, left open."""
        today = self._clock.now().date()
        return advice_shown(self._workspace, self.pools(agent_id)[0], today)

    def path(self, agent_id: str, name: str) -> str:
        """Return the path of a file of an agent's memory by its name.

        Raises:
            UsageError: The memory has no file of that name.
        """
        return file_named(self.pools(agent_id)[0], name)

    def text(self, agent_id: str, relative: str) -> str | None:
        """Return the text of one file of an agent's workspace; None when it does not exist.

        Raises:
            WorkspaceError: It lies outside the workspace or cannot be read.
        """
        found = self._workspace.read(self._reader.homes.agent(agent_id).workspace, relative)
        return None if found is None else found.text

    def checkpoints(self, agent_id: str) -> tuple[Capture, ...]:
        """Return the last checkpoints of an agent, as they were written, the newest first."""
        return self._captures.history(self._reader.homes.agent(agent_id).ref, _CHECKPOINTS)
