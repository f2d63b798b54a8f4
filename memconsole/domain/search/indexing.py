"""Values of the search index: what goes into it, and in what state it is.

Most are named tuples: a search on the command line makes the classes and a few of each, and a data
class takes five times longer to make.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path
    from typing import TypeAlias

    from memconsole.domain.agents import AgentRef, Notice

    Indexes: TypeAlias = Mapping[tuple[str, "Source"], "IndexStatus"]
    """The state of indexes, by agent and source."""


class Source(StrEnum):
    """Where a chunk comes from."""

    MEMORY = "memory"
    SESSIONS = "sessions"


class Vectors(StrEnum):
    """How vectors are compared in this process; the hits are the same."""

    EXTENSION = "sqlite-vec"
    NUMPY = "numpy"
    PGVECTOR = "pgvector"
    NONE = "none"


class IndexScope(NamedTuple):
    """One index: the memory of one workspace, or the sessions of one agent.

    Attributes:
        agent: Who it is named after; the first of several agents with one workspace.
        root: Workspace, or the agent's folder: what tells two homes apart.
    """

    agent: AgentRef
    source: Source
    root: Path


class Document(NamedTuple):
    """Something to index, told apart from its earlier self without reading it.

    Attributes:
        path: As hits show it: relative to the workspace, or `sessions/<id>`.
        place: Where its reader finds it.
        size_bytes: Of the file or the records; a guess at the work it makes.
        stamp: Changes whenever the content may have.
        modified_at: Its time, aware UTC.
        unread: Why it cannot be read now, or what lies below it cannot be listed; else empty.
            What an index knows of it and of everything below it stays.
    """

    path: str
    source: Source
    place: object
    size_bytes: int
    stamp: str
    modified_at: datetime | None = None
    is_archived: bool = False
    unread: str = ""


class MessageLine(NamedTuple):
    """One message on one line; sessions are indexed by messages, numbered from 1."""

    text: str
    on_path: bool = True
    at: datetime | None = None


class DocumentText(NamedTuple):
    """The content of a document, already masked.

    Attributes:
        text: Markdown; empty for a session.
        session: The messages of a session.
        notices: What was odd about it.
    """

    text: str = ""
    session: tuple[MessageLine, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """An index as every answer carries it.

    Attributes:
        provider: `static`, `openai-compatible` or `none`; the model behind a colon.
        has_vectors: The vector leg took part, or would.
        updated_at: When it was last brought up to date, aware UTC.
        because: Why it is not fresh, or what stands in for what; a sentence, or empty.
        way: What compares the vectors.
        files: Indexed documents.
        size_bytes: The file on disk.
        lacking: Chunks that wait for the vectors of the better model.
        changed: Documents that it does not hold as they are; None where nobody compared.
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
    lacking: int = 0
    changed: int | None = None

    @property
    def waiting(self) -> int | None:
        """Chunks that wait for a vector of their model; None where there is nothing to look at."""
        is_there = self.state not in (IndexState.MISSING, IndexState.UNAVAILABLE)
        return self.lacking if is_there else None


class Pending(NamedTuple):
    """What keeps an index from being up to date.

    Attributes:
        changed: Documents that are new, or other than they were.
        removed: Paths that are gone.
        unembedded: Chunks that their provider failed to give a vector.
        must_build: There is no index, or none that can be used: everything is to be read.
        because: Why, as a sentence without a full stop; empty when nothing is pending.
        grown_bytes: How much longer the changed documents are than they were.
    """

    changed: tuple[Document, ...] = ()
    removed: tuple[str, ...] = ()
    unembedded: int = 0
    must_build: bool = False
    because: str = ""
    grown_bytes: int = 0

    @property
    def is_any(self) -> bool:
        """Whether there is something to do."""
        return self.must_build or bool(self.changed or self.removed)

    @property
    def size_bytes(self) -> int:
        """Bytes to read."""
        return sum(one.size_bytes for one in self.changed)


class SyncReport(NamedTuple):
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


class IndexState(StrEnum):
    """What an answer of the index is worth."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"
    BUILDING = "building"
    UNAVAILABLE = "unavailable"
