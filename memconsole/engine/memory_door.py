"""The part of the door that finds and reads what agents wrote.

Searching alone needs few of the ports, and a search on the command line loads no more than those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.engine.lookup import find_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.captures import Capture
    from memconsole.domain.consolidation import ConsolidationPreview
    from memconsole.domain.entries import MemoryEntry
    from memconsole.domain.indexing import IndexStatus, Source
    from memconsole.domain.memory import Marker, Pool
    from memconsole.domain.memory_advice import MemoryAdvice
    from memconsole.domain.platform_index import PlatformIndexHealth
    from memconsole.domain.search import SearchRequest, SearchResult
    from memconsole.domain.settings import Settings
    from memconsole.engine.index_watch import IndexWatch
    from memconsole.engine.ports_bundle import DoorPorts, Ports
    from memconsole.engine.reader import Reader
    from memconsole.engine.talk_watch import TalkWatch
    from memconsole.ports import StopSignal


_HOME_GOOD_FOR_S: Final = 2.0
_CHECKPOINTS: Final = 200
"""How many of them can be compared: four days of one every half hour."""


class SearchDoor:
    """Search and what it found; `Engine` has these methods too.

    Args:
        ports: Those that a search asks.
        settings: Weights and limits of each agent.
    """

    settings: Settings
    _ports: DoorPorts
    _typed_home: tuple[float, Home | None] = (0.0, None)

    def __init__(self, ports: DoorPorts, settings: Settings) -> None:
        self.settings = settings
        self._ports = ports

    def home(self) -> Home:
        """Read home, configuration and roster."""
        return self._ports.platform.read()

    def search(
        self,
        request: SearchRequest,
        cancel: StopSignal | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> SearchResult:
        """Search memory and talks; no text is an error, and nothing found is an answer.

        Args:
            request: What is asked.
            cancel: Ends the search early.
            progress: Told how many documents are indexed, and of how many, when that comes first.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.search import search  # noqa: PLC0415

        home = self._home_for(request)
        found = search(self._ports, self.settings, home, request, cancel=cancel, progress=progress)
        own = self.settings.for_agent(request.agent_id or "")
        if own.consolidate.search_log and not request.is_typing:
            from memconsole.engine.search_note import note_found  # noqa: PLC0415 - off by default

            note_found(self._ports, self.settings, home, found)
        return found

    def _home_for(self, request: SearchRequest) -> Home:
        """Read the home; between two letters it does not change."""
        now = self._ports.clock.monotonic()
        read_at, home = self._typed_home
        if home is None or not request.is_typing or now - read_at > _HOME_GOOD_FOR_S:
            home = self.home()
            self._typed_home = (now, home)
        return home

    def scan(self, request: SearchRequest, cancel: StopSignal | None = None) -> SearchResult:
        """Search the memory files themselves, by words alone, while there is no index.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.scan import scan  # noqa: PLC0415

        return scan(self._ports, self.settings, self._home_for(request), request, cancel=cancel)

    def indexes(self, agent_id: str | None = None) -> Mapping[tuple[str, Source], IndexStatus]:
        """Return the state of every index that a search would look into, by agent and source.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.reindex import index_states  # noqa: PLC0415

        return index_states(self._ports, self.settings, self.home(), agent_id)

    def index_watch(self, *, may_build: bool = False) -> IndexWatch:
        """Return a watch that indexes changed files when they have rested (`search.debounce`).

        Args:
            may_build: Build what is missing as well, instead of leaving it to the first search.
        """
        from memconsole.engine.index_watch import IndexWatch  # noqa: PLC0415

        return IndexWatch(self._ports, self.settings, self.home, may_build=may_build)

    def document_lines(self, agent_id: str, path: str) -> tuple[str, ...]:
        """Return the lines of a hit's document, masked; none when it does not exist.

        Raises:
            UnknownAgentError: There is no such agent.
            UsageError: The path leads out of what is searched.
            WorkspaceError: It cannot be read.
            StoreError: The transcript cannot be read.
        """
        from memconsole.engine.reindex import document_lines  # noqa: PLC0415

        home = self.home()
        agent = find_agent(home, agent_id)
        return document_lines(self._ports, self.settings, home, agent, path)


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
        """Return what consolidation would do to an agent's memory (mission §20).

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.consolidate_gather import preview  # noqa: PLC0415
        from memconsole.engine.memory_bench import Bench  # noqa: PLC0415

        return preview(Bench.of(agent_id, self._ports, self._reader, self.settings))

    def talk_watch(self) -> TalkWatch:
        """Return a watch that has talks observed while much is said in them (`[watcher]`)."""
        from memconsole.domain.watching import WatchRules  # noqa: PLC0415
        from memconsole.engine.talk_watch import TalkWatch  # noqa: PLC0415

        rules = self.settings.watcher
        found = WatchRules(rules.line_threshold, rules.cooldown.total_seconds())
        return TalkWatch(self._ports, self.home, found, self._reader.listing)

    def ask_agents(self, result: SearchResult) -> SearchResult:
        """Put rank and score of the platform's own search beside each hit.

        Raises:
            GatewayUnavailableError: The Gateway cannot be asked.
            GatewayCallError: It refused, or its release has no such search.
        """
        from memconsole.engine.asking import ask_agents  # noqa: PLC0415

        return ask_agents(self._ports, self.settings, self.home(), result)

    def platform_indexes(self, agent_id: str | None = None) -> tuple[PlatformIndexHealth, ...]:
        """Return whether the agents' own search indexes are whole.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.platform_index import platform_indexes  # noqa: PLC0415

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
        """Return the entries of one file of an agent's memory, or of all files (mission §19).

        Raises:
            UnknownAgentError: There is no such agent.
            UsageError: The memory has no file of that name.
            WorkspaceError: The named file cannot be read.
        """
        from memconsole.engine.memory_show import entries_shown  # noqa: PLC0415

        return entries_shown(self._ports, self.pools(agent_id)[0], name)

    def memory_advice(self, agent_id: str) -> MemoryAdvice:
        """Return what wants a look in an agent's curated memory: said twice, outdated, left open.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.memory_show import advice_shown  # noqa: PLC0415

        return advice_shown(self._ports, self.pools(agent_id)[0])

    def memory_file(self, agent_id: str, name: str) -> str:
        """Return the path of a file of an agent's memory by its name.

        Raises:
            UnknownAgentError: There is no such agent.
            UsageError: The memory has no file of that name.
        """
        from memconsole.engine.memory_show import file_named  # noqa: PLC0415

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
