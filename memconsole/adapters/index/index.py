"""Answers `ports.SearchIndex`: one disposable file for each agent and source.

An index is built whole into a file of its own name and swapped in; changes are one transaction of
the file that is there. So a process that is killed leaves the old index or the new one. One process
writes at a time; readers never wait for a build.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memconsole.adapters.index import quality
from memconsole.adapters.index.database import (
    IndexProblemError,
    Places,
    journal_of,
    lock_name,
    problems,
    reading,
    writing,
)
from memconsole.adapters.index.embedding.providers import model_name, remote_of, static_of
from memconsole.adapters.index.embedding.quality import quality_model
from memconsole.adapters.index.query_side import BackendChooser, model_of
from memconsole.adapters.index.reader import IndexReader
from memconsole.adapters.index.schema import read_meta, recipe, root_text
from memconsole.adapters.sqlite.own import transaction
from memconsole.domain.search.indexing import IndexState, IndexStatus, Pending, SyncReport, Vectors
from memconsole.errors import IndexUnavailableError, LockedError
from memconsole.system.folders import require_state_folder
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from memconsole.adapters.index.build import Run
    from memconsole.adapters.index.embedding.quality import QualityModel
    from memconsole.adapters.index.published import OutgoingIndex
    from memconsole.adapters.index.query_side import SearchBackend
    from memconsole.adapters.index.writer import Stop
    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.domain.search.indexing import Document, DocumentText, IndexScope
    from memconsole.domain.settings.sections import SearchSettings


_STEPS: Final = 20_000
_MAP_BYTES: Final = 1 << 28


class DiskIndex:
    """Index files below one folder; safe from any thread.

    Args:
        folder: `index/` of our state folder; made when something is indexed.
        lock: Gives the lock of a name, with what to call it in a refusal.
        now: The wall clock.
        redact: The texts that come are masked; part of what tells indexes apart.
        is_long_running: Keep vectors in memory: the process will search again.
        usual: The home whose files carry no mark; None where there is one home only.
    """

    def __init__(
        self,
        folder: Path,
        lock: Callable[[str, str], AbstractContextManager[None]],
        *,
        now: Callable[[], datetime],
        redact: bool = True,
        is_long_running: bool = False,
        usual: Path | None = None,
    ) -> None:
        self._places = Places(folder, usual)
        self._lock = lock
        self._now = now
        self._redact = redact
        self._chooser = BackendChooser(is_long_running=is_long_running)

    def path(self, scope: IndexScope) -> Path:
        """Return the file of an index, whether it exists or not."""
        return self._places.path(scope)

    def drop_gone(self, scope: IndexScope) -> None:
        """Delete the indexes of workspaces that stand nowhere any more, and of former owners.

        Of the first one in use stays; nobody asks for it. See the port.
        """
        for path in self._places.gone():
            with suppress(LockedError, OSError):
                self._drop(path)
        for path in self._places.former(scope):
            try:
                self._drop(path)
            except OSError as error:
                reason = (error.strerror or "no reason given").lower()
                raise IndexUnavailableError(f"{path} cannot be deleted: {reason}") from error

    def _drop(self, path: Path) -> None:
        with self._lock(lock_name(path), f"the index {path}"):
            path.unlink(missing_ok=True)
            journal_of(path).unlink(missing_ok=True)

    def status(self, scope: IndexScope, settings: SearchSettings) -> IndexStatus:
        """Return what an index is, without comparing it with its documents.

        Loads no vectors: the console shows the state of indexes that nobody searches.
        """
        try:
            path = self.path(scope)
            with reading(path) as connection, problems(path):
                meta = _meta(connection, scope, path)
                means, because = self._chooser.outlook(connection, meta, settings)
                return self._status(meta, path, means, because)
        except FileNotFoundError:
            return IndexStatus(
                IndexState.MISSING, provider=model_name(settings), because="it was never built"
            )
        except IndexUnavailableError as error:
            return IndexStatus(
                IndexState.UNAVAILABLE, provider=model_name(settings), because=str(error)
            )

    def pending(
        self, scope: IndexScope, documents: Sequence[Document], settings: SearchSettings
    ) -> Pending:
        """Compare an index with its documents; reads none of them."""
        try:
            with reading(self.path(scope)) as connection:
                return self._compare(connection, scope, documents, settings)
        except FileNotFoundError:
            return Pending(tuple(documents), must_build=True, because="it was never built")
        except IndexProblemError as error:
            if not error.is_lasting:
                raise
            return Pending(tuple(documents), must_build=True, because=error.reason)

    def sync(
        self,
        scope: IndexScope,
        documents: Sequence[Document],
        read: Callable[[Document], DocumentText],
        settings: SearchSettings,
        *,
        is_full: bool = False,
        cancel: Stop | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> SyncReport:
        """Bring an index up to date; the old one or the new one is there at any moment.

        Args:
            scope: Which index.
            documents: All that belongs into it.
            read: Reads one of them; may raise FileNotFoundError, StoreError, WorkspaceError.
            settings: Of its agent.
            is_full: Build it anew in any case.
            cancel: Looked at between two documents.
            progress: Told how many documents are done, and of how many.

        Raises:
            LockedError: Another process writes it.
            IndexUnavailableError: It cannot be written, or the provider failed.
            StateError: The folder of the locks cannot be written.
        """
        from memconsole.adapters.index.build import Run  # noqa: PLC0415 - a search needs none of it

        run = Run(scope, documents, read, settings, cancel, progress)
        with self._hold(scope):
            pending = self.pending(scope, documents, settings)
            must_build = is_full or pending.must_build
            if must_build:
                self._require_all(scope, documents, settings)
            return self._write(run, pending, must_build=must_build)

    def _require_all(
        self, scope: IndexScope, documents: Sequence[Document], settings: SearchSettings
    ) -> None:
        """Refuse to build an index anew while the old one knows what cannot be read now."""
        unread = next((one for one in documents if one.unread), None)
        if unread is not None and self.status(scope, settings).files:
            raise IndexUnavailableError(
                one_line(f"not built anew: {unread.path} cannot be read: {unread.unread}"),
                hint="Check owner and mode of what cannot be read; the old index answers.",
            )

    def take_in(
        self,
        scope: IndexScope,
        changed: Sequence[Document],
        read: Callable[[Document], DocumentText],
        settings: SearchSettings,
        cancel: Stop | None = None,
    ) -> SyncReport | None:
        """Take in documents that are known to have changed; see `ports.SearchIndex`."""
        from memconsole.adapters.index.build import Run  # noqa: PLC0415 - a search needs none of it

        run = Run(scope, changed, read, settings, cancel, None)
        with self._hold(scope):
            try:
                with reading(self.path(scope)) as connection:
                    if not self._is_usable(read_meta(connection), scope, settings):
                        return None
            except (FileNotFoundError, IndexProblemError):
                return None
            return self._write(run, Pending(tuple(changed)), must_build=False)

    def enrich(
        self,
        scope: IndexScope,
        settings: SearchSettings,
        *,
        cancel: Stop | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> IndexStatus:
        """Make the vectors of the better model that are missing; see `ports.SearchIndex`."""
        path = self.path(scope)
        if settings.provider == "quality" and path.exists():
            model = quality_model()
            model.check()
            with _writes(path):
                while self._enrich(scope, path, model, progress):
                    if cancel is not None and cancel.is_set():
                        break
        return self.status(scope, settings)

    def _enrich(
        self,
        scope: IndexScope,
        path: Path,
        model: QualityModel,
        progress: Callable[[int, int], None] | None,
    ) -> bool:
        """Make the vectors of a few chunks; return whether there may be more.

        The lock is held while they are written, not while they are made.
        """
        with reading(path) as connection:
            meta = read_meta(connection)
            made: dict[int, list[bytes]] = {}
            new: dict[bytes, bytes] = {}
            for at, text in quality.lacking(connection):
                made[at], fresh = quality.vectors_of(connection, model, text)
                new |= fresh
            done = quality.progress_of(connection) + len(made)
        if progress is not None and made:
            progress(done, int(meta.get("chunks", 0)))
        with self._hold(scope), writing(path) as connection, transaction(connection):
            if not made:
                quality.tidy(connection)
            elif read_meta(connection).get("built_at") == meta.get("built_at"):
                quality.store(connection, made, new, int(meta.get("generation", 0)))
        return bool(made)

    def _hold(self, scope: IndexScope) -> AbstractContextManager[None]:
        name = self._places.lock_name(scope)
        return self._lock(name, f"the index of {one_line(scope.agent.id)}")

    def _write(self, run: Run, pending: Pending, *, must_build: bool) -> SyncReport:
        from memconsole.adapters.index import build  # noqa: PLC0415  # searching alone needs none of it

        path, settings = self.path(run.scope), run.settings
        work = build.IndexRun(
            path,
            run,
            static_of(settings),
            remote_of(settings, is_patient=True),
            self._now(),
            self._recipe(settings),
        )
        state_dir = self._places.folder.parent
        with _writes(path):
            require_state_folder(state_dir, *path.parent.relative_to(state_dir).parts)
            done = build.rebuild(work) if must_build else build.update(work, pending)
        return done._replace(status=self.status(run.scope, settings))

    @contextmanager
    def open(
        self, scope: IndexScope, settings: SearchSettings, cancel: Stop | None = None
    ) -> Iterator[IndexReader]:
        """Open an index for one search."""
        path = self.path(scope)
        with reading(path) as connection, problems(path):
            if not self._chooser.is_long_running:
                # Pages in place: SQLite compares all vectors. With them in memory it would only
                # make closing slower.
                connection.execute(f"PRAGMA mmap_size = {_MAP_BYTES}")
            if cancel is not None:
                connection.set_progress_handler(cancel.is_set, _STEPS)
            connection.execute("BEGIN")
            meta = _meta(connection, scope, path)
            with self._chooser.means(connection, meta, path, settings) as (means, because):
                status = self._status(meta, path, means, because)
                yield IndexReader(connection, path, meta, status, means)

    @contextmanager
    def outgoing(self, scope: IndexScope) -> Iterator[OutgoingIndex]:
        """Open an index for publishing."""
        from memconsole.adapters.index.published import OutgoingIndex  # noqa: PLC0415 - few publish

        path = self.path(scope)
        with reading(path) as connection, problems(path):
            connection.execute("BEGIN")
            yield OutgoingIndex(connection, _meta(connection, scope, path))

    def _status(
        self, meta: dict[str, str], path: Path, means: SearchBackend, because: str
    ) -> IndexStatus:
        updated = meta.get("updated_at")
        return IndexStatus(
            IndexState.FRESH,
            chunks=int(meta.get("chunks", 0)),
            provider=_provider(meta, means),
            has_vectors=means.way is not Vectors.NONE,
            updated_at=None if updated is None else datetime.fromisoformat(updated),
            because=because,
            way=means.way,
            files=int(meta.get("files", 0)),
            size_bytes=path.stat().st_size,
            lacking=means.lacking,
        )

    def _compare(
        self,
        connection: Connection,
        scope: IndexScope,
        documents: Sequence[Document],
        settings: SearchSettings,
    ) -> Pending:
        meta = read_meta(connection)
        if not self._is_usable(meta, scope, settings):
            return Pending(tuple(documents), must_build=True, because="its settings have changed")
        found = connection.execute("SELECT path, stamp, size FROM files").fetchall()
        sizes = {str(path): size for path, _, size in found}
        known = {str(path): stamp for path, stamp, _ in found}
        changed = tuple(
            one for one in documents if known.pop(one.path, None) != one.stamp and not one.unread
        )
        for place in (f"{one.path.rstrip('/')}/" for one in documents if one.unread):
            known = {path: at for path, at in known.items() if not path.startswith(place)}
        grown = sum(max(0, one.size_bytes - int(sizes.get(one.path) or 0)) for one in changed)
        lacking = int(meta.get("unembedded", 0))
        number = len(changed) + len(known)
        verb = "document has" if number == 1 else "documents have"
        because = f"{number:,} {verb} changed" if number else ""
        return Pending(changed, tuple(sorted(known)), lacking, because=because, grown_bytes=grown)

    def _is_usable(self, meta: dict[str, str], scope: IndexScope, settings: SearchSettings) -> bool:
        is_of_scope = meta.get("root") == root_text(scope.root)
        return is_of_scope and meta.get("recipe") == self._recipe(settings)

    def _recipe(self, settings: SearchSettings) -> str:
        try:
            model = model_of(settings, static_of(settings))
        except IndexUnavailableError:
            model = "static"
        return recipe(settings, model, redact=self._redact)


def _provider(meta: dict[str, str], means: SearchBackend) -> str:
    """Return what answers: the better model stands beside the built-in one, or does not."""
    provider = meta.get("provider", "none")
    if means.has_quality:
        return "quality"
    return "static" if provider == "quality" else provider


def _meta(connection: Connection, scope: IndexScope, path: Path) -> dict[str, str]:
    """Return what an index says about itself."""
    meta = read_meta(connection)
    if meta.get("root") != root_text(scope.root):
        raise IndexProblemError(path, "is of another workspace", is_lasting=True)
    return meta


@contextmanager
def _writes(path: Path) -> Iterator[None]:
    """Turn what the disk says into a sentence."""
    try:
        with problems(path):
            yield
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.filename is None:
            raise
        raise IndexUnavailableError(
            one_line(f"the index {path} cannot be written: {error.strerror or error}"),
            hint="Check owner, mode and free space of the state folder (state.dir).",
        ) from error
