"""Vectors of the optional model beside an index: one of each chunk, one of each line in it.

They are made in the background, a few chunks at a time, and stand in a table of their own in the
index, which is made when the first of them is. What a text came to is kept by its hash
(`embedding_cache`), so that a line that moved, or an index built anew, costs nothing. Until every
chunk has them they are not used at all: half of them would put what is old before what is new.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from memconsole.adapters.index.embedding.quality import QualityModel, quality_model
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.adapters.sqlite.choice import Connection

BATCH: Final = 8
"""Chunks between two looks at whether to stop: about five seconds of work."""

CACHE_ROWS: Final = 200_000
_DRESS: Final = r"^[\s>#*+-]+"
_LEAST_CHARS: Final = 3
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS quality(chunk INTEGER NOT NULL, line INTEGER NOT NULL, "
    "vector BLOB NOT NULL, PRIMARY KEY(chunk, line)) WITHOUT ROWID"
)
"""Line 0 is the chunk itself."""


def progress_of(connection: Connection) -> int:
    """Return how many chunks have all of their vectors."""
    if not _has_table(connection):
        return 0
    row = connection.execute(
        "SELECT count(*) FROM quality WHERE line = 0 AND chunk IN (SELECT id FROM chunks)"
    ).fetchone()
    return row[0] if row is not None and isinstance(row[0], int) else 0


def lacking(connection: Connection) -> list[tuple[int, str]]:
    """Return the next chunks without vectors, each with its text."""
    where = "WHERE id NOT IN (SELECT chunk FROM quality)" if _has_table(connection) else ""
    found = connection.execute(f"SELECT id, text FROM chunks {where} ORDER BY id LIMIT {BATCH}")
    return [(at, str(text)) for at, text in found.fetchall() if isinstance(at, int)]


def vectors_of(
    connection: Connection, model: QualityModel, text: str
) -> tuple[list[bytes], dict[bytes, bytes]]:
    """Return the vectors of a chunk and of its lines, and those of them that are new, by hash."""
    from hashlib import blake2b  # noqa: PLC0415 - it loads OpenSSL, and a search hashes nothing

    vectors: list[bytes] = []
    new: dict[bytes, bytes] = {}
    for part in _parts(text):
        key = blake2b(part.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        row = connection.execute(
            "SELECT vector FROM embedding_cache WHERE model = ? AND hash = ?", (model.name, key)
        ).fetchone()
        known = new.get(key) if row is None else row[0]
        if not isinstance(known, bytes):
            known = new[key] = model.vector(part)
        vectors.append(known)
    return vectors, new


def store(
    connection: Connection, made: dict[int, list[bytes]], new: dict[bytes, bytes], generation: int
) -> None:
    """Write what was made, of chunks that are still there."""
    connection.execute(_TABLE)
    connection.executemany(
        "INSERT OR REPLACE INTO embedding_cache(model, hash, used, vector) VALUES (?, ?, ?, ?)",
        [(QualityModel.name, key, generation, one) for key, one in new.items()],
    )
    rows = connection.execute(
        "SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each(?))", (json.dumps([*made]),)
    )
    there = {at for (at,) in rows.fetchall()}
    connection.executemany(
        "INSERT OR REPLACE INTO quality(chunk, line, vector) VALUES (?, ?, ?)",
        [
            (at, line, vector)
            for at, vectors in made.items()
            if at in there
            for line, vector in enumerate(vectors)
        ],
    )


def tidy(connection: Connection) -> None:
    """Forget the vectors of chunks that are gone, and of texts unused for longest."""
    if _has_table(connection):
        connection.execute("DELETE FROM quality WHERE chunk NOT IN (SELECT id FROM chunks)")
    connection.execute(
        "DELETE FROM embedding_cache WHERE (model, hash) IN (SELECT model, hash FROM "
        "embedding_cache WHERE model = ? ORDER BY used DESC LIMIT -1 OFFSET ?)",
        (QualityModel.name, CACHE_ROWS),
    )


@lru_cache(maxsize=16)
def query_vector(text: str) -> bytes:
    """Return the vector of a query; several indexes are asked with the same one.

    Raises:
        IndexUnavailableError: The model cannot be used.
    """
    return quality_model().vector(text, is_query=True)


def nearness_by_sqlite(connection: Connection, query: bytes) -> dict[int, tuple[float, float]]:
    """Return by chunk its cosine and the best of its lines, taken by sqlite-vec."""
    found = connection.execute(
        "SELECT chunk, max(CASE line WHEN 0 THEN near END), max(CASE line WHEN 0 THEN NULL ELSE "
        "near END) FROM (SELECT chunk, line, 1 - vec_distance_cosine(vec_int8(vector), "
        "vec_int8(?)) AS near FROM quality WHERE chunk IN (SELECT id FROM chunks)) GROUP BY chunk",
        (query,),
    )
    return {
        at: (whole, line if isinstance(line, float) else whole)
        for at, whole, line in found.fetchall()
        if isinstance(at, int) and isinstance(whole, float)
    }


def _parts(text: str) -> Iterator[str]:
    """Yield a chunk and its lines without bullets."""
    yield text
    for line in text.split("\n"):
        said = compiled(_DRESS).sub("", line).strip()
        if len(said) >= _LEAST_CHARS:
            yield said


def _has_table(connection: Connection) -> bool:
    row: Sequence[object] | None = connection.execute(
        "SELECT 1 FROM sqlite_master WHERE name = 'quality'"
    ).fetchone()
    return row is not None
