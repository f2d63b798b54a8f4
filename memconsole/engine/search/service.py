"""Searches what agents wrote, and shows what was found.

Searching needs few of the ports, and a search on the command line makes no more than those.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from memconsole.domain.search.indexing import IndexState, Source
from memconsole.domain.settings import usable
from memconsole.domain.settings.sections import SearchSettings
from memconsole.engine.home.lookup import agents_of, find_agent
from memconsole.engine.search.open import targets
from memconsole.engine.turn import require_workspace
from memconsole.errors import IndexUnavailableError, StoreError, UsageError, WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memconsole.domain.agents import Home, Notice
    from memconsole.domain.fleet.chunks import Shelf
    from memconsole.domain.search.indexing import DocumentText, IndexStatus
    from memconsole.domain.search.values import SearchRequest, SearchResult
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.service import HomeService
    from memconsole.engine.search.open import IndexTarget
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import StopSignal
    from memconsole.ports.search import SearchIndex


_HOME_GOOD_FOR_S: Final = 2.0


class SearchService:
    """Search, and what it found.

    Args:
        ports: Those that a search asks.
        home: Reads the home.
        settings: Weights and limits of each agent.

    Raises:
        UnknownAgentError: By every method that is told an agent: there is no such agent.
    """

    def __init__(self, ports: SearchNeeds, home: HomeService, settings: Settings) -> None:
        self.home = home
        self._ports = ports
        self._settings = settings
        self._typed_home: tuple[float, Home | None] = (0.0, None)

    def find(
        self,
        request: SearchRequest,
        cancel: StopSignal | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> SearchResult:
        """Search memory and sessions; no text is an error, and nothing found is an answer.

        Args:
            request: What is asked.
            cancel: Ends the search early.
            progress: Told how many documents are indexed, and of how many, when that comes first.
        """
        from memconsole.engine.search.run import search  # noqa: PLC0415 - health asks for states alone

        home = self._home_for(request)
        found = search(self._ports, self._settings, home, request, cancel=cancel, progress=progress)
        own = self._settings.for_agent(request.agent_id or "")
        if not request.is_typing and usable(lambda: own.consolidate.search_log, otherwise=False):
            from memconsole.engine.search.record import note_found  # noqa: PLC0415 - off by default

            note_found(self._ports, self._settings, home, found)
        return found

    def scan(self, request: SearchRequest, cancel: StopSignal | None = None) -> SearchResult:
        """Search the memory files themselves, by words alone, while there is no index."""
        from memconsole.engine.search.scan import scan  # noqa: PLC0415 - only the console does

        return scan(self._ports, self._settings, self._home_for(request), request, cancel=cancel)

    def _home_for(self, request: SearchRequest) -> Home:
        """Read the home; between two letters it does not change."""
        now = self._ports.clock.monotonic()
        read_at, home = self._typed_home
        if home is None or not request.is_typing or now - read_at > _HOME_GOOD_FOR_S:
            home = self.home.read()
            self._typed_home = (now, home)
        return home

    def indexes(
        self, agent_id: str | None = None, *, compared_within_s: float = 0.0
    ) -> Mapping[tuple[str, Source], IndexStatus]:
        """Return the state of every index that a search would look into, by agent and source.

        Args:
            agent_id: Only of this agent; None for all.
            compared_within_s: Time for comparing them with files and transcripts, which are looked
                at and not read; what comes after that is not compared. An index of sessions that
                nobody built is not missed, and sessions that go on do not make one stale.
        """
        home = self.home.read()
        agents = agents_of(home, agent_id)
        index = self._ports.search().index
        until = self._ports.clock.monotonic() + compared_within_s
        found: dict[tuple[str, Source], IndexStatus] = {}
        for target in targets(self._ports, self._settings, home, agents):
            status = index.status(target.scope, target.settings)
            is_held = target.scope.source is Source.MEMORY or status.state is not IndexState.MISSING
            if is_held and self._ports.clock.monotonic() < until:
                status = _compared(status, index, target)
            place = target.agent.id, target.scope.source
            found[place] = _with_left_out(status, target.left_out())
        return found

    def outgoing(self) -> tuple[Shelf, ...]:
        """Return the indexes whose chunks are published, as `[fleet]` says.

        Raises:
            StoreError: Sessions are published and cannot be listed now.
        """
        if not self._settings.fleet.publishes_text:
            return ()
        from memconsole.engine.search.published import shelves  # noqa: PLC0415 - few hosts publish

        return shelves(self._ports, self._settings, self.home.read())

    def lines(self, agent_id: str, path: str) -> tuple[str, ...]:
        """Return the lines of a hit's document, masked; none when it does not exist.

        Raises:
            UsageError: The path leads out of what is searched.
            ConfigError: It is not in the workspace, and nobody can say what else is searched.
            NoWorkspaceError: The workspace is only guessed.
            WorkspaceError: It cannot be read, is too large, no text, or no file at all.
            StoreError: The transcript cannot be read.
        """
        home = self.home.read()
        agent = find_agent(home, agent_id)
        if ".." in PurePosixPath(path).parts or "\0" in path:
            raise UsageError(
                f"{path!r} leads out of the memory of {agent.id}",
                hint="Name a file as a search shows it, such as memory/2026-01-26.md.",
            )
        source = Source.SESSIONS if path.startswith("sessions/") else Source.MEMORY
        if source is Source.MEMORY and agent.workspace_doubt:
            require_workspace(agent)
        for target in targets(self._ports, self._settings, home, (agent,), (source,)):
            usual = target._replace(settings=SearchSettings())
            for document in usable(target.documents, None) or usual.documents():
                if document.path == path:
                    try:
                        found = target.read(document)
                    except FileNotFoundError:
                        return ()
                    return _lines(found)
        if source is Source.MEMORY:
            self._ports.search().documents.require_file(agent.workspace, path)
            self._settings.for_agent(agent.id).search.extra_paths  # noqa: B018 - a wrong one refuses
        return ()


def _compared(status: IndexStatus, index: SearchIndex, target: IndexTarget) -> IndexStatus:
    """Return the state of an index with how many documents it does not hold as they are."""
    try:
        pending = index.pending(target.scope, target.documents(), target.settings)
    except (IndexUnavailableError, StoreError):
        return status
    changed = len(pending.changed) + len(pending.removed)
    is_growing = target.scope.source is Source.SESSIONS
    if not changed or is_growing or status.state is not IndexState.FRESH:
        return replace(status, changed=changed)
    because = status.because or pending.because
    return replace(status, state=IndexState.STALE, changed=changed, because=because)


def _with_left_out(status: IndexStatus, left_out: Sequence[Notice]) -> IndexStatus:
    """Return the state of an index, which says what no search can find in it."""
    if not left_out or status.because:
        return status
    more = f" and {len(left_out) - 1} more" if len(left_out) > 1 else ""
    return replace(status, because=f"{left_out[0].message}{more}")


def _lines(found: DocumentText) -> tuple[str, ...]:
    if found.session:
        return tuple(line.text for line in found.session)
    if not found.text and found.notices:
        raise WorkspaceError(found.notices[0].message)
    return tuple(found.text.removesuffix("\n").split("\n"))
