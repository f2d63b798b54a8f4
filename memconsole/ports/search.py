"""What search needs from outside, as protocols: our own indexes; the platform's, never written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date
    from pathlib import Path

    from memconsole.domain.agents import Agent, Home, Notice
    from memconsole.domain.calendar import Zone
    from memconsole.domain.fleet.chunks import OutgoingIndex
    from memconsole.domain.platform_search.candidates import PlatformChunk, WordsFound
    from memconsole.domain.platform_search.index import Contents, IndexedFile, IndexFacts
    from memconsole.domain.platform_search.words import Plan
    from memconsole.domain.search.indexing import (
        Document,
        DocumentText,
        IndexScope,
        IndexStatus,
        Pending,
        SyncReport,
    )
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import ChunkRow, Legs, Narrowing
    from memconsole.domain.settings.sections import SearchSettings
    from memconsole.ports.platform import StopSignal


class DocumentReader(Protocol):
    """The files of a memory pool, for the search index; never written."""

    def documents(self, workspace: Path, extra: tuple[Path, ...] = ()) -> tuple[Document, ...]:
        """Return what is to be indexed of a workspace, without reading any of it."""

    def left_out(self, workspace: Path, extra: tuple[Path, ...] = ()) -> tuple[Notice, ...]:
        """Return a notice for each file that is memory and cannot be indexed by its name."""

    def require_file(self, workspace: Path, path: str) -> None:
        """Refuse what is there and is no file that is searched; what is not there passes.

        Raises:
            WorkspaceError: It is a folder, a pipe, or a file that is left out.
        """

    def changed(self, workspace: Path, paths: Iterable[Path]) -> tuple[Document, ...] | None:
        """Return certain files as documents; None when only a look at all of them can tell."""

    def read(self, document: Document) -> DocumentText:
        """Return the masked text of a document.

        Raises:
            FileNotFoundError: It is gone.
            WorkspaceError: It cannot be read.
        """


class Embedder(Protocol):
    """Makes vectors of texts."""

    @property
    def name(self) -> str:
        """Provider and model; vectors of different names are never compared."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, all of one length.

        Raises:
            EmbeddingError: The provider failed.
        """


class IndexReader(Protocol):
    """One open index, in one state."""

    status: IndexStatus

    def legs(
        self,
        query: Query,
        narrowing: Narrowing,
        *,
        scope: int = 0,
        text_only: bool = False,
        also: Sequence[int] = (),
    ) -> Legs:
        """Return what both legs find and certain chunks besides, each candidate once.

        Raises:
            EmbeddingError: The provider did not give the query a vector.
        """

    def nearness(self, query: Query) -> dict[int, tuple[float, float]]:
        """Return by chunk what the better model says: its cosine, and the best of its lines.

        Nothing when that model takes no part, or not every chunk has its vectors yet.

        Raises:
            IndexUnavailableError: It cannot be used.
        """

    def late(self, query: Query, ids: Sequence[int]) -> dict[int, float]:
        """Return the share of the query that each of these chunks holds, 0…1."""

    def rows(self, ids: Sequence[int]) -> dict[int, ChunkRow]:
        """Return the texts of chunks."""

    def ages(self, ids: Sequence[int]) -> dict[int, float]:
        """Return when dated chunks are from, in seconds since 1970; others are left out."""

    def days(self, ids: Sequence[int], zone: Zone) -> dict[int, date]:
        """Return the days in headings and paths of chunks, and those of messages."""

    def notices(self, paths: Iterable[str] | None = None) -> tuple[Notice, ...]:
        """Return what was odd about documents when they were indexed."""


class SearchIndex(Protocol):
    """The disposable indexes of the agents."""

    def status(self, scope: IndexScope, settings: SearchSettings) -> IndexStatus:
        """Return what an index is, without comparing it with its documents."""

    def pending(
        self, scope: IndexScope, documents: Sequence[Document], settings: SearchSettings
    ) -> Pending:
        """Compare an index with its documents; reads none of them.

        Raises:
            IndexUnavailableError: It is in use, or may not be read.
        """

    def sync(
        self,
        scope: IndexScope,
        documents: Sequence[Document],
        read: Callable[[Document], DocumentText],
        settings: SearchSettings,
        *,
        is_full: bool = False,
        cancel: StopSignal | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> SyncReport:
        """Bring an index up to date: the old one or the new one, never half.

        Raises:
            LockedError: Another process writes it.
            IndexUnavailableError: It cannot be written, or the provider failed.
        """

    def drop_gone(self, scope: IndexScope) -> None:
        """Delete the indexes of workspaces that stand nowhere any more, and of former owners.

        An index bears the name of the first agent of its workspace: when that changes, the old one
        is asked by nobody, and holds what it held.

        Args:
            scope: The index that stays; others of its folder go.

        Raises:
            LockedError: Another process writes one of those.
            IndexUnavailableError: One of those cannot be deleted.
        """

    def take_in(
        self,
        scope: IndexScope,
        changed: Sequence[Document],
        read: Callable[[Document], DocumentText],
        settings: SearchSettings,
        cancel: StopSignal | None = None,
    ) -> SyncReport | None:
        """Take in documents that are known to have changed, without comparing the others.

        None when the index has to be compared as a whole: it is missing, or has other settings.

        Raises:
            LockedError: Another process writes it.
            IndexUnavailableError: It cannot be written, or the provider failed.
        """

    def enrich(
        self,
        scope: IndexScope,
        settings: SearchSettings,
        *,
        cancel: StopSignal | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> IndexStatus:
        """Make the vectors of `search.provider = "quality"` that are missing; takes minutes.

        What was made stays when it is ended; with another provider nothing is done. Told are
        chunks that are done, and of how many.

        Raises:
            LockedError: Another process writes the index.
            IndexUnavailableError: The model cannot be used, or the index not be written.
        """

    def outgoing(self, scope: IndexScope) -> AbstractContextManager[OutgoingIndex]:
        """Open an index for publishing.

        Raises:
            FileNotFoundError: There is none.
            IndexUnavailableError: It cannot be read, and why.
        """

    def open(
        self, scope: IndexScope, settings: SearchSettings, cancel: StopSignal | None = None
    ) -> AbstractContextManager[IndexReader]:
        """Open an index for one search.

        Raises:
            FileNotFoundError: There is none.
            IndexUnavailableError: It cannot be read, and why.
        """


@dataclass(frozen=True, slots=True)
class SearchPorts:
    """What only searching and indexing ask."""

    index: SearchIndex
    documents: DocumentReader


T = TypeVar("T")


class OpenPlatformIndex(Protocol):
    """One index of the platform in one state; raises `StoreError` where it cannot be read.

    No sources means all of them.
    """

    facts: IndexFacts

    def contents(self) -> Contents:
        """Return its memory part: files and chunks."""

    def with_words(
        self, plan: Plan, limit: int, sources: Sequence[str] = ()
    ) -> Sequence[WordsFound]:
        """Return the best chunks that hold what a plan wants."""

    def with_names(
        self, plan: Plan, limit: int, sources: Sequence[str] = ()
    ) -> Sequence[WordsFound]:
        """Return the first chunks of files with such names; none where names are no words."""

    def nearest(
        self, vector: Sequence[float], limit: int, sources: Sequence[str] = ()
    ) -> Sequence[tuple[PlatformChunk, float]]:
        """Return the chunks nearest to a vector with their cosines, the nearest first."""


class PlatformIndexes(Protocol):
    """The platform's own search indexes, whatever era."""

    def read(self, agent: Agent, home: Home, reading: Callable[[OpenPlatformIndex], T]) -> T | None:
        """Run one reading of an agent's index; it may run several times. None without an index.

        Raises:
            StoreError: There is one, and it cannot be read.
        """

    def hashes(
        self, workspace: Path, paths: Iterable[str], known: Iterable[IndexedFile] = ()
    ) -> Mapping[str, str]:
        """Return the platform's hash of each file of a workspace that is there.

        Files of the size and time that the index knows are not read again.
        """


@dataclass(frozen=True, slots=True)
class PlatformIndexPorts:
    """What only asks why an agent does not see a note.

    Attributes:
        embed: Makes the vector of a query with the provider of the settings; raises
            `EmbeddingError`.
    """

    indexes: PlatformIndexes
    embed: Callable[[SearchSettings, str], Sequence[float]]
