"""Doubles of search: documents, our indexes, and the platform's, held in memory."""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memconsole.domain.platform_search.candidates import PlatformChunk, WordsFound
from memconsole.domain.platform_search.index import (
    Contents,
    IndexedChunk,
    IndexedFile,
    IndexFacts,
    text_hash,
)
from memconsole.domain.search.dates import day_in
from memconsole.domain.search.indexing import (
    Document,
    DocumentText,
    IndexScope,
    IndexState,
    IndexStatus,
    Pending,
    Source,
    SyncReport,
    Vectors,
)
from memconsole.domain.search.values import Candidate, ChunkRow, Legs, Narrowing
from memconsole.errors import EmbeddingError
from memconsole.text.folding import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date

    from memconsole.domain.agents import Agent, Home, Notice
    from memconsole.domain.calendar import Zone
    from memconsole.domain.fleet.chunks import OutgoingIndex
    from memconsole.domain.platform_search.words import Plan
    from memconsole.domain.search.query import Query
    from memconsole.domain.settings.sections import SearchSettings
    from memconsole.ports.platform import StopSignal

T = TypeVar("T")


class FakeDocuments:
    """Texts by workspace and path; `notices` come with the text of their path.

    Attributes:
        knows_single: Single files can be told without a look at all of them.
    """

    def __init__(self) -> None:
        self.texts: dict[Path, dict[str, str]] = {}
        self.notices: dict[str, Notice] = {}
        self.sizes: dict[str, int] = {}
        self.knows_single = False
        self.nameless: tuple[Notice, ...] = ()

    def require_file(self, workspace: Path, path: str) -> None:
        return

    def documents(self, workspace: Path, extra: tuple[Path, ...] = ()) -> tuple[Document, ...]:
        return tuple(
            Document(
                path,
                Source.MEMORY,
                (workspace, path),
                self.sizes.get(path, len(text)),
                hashlib.sha256(text.encode()).hexdigest(),
            )
            for path, text in self.texts.get(workspace, {}).items()
        )

    def left_out(self, workspace: Path, extra: tuple[Path, ...] = ()) -> tuple[Notice, ...]:
        return self.nameless

    def changed(self, workspace: Path, paths: Iterable[Path]) -> tuple[Document, ...] | None:
        if not self.knows_single:
            return None
        wanted = {str(path.relative_to(workspace)) for path in paths}
        known = [one for one in self.documents(workspace) if one.path in wanted]
        return tuple(known) if len(known) == len(wanted) else None

    def read(self, document: Document) -> DocumentText:
        assert isinstance(document.place, tuple)
        workspace, path = document.place
        if path not in self.texts[workspace]:
            raise FileNotFoundError(path)
        notices = (self.notices[path],) if path in self.notices else ()
        return DocumentText(self.texts[workspace][path], (), notices)


@dataclass
class FakeReader:
    """One whole document is one chunk; every shared word counts one."""

    status: IndexStatus
    texts: list[tuple[str, str]]
    cosines: dict[str, float]
    failure: Exception | None
    odd: tuple[Notice, ...]
    near: Mapping[str, tuple[float, float]] | Exception = field(default_factory=dict)

    def legs(
        self,
        query: Query,
        narrowing: Narrowing,
        *,
        scope: int = 0,
        text_only: bool = False,
        also: Sequence[int] = (),
    ) -> Legs:
        if self.failure is not None and not text_only:
            raise self.failure
        found, known = [], set()
        for at, (path, text) in enumerate(self.texts):
            shared = {word for word in query.words if word in set(words(text))}
            known |= shared
            cosine = None if text_only else self.cosines.get(path)
            if shared or cosine is not None or at in also:
                score = float(len(shared)) if shared else None
                found.append(Candidate(scope, at, cosine, score))
        spoken = query.spoken(self._count, len(self.texts))
        return Legs(tuple(found), frozenset(known), spoken=spoken)

    def _count(self, literal: str) -> int:
        return sum(literal.strip('"') in set(words(text)) for _, text in self.texts)

    def nearness(self, query: Query) -> dict[int, tuple[float, float]]:
        if isinstance(self.near, Exception):
            raise self.near
        return (
            {at: self.near.get(path, (0.0, 0.0)) for at, (path, _) in enumerate(self.texts)}
            if self.near
            else {}
        )

    def late(self, query: Query, ids: Sequence[int]) -> dict[int, float]:
        return {}

    def rows(self, ids: Sequence[int]) -> dict[int, ChunkRow]:
        return {
            at: ChunkRow(
                self.texts[at][0], 1, self.texts[at][1].count("\n") + 1, "", self.texts[at][1]
            )
            for at in ids
        }

    def ages(self, ids: Sequence[int]) -> dict[int, float]:
        return {}

    def days(self, ids: Sequence[int], zone: Zone) -> dict[int, date]:
        found = {at: day_in(self.texts[at][0]) for at in ids}
        return {at: day for at, day in found.items() if day is not None}

    def notices(self, paths: Iterable[str] | None = None) -> tuple[Notice, ...]:
        return tuple(one for one in self.odd if paths is None or one.path in set(paths))


@dataclass
class FakeIndex:
    """Indexes by scope.

    Attributes:
        cosines: Of documents by path.
        broken: What opening an index raises, by agent id.
        unwritable: What writing an index raises, by agent id.
        failure: What asking for the query's vector raises.
        synced: (agent id, was it full) of every sync.
        taken_in: Paths that were taken in without a comparison.
        near: What the better model says of documents, by path; raised when it is an error.
        lacking: Chunks without its vectors.
        unusable: What making its vectors raises.
    """

    stored: dict[IndexScope, dict[str, tuple[str, str]]] = field(default_factory=dict)
    cosines: dict[str, float] = field(default_factory=dict)
    broken: dict[str, Exception] = field(default_factory=dict)
    unwritable: dict[str, Exception] = field(default_factory=dict)
    failure: Exception | None = None
    synced: list[tuple[str, bool]] = field(default_factory=list)
    odd: list[Notice] = field(default_factory=list)
    taken_in: list[str] = field(default_factory=list)
    drops: int = 0
    near: dict[str, tuple[float, float]] | Exception = field(default_factory=dict)
    lacking: int = 0
    unusable: Exception | None = None

    def drop_gone(self, scope: IndexScope) -> None:
        self.drops += 1
        for one in [one for one in self.stored if one.root == scope.root and one != scope]:
            del self.stored[one]

    def status(self, scope: IndexScope, settings: SearchSettings) -> IndexStatus:
        if scope not in self.stored:
            return IndexStatus(IndexState.MISSING, because="it was never built")
        return IndexStatus(
            IndexState.FRESH,
            chunks=len(self.stored[scope]),
            provider="static",
            has_vectors=True,
            way=Vectors.NUMPY,
            files=len(self.stored[scope]),
            because=f"quality vectors of {self.lacking} chunks are missing" if self.lacking else "",
            lacking=self.lacking,
        )

    def pending(
        self, scope: IndexScope, documents: Sequence[Document], settings: SearchSettings
    ) -> Pending:
        if scope.agent.id in self.broken:
            raise self.broken[scope.agent.id]
        if scope not in self.stored:
            return Pending(tuple(documents), must_build=True, because="it was never built")
        known = self.stored[scope]
        changed = tuple(one for one in documents if known.get(one.path, ("", ""))[0] != one.stamp)
        removed = tuple(sorted(set(known) - {one.path for one in documents}))
        because = "documents have changed" if changed or removed else ""
        grown = sum(one.size_bytes for one in changed)
        return Pending(changed, removed, because=because, grown_bytes=grown)

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
        if scope.agent.id in self.unwritable:
            raise self.unwritable[scope.agent.id]
        pending = self.pending(scope, documents, settings)
        texts: dict[str, tuple[str, str]] = {}
        notices: list[Notice] = []
        for number, document in enumerate(documents, 1):
            text = read(document)
            if progress is not None:
                progress(number, len(documents))
            spoken = "\n".join(line.text for line in text.session) or text.text
            texts[document.path] = (document.stamp, spoken)
            notices += text.notices
        self.stored[scope] = texts
        self.odd += notices
        self.synced.append((scope.agent.id, is_full))
        return SyncReport(
            self.status(scope, settings),
            Path("/state/index") / f"{scope.agent.id}.sqlite",
            files_changed=len(pending.changed),
            files_removed=len(pending.removed),
            chunks_added=len(pending.changed),
            is_rebuilt=is_full or pending.must_build,
            notices=tuple(notices),
        )

    def enrich(
        self,
        scope: IndexScope,
        settings: SearchSettings,
        *,
        cancel: StopSignal | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> IndexStatus:
        if self.unusable is not None:
            raise self.unusable
        if settings.provider == "quality":
            self.lacking = 0
        return self.status(scope, settings)

    def outgoing(self, scope: IndexScope) -> AbstractContextManager[OutgoingIndex]:
        raise self.broken.get(scope.agent.id, FileNotFoundError(scope.agent.id))

    def take_in(
        self,
        scope: IndexScope,
        changed: Sequence[Document],
        read: Callable[[Document], DocumentText],
        settings: SearchSettings,
        cancel: StopSignal | None = None,
    ) -> SyncReport | None:
        if scope.agent.id in self.unwritable:
            raise self.unwritable[scope.agent.id]
        if scope not in self.stored:
            return None
        texts = {one.path: (one.stamp, read(one).text) for one in changed}
        self.stored[scope] |= texts
        self.taken_in += [one.path for one in changed]
        path = Path("/state/index") / f"{scope.agent.id}.sqlite"
        return SyncReport(self.status(scope, settings), path, files_changed=len(changed))

    @contextmanager
    def open(
        self, scope: IndexScope, settings: SearchSettings, cancel: StopSignal | None = None
    ) -> Iterator[FakeReader]:
        if scope.agent.id in self.broken:
            raise self.broken[scope.agent.id]
        if scope not in self.stored:
            raise FileNotFoundError(scope.agent.id)
        texts = [(path, text) for path, (_, text) in sorted(self.stored[scope].items())]
        status = replace(self.status(scope, settings), chunks=len(texts))
        yield FakeReader(status, texts, self.cosines, self.failure, tuple(self.odd), self.near)


@dataclass
class FakePlatformIndex:
    """One index.

    Attributes:
        texts: Of the files, as they were indexed.
        cosines: Of chunks by id, for any query.
        unheard: Words that are in a chunk and are not found.
    """

    facts: IndexFacts
    texts: dict[str, str]
    chunks: tuple[IndexedChunk, ...]
    cosines: dict[str, float] = field(default_factory=dict)
    unheard: frozenset[str] = frozenset()

    def contents(self) -> Contents:
        files = [IndexedFile(path, text_hash(text.encode())) for path, text in self.texts.items()]
        return Contents(self.facts, tuple(files), self.chunks)

    def with_words(
        self, plan: Plan, limit: int, sources: Sequence[str] = ()
    ) -> Sequence[WordsFound]:
        wanted = {word.lower() for word in re.findall(r'"(\w+)"', plan.match or "")}
        if wanted & self.unheard:
            return ()
        return [
            WordsFound(_chunk(one), plan.text, -float(len(wanted)))
            for one in self.chunks
            if wanted <= set(re.findall(r"\w+", one.text.lower()))
        ][:limit]

    def with_names(
        self, plan: Plan, limit: int, sources: Sequence[str] = ()
    ) -> Sequence[WordsFound]:
        return ()

    def nearest(
        self, vector: Sequence[float], limit: int, sources: Sequence[str] = ()
    ) -> Sequence[tuple[PlatformChunk, float]]:
        known = [(_chunk(one), self.cosines[one.id]) for one in self.chunks if one.has_vector]
        return sorted(known, key=lambda one: -one[1])[:limit]


def _chunk(one: IndexedChunk) -> PlatformChunk:
    return PlatformChunk(one.id, one.path, "memory", one.start_line, one.end_line, one.text)


class FakePlatformIndexes:
    """Indexes by agent id; who has none has none.

    Attributes:
        files: What is in the workspaces now, by path.
        failure: Raised instead of any reading.
        vector: What the provider of the settings makes of a query; None fails.
        asked: Queries that a vector was made of.
    """

    def __init__(self) -> None:
        self.indexes: dict[str, FakePlatformIndex] = {}
        self.files: dict[str, str] = {}
        self.failure: Exception | None = None
        self.vector: Sequence[float] | None = (1.0, 0.0)
        self.asked: list[str] = []

    def read(self, agent: Agent, home: Home, reading: Callable[[FakePlatformIndex], T]) -> T | None:
        if self.failure is not None:
            raise self.failure
        index = self.indexes.get(agent.id)
        return None if index is None else reading(index)

    def hashes(
        self, workspace: Path, paths: Iterable[str], known: Iterable[IndexedFile] = ()
    ) -> Mapping[str, str]:
        there = [path for path in paths if path in self.files]
        return {path: text_hash(self.files[path].encode()) for path in there}

    def embed(self, settings: SearchSettings, text: str) -> Sequence[float]:
        self.asked.append(text)
        if self.vector is None:
            raise EmbeddingError("the embedding service failed", hint="Look at it.")
        return self.vector
