"""Which indexes belong to which agents, and which documents into each of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.indexing import IndexScope, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memconsole.domain.agents import Agent, Home, Notice
    from memconsole.domain.indexing import Document, DocumentText
    from memconsole.domain.settings import SearchSettings, Settings
    from memconsole.engine.ports_bundle import DoorPorts


class Shelf(NamedTuple):
    """One index with what it needs to be brought up to date.

    Attributes:
        agent: Whose name hits carry.
    """

    scope: IndexScope
    agent: Agent
    settings: SearchSettings
    ports: DoorPorts
    redact: bool

    def documents(self) -> tuple[Document, ...]:
        """Return what belongs into the index; a talk or file is only looked at."""
        if self.scope.source is Source.SESSIONS:
            from memconsole.engine.talks import talks  # noqa: PLC0415  # heavy

            return talks(self.ports.sessions, self.agent)
        return self.ports.search().documents.documents(self.agent.workspace, self._extra())

    def left_out(self) -> tuple[Notice, ...]:
        """Return a notice for each file that belongs into the index and cannot be named in it."""
        if self.scope.source is Source.SESSIONS:
            return ()
        return self.ports.search().documents.left_out(self.agent.workspace, self._extra())

    def _extra(self) -> tuple[Path, ...]:
        return tuple(Path(path).expanduser() for path in self.settings.extra_paths)

    def changed(self, paths: Iterable[Path]) -> tuple[Document, ...] | None:
        """Return files of the memory as documents; None when all of them must be looked at."""
        if self.scope.source is Source.SESSIONS:
            return None
        return self.ports.search().documents.changed(self.agent.workspace, paths)

    def read(self, document: Document) -> DocumentText:
        """Return the text of one of the documents, masked."""
        if self.scope.source is Source.SESSIONS:
            from memconsole.engine.talks import read_talk  # noqa: PLC0415

            return read_talk(self.ports.sessions, document, redact=self.redact)
        return self.ports.search().documents.read(document)


def shelves(
    ports: DoorPorts,
    settings: Settings,
    home: Home,
    agents: Iterable[Agent],
    sources: Sequence[Source] | None = None,
) -> tuple[Shelf, ...]:
    """Return the indexes of agents, each once: agents of one workspace share its index (A7).

    Args:
        ports: The engine's ports.
        settings: Those of each agent decide about talks when `sources` does not.
        home: All agents; the first one of a workspace gives the index its name.
        agents: Whose indexes.
        sources: What is wanted; None as configured.
    """
    found: dict[IndexScope, Shelf] = {}
    owners = {_real(one.workspace): one for one in reversed(home.agents)}
    for agent in agents:
        search = settings.for_agent(agent.id).search
        wanted = sources
        if wanted is None:
            wanted = (Source.MEMORY, Source.SESSIONS) if search.sessions else (Source.MEMORY,)
        for source in wanted:
            root = _real(agent.workspace) if source is Source.MEMORY else str(agent.folder)
            owner = owners.get(root, agent) if source is Source.MEMORY else agent
            scope = IndexScope(owner.ref, source, Path(root))
            found.setdefault(scope, Shelf(scope, agent, search, ports, settings.redact))
    return tuple(found.values())


def _real(path: Path) -> str:
    return os.path.realpath(path)
