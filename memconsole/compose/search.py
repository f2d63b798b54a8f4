"""Puts search together: our index, the platform's own, and a search that loads nothing else."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from memconsole.adapters.index.embedding.providers import remote_of
from memconsole.adapters.index.embedding.static import static_model
from memconsole.adapters.index.index import DiskIndex
from memconsole.adapters.index.reader import QueryModel
from memconsole.adapters.platform.config.json5_file import decode_json5
from memconsole.adapters.platform.disk import DiskPlatform
from memconsole.adapters.platform.home import FOLDER_NAMES, find_home
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.workspace.documents import PoolDocuments
from memconsole.compose.process import user_home
from memconsole.domain.agents import Origin
from memconsole.engine.home.service import HomeService
from memconsole.engine.search.service import SearchService
from memconsole.ports.search import PlatformIndexPorts, SearchPorts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from memconsole.domain.agents import Home
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import SearchSettings
    from memconsole.ports.platform import Clock, Platform, SessionStore
    from memconsole.ports.state import ConsolidationLog


def search_ports(settings: Settings, origin: Origin, clock: Clock) -> SearchPorts:
    """Return what only searching and indexing ask."""
    index = DiskIndex(
        settings.state_dir / "index",
        lambda name, what: _index_lock(settings, clock, name, what),
        now=clock.now,
        redact=settings.redact,
        is_long_running=origin is Origin.CONSOLE,
        usual=user_home() / FOLDER_NAMES[0],
    )
    return SearchPorts(index, PoolDocuments(redact=settings.redact))


def _index_lock(
    settings: Settings, clock: Clock, name: str, what: str
) -> AbstractContextManager[None]:
    from memconsole.adapters.locks import hold  # noqa: PLC0415  # only who writes an index

    return hold(settings.state_dir / "locks" / f"{name}.lock", what, clock.now)


def query_model() -> QueryModel:
    """Return what makes of a query what indexes of other hosts are asked with."""
    return QueryModel(static_model())


def build_search(settings: Settings, clock: Clock) -> SearchService:
    """Return what a search on the command line needs, and load nothing else.

    The home is read once; transcripts are opened when they are searched.
    """
    choice = find_home(settings.home, os.environ, user_home())
    copies = PrivateCopies()
    platform = DiskPlatform(choice, environ=os.environ, now=clock.now, copies=copies)
    search = functools.cache(lambda: search_ports(settings, Origin.CLI, clock))
    ports = _SearchOnly(_ReadOnce(platform), clock, search, copies, settings.state_dir)
    return SearchService(ports, HomeService(ports.platform), settings)


class _ReadOnce:
    """Reads the home once, for a process that answers one question."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._home: Home | None = None

    def read(self) -> Home:
        """Read home, configuration and agents."""
        if self._home is None:
            self._home = self._platform.read()
        return self._home


class _SearchOnly:
    """The ports of a search (`ports.bundle.SearchNeeds`)."""

    def __init__(
        self,
        platform: Platform,
        clock: Clock,
        search: Callable[[], SearchPorts],
        copies: PrivateCopies,
        state_dir: Path,
    ) -> None:
        self.platform = platform
        self.clock = clock
        self.search = search
        self._copies = copies
        self._state_dir = state_dir

    def platform_index(self) -> PlatformIndexPorts:
        """Give the platform's own indexes; few searches want them."""
        return platform_index_ports(self._copies)

    @functools.cached_property
    def sessions(self) -> SessionStore:
        """The session stores; loading them takes longer than a search."""
        from memconsole.adapters.sessions.agent import AgentSessionStore  # noqa: PLC0415

        return AgentSessionStore(self._copies, decode_json5, self.clock.now)

    @functools.cached_property
    def consolidation(self) -> ConsolidationLog:
        """What searches found, in our own database; few settings keep it."""
        from memconsole.adapters.state.database import StateDatabase  # noqa: PLC0415
        from memconsole.adapters.state.memory import StateConsolidation  # noqa: PLC0415

        return StateConsolidation(StateDatabase(self._state_dir, self._copies))


def platform_index_ports(copies: PrivateCopies) -> PlatformIndexPorts:
    """Return what only asks how the platform itself would search."""
    from memconsole.adapters.platform_index import PlatformIndexFiles  # noqa: PLC0415  # for few searches

    def embed(settings: SearchSettings, text: str) -> Sequence[float]:
        provider = remote_of(settings, is_patient=False)
        return [] if provider is None else provider.embed([text])[0]

    return PlatformIndexPorts(PlatformIndexFiles(copies), embed)
