"""Search as values: what is asked, and what is found."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memconsole.domain.agents import Notice
    from memconsole.domain.search.agent_view import AgentSearch, AgentView
    from memconsole.domain.search.indexing import IndexStatus, Source
    from memconsole.domain.search.query import Query

CANDIDATES: Final = 200
"""Candidates of each leg; a constant, so that the number of results changes no score."""

LATE_CANDIDATES: Final = 50
"""Candidates whose words are compared one by one."""


class Narrowing(NamedTuple):
    """Which chunks may be found.

    Attributes:
        since: Only what is of this moment or later.
        tag: Only chunks with a line marked so.
    """

    since: datetime | None = None
    tag: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether everything may be found."""
        return self.since is None and self.tag is None


class Candidate(NamedTuple):
    """One chunk that a leg found, unscored; a tuple, because each search makes hundreds.

    Attributes:
        scope: Number of its index in the search.
        id: Of the chunk in that index.
        cosine: Of its vector and the query's; None without vectors.
        text: BM25 with the sign turned, more is better; None when it has none of the words.
    """

    scope: int
    id: int
    cosine: float | None = None
    text: float | None = None


class Legs(NamedTuple):
    """What one index has for a query.

    Attributes:
        known_words: Words of the query that occur in it.
        is_raw: Its cosines mean the same in every query and are not normalised.
        spoken: Share of its chunks that are in the language of the query, 0…1; 0 of an English one.
    """

    candidates: tuple[Candidate, ...] = ()
    known_words: frozenset[str] = frozenset()
    is_raw: bool = False
    spoken: float = 0.0


class Ranking(NamedTuple):
    """What the results of one search were ranked by.

    Attributes:
        vector: Weight of the meaning; the two weights have a sum of 1.
        text: Weight of the words; it is less where the index holds little of them.
        late: Share of single words, compared one by one, in the meaning.
        dates: Dates that the question names, as words.
        date_bonus: What is added for them.
        quality: Weight of the better model against both legs together.
        agents: What an agent loses that knows nothing of the question; 0 over one agent.
    """

    vector: float
    text: float
    late: float = 0.0
    dates: tuple[str, ...] = ()
    date_bonus: float = 0.0
    agents: float = 0.0
    quality: float = 0.0


class ChunkRow(NamedTuple):
    """One indexed chunk with its text.

    Attributes:
        agent: Whose it is, in an index of many agents; else empty.
        source: Where it comes from, there.
    """

    path: str
    start_line: int
    end_line: int
    heading: str
    text: str
    is_archived: bool = False
    on_path: bool = True
    modified_at: datetime | None = None
    tags: tuple[str, ...] = ()
    agent: str = ""
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result.

    Attributes:
        score: 0 to 1; comparable inside one answer only.
        vector_score: Normalised vector leg; None when it took no part.
        text_score: Normalised text leg; None when none of the words is in it.
        is_weak: It is shown, and should not be believed without a look.
        snippet: At most 700 characters around the match.
        marks: (start, end) of matched words in the snippet.
        quality_score: What the better model says, 0 to 1; None when it took no part.
        date_score: How near its day is to the one asked for, 0 to 1; None when none was.
        same: Results that say the same, folded into this one, best first.
        agent_view: Where the agent's own search has it; None when nobody asked.
    """

    agent: str
    source: Source
    path: str
    start_line: int
    end_line: int
    score: float
    vector_score: float | None
    text_score: float | None
    is_weak: bool
    snippet: str
    marks: tuple[tuple[int, int], ...] = ()
    heading: str = ""
    is_archived: bool = False
    on_path: bool = True
    modified_at: datetime | None = None
    tags: tuple[str, ...] = ()
    agent_view: AgentView | None = None
    date_score: float | None = None
    quality_score: float | None = None
    same: tuple[SearchHit, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search.

    Attributes:
        agent_id: None searches the one agent there is, or all of them.
        home: Where agents of several homes are searched, only those of this one, by its label.
        max_results: None takes the configured number; so does `min_score`.
        with_sessions: Also sessions; None as configured.
        is_typing: The last word may be unfinished; no index is brought up to date.
        is_explained: Say how the agent's own search would have it.
        by_date: Newest first instead of best first.
    """

    text: str
    agent_id: str | None = None
    max_results: int | None = None
    min_score: float | None = None
    with_sessions: bool | None = None
    narrowing: Narrowing = field(default_factory=Narrowing)
    is_typing: bool = False
    is_explained: bool = False
    text_only: bool = False
    by_date: bool = False
    home: str | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one search.

    Attributes:
        query: As it was understood.
        index: All indexes that were looked into, as one.
        indexes: Each of them by agent and source.
        coverage: Share of the query's words that occur in the index; None without words.
        ranking: What the hits were ranked by; None when nothing was ranked.
        agent_searches: What hits were compared with, when they were.
    """

    query: Query
    hits: tuple[SearchHit, ...]
    index: IndexStatus
    indexes: Mapping[tuple[str, Source], IndexStatus] = field(default_factory=dict)
    coverage: float | None = None
    notices: tuple[Notice, ...] = ()
    is_cancelled: bool = False
    agent_searches: tuple[AgentSearch, ...] = ()
    ranking: Ranking | None = None
