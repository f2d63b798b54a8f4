"""Late interaction: each token of the query against the tokens of a chunk (search.md §1).

late(chunk) = Σ over the query's tokens of idf · max(0, best cosine with a token of the chunk)².
A token that is in the chunk itself has the cosine 1 and needs no look at any vector.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memconsole.index.pooling import unpack_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.index.weights import StaticModel
    from memconsole.sqlite import Connection

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
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS word(id INTEGER PRIMARY KEY, vector BLOB)")
    connection.execute("DELETE FROM temp.word")
    connection.executemany(
        "INSERT INTO temp.word VALUES (?, ?)", [(one, model.packed(one)) for one in sorted(holders)]
    )
    sums = dict.fromkeys(places.values(), 0.0)
    everywhere = (1 << len(chunks)) - 1
    for token in query:
        for share, held in _nearest(connection, model, token, holders, everywhere):
            for place in _bits(held):
                sums[place] += weight[token] * share * share
    return {at: sums[place] for at, place in places.items()}


def _nearest(
    connection: Connection,
    model: StaticModel,
    token: int,
    holders: Mapping[int, int],
    everywhere: int,
) -> Iterator[tuple[float, int]]:
    """Yield (best cosine, chunks that have it as bits) for one token, each chunk once.

    The tokens come in the order of their cosines, so that most of them are never looked at.
    """
    held = holders.get(token, 0)
    if held:
        yield 1.0, held
    missing = everywhere & ~held
    if not missing:
        return
    near = [one for one, bits in holders.items() if bits & missing]
    found = connection.execute(
        "SELECT id, 1 - vec_distance_cosine(vector, ?) AS share FROM temp.word "
        "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY share DESC, id",
        (model.packed(token), json.dumps(near)),
    )
    for at, share in found:
        if not isinstance(share, float) or share <= 0 or not isinstance(at, int):
            return
        if held := holders[at] & missing:
            yield share, held
            missing &= ~held
            if not missing:
                return


def _bits(held: int) -> Iterator[int]:
    while held:
        lowest = held & -held
        yield lowest
        held ^= lowest


def late_by_numpy(
    model: StaticModel, query: Sequence[int], weight: Mapping[int, float], chunks: Tokens
) -> dict[int, float]:
    """Return the same sums by matrix products; for processes that have NumPy already."""
    from memconsole.index.arrays import np  # noqa: PLC0415

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
