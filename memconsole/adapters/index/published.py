"""Reads an index for publishing: everything masked once more, and folded into words for others.

Texts are masked when they are indexed, where the settings say so and by the rules of that day; what
leaves the host is masked in any case and by the rules of today.
"""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Final

from memconsole.adapters.index.rows import heading_words
from memconsole.adapters.index.schema import tags_of
from memconsole.domain.fleet.chunks import Frequencies, PublishedChunk, PublishedDocument
from memconsole.text.folding import index_text
from memconsole.text.outgoing import let_out, name_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memconsole.adapters.sqlite.choice import Connection, SqlValue

_DIMS: Final = 256
_PAGE: Final = 500
_MOST: Final = 0xFFFF
_NO_WORD: Final = re.compile(r"[\W_]+")
_YEARS: Final = (1, 9998)
"""Between these in every time zone; others the server refuses."""

_EDITION: Final = 1
"""Raised whenever other words would be published of the same text."""


class OutgoingIndex:
    """One reading of an index (`ports.OutgoingIndex`).

    Args:
        connection: Inside a transaction.
        meta: What the index knows about itself.
    """

    def __init__(self, connection: Connection, meta: Mapping[str, str]) -> None:
        self._connection = connection
        self.model = meta.get("model", "none")
        self._epoch_chunks = int(meta.get("epoch_chunks", 0))
        parts = (meta.get(name, "") for name in ("built_at", "generation", "epoch", "model"))
        self.stamp = " ".join((str(_EDITION), *parts))

    @property
    def _has_vectors(self) -> bool:
        """Whether its vectors are of a model that every host has."""
        return self._epoch_chunks > 0

    def documents(self) -> dict[int, PublishedDocument]:
        """Return its documents by their numbers."""
        found = self._connection.execute("SELECT id, path, modified_at, archived FROM files")
        return {
            _int(at): PublishedDocument(name_out(str(path)), _time(modified), bool(archived))
            for at, path, modified, archived in found
        }

    def hashes(self) -> dict[int, tuple[int, int]]:
        """Return by the number of each chunk its document and the hash of all that may change."""
        epoch = f"{self._epoch_chunks} {self.model}".encode()  # another epoch has other vectors
        found = self._connection.execute(
            "SELECT id, file, hash, start_line, end_line, at, tags, on_path FROM chunks"
        )
        return {_int(row[0]): (_int(row[1]), _hash(epoch, row)) for row in found}

    def chunks(self, ids: Iterable[int]) -> Iterator[PublishedChunk]:
        """Yield certain chunks; those that are gone are left out."""
        wanted = iter(ids)
        epoch = f"{self._epoch_chunks} {self.model}".encode()
        while page := list(islice(wanted, _PAGE)):
            found = self._connection.execute(
                "SELECT c.id, c.file, c.hash, c.start_line, c.end_line, c.at, c.tags, c.on_path,"
                " c.heading, c.text, c.token_ids, v.embedding, f.path FROM chunks AS c"
                " JOIN files AS f ON f.id = c.file LEFT JOIN chunks_vec AS v ON v.id = c.id"
                " WHERE c.id IN (SELECT value FROM json_each(?)) ORDER BY c.id",
                (json.dumps(page),),
            )
            for row in found.fetchall():
                yield self._chunk(row, _hash(epoch, row))

    def _chunk(self, row: Sequence[SqlValue], digest: int) -> PublishedChunk:
        said, title, path = str(row[9]), str(row[8]), str(row[12])
        text, heading = let_out(said, keeps_lines=True), let_out(title)
        # Tokens and vector of what is masked now would tell of it.
        is_true = self._has_vectors and text == said
        words = f"{index_text(text)} {heading_words(name_out(path), heading)}"
        return PublishedChunk(
            id=_int(row[0]),
            document=_int(row[1]),
            hash=digest,
            start_line=_int(row[3]),
            end_line=_int(row[4]),
            at=_time(row[5]),
            on_path=bool(row[7]),
            tags=tags_of(_int(row[6])),
            heading=heading,
            text=text,
            words=_NO_WORD.sub(" ", words).strip(),
            tokens=row[10] if is_true and isinstance(row[10], bytes) else None,
            vector=_vector(row[11]) if is_true else None,
        )

    def frequencies(self) -> Frequencies | None:
        """Return how common tokens are; None where it has none."""
        if not self._has_vectors:
            return None
        found = {
            _int(token): _int(df)
            for token, df in self._connection.execute(
                "SELECT id, epoch_df FROM tokens WHERE epoch_df > 0"
            )
        }
        unit = max(found.values(), default=0) // _MOST + 1
        counts = array("H", bytes(2 * (max(found, default=0) + 1)))
        for token, df in found.items():
            counts[token] = -(-df // unit)
        return Frequencies(self._epoch_chunks, unit, counts.tobytes())


def _hash(epoch: bytes, row: Sequence[SqlValue]) -> int:
    digest = hashlib.blake2b(epoch, digest_size=8)
    digest.update(repr(tuple(row[1:8])).encode())
    return int.from_bytes(digest.digest(), "little", signed=True)


def _vector(found: SqlValue) -> bytes | None:
    return found if isinstance(found, bytes) and len(found) == _DIMS and any(found) else None


def _time(value: SqlValue) -> datetime | None:
    """Return a time; None for one that no calendar of ours has."""
    with suppress(ValueError, OverflowError, OSError):
        found = None if value is None else datetime.fromtimestamp(float(value), UTC)
        return found if found is not None and _YEARS[0] < found.year < _YEARS[1] else None
    return None


def _int(value: SqlValue) -> int:
    return value if isinstance(value, int) else 0
