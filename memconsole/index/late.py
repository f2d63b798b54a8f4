"""Late interaction: each token of the query against the tokens of a chunk (search.md §1).

late(chunk) = Σ over the query's tokens of idf · max(0, best cosine with a token of the chunk)².
A token that is in the chunk itself has the cosine 1 and needs no look at any vector.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memconsole.index.weights import StaticModel
    from memconsole.sqlite import Connection

Tokens = dict[int, frozenset[int]]
"""The different tokens of each chunk."""


def late_by_sqlite(
    connection: Connection,
    model: StaticModel,
    query: Sequence[int],
    weight: Mapping[int, float],
    chunks: Tokens,
) -> dict[int, float]:
    """Return the sums, the cosines taken by sqlite-vec; for processes that end soon."""
    absent = {
        token: frozenset().union(*(one for one in chunks.values() if token not in one))
        for token in dict.fromkeys(query)
    }
    wanted = frozenset().union(*absent.values())
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS word(id INTEGER PRIMARY KEY, vector BLOB)")
    connection.execute("DELETE FROM temp.word")
    connection.executemany(
        "INSERT INTO temp.word VALUES (?, ?)", [(one, model.packed(one)) for one in sorted(wanted)]
    )
    cosine: dict[int, dict[int, float]] = {}
    for token, others in absent.items():
        found = connection.execute(
            "SELECT id, 1 - vec_distance_cosine(vector, ?) FROM temp.word "
            "WHERE id IN (SELECT value FROM json_each(?))",
            (model.packed(token), json.dumps(sorted(others))),
        )
        cosine[token] = {int(at or 0): float(one or 0.0) for at, one in found}
    return {
        at: sum(
            weight[token] * (1.0 if token in tokens else _best(cosine[token], tokens)) ** 2
            for token in query
        )
        for at, tokens in chunks.items()
    }


def late_by_numpy(
    model: StaticModel, query: Sequence[int], weight: Mapping[int, float], chunks: Tokens
) -> dict[int, float]:
    """Return the same sums by matrix products; for processes that have NumPy already."""
    import numpy as np  # noqa: PLC0415

    if not chunks or not query:
        return dict.fromkeys(chunks, 0.0)
    lists = [np.fromiter(tokens, np.int64, len(tokens)) for tokens in chunks.values()]
    starts = np.cumsum([0, *(len(one) for one in lists[:-1])])
    union, places = np.unique(np.concatenate(lists), return_inverse=True)
    sides = []
    for ids in (np.asarray(query), union):
        rows = model.table[ids].astype(np.float32)
        sides.append(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))
    best = np.maximum.reduceat((sides[0] @ sides[1].T)[:, places], starts, axis=1)
    weights = np.asarray([weight[token] for token in query], np.float32)
    sums = weights @ np.maximum(best, 0.0) ** 2
    return dict(zip(chunks, sums.tolist(), strict=True))


def _best(cosine: Mapping[int, float], tokens: frozenset[int]) -> float:
    return max(0.0, max((cosine[one] for one in tokens if one in cosine), default=0.0))
