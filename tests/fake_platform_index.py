"""The platform's own indexes, held in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from memconsole.domain.platform_search.candidates import PlatformChunk, WordsFound
from memconsole.domain.platform_search.index import Contents, IndexedFile, text_hash
from memconsole.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.platform_search.index import IndexedChunk, IndexFacts
    from memconsole.domain.platform_search.words import Plan
    from memconsole.domain.settings import SearchSettings

T = TypeVar("T")


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
