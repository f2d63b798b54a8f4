"""Builds an index whole, or brings one up to date in one transaction; the caller holds its lock."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.adapters.index.database import journal_of, reading, settle, sync_folder, writing
from memconsole.adapters.index.embedding.quality import QualityModel
from memconsole.adapters.index.rows import Row
from memconsole.adapters.index.schema import create, read_meta, root_text, write_meta
from memconsole.adapters.index.vectors import NoVectors, RemoteVectors, StaticVectors
from memconsole.adapters.index.writer import IndexWriter
from memconsole.adapters.sqlite.own import open_single, transaction
from memconsole.domain.agents import Notice
from memconsole.domain.search.indexing import IndexState, IndexStatus, SyncReport
from memconsole.errors import IndexUnavailableError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.adapters.index.embedding.providers import Embedder
    from memconsole.adapters.index.embedding.static import StaticModel
    from memconsole.adapters.index.vectors import VectorWriter
    from memconsole.adapters.index.writer import Stop
    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.domain.search.indexing import Document, DocumentText, IndexScope, Pending
    from memconsole.domain.settings.sections import SearchSettings


class Run(NamedTuple):
    """What a sync is about; see `DiskIndex.sync`."""

    scope: IndexScope
    documents: Sequence[Document]
    read: Callable[[Document], DocumentText]
    settings: SearchSettings
    cancel: Stop | None
    progress: Callable[[int, int], None] | None


_BUILDING: Final = ".building"
_PAGE_BYTES: Final = 8192
_WORDS_BYTES: Final = 256 << 20
_ONE_SEGMENT_CHUNKS: Final = 50_000
"""Words of more chunks do not fit into memory at once."""

_REMEMBERED: Final = 20_000
_UNKNOWN: Final = IndexStatus(IndexState.MISSING)


@dataclass(frozen=True, slots=True)
class IndexRun:
    """One run of writing with all that it needs."""

    path: Path
    run: Run
    static: StaticModel | None
    remote: Embedder | None
    now: datetime
    recipe: str

    @property
    def model(self) -> str:
        """Name of what makes the vectors."""
        if self.static is not None:
            return self.static.name
        return "none" if self.remote is None else self.remote.name


def rebuild(run: IndexRun) -> SyncReport:
    """Build a new file and swap it in."""
    folder = run.path.parent
    place = folder / f".{run.path.name}{_BUILDING}"
    for leftover in (place, place.with_name(f"{place.name}-journal")):
        leftover.unlink(missing_ok=True)
    try:
        report = _built(run, place)
        _last(place)
        _settle(run.path)
        os.replace(place, run.path)  # noqa: PTH105
        sync_folder(folder)
    except BaseException:
        with suppress(OSError):
            place.unlink(missing_ok=True)
        raise
    return report


def update(run: IndexRun, pending: Pending) -> SyncReport:
    """Write what changed into the file that is there."""
    if not pending.is_any and not pending.unembedded:
        return SyncReport(_UNKNOWN, run.path)
    with writing(run.path) as connection:
        with transaction(connection):
            meta = read_meta(connection)
            generation = int(meta.get("generation", 0)) + 1
            epoch_chunks = int(meta.get("epoch_chunks", 0))
            vectors = _vectors(run, connection, epoch_chunks, generation)
            writer = IndexWriter(connection, run.run.settings, vectors, generation)
            writer.remove(pending.removed)
            writer.write(
                pending.changed, run.run.read, cancel=run.run.cancel, progress=run.run.progress
            )
            if pending.unembedded:
                _embed_again(connection, vectors)
            added = writer.changes.chunks_added - writer.changes.chunks_removed
            chunks = int(meta.get("chunks", 0)) + added
            vectors.finish(chunks)
            _forget_removed(connection, generation)
            _note(run, connection, generation, chunks)
            if isinstance(vectors, StaticVectors) and not epoch_chunks and chunks:
                write_meta(connection, epoch=generation, epoch_chunks=chunks)
        report = _report(run, writer, vectors)
        if isinstance(vectors, StaticVectors) and epoch_chunks and chunks >= 2 * epoch_chunks:
            with transaction(connection):
                vectors.begin_epoch(chunks)
                write_meta(connection, epoch=generation, epoch_chunks=chunks)
    return report


def _built(run: IndexRun, place: Path) -> SyncReport:
    with open_single(place) as connection:
        # Nobody knows the file yet: when it is cut off, it is thrown away.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        with transaction(connection):
            create(connection)
            # Words are sorted in memory and written once, instead of merged again and again.
            _set_words(connection, automerge=0, hashsize=_WORDS_BYTES)
            vectors = _vectors(run, connection, 0, 1)
            if (kept := _kept_model(run)) is not None:
                _take_over_cache(connection, run.path, kept)
            writer = IndexWriter(connection, run.run.settings, vectors, 1)
            writer.write(
                run.run.documents,
                run.run.read,
                cancel=run.run.cancel,
                progress=run.run.progress,
            )
            chunks = _count(connection, "chunks")
            vectors.finish(chunks)
            if chunks > _ONE_SEGMENT_CHUNKS:
                connection.execute("INSERT INTO chunks_fts(chunks_fts) VALUES ('optimize')")
            _set_words(connection, automerge=4, hashsize=1 << 20)
            _note(run, connection, 1, chunks)
            write_meta(connection, epoch=1, epoch_chunks=chunks if run.static else 0)
            write_meta(connection, built_at=run.now.isoformat(), removed_floor=0)
    return _report(run, writer, vectors, is_rebuilt=True)


def _set_words(connection: Connection, *, automerge: int, hashsize: int) -> None:
    connection.executemany(
        "INSERT INTO chunks_fts(chunks_fts, rank) VALUES (?, ?)",
        [("automerge", automerge), ("hashsize", hashsize)],
    )


def _vectors(
    run: IndexRun, connection: Connection, epoch_chunks: int, generation: int
) -> VectorWriter:
    if run.static is not None:
        return StaticVectors(connection, run.static, epoch_chunks)
    if run.remote is not None:
        return RemoteVectors(connection, run.remote, generation)
    return NoVectors()


def _note(run: IndexRun, connection: Connection, generation: int, chunks: int) -> None:
    row = connection.execute("SELECT length(embedding) FROM chunks_vec LIMIT 1").fetchone()
    write_meta(
        connection,
        root=root_text(run.run.scope.root),
        recipe=run.recipe,
        model=run.model,
        provider=run.run.settings.provider if run.remote is None else run.remote.name,
        dims=0 if row is None else row[0],
        unembedded=0 if run.remote is None else chunks - _count(connection, "chunks_vec"),
        generation=generation,
        chunks=chunks,
        files=_count(connection, "files"),
        updated_at=run.now.isoformat(),
    )


def _report(
    run: IndexRun, writer: IndexWriter, vectors: VectorWriter, *, is_rebuilt: bool = False
) -> SyncReport:
    changes = writer.changes
    return SyncReport(
        _UNKNOWN,
        run.path,
        files_changed=changes.files_changed,
        files_removed=changes.files_removed,
        chunks_added=changes.chunks_added,
        chunks_removed=changes.chunks_removed,
        embedded=vectors.embedded,
        cost_tokens=None if run.remote is None else run.remote.cost_tokens,
        is_rebuilt=is_rebuilt,
        notices=(*changes.notices, *_failures(vectors)),
    )


def _failures(vectors: VectorWriter) -> tuple[Notice, ...]:
    if not isinstance(vectors, RemoteVectors) or vectors.failure is None:
        return ()
    return (Notice(vectors.failure.code, f"{vectors.failure}; {vectors.failure.hint}"),)


def _embed_again(connection: Connection, vectors: VectorWriter) -> None:
    """Ask for the vectors that were not to be had the last time."""
    found = connection.execute(
        "SELECT id, start_line, end_line, heading, text, hash FROM chunks "
        "WHERE id NOT IN (SELECT id FROM chunks_vec)"
    ).fetchall()
    rows = [
        Row(0, 0, str(heading), str(text), digest if isinstance(digest, bytes) else b"", None, 0)
        for _, _, _, heading, text, digest in found
    ]
    vectors.add(rows, [int(row[0] or 0) for row in found])


def _forget_removed(connection: Connection, generation: int) -> None:
    """Keep the list of removed chunks short; who is further behind reads everything."""
    if _count(connection, "removed") > _REMEMBERED:
        connection.execute("DELETE FROM removed WHERE generation < ?", (generation,))
        write_meta(connection, removed_floor=generation - 1)


def _kept_model(run: IndexRun) -> str | None:
    """Return whose vectors outlive an index: a service was paid for them, or they took minutes."""
    if run.remote is not None:
        return run.remote.name
    return QualityModel.name if run.run.settings.provider == "quality" else None


def _take_over_cache(connection: Connection, path: Path, model: str) -> None:
    """Keep vectors that were dear."""
    with suppress(IndexUnavailableError, OSError), reading(path) as old:
        found = old.execute(
            "SELECT model, hash, used, vector FROM embedding_cache WHERE model = ?", (model,)
        )
        connection.executemany(
            "INSERT OR IGNORE INTO embedding_cache(model, hash, used, vector) VALUES (?, ?, ?, ?)",
            found.fetchall(),
        )


def _settle(path: Path) -> None:
    """Let no journal of the old file outlive it: SQLite would play it into the new one."""
    journal = journal_of(path)
    if path.exists() and journal.exists():
        settle(path)
    journal.unlink(missing_ok=True)


def _last(path: Path) -> None:
    """Make a file last through a power cut."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _count(connection: Connection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return row[0] if row is not None and isinstance(row[0], int) else 0
