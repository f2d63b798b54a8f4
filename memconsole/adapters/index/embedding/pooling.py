"""Vectors of texts from vectors of tokens: weighted by how rare a token is in the index itself.

A document frequency from elsewhere is worse than none, so each index keeps its own.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memconsole.adapters.index.embedding.static import StaticModel


def pack_tokens(ids: Sequence[int]) -> bytes:
    """Return the tokens of a chunk, each once: all ids in 16 bits, then how often in 8 bits."""
    from memconsole.adapters.index.matrix import np  # noqa: PLC0415

    tokens = np.array(ids, "<u2")
    tokens.sort()
    starts = np.flatnonzero(np.append(True, tokens[1:] != tokens[:-1])) if len(tokens) else tokens
    counts = np.diff(starts, append=len(tokens))
    packed: bytes = tokens[starts].tobytes() + np.minimum(counts, 255).astype(np.uint8).tobytes()
    return packed


def unpack_ids(packed: bytes) -> array[int]:
    """Return the different tokens of a chunk."""
    return array("H", packed[: len(packed) // 3 * 2])


def idf(df: int, chunks: int) -> float:
    """Return how much a token says that occurs in `df` of `chunks` chunks."""
    return math.log1p(chunks / max(df, 1))


def idf_table(df: Mapping[int, int], chunks: int, size: int) -> NDArray[np.float32]:
    """Return `idf` of every token."""
    from memconsole.adapters.index.matrix import np  # noqa: PLC0415

    counts = np.ones(size, np.float32)
    if df:
        counts[list(df)] = np.maximum(list(df.values()), 1)
    weights: NDArray[np.float32] = np.log1p(np.float32(chunks) / counts)
    return weights


class Pool:
    """Pools chunks one at a time, which is far quicker than all at once."""

    def __init__(self, model: StaticModel, weights: NDArray[np.float32], expected: int) -> None:
        """Prepare.

        Args:
            model: Vectors of tokens.
            weights: Of every token.
            expected: Chunks that will come; many make it worth to widen the whole table.
        """
        from memconsole.adapters.index.matrix import np  # noqa: PLC0415

        self._np = np
        self._weights = weights
        self._table = model.table if expected < 500 else model.table.astype(np.float32)

    def vector(self, packed: bytes) -> bytes:
        """Return the direction of one chunk in eight-bit numbers; its length is lost."""
        np = self._np
        size = len(packed) // 3
        ids = np.frombuffer(packed, "<u2", size)
        counts = np.frombuffer(packed, np.uint8, size, size * 2)
        vector = (self._weights[ids] * counts) @ self._table[ids].astype(np.float32, copy=False)
        most = float(np.abs(vector).max(initial=0.0))
        if not most > 0 or not math.isfinite(most):
            return bytes(len(vector))
        numbers = np.rint(vector * np.float32(127 / most)).astype(np.int8)
        return bytes(numbers.tobytes())


def query_vector(model: StaticModel, ids: Sequence[int], weight: Mapping[int, float]) -> bytes:
    """Return the vector of a query in eight-bit numbers, without NumPy."""
    sums = [0.0] * model.dims
    for token, count in Counter(ids).items():
        factor = weight[token] * count
        sums = [one + factor * other for one, other in zip(sums, model.row(token), strict=True)]
    return small_list(sums)


def query_vector_by_numpy(
    model: StaticModel, ids: Sequence[int], weight: Mapping[int, float]
) -> bytes:
    """Return the same numbers in a tenth of the time; for processes that have NumPy already.

    The steps and their order are those of `query_vector`, in the same 64-bit floats.
    """
    from memconsole.adapters.index.matrix import np  # noqa: PLC0415

    sums = np.zeros(model.dims)
    for token, count in Counter(ids).items():
        sums += (weight[token] * count) * model.table[token].astype(np.float64)
    most = float(np.abs(sums).max(initial=0.0))
    if not most > 0 or not math.isfinite(most):
        return bytes(model.dims)
    numbers: NDArray[np.int8] = np.rint(sums * 127 / most).astype(np.int8)
    return numbers.tobytes()


def small_list(vector: Sequence[float]) -> bytes:
    """Return a vector in eight-bit numbers, without NumPy."""
    most = max((abs(one) for one in vector), default=0.0)
    if not most > 0 or not math.isfinite(most):
        return bytes(len(vector))
    return struct.pack(f"{len(vector)}b", *(round(one * 127 / most) for one in vector))
