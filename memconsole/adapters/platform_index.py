"""Search indexes of the platform: which there are, and what one holds: facts, words, vectors.

The vectors stand beside the chunks as well, so the vector extension is not needed; they are
compared in plain Python, because the only reading that compares them is a search that somebody
wants explained. SQL is put together from table names of ours alone; what is looked for is always a
parameter.
"""

from __future__ import annotations

import heapq
import math
import os
import sys
from array import array
from contextlib import suppress
from operator import mul
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import msgspec

from memconsole.adapters.sessions.sqlite.schema import KNOWN_SCHEMA
from memconsole.adapters.sqlite.read_only import read_platform
from memconsole.adapters.workspace.pool_text import read_bytes
from memconsole.domain.agents import Storage
from memconsole.domain.platform_search.candidates import PlatformChunk, WordsFound
from memconsole.domain.platform_search.index import (
    Contents,
    IndexedChunk,
    IndexedFile,
    IndexFacts,
    text_hash,
)
from memconsole.domain.platform_search.profile import profile_of
from memconsole.errors import StoreError, StoreNewerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Row
    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.adapters.sqlite.ways import Copies
    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.platform_search.words import Plan


T = TypeVar("T")

_SAME_MS: Final = 1.0
_LEFT: Final = (".tmp-", ".backup-")


class PlatformIndexFiles:
    """Answers `PlatformIndexes`; reads, and leaves nothing behind.

    Args:
        copies: For a database that cannot be read in place.
    """

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    def read(
        self, agent: Agent, home: Home, reading: Callable[[SqlitePlatformIndex], T]
    ) -> T | None:
        """Run one reading of an agent's index; None when it has none.

        Raises:
            StoreError: There is one, and it cannot be read.
        """
        era = agent.era.memory_index
        if era is Storage.NONE:
            return None
        is_old = era is Storage.FILES
        path = home.path / "memory" / f"{agent.id}.sqlite" if is_old else agent.database
        version = home.config.last_version

        def read(database: ReadOnlyDatabase) -> T:
            return reading(
                SqlitePlatformIndex(database, OLD if is_old else NEW, _place(path), version)
            )

        return read_platform(path, read, self._copies)

    def hashes(
        self, workspace: Path, paths: Iterable[str], known: Iterable[IndexedFile] = ()
    ) -> Mapping[str, str]:
        """Return the platform's hash of each file that is there; what lies outside is left out."""
        indexed = {one.path: one for one in known}
        found = {}
        for path in paths:
            parts = PurePosixPath(path)
            if parts.is_absolute() or ".." in parts.parts or "\0" in path:
                continue
            with suppress(OSError):
                found[path] = _hash(workspace / path, indexed.get(path))
        return found


def _hash(path: Path, known: IndexedFile | None) -> str:
    """Return the hash of a file, without a look into it when it is as it was indexed.

    Raises:
        OSError: It is not there, or cannot be read.
    """
    status = path.lstat()
    if (
        known is not None
        and known.modified_ms is not None
        and known.size_bytes == status.st_size
        and abs(known.modified_ms - status.st_mtime_ns / 1e6) < _SAME_MS
    ):
        return known.hash
    return text_hash(read_bytes(str(path)))


def _place(path: Path) -> Place:
    """Return where an index is, with the files that a rebuild left beside it."""
    try:
        names = os.listdir(path.parent)  # noqa: PTH208  # names are all that is wanted
    except OSError:
        return Place(path)
    ours = (name for name in names if name.startswith(tuple(path.name + one for one in _LEFT)))
    return Place(path, tuple(sorted(ours)))


_META_KEY: Final = "memory_index_meta_v1"
_REBUILD_KEY: Final = "memory_vector_rebuild_v1"
_REBUILDING: Final = "1"
_IDS_AT_ONCE: Final = 500


class Place(NamedTuple):
    """Where an index is.

    Attributes:
        leftovers: Names of files that a rebuild left beside it.
    """

    path: Path
    leftovers: tuple[str, ...] = ()


class Tables(NamedTuple):
    """How one generation calls its tables."""

    meta: str
    files: str
    chunks: str
    words: str
    vectors: str
    names: str = ""
    weights: str = ""


OLD: Final = Tables("meta", "files", "chunks", "chunks_fts", "chunks_vec_rowids")
NEW: Final = Tables(
    "memory_index_meta",
    "memory_index_sources",
    "memory_index_chunks",
    "memory_index_chunks_fts",
    "memory_index_chunks_vec_rowids",
    "memory_index_paths_fts",
    "memory_index_chunk_recall_metadata",
)


class _Meta(msgspec.Struct, frozen=True, rename="camel"):
    """What an index says of itself, as far as it is used."""

    model: str | None = None
    provider: str | None = None
    vector_dims: int | None = None
    fts_tokenizer: str = ""


class SqlitePlatformIndex:
    """Answers `OpenPlatformIndex`.

    Args:
        database: Open, in one state.
        tables: Their names in its generation.
        place: The database, and what a rebuild left beside it.
        version: Release that the configuration names.

    Raises:
        StoreNewerError: A newer release made it.
        StoreError: It is no such index.
    """

    def __init__(
        self, database: ReadOnlyDatabase, tables: Tables, place: Place, version: str | None
    ) -> None:
        self._database = database
        self._tables = tables
        if database.user_version > KNOWN_SCHEMA:
            raise StoreNewerError(str(place.path), database.user_version, KNOWN_SCHEMA)
        self._there = frozenset(
            str(name) for (name,) in database.rows("SELECT name FROM sqlite_master")
        )
        if tables.chunks not in self._there or tables.files not in self._there:
            raise StoreError(
                f"{place.path} holds no index of memory", hint="The platform makes it anew."
            )
        self.facts = self._facts(place, version)

    def _facts(self, place: Place, version: str | None) -> IndexFacts:
        raw = self._meta(_META_KEY) or "{}"
        try:
            meta = msgspec.json.decode(raw, type=_Meta)
            keys = msgspec.json.decode(raw, type=dict[str, object])
        except (msgspec.DecodeError, msgspec.ValidationError):
            meta, keys = _Meta(), {}
        return IndexFacts(
            path=place.path,
            profile=profile_of(self._there, keys, version),
            provider=meta.provider,
            model=meta.model,
            dims=meta.vector_dims,
            tokenizer=meta.fts_tokenizer,
            leftovers=place.leftovers,
            is_rebuilding=self._meta(_REBUILD_KEY) == _REBUILDING,
        )

    def _meta(self, key: str) -> str | None:
        if self._tables.meta not in self._there:
            return None
        sql = f"SELECT value FROM {self._tables.meta} WHERE key = ?"
        row = self._database.first(sql, (key,))
        return None if row is None or not isinstance(row[0], str) else row[0]

    def contents(self) -> Contents:
        """Return its memory part."""
        tables = self._tables
        files = self._database.rows(
            f"SELECT path, hash, size, mtime FROM {tables.files} WHERE source = 'memory' "
            "ORDER BY path"
        )
        chunks = self._database.rows(
            f"SELECT id, path, start_line, end_line, model, text, {self._has_vector()} "
            f"FROM {tables.chunks} AS c WHERE source = 'memory' ORDER BY path, start_line, end_line"
        )
        return Contents(
            self.facts,
            tuple(_file(row) for row in files),
            tuple(_indexed(row) for row in chunks),
        )

    def _has_vector(self) -> str:
        if self._tables.vectors in self._there:
            return f"c.id IN (SELECT id FROM {self._tables.vectors})"
        return "length(c.embedding) > 2"

    def with_words(
        self, plan: Plan, limit: int, sources: Sequence[str] = ()
    ) -> Sequence[WordsFound]:
        """Return the best chunks that hold what a plan wants."""
        words = self._tables.words
        if words not in self._there:
            return ()
        where, parameters = ["1"], list[str | int]()
        if plan.match is not None:
            where, parameters = [f"{words} MATCH ?"], [plan.match]
        if self.facts.profile.has_one_model and self.facts.model is not None:
            where.append("c.model = ?")
            parameters.append(self.facts.model)
        for word in plan.contains:
            where.append("instr(lower(c.text), lower(?))")
            parameters.append(word)
        where.append(_within("c.source", sources))
        parameters += sources
        rank = "NULL" if plan.match is None else f"bm25({words})"
        sql = (
            f"{self._columns(rank)} FROM {words} JOIN {self._tables.chunks} AS c "
            f"ON c.id = {words}.id {self._joined()} WHERE {' AND '.join(where)} "
            "ORDER BY rank LIMIT ?"
        )
        return tuple(self._found(sql, (*parameters, limit), plan.text))

    def with_names(
        self, plan: Plan, limit: int, sources: Sequence[str] = ()
    ) -> Sequence[WordsFound]:
        """Return the first chunk of each file whose path holds what a plan wants."""
        names, chunks = self._tables.names, self._tables.chunks
        if plan.match is None or not names or names not in self._there:
            return ()
        sql = (
            f"{self._columns('named.rank')} FROM (SELECT path, source, bm25({names}) AS rank "
            f"FROM {names} WHERE {names} MATCH ? AND {_within('source', sources)} "
            "ORDER BY rank, path LIMIT ?) AS named "
            f"JOIN {chunks} AS c ON c.id = (SELECT id FROM {chunks} AS first "
            "WHERE first.path = named.path AND first.source = named.source "
            f"ORDER BY start_line, end_line, id LIMIT 1) {self._joined()}"
        )
        return tuple(self._found(sql, (plan.match, *sources, limit), plan.text, is_path=True))

    def nearest(
        self, vector: Sequence[float], limit: int, sources: Sequence[str] = ()
    ) -> Sequence[tuple[PlatformChunk, float]]:
        """Return the chunks nearest to a vector with their cosines, the nearest first."""
        rows = self._database.rows(
            f"SELECT id, embedding FROM {self._tables.chunks} AS c "
            f"WHERE model = ? AND {self._has_vector()} AND {_within('source', sources)}",
            (self.facts.model or "", *sources),
        )
        best = nearest(vector, ((str(id_), blob) for id_, blob in rows), limit)
        chunks = {one.id: one for one in self._chunks([id_ for id_, _ in best])}
        return tuple((chunks[id_], cosine) for id_, cosine in best if id_ in chunks)

    def _chunks(self, ids: Sequence[str]) -> Iterator[PlatformChunk]:
        for start in range(0, len(ids), _IDS_AT_ONCE):
            some = tuple(ids[start : start + _IDS_AT_ONCE])
            marks = ", ".join("?" * len(some))
            sql = (
                f"{self._columns('NULL')} FROM {self._tables.chunks} AS c {self._joined()} "
                f"WHERE c.id IN ({marks})"
            )
            for row in self._database.rows(sql, some):
                yield _chunk(row)

    def _columns(self, rank: str) -> str:
        has_weights = self._tables.weights in self._there
        return (
            "SELECT c.id, c.path, c.source, c.start_line, c.end_line, c.text, "
            f"{'w.importance' if has_weights else 'NULL'}, f.mtime, {rank} AS rank"
        )

    def _joined(self) -> str:
        sql = f"LEFT JOIN {self._tables.files} AS f ON f.path = c.path AND f.source = c.source"
        if self._tables.weights in self._there:
            sql += f" LEFT JOIN {self._tables.weights} AS w ON w.chunk_id = c.id"
        return sql

    def _found(
        self, sql: str, parameters: tuple[str | int, ...], term: str, *, is_path: bool = False
    ) -> Iterator[WordsFound]:
        for row in self._database.rows(sql, parameters):
            rank = row[8]
            value = float(rank) if isinstance(rank, int | float) else None
            yield WordsFound(_chunk(row), term, value, is_path)


def _within(column: str, sources: Sequence[str]) -> str:
    """Return the condition that a chunk is of one of the sources; none means all of them."""
    return f"{column} IN ({', '.join('?' * len(sources))})" if sources else "1"


def _chunk(row: Row) -> PlatformChunk:
    id_, path, source, start, end, text, importance, mtime_ms = row[:8]
    return PlatformChunk(
        str(id_),
        str(path),
        str(source),
        start if isinstance(start, int) else 0,
        end if isinstance(end, int) else 0,
        str(text),
        importance if isinstance(importance, int) else None,
        mtime_ms / 1000 if isinstance(mtime_ms, int | float) else None,
    )


def _file(row: Row) -> IndexedFile:
    path, hash_, size, mtime_ms = row
    return IndexedFile(
        str(path),
        str(hash_),
        size if isinstance(size, int) else None,
        float(mtime_ms) if isinstance(mtime_ms, int | float) else None,
    )


def _indexed(row: Row) -> IndexedChunk:
    id_, path, start, end, model, text, has_vector = row
    return IndexedChunk(
        str(id_),
        str(path),
        start if isinstance(start, int) else 0,
        end if isinstance(end, int) else 0,
        str(model),
        str(text),
        bool(has_vector),
    )


_DOUBLE: Final = 8
_NUMBERS: Final = msgspec.json.Decoder(list[float])


def nearest(
    vector: Sequence[float], stored: Iterable[tuple[str, object]], limit: int
) -> list[tuple[str, float]]:
    """Return the ids of the nearest vectors with their cosines, the nearest first.

    Args:
        vector: What they are compared with.
        stored: Ids and vectors as they stand in the database; others of another length count as
            none.
        limit: How many.
    """
    length = math.hypot(*vector)
    if length == 0:
        return []
    cosines = _cosines(vector, length, stored)
    return heapq.nsmallest(limit, cosines, key=lambda one: (-one[1], one[0]))


def _cosines(
    vector: Sequence[float], length: float, stored: Iterable[tuple[str, object]]
) -> Iterator[tuple[str, float]]:
    for id_, raw in stored:
        other = decoded(raw)
        if len(other) != len(vector):
            continue
        norm = math.hypot(*other)
        if norm:
            yield id_, sum(map(mul, vector, other)) / length / norm


def decoded(raw: object) -> Sequence[float]:
    """Return a stored vector: JSON text, or little-endian doubles since schema 23; empty if odd."""
    if isinstance(raw, str):
        try:
            return _NUMBERS.decode(raw)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return ()
    if not isinstance(raw, bytes) or len(raw) % _DOUBLE:
        return ()
    numbers = array("d", raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
