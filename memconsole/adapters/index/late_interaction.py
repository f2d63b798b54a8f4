"""Late interaction: each token of the query against the tokens of a chunk.

late(chunk) = Σ over the query's tokens of idf · max(0, best cosine with a token of the chunk)².
A token that is in the chunk itself has the cosine 1 and needs no look at any vector.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memconsole.adapters.index.embedding.pooling import unpack_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.adapters.index.embedding.static import StaticModel
    from memconsole.adapters.sqlite.choice import Connection

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
