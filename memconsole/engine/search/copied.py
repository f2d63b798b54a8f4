"""Searches the published copy of a fleet: found there, ranked here as a host ranks its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.agents import Notice
from memconsole.engine.search.run import search_copy

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from memconsole.domain.agents import HomeRef
    from memconsole.domain.fleet.chunks import CopiedIndex, Searched
    from memconsole.domain.search.values import SearchRequest, SearchResult
    from memconsole.domain.settings import Settings
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.fleet import SearchableCopy


class Found(NamedTuple):
    """What a search of a copy found.

    Attributes:
        result: Hits name an agent with its home, such as `alpha/main`.
        owners: The index of each such name.
        searched: The hosts that were searched.
    """

    result: SearchResult
    owners: Mapping[str, CopiedIndex]
    searched: Searched


class CopySearch:
    """One search over the homes of a fleet that were copied to one place.

    Args:
        copy: Where the chunks are.
        ports: The clock is asked.
        settings: Weights and limits.
        labels: What homes are called.
    """

    def __init__(
        self,
        copy: SearchableCopy,
        ports: SearchNeeds,
        settings: Settings,
        labels: Mapping[HomeRef, str],
    ) -> None:
        self.place = copy.place
        self._copy, self._ports, self._settings, self._labels = copy, ports, settings, labels

    def find(self, request: SearchRequest, homes: Collection[HomeRef]) -> Found:
        """Search certain homes; an agent of the request is one of theirs, by its own name.

        Raises:
            SourceAwayError: The copy is away, or refuses.
        """
        owners: dict[str, CopiedIndex] = {}

        def is_meant(index: CopiedIndex) -> bool:
            is_wanted = request.with_sessions is not False or not index.is_talk
            is_of_agent = request.agent_id is None or request.agent_id in index.agents
            return is_wanted and is_of_agent and index.home in homes

        def name(index: CopiedIndex) -> str:
            agent = request.agent_id or index.agents[0]
            named = f"{self._labels.get(index.home, str(index.home))}/{agent}"
            owners.setdefault(named, index)
            return named

        with self._copy.open(is_meant, name) as (reader, searched):
            hosts = {home.host for home in homes}
            meant = {host: seen for host, seen in searched.hosts.items() if host in hosts}
            missing = hosts - searched.hosts.keys()
            own = searched._replace(hosts={**meant, **dict.fromkeys(sorted(missing))})
            result = search_copy(self._ports, self._settings, request, reader)
        return Found(result, owners, own)

    def lines(self, home: HomeRef, agent: str, path: str) -> Mapping[int, str] | None:
        """Return the lines of a document that were published; None when none of it was.

        Raises:
            SourceAwayError: The copy is away, or refuses.
        """
        return self._copy.lines(home, agent, path)


def told(found: Searched) -> str:
    """Return which hosts were searched, as a line without the times."""
    return f"searched {found.count} of {len(found.hosts)} hosts"


def not_searched(found: Searched) -> tuple[Notice, ...]:
    """Return a notice for hosts of which nothing is published to search."""
    lacking = [name for name, seen in found.hosts.items() if seen is None]
    if not lacking:
        return ()
    names = ", ".join(lacking[:5]) + (f" and {len(lacking) - 5} more" if len(lacking) > 5 else "")
    return (Notice("not-searched", f"nothing to search is published of, or granted on: {names}"),)
