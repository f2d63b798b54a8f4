"""Looks into one open index: both legs of a query, late interaction, and the texts of hits.

late(chunk) = Σ over the query's tokens of idf · max(0, best cosine with a token of the chunk)².
A token that is in the chunk itself has the cosine 1 and needs no look at any vector.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final

from memconsole.adapters.index import quality
from memconsole.adapters.index.database import problems
from memconsole.adapters.index.embedding.pooling import (
    idf,
    query_vector,
    query_vector_by_numpy,
    small_list,
    unpack_ids,
)
from memconsole.adapters.index.keyword_leg import TextLeg
from memconsole.adapters.index.schema import bit_of, tags_of
from memconsole.domain.agents import Notice
from memconsole.domain.calendar import local_day
from memconsole.domain.search.dates import day_in
from memconsole.domain.search.indexing import Vectors
from memconsole.domain.search.values import CANDIDATES, Candidate, ChunkRow, Legs
from memconsole.errors import EmbeddingError
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from memconsole.adapters.index.embedding.static import StaticModel
    from memconsole.adapters.index.query_side import SearchBackend
    from memconsole.adapters.sqlite.choice import Connection, SqlValue
    from memconsole.domain.calendar import Zone
    from memconsole.domain.search.indexing import IndexStatus
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import Narrowing


_TOKENISED_CHARS: Final = 2_000


class IndexReader:
    """One reading of one state of an index (`ports.IndexReader`).

    Args:
        connection: Inside a transaction.
        path: Its file, for sentences about it.
        meta: What the index knows about itself.
        status: For the answer.
        means: With what to search.
    """

    def __init__(
        self,
        connection: Connection,
        path: Path,
        meta: Mapping[str, str],
        status: IndexStatus,
        means: SearchBackend,
    ) -> None:
        self.status = status
        self._connection = connection
        self._path = path
        self._epoch_chunks = int(meta.get("epoch_chunks", 0))
        self._dims = int(meta.get("dims", 0))
        self._means = means
        self._words = TextLeg(self._rows, status.chunks, means.counts)

    def legs(
        self,
        query: Query,
        narrowing: Narrowing,
        *,
        scope: int = 0,
        text_only: bool = False,
        also: Sequence[int] = (),
    ) -> Legs:
        """Return what both legs find and certain chunks, each once, with the cosines of all.

        Args:
            query: What is looked for.
            narrowing: What may be found.
            scope: Number for the candidates.
            text_only: Leave the vector leg out.
            also: Chunks that another leg found.

        Raises:
            EmbeddingError: The service did not give the query a vector.
        """
        texts = self._words.scores(query, *_condition(narrowing))
        vector = None if text_only or self._means.way is Vectors.NONE else self._vector(query)
        more = {*texts, *self._allowed(also, narrowing)}
        cosines = {} if vector is None else self._cosines(vector, more, narrowing)
        found = [
            Candidate(scope, at, cosines.get(at), texts.get(at)) for at in sorted({*more, *cosines})
        ]
        return Legs(
            tuple(found),
            self._words.known(query),
            is_raw=self._means.remote is not None,
            spoken=query.spoken(self._words.count, self.status.chunks),
        )

    def nearness(self, query: Query) -> dict[int, tuple[float, float]]:
        """Return by chunk its cosine by the better model, and the best of its lines."""
        if not self._means.has_quality:
            return {}
        vector = quality.query_vector(query.text)
        with problems(self._path):
            if self._means.memory is not None:
                return self._means.memory.nearness(self._connection, vector)
            return quality.nearness_by_sqlite(self._connection, vector)

    def late(self, query: Query, ids: Sequence[int]) -> dict[int, float]:
        """Return late interaction for these chunks, as a share of the most there can be.

        It says how much of the query's weight a chunk holds, in its own words or in near ones;
        nothing where there are no tokens.
        """
        model = self._means.static
        if model is None or self._means.way is Vectors.NONE or not self._epoch_chunks:
            return {}
        rows = self._rows(
            "SELECT id, token_ids FROM chunks WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps(list(ids)),
        )
        chunks = {
            at: packed for at, packed in rows if isinstance(at, int) and isinstance(packed, bytes)
        }
        tokens = self._tokens(query.text)
        weight = self._weight(tokens)
        if self._means.way is Vectors.NUMPY:
            found = late_by_numpy(model, tokens, weight, chunks)
        else:
            found = late_by_sqlite(self._connection, model, tokens, weight, chunks)
        most = sum(weight[token] for token in tokens) or 1.0
        return {at: round(one / most, 5) for at, one in found.items()}

    def rows(self, ids: Sequence[int]) -> dict[int, ChunkRow]:
        """Return the texts of chunks."""
        found = self._rows(
            "SELECT c.id, f.path, c.start_line, c.end_line, c.heading, c.text, f.archived, "
            "c.on_path, f.modified_at, c.tags FROM chunks AS c JOIN files AS f ON f.id = c.file "
            "WHERE c.id IN (SELECT value FROM json_each(?))",
            json.dumps(list(ids)),
        )
        return {_int(row[0]): _chunk_row(row) for row in found}

    def ages(self, ids: Sequence[int]) -> dict[int, float]:
        """Return when dated chunks are from, in seconds since 1970; others are left out."""
        found = self._rows(
            "SELECT id, at FROM chunks "
            "WHERE id IN (SELECT value FROM json_each(?)) AND at IS NOT NULL",
            json.dumps(list(ids)),
        )
        return {_int(at): float(when or 0.0) for at, when in found}

    def days(self, ids: Sequence[int], zone: Zone) -> dict[int, date]:
        """Return the days in headings and paths of chunks, and those of messages."""
        found = self._rows(
            "SELECT c.id, f.path, c.heading, c.at FROM chunks AS c JOIN files AS f "
            "ON f.id = c.file WHERE c.id IN (SELECT value FROM json_each(?))",
            json.dumps(list(ids)),
        )
        days: dict[int, date] = {}
        for at, path, heading, when in found:
            day = day_in(str(heading)) or day_in(str(path))
            if day is None and isinstance(when, float):
                day = local_day(datetime.fromtimestamp(when, UTC), zone)
            if day is not None:
                days[_int(at)] = day
        return days

    def notices(self, paths: Iterable[str] | None = None) -> tuple[Notice, ...]:
        """Return what was odd about documents; None for all of them."""
        wanted = None if paths is None else set(paths)
        return tuple(
            Notice(str(code), str(message), str(path))
            for path, listed in self._rows("SELECT path, notices FROM files WHERE notices <> '[]'")
            if wanted is None or path in wanted
            for code, message in json.loads(str(listed))
        )

    def _allowed(self, ids: Sequence[int], narrowing: Narrowing) -> set[int]:
        """Return which of these chunks may be found."""
        where, values = _condition(narrowing)
        if not ids or not where:
            return set(ids)
        sql = f"SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each(?)) AND {where}"
        return {_int(at) for (at,) in self._rows(sql, json.dumps(list(ids)), *values)}

    def _cosines(self, vector: bytes, texts: set[int], narrowing: Narrowing) -> dict[int, float]:
        where, values = _condition(narrowing)
        if self._means.memory is not None:
            among = (
                {_int(at) for (at,) in self._rows(f"SELECT id FROM chunks WHERE {where}", *values)}
                if where
                else None
            )
            return self._means.memory.cosines(vector, among, texts)
        also = f"WHERE id IN (SELECT id FROM chunks WHERE {where})" if where else ""
        distance = "vec_distance_cosine(vec_int8(embedding), vec_int8(?))"
        near = self._near(
            f"SELECT id, {distance} AS d FROM chunks_vec {also} ORDER BY d, id LIMIT {CANDIDATES}",
            *(vector, *values),
        )
        missing = [at for at in texts if at not in near]
        return near | self._near(
            f"SELECT id, {distance} FROM chunks_vec WHERE id IN (SELECT value FROM json_each(?))",
            *(vector, json.dumps(missing)),
        )

    def _near(self, sql: str, *values: SqlValue) -> dict[int, float]:
        return {
            _int(at): 0.0 if distance is None else round(1 - float(distance), 5)
            for at, distance in self._rows(sql, *values)
        }

    def _vector(self, query: Query) -> bytes | None:
        """Return the query's vector; None when there is nothing to compare it with."""
        if self._means.remote is not None:
            return self._checked(small_list(self._means.remote.embed([let_out(query.text)])[0]))
        if self._means.static is None or not self._epoch_chunks:
            return None
        tokens = self._tokens(query.text)
        pool = query_vector if self._means.memory is None else query_vector_by_numpy
        return pool(self._means.static, tokens, self._weight(tokens)) if tokens else None

    def _checked(self, vector: bytes) -> bytes:
        if len(vector) != self._dims:
            raise EmbeddingError(
                f"{self.status.provider} answers a vector of length {len(vector)}, and the index "
                f"holds vectors of length {self._dims}",
                hint="`memconsole reindex --full` builds it anew.",
            )
        return vector

    def _tokens(self, text: str) -> tuple[int, ...]:
        if text not in self._token_memo:
            self._token_memo[text] = tuple(self._means.tokens(text[:_TOKENISED_CHARS]))
        return self._token_memo[text]

    @cached_property
    def _token_memo(self) -> dict[str, tuple[int, ...]]:
        return {}

    def _weight(self, tokens: Sequence[int]) -> dict[int, float]:
        found = self._rows(
            "SELECT id, epoch_df FROM tokens WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(tokens))),
        )
        known = {_int(token): _int(df) for token, df in found}
        return {token: idf(known.get(token, 0), self._epoch_chunks) for token in set(tokens)}

    def _rows(self, sql: str, *values: SqlValue) -> list[tuple[SqlValue, ...]]:
        with problems(self._path):
            return self._connection.execute(sql, values).fetchall()


def _condition(narrowing: Narrowing) -> tuple[str, tuple[SqlValue, ...]]:
    parts: list[str] = []
    values: list[SqlValue] = []
    if narrowing.since is not None:
        parts.append("coalesce(at, (SELECT modified_at FROM files WHERE files.id = file)) >= ?")
        values.append(narrowing.since.timestamp())
    if narrowing.tag is not None:
        parts.append("tags & ?")
        values.append(bit_of(narrowing.tag))
    return " AND ".join(parts), tuple(values)


def _chunk_row(row: Sequence[SqlValue]) -> ChunkRow:
    return ChunkRow(
        path=str(row[1]),
        start_line=_int(row[2]),
        end_line=_int(row[3]),
        heading=str(row[4]),
        text=str(row[5]),
        is_archived=bool(row[6]),
        on_path=bool(row[7]),
        modified_at=None if row[8] is None else datetime.fromtimestamp(float(row[8]), UTC),
        tags=tags_of(_int(row[9])),
    )


def _int(value: SqlValue) -> int:
    return value if isinstance(value, int) else 0


Tokens = dict[int, bytes]
"""The tokens of each chunk (`pooling.pack_tokens`)."""


def late_by_sqlite(
    connection: Connection,
    model: StaticModel,
    query: Sequence[int],
    weight: Mapping[int, float],
    chunks: Tokens,
) -> dict[int, float]:
    """Return the sums, the cosines taken by sqlite-vec; for processes that end soon."""
    places = {at: 1 << place for place, at in enumerate(chunks)}
    holders: dict[int, int] = {}
    for at, tokens in chunks.items():
        for one in unpack_ids(tokens):
            holders[one] = holders.get(one, 0) | places[at]
    words = sorted(holders)
    vectors = _Vectors(connection, model.packed(words), 4 * model.dims, len(words))
    sums = dict.fromkeys(places.values(), 0.0)
    everywhere = (1 << len(chunks)) - 1
    for token in query:
        held = holders.get(token, 0)
        missing = everywhere & ~held
        near = vectors.near(model.packed((token,))) if missing else iter(())
        inside = ((share, holders[words[at]]) for at, share in near)
        for share, chunks_with_it in _each_once(held, missing, inside):
            for place in _bits(chunks_with_it):
                sums[place] += weight[token] * share * share
    return {at: sums[place] for at, place in places.items()}


def _each_once(
    held: int, missing: int, near: Iterator[tuple[float, int]]
) -> Iterator[tuple[float, int]]:
    """Yield (best cosine, chunks that have it as bits), until each chunk was there once."""
    if held:
        yield 1.0, held
    while missing:
        share, found = next(near, (0.0, missing))
        if found & missing:
            yield share, found & missing
        missing &= ~found


class _Vectors:
    """Vectors of many tokens, to be compared with one.

    They are one value that SQL cuts: to fill a table with them takes longer than to compare them
    with all tokens of a query.
    """

    def __init__(self, connection: Connection, vectors: bytes, size: int, count: int) -> None:
        self._connection = connection
        self._vectors = vectors
        self._size = size
        self._places = json.dumps(list(range(count)))

    def near(self, vector: bytes) -> Iterator[tuple[int, float]]:
        """Yield (place, cosine) of what is near at all, the nearest first.

        Who asks has mostly seen enough after a few.
        """
        found = self._connection.execute(
            "SELECT value, 1 - vec_distance_cosine(substr(?1, 1 + ?2 * value, ?2), ?3) AS share "
            "FROM json_each(?4) ORDER BY share DESC, value",
            (self._vectors, self._size, vector, self._places),
        )
        for place, share in found:
            if not isinstance(share, float) or share <= 0 or not isinstance(place, int):
                return
            yield place, share


def _bits(held: int) -> Iterator[int]:
    while held:
        lowest = held & -held
        yield lowest
        held ^= lowest


def late_by_numpy(
    model: StaticModel, query: Sequence[int], weight: Mapping[int, float], chunks: Tokens
) -> dict[int, float]:
    """Return the same sums by matrix products; for processes that have NumPy already."""
    from memconsole.adapters.index.matrix import np  # noqa: PLC0415

    if not chunks or not query:
        return dict.fromkeys(chunks, 0.0)
    lists = [np.frombuffer(tokens, "<u2", len(tokens) // 3) for tokens in chunks.values()]
    starts = np.cumsum([0, *(len(one) for one in lists[:-1])])
    every = np.concatenate(lists)
    at = np.zeros(model.count, np.int32)  # of each token among those that occur
    at[every] = 1
    union = np.flatnonzero(at)
    at[union] = np.arange(len(union))
    nearness = model.units(np.asarray(query)) @ model.units(union).T
    best = np.maximum.reduceat(nearness[:, at[every]], starts, axis=1)
    weights = np.asarray([weight[token] for token in query], np.float32)
    sums = weights @ np.maximum(best, 0.0) ** 2
    return dict(zip(chunks, sums.tolist(), strict=True))


class QueryModel:
    """Makes of a query what the indexes of other hosts are asked with, and compares their tokens.

    Args:
        model: The built-in one, which every host has.
    """

    def __init__(self, model: StaticModel) -> None:
        self._model = model
        self.name = model.name

    def tokens(self, text: str) -> tuple[int, ...]:
        """Return the token ids of a query."""
        return tuple(self._model.query_tokens(text[:_TOKENISED_CHARS]))

    def vector(self, tokens: Sequence[int], df: Mapping[int, int], chunks: int) -> bytes:
        """Return the vector of a query in eight-bit numbers.

        Args:
            tokens: Its tokens.
            df: In how many chunks each of them is.
            chunks: How many there are.
        """
        return query_vector_by_numpy(self._model, tokens, _weights(tokens, df, chunks))

    def late(
        self, tokens: Sequence[int], df: Mapping[int, int], chunks: int, held: Mapping[int, bytes]
    ) -> dict[int, float]:
        """Return the share of the query that chunks hold, 0…1, by their packed tokens."""
        weight = _weights(tokens, df, chunks)
        known = {at: packed for at, packed in held.items() if self._knows(packed)}
        sums = late_by_numpy(self._model, tokens, weight, known)
        most = sum(weight[token] for token in tokens) or 1.0
        return {at: round(one / most, 5) for at, one in sums.items()}

    def _knows(self, packed: bytes) -> bool:
        """Tell whether these are tokens of ours: another host wrote them."""
        return len(packed) % 3 == 0 and max(unpack_ids(packed), default=1 << 16) < self._model.count


def _weights(tokens: Sequence[int], df: Mapping[int, int], chunks: int) -> dict[int, float]:
    return {token: idf(df.get(token, 0), chunks) for token in set(tokens)}
