"""Answers searches.

They need few of the ports, and a search on the command line loads no more than those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.engine.home.lookup import find_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memconsole.domain.agents import Home
    from memconsole.domain.search.indexing import IndexStatus, Source
    from memconsole.domain.search.values import SearchRequest, SearchResult
    from memconsole.domain.settings import Settings
    from memconsole.engine.search.watch import IndexWatch
    from memconsole.ports.bundle import DoorPorts
    from memconsole.ports.platform import StopSignal


_HOME_GOOD_FOR_S: Final = 2.0


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
        from memconsole.engine.search.run import search  # noqa: PLC0415

        home = self._home_for(request)
        found = search(self._ports, self.settings, home, request, cancel=cancel, progress=progress)
        own = self.settings.for_agent(request.agent_id or "")
        if own.consolidate.search_log and not request.is_typing:
            from memconsole.engine.consolidate.record import note_found  # noqa: PLC0415 - off by default

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
        from memconsole.engine.search.scan import scan  # noqa: PLC0415

        return scan(self._ports, self.settings, self._home_for(request), request, cancel=cancel)

    def indexes(self, agent_id: str | None = None) -> Mapping[tuple[str, Source], IndexStatus]:
        """Return the state of every index that a search would look into, by agent and source.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.search.reindex import index_states  # noqa: PLC0415

        return index_states(self._ports, self.settings, self.home(), agent_id)

    def index_watch(self, *, may_build: bool = False) -> IndexWatch:
        """Return a watch that indexes changed files when they have rested (`search.debounce`).

        Args:
            may_build: Build what is missing as well, instead of leaving it to the first search.
        """
        from memconsole.engine.search.watch import IndexWatch  # noqa: PLC0415

        return IndexWatch(self._ports, self.settings, self.home, may_build=may_build)

    def document_lines(self, agent_id: str, path: str) -> tuple[str, ...]:
        """Return the lines of a hit's document, masked; none when it does not exist.

        Raises:
            UnknownAgentError: There is no such agent.
            UsageError: The path leads out of what is searched.
            WorkspaceError: It cannot be read.
            StoreError: The transcript cannot be read.
        """
        from memconsole.engine.search.reindex import document_lines  # noqa: PLC0415

        home = self.home()
        agent = find_agent(home, agent_id)
        return document_lines(self._ports, self.settings, home, agent, path)
