"""Gives chunks their vectors while an index is written, by whichever provider is configured."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol

from memconsole.adapters.index.embedding.pooling import (
    Pool,
    idf_table,
    pack_tokens,
    small_list,
    unpack_ids,
)
from memconsole.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from memconsole.adapters.index.embedding.providers import Embedder
    from memconsole.adapters.index.embedding.static import StaticModel
    from memconsole.adapters.index.rows import Row
    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.sqlite.choice import Row as SqlRow

CACHE_ROWS: Final = 50_000
_PAGE: Final = 2_000


class VectorWriter(Protocol):
    """Makes the vectors of one run of writing."""

    embedded: int

    def add(self, rows: Sequence[Row], ids: Sequence[int]) -> None:
        """Take chunks that were just inserted."""

    def forget(self, ids: Sequence[int]) -> None:
        """Take back chunks that will be removed."""

    def finish(self, chunks: int, /) -> None:
        """Write what is left; `chunks` is how many there are now."""


class NoVectors:
    """For `search.provider = "none"`."""

    embedded = 0

    def add(self, rows: Sequence[Row], ids: Sequence[int]) -> None:
        """Do nothing."""

    def forget(self, ids: Sequence[int]) -> None:
        """Do nothing."""

    def finish(self, _chunks: int) -> None:
        """Do nothing."""


class StaticVectors:
    """Vectors pooled from tokens, weighted by the document frequencies of an epoch.

    An epoch ends when the number of chunks has doubled: then all vectors are pooled again from the
    tokens that are stored, with the frequencies of now. A new index is tokenised in a thread while
    the next chunks are cut and written: the tokenizer does not hold the interpreter.

    Args:
        connection: The index.
        model: Tokenizer and vectors of tokens.
        epoch_chunks: Chunks at the beginning of the epoch; 0 for a new index.
    """

    def __init__(self, connection: Connection, model: StaticModel, epoch_chunks: int) -> None:
        self._connection = connection
        self._model = model
        self._epoch_chunks = epoch_chunks
        self._df: Counter[int] = Counter()
        self._beside: ThreadPoolExecutor | None = None
        self._begun: tuple[Sequence[int], Future[list[bytes]]] | None = None
        self.embedded = 0

    def add(self, rows: Sequence[Row], ids: Sequence[int]) -> None:
        """Store the tokens of chunks, and their vectors when an epoch runs."""
        texts = [row.text for row in rows]
        if self._epoch_chunks:
            self._take(ids, self._packed(texts))
            return
        if self._beside is None:
            self._beside = ThreadPoolExecutor(1, "tokens")
        self._settle()
        self._begun = ids, self._beside.submit(self._packed, texts)

    def _packed(self, texts: Sequence[str]) -> list[bytes]:
        return [pack_tokens(one) for one in self._model.tokens_of(texts)]

    def _settle(self) -> None:
        """Store what the thread was given."""
        if self._begun is not None:
            ids, found = self._begun
            self._begun = None
            self._take(ids, found.result())

    def _take(self, ids: Sequence[int], packed: list[bytes]) -> None:
        self._df.update(chain.from_iterable(map(unpack_ids, packed)))
        self._connection.executemany(
            "UPDATE chunks SET token_ids = ? WHERE id = ?", list(zip(packed, ids, strict=True))
        )
        if self._epoch_chunks:
            self._pool(list(zip(ids, packed, strict=True)))

    def forget(self, ids: Sequence[int]) -> None:
        """Count the tokens of these chunks off."""
        self._settle()
        for (packed,) in self._connection.execute(
            "SELECT token_ids FROM chunks WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        ):
            if isinstance(packed, bytes):
                self._df.subtract(unpack_ids(packed))

    def finish(self, chunks: int) -> None:
        """Write the frequencies; of a new index also all vectors."""
        self._settle()
        if self._beside is not None:
            self._beside.shutdown()
        changed = [(token, count) for token, count in self._df.items() if count]
        self._connection.executemany(
            "INSERT INTO tokens(id, df, epoch_df) VALUES (?, max(?, 0), 0) "
            "ON CONFLICT(id) DO UPDATE SET df = max(0, df + ?)",
            [(token, count, count) for token, count in changed],
        )
        if not self._epoch_chunks and chunks:
            self.begin_epoch(chunks)

    def begin_epoch(self, chunks: int) -> None:
        """Pool every vector again with the frequencies of now."""
        self._connection.execute("UPDATE tokens SET epoch_df = df")
        frequencies = dict(self._ints("SELECT id, df FROM tokens"))
        pool = Pool(self._model, idf_table(frequencies, chunks, self._model.count), chunks)
        for page in _pages(
            self._connection, "SELECT id, token_ids FROM chunks WHERE id > ? ORDER BY id"
        ):
            self._store((at, pool.vector(packed)) for at, packed in page)
            self.embedded += len(page)
        self._epoch_chunks = chunks

    def _pool(self, chunks: list[tuple[int, bytes]]) -> None:
        tokens = array("H")
        for _, packed in chunks:
            tokens.extend(unpack_ids(packed))
        wanted = json.dumps(sorted(set(tokens)))
        frequencies = dict(
            self._ints(
                "SELECT id, epoch_df FROM tokens WHERE id IN (SELECT value FROM json_each(?))",
                wanted,
            )
        )
        weights = idf_table(frequencies, self._epoch_chunks, self._model.count)
        pool = Pool(self._model, weights, len(chunks))
        self._store((at, pool.vector(packed)) for at, packed in chunks)
        self.embedded += len(chunks)

    def _store(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO chunks_vec(id, embedding) VALUES (?, ?)", list(vectors)
        )

    def _ints(self, sql: str, *parameters: str) -> Iterator[tuple[int, int]]:
        for token, count in self._connection.execute(sql, parameters):
            yield int(token or 0), int(count or 0)


class RemoteVectors:
    """Vectors of a service, each text asked for once (`embedding_cache`).

    Args:
        connection: The index.
        embedder: The service.
        generation: Of the index; the cache forgets what was not used for longest.
    """

    def __init__(self, connection: Connection, embedder: Embedder, generation: int) -> None:
        self._connection = connection
        self._embedder = embedder
        self._generation = generation
        self.embedded = 0
        self.failure: EmbeddingError | None = None
        row = connection.execute("SELECT length(embedding) FROM chunks_vec LIMIT 1").fetchone()
        self._dims = row[0] if row is not None and isinstance(row[0], int) else None

    def add(self, rows: Sequence[Row], ids: Sequence[int]) -> None:
        """Ask for what is not known, and store all of it."""
        known = self._known([row.hash for row in rows])
        self._dims = self._dims or next(map(len, known.values()), None)
        new = {row.hash: row for row in rows if row.hash not in known}
        if new and self.failure is None:
            fresh = self._asked(new)
            self._connection.executemany(
                "INSERT OR REPLACE INTO embedding_cache(model, hash, used, vector) "
                "VALUES (?, ?, ?, ?)",
                [(self._embedder.name, key, self._generation, one) for key, one in fresh.items()],
            )
            self.embedded += len(fresh)
            known |= fresh
        self._connection.executemany(
            "INSERT OR REPLACE INTO chunks_vec(id, embedding) VALUES (?, ?)",
            [(at, known[row.hash]) for row, at in zip(rows, ids, strict=True) if row.hash in known],
        )

    def forget(self, ids: Sequence[int]) -> None:
        """Keep them in the cache: text that moved costs nothing."""

    def finish(self, _chunks: int) -> None:
        """Shorten the cache."""
        self._connection.execute(
            "DELETE FROM embedding_cache WHERE (model, hash) IN (SELECT model, hash FROM "
            "embedding_cache ORDER BY used DESC LIMIT -1 OFFSET ?)",
            (CACHE_ROWS,),
        )

    def _asked(self, rows: Mapping[bytes, Row]) -> dict[bytes, bytes]:
        """Ask the service; one that fails is not asked again in this run: words are indexed."""
        try:
            vectors = self._embedder.embed([row.text for row in rows.values()])
        except EmbeddingError as error:
            self.failure = error
            return {}
        found = dict(zip(rows, map(small_list, vectors), strict=True))
        self._dims = self._dims or len(vectors[0])
        if len(vectors[0]) != self._dims:
            self.failure = EmbeddingError(
                f"{self._embedder.name} answers vectors of {len(vectors[0])} numbers, "
                f"and the index holds vectors of {self._dims}",
                hint="`memconsole reindex --full` builds it anew.",
            )
            self._forget_cache()
            return {}
        return found

    def _forget_cache(self) -> None:
        """Drop what the service answered before: building anew must not mix it with other."""
        self._connection.execute(
            "DELETE FROM embedding_cache WHERE model = ?", (self._embedder.name,)
        )

    def _known(self, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        known = {}
        for key in set(hashes):
            row = self._connection.execute(
                "SELECT vector FROM embedding_cache WHERE model = ? AND hash = ?",
                (self._embedder.name, key),
            ).fetchone()
            if row is not None and isinstance(row[0], bytes):
                known[key] = row[0]
        self._connection.executemany(
            "UPDATE embedding_cache SET used = ? WHERE model = ? AND hash = ?",
            [(self._generation, self._embedder.name, key) for key in known],
        )
        return known


def _pages(connection: Connection, sql: str) -> Iterator[list[tuple[int, bytes]]]:
    """Yield rows of (id, bytes) in pages, so that others may be written between them."""
    last = 0
    while rows := connection.execute(f"{sql} LIMIT {_PAGE}", (last,)).fetchall():
        page = [_typed(row) for row in rows]
        yield page
        last = page[-1][0]


def _typed(row: SqlRow) -> tuple[int, bytes]:
    at, packed = row
    return (at if isinstance(at, int) else 0, packed if isinstance(packed, bytes) else b"")
