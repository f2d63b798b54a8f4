"""All vectors of an index in memory, for processes that search often.

They stay the eight-bit numbers that the index holds. A block at a time becomes floats that fit into
the processor's cache: quicker than reading four times as many bytes, and exact, because sums of 256
such products are whole numbers that a 32-bit float can hold.

NumPy with one thread: its helpers would wait busily for the next search and win nothing.

Measured at 10,000 chunks: 21 ms of processor time a search instead of 52.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final

import numpy as np  # the variable counts when it is loaded

from memconsole.domain.search.values import CANDIDATES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from memconsole.adapters.sqlite.choice import Connection


_SPARE: Final = 1024
_BLOCK: Final = 1024
_GONE: Final = -2.0


class Matrix:
    """The vectors of one index file; brought up to date by what changed.

    Args:
        dims: Length of a vector.
    """

    def __init__(self, dims: int) -> None:
        self.mark: tuple[object, ...] = ()
        self._generation = -1
        self._lines: tuple[object, LineMatrix] | None = None
        self.dims = dims
        self._clear()

    def refresh(
        self, connection: Connection, meta: Mapping[str, str], mark: tuple[object, ...]
    ) -> None:
        """Take over what changed since the last time.

        Args:
            connection: The index, inside a transaction.
            meta: What it knows about itself.
            mark: File and epoch; with another one everything is read again.
        """
        generation = int(meta.get("generation", 0))
        if self.mark == mark and generation == self._generation:
            return
        if self.mark != mark or self._generation < int(meta.get("removed_floor", 0)):
            self._clear()
        else:
            gone = connection.execute(
                "SELECT id FROM removed WHERE generation > ?", (self._generation,)
            )
            self._lengths[self._places([int(at or 0) for (at,) in gone])] = 0
        last = int(self._ids[self._count - 1]) if self._count else 0
        found = connection.execute(
            "SELECT id, embedding FROM chunks_vec WHERE id > ? ORDER BY id", (last,)
        )
        self._append(found.fetchall())
        self.mark, self._generation = mark, generation

    def cosines(
        self, query: bytes, among: set[int] | None, also: Iterable[int] = ()
    ) -> dict[int, float]:
        """Return the cosines of the best candidates, and of certain chunks.

        Args:
            query: Vector of the query, in eight-bit numbers.
            among: Only these chunks are candidates; None for all.
            also: Chunks whose cosines are wanted in any case.
        """
        if len(query) != self.dims or not self._count:
            return {}
        lengths = self._lengths[: self._count]
        is_there = lengths > 0
        if among is not None:
            is_wanted = np.zeros(self._count, bool)
            is_wanted[self._places(sorted(among))] = True
            is_there &= is_wanted
        dots = _products(self._rows[: self._count], _floats(query))
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(is_there, dots / lengths, _GONE * 127)
        most = min(CANDIDATES, self._count)
        best = np.argpartition(shares, self._count - most)[self._count - most :]
        places = np.union1d(best[is_there[best]], self._places(sorted(also)))
        length = max(float(np.linalg.norm(_floats(query).astype(np.float64))), 1e-9)
        found = dots[places].astype(np.float64) / (self._lengths[places] * length)
        return dict(zip(self._ids[places].tolist(), np.round(found, 5).tolist(), strict=True))

    def nearness(self, connection: Connection, query: bytes) -> dict[int, tuple[float, float]]:
        """Return by chunk what the better model says (`LineMatrix`); its vectors are read once."""
        state = (self.mark, self._generation)
        if self._lines is None or self._lines[0] != state:
            self._lines = None  # not two of them at once
            self._lines = state, LineMatrix(connection)
        return self._lines[1].nearness(query)

    def _places(self, ids: Sequence[int]) -> NDArray[np.int64]:
        """Return where sorted ids are; those that are not there are left out."""
        wanted = np.asarray(ids, np.int64)
        known = self._ids[: self._count]
        places = np.searchsorted(known, wanted)
        places, wanted = places[places < self._count], wanted[places < self._count]
        places = places[known[places] == wanted]
        found: NDArray[np.int64] = places[self._lengths[places] > 0]
        return found

    def _clear(self) -> None:
        self._count = 0
        self._ids: NDArray[np.int64] = np.empty(0, np.int64)
        self._rows: NDArray[np.int8] = np.empty((0, self.dims), np.int8)
        self._lengths: NDArray[np.float64] = np.empty(0, np.float64)

    def _append(self, found: Sequence[tuple[object, ...]]) -> None:
        rows = [(at, one) for at, one in found if isinstance(at, int) and isinstance(one, bytes)]
        rows = [(at, one) for at, one in rows if len(one) == self.dims]
        if not rows:
            return
        end = self._count + len(rows)
        if end > len(self._ids):
            room = end + max(_SPARE, end // 8) - self._count
            self._ids = np.concatenate([self._ids[: self._count], np.empty(room, np.int64)])
            self._lengths = np.concatenate([self._lengths[: self._count], np.empty(room)])
            more = np.empty((room, self.dims), np.int8)
            self._rows = np.concatenate([self._rows[: self._count], more])
        new = slice(self._count, end)
        self._rows[new] = np.frombuffer(b"".join(one for _, one in rows), np.int8).reshape(
            -1, self.dims
        )
        self._ids[new] = [at for at, _ in rows]
        self._lengths[new] = _lengths(self._rows[new])
        self._count = end


class LineMatrix:
    """The vectors of the better model for all chunks of an index and their lines.

    Read once for each state of the index: at 10,000 chunks that is 50 MB.

    Args:
        connection: The index, inside a transaction; every chunk has its vectors.
    """

    def __init__(self, connection: Connection) -> None:
        rows = connection.execute(
            "SELECT chunk, line, vector FROM quality WHERE chunk IN (SELECT id FROM chunks) "
            "ORDER BY chunk, line"
        ).fetchall()
        packed = b"".join(one for _, _, one in rows if isinstance(one, bytes))
        width = len(packed) // max(1, len(rows))
        self._rows = np.frombuffer(packed, np.int8).reshape(len(rows), width)
        self._lengths = _lengths(self._rows)
        chunks = np.asarray([at for at, _, _ in rows], np.int64)
        self._ids, self._starts = np.unique(chunks, return_index=True)

    def nearness(self, query: bytes) -> dict[int, tuple[float, float]]:
        """Return by chunk its cosine and the best of its lines, or its own where it has none."""
        if not len(self._ids):
            return {}
        vector = _floats(query)
        shares = _products(self._rows, vector) / self._lengths
        shares /= max(float(np.linalg.norm(vector)), 1e-9)
        wholes = shares[self._starts].copy()
        shares[self._starts] = _GONE  # the chunk itself stands before its lines
        lines = np.maximum.reduceat(shares, self._starts)
        lines = np.where(lines > _GONE, lines, wholes)
        pairs = zip(wholes.tolist(), lines.tolist(), strict=True)
        return dict(zip(self._ids.tolist(), pairs, strict=True))


class Matrices:
    """The matrices of a process, one an index file; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[threading.Lock, Matrix]] = {}

    def of(self, path: Path, dims: int) -> tuple[threading.Lock, Matrix]:
        """Return the matrix of a file, and the lock to hold while it is used."""
        with self._lock:
            if path not in self._known or self._known[path][1].dims != dims:
                self._known[path] = (threading.Lock(), Matrix(dims))
            return self._known[path]


def _products(rows: NDArray[np.int8], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of each row with a vector."""
    products = np.empty(len(rows), np.float32)
    block = np.empty((_BLOCK, len(vector)), np.float32)
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        np.copyto(block[: len(part)], part)
        np.dot(block[: len(part)], vector, out=products[start : start + len(part)])
    return products


def _lengths(rows: NDArray[np.int8]) -> NDArray[np.float64]:
    lengths = np.empty(len(rows), np.float64)
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK].astype(np.float32)
        squares = np.square(part).sum(axis=1).astype(np.float64)
        lengths[start : start + _BLOCK] = np.maximum(np.sqrt(squares), 1e-9)
    return lengths


def _floats(query: bytes) -> NDArray[np.float32]:
    return np.frombuffer(query, np.int8).astype(np.float32)


_THREADS: Final = "OPENBLAS_NUM_THREADS"

_is_set = _THREADS in os.environ
os.environ.setdefault(_THREADS, "1")

if not _is_set:
    del os.environ[_THREADS]  # children decide for themselves

__all__ = ["np"]
