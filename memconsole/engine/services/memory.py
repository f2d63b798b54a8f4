"""Answers questions about what agents wrote: files, entries, observations, checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.engine.home.lookup import find_agent
from memconsole.engine.services.search import SearchDoor

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent
    from memconsole.domain.consolidate.text import ConsolidationPreview
    from memconsole.domain.memory.advice import MemoryAdvice
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import Marker, Pool
    from memconsole.domain.memory.records import Capture
    from memconsole.domain.platform_search.index import PlatformIndexHealth
    from memconsole.domain.search.values import SearchResult
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.observe.watch import TalkWatch
    from memconsole.ports.bundle import Ports


_CHECKPOINTS: Final = 200
"""How many of them can be compared: four days of one every half hour."""


class MemoryDoor(SearchDoor):
    """What else reads memory; what raises here is defined by `Engine`."""

    _ports: Ports
    _reader: Reader

    def agent(self, agent_id: str) -> Agent:
        """Return one agent by id."""
        raise NotImplementedError

    def pools(self, agent_id: str | None = None) -> tuple[Pool, ...]:
        """Return the memory pools."""
        raise NotImplementedError

    def consolidation(self, agent_id: str) -> ConsolidationPreview:
        """Return what consolidation would do to an agent's memory.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.consolidate.read import preview  # noqa: PLC0415
        from memconsole.engine.home.workspace import Memories  # noqa: PLC0415

        ports = self._ports
        memories = Memories(
            self._reader, self.settings, ports.workspace, ports.folders, ports.clock
        )
        return preview(memories.of(agent_id), ports.consolidation)

    def talk_watch(self) -> TalkWatch:
        """Return a watch that has talks observed while much is said in them (`[watcher]`)."""
        from memconsole.domain.observe.watching import WatchRules  # noqa: PLC0415
        from memconsole.engine.observe.watch import TalkWatch  # noqa: PLC0415

        rules = self.settings.watcher
        found = WatchRules(rules.line_threshold, rules.cooldown.total_seconds())
        return TalkWatch(self._ports, self.home, found, self._reader.listing)

    def ask_agents(self, result: SearchResult) -> SearchResult:
        """Put rank and score of the platform's own search beside each hit.

        Raises:
            GatewayUnavailableError: The Gateway cannot be asked.
            GatewayCallError: It refused, or its release has no such search.
        """
        from memconsole.engine.platform_search.explain import ask_agents  # noqa: PLC0415

        return ask_agents(self._ports, self.settings, self.home(), result)

    def platform_indexes(self, agent_id: str | None = None) -> tuple[PlatformIndexHealth, ...]:
        """Return whether the agents' own search indexes are whole.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.platform_search.check import platform_indexes  # noqa: PLC0415

        home = self.home()
        agents = home.agents if agent_id is None else (find_agent(home, agent_id),)
        return platform_indexes(self._ports, home, agents)

    def markers(self, agent_id: str | None = None) -> tuple[tuple[str, Marker], ...]:
        """Return (agent id, marked line) of every pool; a shared pool names its first agent."""
        found = []
        for pool in self.pools(agent_id):
            owner = pool.agents[0] if pool.agents else ""
            found += [(owner, marker) for marker in self._ports.memory.markers(pool.root)]
        return tuple(found)

    def memory_entries(self, agent_id: str, name: str | None = None) -> tuple[MemoryEntry, ...]:
        """Return the entries of one file of an agent's memory, or of all files.

        Raises:
            UnknownAgentError: There is no such agent.
            UsageError: The memory has no file of that name.
            WorkspaceError: The named file cannot be read.
        """
        from memconsole.engine.memory.show import entries_shown  # noqa: PLC0415

        return entries_shown(self._ports, self.pools(agent_id)[0], name)

    def memory_advice(self, agent_id: str) -> MemoryAdvice:
        """Return what wants a look in an agent's curated memory: said twice, outdated, left open.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.memory.show import advice_shown  # noqa: PLC0415

        return advice_shown(self._ports, self.pools(agent_id)[0])

    def memory_file(self, agent_id: str, name: str) -> str:
        """Return the path of a file of an agent's memory by its name.

        Raises:
            UnknownAgentError: There is no such agent.
            UsageError: The memory has no file of that name.
        """
        from memconsole.engine.memory.show import file_named  # noqa: PLC0415

        return file_named(self.pools(agent_id)[0], name)

    def checkpoints(self, agent_id: str) -> tuple[Capture, ...]:
        """Return the last checkpoints of an agent, as they were written, the newest first.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        return self._ports.captures.history(self.agent(agent_id).ref, _CHECKPOINTS)

    def memory_text(self, agent_id: str, relative: str) -> str | None:
        """Return the text of one file of an agent's workspace; None when it does not exist.

        Raises:
            WorkspaceError: It lies outside the workspace or cannot be read.
        """
        found = self._ports.workspace.read(self.agent(agent_id).workspace, relative)
        return None if found is None else found.text
