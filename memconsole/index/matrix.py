"""All vectors of an index in memory, for processes that search often."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from memconsole.domain.search import CANDIDATES
from memconsole.index.arrays import np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from memconsole.sqlite import Connection

_SPARE: Final = 1024
_GONE: Final = -2.0


class Matrix:
    """The vectors of one index file, each of length 1; brought up to date by what changed.

    Args:
        dims: Length of a vector.
    """

    def __init__(self, dims: int) -> None:
        self.mark: tuple[object, ...] = ()
        self._generation = -1
        self.dims = dims
        self._ids: NDArray[np.int64] = np.empty(0, np.int64)
        self._rows: NDArray[np.float32] = np.empty((0, dims), np.float32)
        self._count = 0
        self._places: dict[int, int] = {}

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
            self._ids, self._places, self._count = np.empty(0, np.int64), {}, 0
            self._rows = np.empty((0, self.dims), np.float32)
        else:
            for (at,) in connection.execute(
                "SELECT id FROM removed WHERE generation > ?", (self._generation,)
            ):
                if (place := self._places.pop(int(at or 0), None)) is not None:
                    self._rows[place] = 0
                    self._ids[place] = -1
        last = int(self._ids[: self._count].max(initial=0))
        found = connection.execute(
            "SELECT id, embedding FROM chunks_vec WHERE id > ? ORDER BY id", (last,)
        )
        self._append(found.fetchall())
        self.mark, self._generation = mark, generation

    def nearest(self, query: bytes, among: set[int] | None) -> dict[int, float]:
        """Return the best candidates with their cosines.

        Args:
            query: Vector of the query, in eight-bit numbers.
            among: Only these chunks; None for all.
        """
        cosines = self._cosines(query)
        if among is not None:
            kept = [self._places[one] for one in among if one in self._places]
            mask = np.full(len(cosines), fill_value=True)
            mask[kept] = False
            cosines[mask] = _GONE
        most = min(CANDIDATES, len(cosines))
        if not most:
            return {}
        best = np.argpartition(-cosines, most - 1)[:most]
        order = sorted((-float(cosines[at]), int(self._ids[at])) for at in best)
        return {at: -minus for minus, at in order if at >= 0 and -minus > _GONE}

    def cosines_of(self, query: bytes, ids: Iterable[int]) -> dict[int, float]:
        """Return the cosines of certain chunks."""
        known = [one for one in ids if one in self._places]
        if not known:
            return {}
        rows = self._rows[[self._places[one] for one in known]]
        return dict(zip(known, np.round(rows @ _unit(query), 5).tolist(), strict=True))

    def _cosines(self, query: bytes) -> NDArray[np.float32]:
        if len(query) != self.dims:
            return np.empty(0, np.float32)
        found: NDArray[np.float32] = np.round(self._rows[: self._count] @ _unit(query), 5)
        found[self._ids[: self._count] < 0] = _GONE
        return found

    def _append(self, found: Sequence[tuple[object, ...]]) -> None:
        rows = [(at, one) for at, one in found if isinstance(at, int) and isinstance(one, bytes)]
        rows = [(at, one) for at, one in rows if len(one) == self.dims]
        if not rows:
            return
        end = self._count + len(rows)
        if end > len(self._rows):
            room = end + max(_SPARE, end // 8)
            self._rows = np.concatenate(
                [self._rows[: self._count], np.zeros((room - self._count, self.dims), np.float32)]
            )
            self._ids = np.concatenate(
                [self._ids[: self._count], np.full(room - self._count, -1, np.int64)]
            )
        flat = np.frombuffer(b"".join(one for _, one in rows), np.int8)
        block = flat.reshape(-1, self.dims).astype(np.float32)
        block /= np.maximum(np.linalg.norm(block, axis=1, keepdims=True), 1e-9)
        self._rows[self._count : end] = block
        self._ids[self._count : end] = [at for at, _ in rows]
        self._places |= {at: self._count + place for place, (at, _) in enumerate(rows)}
        self._count = end


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


def _unit(query: bytes) -> NDArray[np.float32]:
    vector = np.frombuffer(query, np.int8).astype(np.float32)
    return vector / np.float32(max(float(np.linalg.norm(vector)), 1e-9))
