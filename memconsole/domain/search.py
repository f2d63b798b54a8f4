"""Search as values: what is asked, what is indexed, what is found (mission §15, search.md, A22)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import AgentRef, Notice
    from memconsole.domain.query import Query

SNIPPET_CHARS: Final = 700
CANDIDATES: Final = 200
"""Candidates of each leg; a constant, so that the number of results changes no score."""

LATE_CANDIDATES: Final = 50
"""Candidates whose words are compared one by one."""


class Source(StrEnum):
    """Where a chunk comes from."""

    MEMORY = "memory"
    SESSIONS = "sessions"


class IndexState(StrEnum):
    """What an answer of the index is worth (`cli.md`)."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"
    BUILDING = "building"
    UNAVAILABLE = "unavailable"


class Vectors(StrEnum):
    """How vectors are compared in this process; the hits are the same."""

    EXTENSION = "sqlite-vec"
    NUMPY = "numpy"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class IndexScope:
    """One index: the memory of one workspace, or the talks of one agent.

    Attributes:
        agent: Who it is named after; the first of several agents with one workspace (A7).
        root: Workspace, or the agent's folder: what tells two homes apart.
    """

    agent: AgentRef
    source: Source
    root: Path


@dataclass(frozen=True, slots=True)
class Document:
    """Something to index, told apart from its earlier self without reading it.

    Attributes:
        path: As hits show it: relative to the workspace, or `sessions/<id>`.
        place: Where its reader finds it.
        size_bytes: Of the file or the records; a guess at the work it makes.
        stamp: Changes whenever the content may have.
        modified_at: Its time, aware UTC.
    """

    path: str
    source: Source
    place: object
    size_bytes: int
    stamp: str
    modified_at: datetime | None = None
    is_archived: bool = False


@dataclass(frozen=True, slots=True)
class TalkLine:
    """One message on one line; talks are indexed by messages, numbered from 1."""

    text: str
    on_path: bool = True
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The content of a document, already masked.

    Attributes:
        text: Markdown; empty for a talk.
        talk: The messages of a talk.
        notices: What was odd about it.
    """

    text: str = ""
    talk: tuple[TalkLine, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """An index as every answer carries it (`cli.md`, index).

    Attributes:
        provider: `static`, `openai-compatible` or `none`; the model behind a colon.
        has_vectors: The vector leg took part, or would.
        updated_at: When it was last brought up to date, aware UTC.
        because: Why it is not fresh, or what stands in for what; a sentence, or empty.
        way: What compares the vectors.
        files: Indexed documents.
        size_bytes: The file on disk.
    """

    state: IndexState
    chunks: int = 0
    provider: str = "none"
    has_vectors: bool = False
    updated_at: datetime | None = None
    because: str = ""
    way: Vectors = Vectors.NONE
    files: int = 0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What bringing an index up to date did.

    Attributes:
        embedded: Chunks that got a new vector; the others were known.
        cost_tokens: Tokens that a remote provider counted; None when nobody counts.
        is_rebuilt: It was built anew and swapped in.
    """

    status: IndexStatus
    path: Path
    files_changed: int = 0
    files_removed: int = 0
    chunks_added: int = 0
    chunks_removed: int = 0
    embedded: int = 0
    cost_tokens: int | None = None
    is_rebuilt: bool = False
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Narrowing:
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


@dataclass(frozen=True, slots=True)
class Candidate:
    """One chunk that a leg found, unscored.

    Attributes:
        scope: Number of its index in the search.
        id: Of the chunk in that index.
        cosine: Of its vector and the query's; None without vectors.
        text: BM25 with the sign turned, more is better; None when it has none of the words.
        late: Sum over the query's tokens (search.md §1); None beyond the best fifty.
    """

    scope: int
    id: int
    cosine: float | None = None
    text: float | None = None
    late: float | None = None


@dataclass(frozen=True, slots=True)
class Legs:
    """What one index has for a query.

    Attributes:
        known_words: Words of the query that occur in it.
        is_raw: Its cosines mean the same in every query and are not normalised.
    """

    candidates: tuple[Candidate, ...] = ()
    known_words: frozenset[str] = frozenset()
    is_raw: bool = False


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One indexed chunk with its text."""

    path: str
    start_line: int
    end_line: int
    heading: str
    text: str
    is_archived: bool = False
    on_path: bool = True
    modified_at: datetime | None = None
    tags: tuple[str, ...] = ()


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
        agent_rank: Where the agent's own search has it; None when it does not find it.
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
    agent_rank: int | None = None
    agent_score: float | None = None
    agent_because: str = ""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search.

    Attributes:
        agent_id: None searches the one agent there is, or all of them.
        max_results: None takes the configured number; so does `min_score`.
        with_sessions: Also talks; None as configured.
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


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one search.

    Attributes:
        query: As it was understood.
        index: All indexes that were looked into, as one.
        indexes: Each of them by agent and source.
        coverage: Share of the query's words that occur in the index; None without words.
    """

    query: Query
    hits: tuple[SearchHit, ...]
    index: IndexStatus
    indexes: Mapping[tuple[str, Source], IndexStatus] = field(default_factory=dict)
    coverage: float | None = None
    notices: tuple[Notice, ...] = ()
    is_cancelled: bool = False
