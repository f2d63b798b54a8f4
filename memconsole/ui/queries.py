"""What is asked of the index: a text, and the facets that narrow it."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.domain.search.values import Narrowing, SearchRequest
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

DAYS = (None, 1, 7, 30, 90, 365)
"""Choices of the date: any, and so many days back."""

SOURCES: tuple[bool | None, ...] = (None, False, True)
"""Choices of the source: as configured, memory files alone, sessions as well."""

TAGS: tuple[str | None, ...] = (None, *MARKER_TAGS)
"""Choices of the marker."""

_MOST_QUERIES = 50


@dataclass(frozen=True, slots=True)
class Facets:
    """What narrows a search.

    Attributes:
        agent_id: None searches all agents.
        with_sessions: Sessions as well; None as configured.
        tag: Only what holds a line marked so.
        days: Only what is at most so many days old.
        by_date: Newest first instead of best first.
        is_explained: Say where the agent's own search has each result.
        home: Only agents of this one of several homes, by its label.
    """

    agent_id: str | None = None
    with_sessions: bool | None = None
    tag: str | None = None
    days: int | None = None
    by_date: bool = False
    is_explained: bool = False
    home: str | None = None

    @property
    def is_narrow(self) -> bool:
        """Whether something that was found otherwise may be left out."""
        return self.tag is not None or self.days is not None

    def widened(self) -> Facets:
        """Return the facets with nothing left out."""
        return replace(self, tag=None, days=None)

    def request(
        self, text: str, now: datetime, *, is_typing: bool, max_results: int
    ) -> SearchRequest:
        """Return the search that these facets make of a text."""
        since = None if self.days is None else now - timedelta(days=self.days)
        return SearchRequest(
            text,
            agent_id=self.agent_id,
            max_results=max_results,
            with_sessions=self.with_sessions,
            narrowing=Narrowing(since, self.tag),
            is_typing=is_typing,
            is_explained=self.is_explained,
            by_date=self.by_date,
            home=self.home,
        )


class Queries:
    """What was searched for in this console, newest first; kept in memory alone."""

    def __init__(self) -> None:
        self._texts: deque[str] = deque(maxlen=_MOST_QUERIES)

    def add(self, text: str) -> None:
        """Remember a query; one that is known moves to the front."""
        text = text.strip()
        if not text:
            return
        if text in self._texts:
            self._texts.remove(text)
        self._texts.appendleft(text)

    def before(self, text: str) -> str | None:
        """Return the query before this one; the newest when this one is not known."""
        known = tuple(self._texts)
        place = known.index(text) + 1 if text in known else 0
        return known[place] if place < len(known) else None

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._texts))
