"""Searches the published copy of a fleet: found there, ranked here as a host ranks its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.calendar import local_time, resolve_zone
from memconsole.engine.search.run import search_copy
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.agents import HomeRef
    from memconsole.domain.fleet.chunks import CopiedIndex, Searched
    from memconsole.domain.search.values import SearchRequest, SearchResult
    from memconsole.domain.settings import Settings
    from memconsole.ports.fleet import SearchableCopy
    from memconsole.ports.platform import Clock


_MOST_NAMED: Final = 5


class Found(NamedTuple):
    """What a search of a copy found.

    Attributes:
        result: Hits name an agent with its home, such as `alpha/main`.
        owners: The index of each such name.
        searched: The hosts that were searched.
        line: The same as a line, with the times of copies that are of some time ago.
    """

    result: SearchResult
    owners: Mapping[str, CopiedIndex]
    searched: Searched
    line: str


class CopySearch:
    """One search over the homes of a fleet that were copied to one place.

    Args:
        copy: Where the chunks are.
        clock: The time, for words such as yesterday.
        settings: Weights and limits.
    """

    def __init__(
        self,
        copy: SearchableCopy,
        clock: Clock,
        settings: Settings,
    ) -> None:
        self.place = copy.place
        self._copy, self._clock, self._settings = copy, clock, settings

    def find(self, request: SearchRequest, homes: Mapping[HomeRef, str]) -> Found:
        """Search certain homes, which are called so; an agent is named as its home names it.

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
            named = f"{homes[index.home]}/{agent}"
            owners.setdefault(named, index)
            return named

        hosts = {home.host for home in homes}
        with self._copy.open(hosts, is_meant, name) as (reader, searched):
            missing = hosts - searched.hosts.keys()
            own = searched._replace(hosts={**searched.hosts, **dict.fromkeys(sorted(missing))})
            result = search_copy(self._clock, self._settings, request, reader)
        return Found(result, owners, own, self._line(own))

    def _line(self, found: Searched) -> str:
        zone = resolve_zone(self._settings.timezone, None).zone
        parts = [f"searched {found.known} of {plural(len(found.hosts), 'host')}"]
        for name, seen in list(found.behind.items())[:_MOST_NAMED]:
            parts.append(f"{name} as of {local_time(seen.as_of, zone):%H:%M}")
        lacking = [name for name, seen in found.hosts.items() if seen is None]
        if lacking:
            more = len(lacking) - _MOST_NAMED
            rest = f" and {more} more" if more > 0 else ""
            parts.append(f"nothing to search of {', '.join(lacking[:_MOST_NAMED])}{rest}")
        return " · ".join(parts)

    def lines(self, home: HomeRef, agent: str, path: str) -> Mapping[int, str] | None:
        """Return the lines of a document that were published; None when none of it was.

        Raises:
            SourceAwayError: The copy is away, or refuses.
        """
        return self._copy.lines(home, agent, path)
