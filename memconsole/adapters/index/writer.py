"""Writes documents into an open index: only what changed is cut, tokenised and embedded again."""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING, Final, Protocol

from memconsole.adapters.index.rows import content_hash, heading_words, rows_of
from memconsole.domain.agents import UNREADABLE, Notice
from memconsole.errors import IndexUnavailableError, StoreError, WorkspaceError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.folding import index_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memconsole.adapters.index.rows import Row
    from memconsole.adapters.index.vectors import VectorWriter
    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.domain.search.indexing import Document, DocumentText
    from memconsole.domain.settings.sections import SearchSettings

_BATCH: Final = 256


class Stop(Protocol):
    """Something that can be asked whether to stop; `threading.Event` is one."""

    def is_set(self) -> bool:
        """Return True once the work should end."""


class CancelledError(IndexUnavailableError):
    """Somebody asked to stop; nothing was changed."""

    code = "interrupted"

    def __init__(self) -> None:
        super().__init__("indexing was stopped; the index is as it was before")


@dataclass(slots=True)
class Changes:
    """What one run of writing did."""

    files_changed: int = 0
    files_removed: int = 0
    chunks_added: int = 0
    chunks_removed: int = 0
    notices: list[Notice] = field(default_factory=list)


class IndexWriter:
    """Brings documents into the index inside one transaction of its caller.

    Args:
        connection: The index.
        settings: Sizes of chunks.
        vectors: Makes the vectors.
        generation: Number of this state of the index; removed chunks are noted under it.
    """

    def __init__(
        self,
        connection: Connection,
        settings: SearchSettings,
        vectors: VectorWriter,
        generation: int,
    ) -> None:
        self.changes = Changes()
        self._connection = connection
        self._settings = settings
        self._vectors = vectors
        self._generation = generation
        self._waiting: list[tuple[int, int, str, Row]] = []
        newest = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'")
        self._last = next((int(seq or 0) for (seq,) in newest.fetchall()), 0)

    def write(
        self,
        documents: Sequence[Document],
        read: Callable[[Document], DocumentText],
        *,
        cancel: Stop | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        """Index these documents anew.

        Raises:
            CancelledError: Somebody asked to stop.
        """
        for done, document in enumerate(documents):
            if cancel is not None and cancel.is_set():
                raise CancelledError
            try:
                if not document.unread:
                    self._put(document, read(document))
            except FileNotFoundError:
                self.remove([document.path])
            except StoreError as error:
                self.changes.notices.append(Notice("store-unreadable", str(error), document.path))
            except WorkspaceError as error:
                self.changes.notices.append(Notice(UNREADABLE, str(error), document.path))
            if progress is not None:
                progress(done + 1, len(documents))
        self._flush()

    def remove(self, paths: Iterable[str]) -> None:
        """Remove documents that are gone."""
        for path in paths:
            row = self._connection.execute(
                "SELECT id FROM files WHERE path = ?", (path,)
            ).fetchone()
            if row is None:
                continue
            ids = self._connection.execute("SELECT id FROM chunks WHERE file = ?", (row[0],))
            self._drop([int(at or 0) for (at,) in ids.fetchall()])
            self._connection.execute("DELETE FROM files WHERE id = ?", (row[0],))
            self.changes.files_removed += 1

    def _put(self, document: Document, text: DocumentText) -> None:
        digest = content_hash(text)
        known = self._connection.execute(
            "SELECT id, hash FROM files WHERE path = ?", (document.path,)
        ).fetchone()
        file = self._file(document, text, digest)
        self.changes.notices += text.notices
        if known is not None and known[1] == digest:
            return
        self.changes.files_changed += 1
        fresh = list(rows_of(document, text, self._settings))
        kept = {} if known is None else self._keep(file, fresh)
        new = [row for at, row in enumerate(fresh) if at not in kept]
        self._insert(file, document.path, new)

    def _file(self, document: Document, text: DocumentText, digest: bytes) -> int:
        """Note the document and return its number."""
        at = None if document.modified_at is None else document.modified_at.timestamp()
        notices = json.dumps([[one.code, one.message] for one in text.notices])
        row = self._connection.execute(
            "INSERT INTO files(path, stamp, hash, size, modified_at, archived, notices) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT(path) DO UPDATE SET stamp = excluded.stamp, "
            "hash = excluded.hash, size = excluded.size, modified_at = excluded.modified_at, "
            "archived = excluded.archived, notices = excluded.notices RETURNING id",
            (
                document.path,
                document.stamp,
                digest,
                document.size_bytes,
                at,
                int(document.is_archived),
                notices,
            ),
        ).fetchall()[0]
        return int(row[0] or 0)

    def _keep(self, file: int, fresh: Sequence[Row]) -> dict[int, int]:
        """Keep the chunks whose text is still there, and drop the others; return which stay."""
        old: dict[object, list[int]] = {}
        for at, digest in self._connection.execute(
            "SELECT id, hash FROM chunks WHERE file = ? ORDER BY id DESC", (file,)
        ):
            old.setdefault(digest, []).append(int(at or 0))
        kept = {}
        for place, row in enumerate(fresh):
            if old.get(row.hash):
                kept[place] = old[row.hash].pop()
        self._drop([at for ids in old.values() for at in ids])
        self._connection.executemany(
            "UPDATE chunks SET start_line = ?, end_line = ?, at = ?, tags = ?, on_path = ? "
            "WHERE id = ?",
            [
                (row.start_line, row.end_line, row.at, row.tags, int(row.on_path), kept[place])
                for place, row in enumerate(fresh)
                if place in kept
            ],
        )
        return kept

    def _insert(self, file: int, path: str, rows: Sequence[Row]) -> None:
        for row in rows:
            self._last += 1
            self._waiting.append((self._last, file, path, row))
            if len(self._waiting) >= _BATCH:
                self._flush()
        self.changes.chunks_added += len(rows)

    def _flush(self) -> None:
        """Write what waits: many rows by one statement cost half of what they do one by one."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        self._connection.executemany(
            "INSERT INTO chunks(id, file, start_line, end_line, heading, text, hash, at, tags, "
            "on_path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(at, file, row.start_line, row.end_line, row.heading, row.text),
                    *(row.hash, row.at, row.tags, int(row.on_path)),
                )
                for at, file, _, row in waiting
            ],
        )
        self._connection.executemany(
            "INSERT INTO chunks_fts(rowid, body, heading) VALUES (?, ?, ?)",
            [
                (at, index_text(row.text), heading_words(path, row.heading))
                for at, _, path, row in waiting
            ],
        )
        self._vectors.add([row for *_, row in waiting], [at for at, *_ in waiting])

    def _drop(self, ids: Sequence[int]) -> None:
        if not ids:
            return
        self._flush()
        self._vectors.forget(ids)
        many = [(at,) for at in ids]
        self._connection.executemany("DELETE FROM chunks_fts WHERE rowid = ?", many)
        self._connection.executemany("DELETE FROM chunks_vec WHERE id = ?", many)
        self._connection.executemany("DELETE FROM chunks WHERE id = ?", many)
        self._connection.executemany(
            "INSERT OR REPLACE INTO removed(id, generation) VALUES (?, ?)",
            [(at, self._generation) for at in ids],
        )
        self.changes.chunks_removed += len(ids)
