"""Where index files are, how they are opened, and what SQLite can do with vectors."""

from __future__ import annotations

import functools
import importlib.util
import os
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from memconsole.adapters.index.schema import SCHEMA, read_meta, root_text
from memconsole.adapters.sqlite.choice import library
from memconsole.adapters.sqlite.own import open_single
from memconsole.domain.search.indexing import Source
from memconsole.errors import IndexUnavailableError, SearchCancelledError
from memconsole.system.folders import is_gone
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.domain.search.indexing import IndexScope

_SUFFIX: Final = ".sqlite"
_BUSY: Final = (5, 6)
_HINT: Final = "Deleting the file is safe: `memconsole reindex` makes it anew."
_LONGEST_NAME: Final = 100


class Places:
    """Names the index file of every scope.

    Two homes may have an agent of the same name. Only the usual home takes the plain name: whoever
    came first would else be found out by two builds at one time, under one lock.

    Args:
        folder: `index/` of our state folder; may not exist.
        usual: The home whose files carry no mark; None where there is one home only.
    """

    def __init__(self, folder: Path, usual: Path | None) -> None:
        self.folder = folder
        self._usual = None if usual is None else str(usual)
        self._roots: dict[Path, tuple[tuple[int, int], str | None]] = {}

    def path(self, scope: IndexScope) -> Path:
        """Return the file of an index, whether it exists or not.

        Raises:
            IndexUnavailableError: Its folder may not be looked into.
        """
        folder = self.folder / "sessions" if scope.source is Source.SESSIONS else self.folder
        name = quote(scope.agent.id, safe=" @+,") or "_"
        if len(name) > _LONGEST_NAME or name.startswith("."):
            name = f"{name[:40].lstrip('.')}-{_digest(name)}"
        plain = folder / f"{name}{_SUFFIX}"
        try:
            return self._own(scope, folder, name, plain)
        except OSError as error:
            reason = (error.strerror or "no reason given").lower()
            raise IndexUnavailableError(
                f"{plain} cannot be looked at: {reason}",
                hint="Check owner and mode of the state folder.",
            ) from error

    def _own(self, scope: IndexScope, folder: Path, name: str, plain: Path) -> Path:
        is_there, is_usual = plain.exists(), self._usual in (None, scope.agent.home.path)
        root = self._root_of(plain) if is_there else None
        if root == root_text(scope.root) or (is_usual and is_there and root is None):
            return plain
        if is_usual and not is_there and not folder.exists():
            return plain  # a search of a home without session index needs no digest
        marked = folder / f"{name}-{_digest(str(scope.root))}{_SUFFIX}"
        return plain if is_usual and not is_there and not marked.exists() else marked

    def _root_of(self, path: Path) -> str | None:
        """Return what an index is of; it is opened again only when the file has changed."""
        status = path.stat()
        state = (status.st_ino, status.st_ctime_ns)
        known = self._roots.get(path)
        if known is None or known[0] != state:
            known = self._roots[path] = (state, _root_of(path))
        return known[1]

    def gone(self) -> list[Path]:
        """Return the indexes of folders that are not there any more."""
        return [path for path, root in self._found() if is_gone(root)]

    def former(self, scope: IndexScope) -> list[Path]:
        """Return the indexes of the same folder that have the name of another agent.

        Raises:
            IndexUnavailableError: Its folder may not be looked into.
        """
        own, root = self.path(scope), root_text(scope.root)
        return [path for path, of in self._found() if of == root and path != own]

    def _found(self) -> Iterator[tuple[Path, str]]:
        for path in (*self.folder.glob(f"*{_SUFFIX}"), *self.folder.glob(f"sessions/*{_SUFFIX}")):
            if (root := _root_of(path)) is not None:
                yield path, root

    def lock_name(self, scope: IndexScope) -> str:
        """Return a name for the lock of an index."""
        return lock_name(self.path(scope))


class IndexProblemError(IndexUnavailableError):
    """One index file cannot be used as it is.

    Attributes:
        is_lasting: Only a new file helps; otherwise waiting may.
    """

    def __init__(self, path: Path, reason: str, *, is_lasting: bool) -> None:
        super().__init__(one_line(f"{path} {reason}"), hint=_HINT if is_lasting else "Try again.")
        self.is_lasting = is_lasting
        self.reason = reason


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """Open an index for reading.

    Raises:
        FileNotFoundError: There is none.
        IndexProblemError: It cannot be read, and why.
    """
    if path.stat().st_size == 0:
        raise IndexProblemError(path, "is empty (0 bytes)", is_lasting=True)
    with ExitStack() as stack, problems(path):
        try:
            connection = stack.enter_context(_known(path))
        except IndexProblemError:
            if not journal_of(path).exists():
                raise
            settle(path)
            connection = stack.enter_context(_known(path))
        yield connection


@contextmanager
def _known(path: Path) -> Iterator[Connection]:
    with problems(path), open_single(path, is_read_only=True) as connection:
        _require_known(connection, path)
        yield connection


def journal_of(path: Path) -> Path:
    """Return where SQLite keeps what a writer may have to take back."""
    return path.with_name(f"{path.name}-journal")


def settle(path: Path) -> None:
    """Let a file take back what a killed writer began: who may only read cannot."""
    with suppress(IndexUnavailableError, OSError), problems(path), open_single(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
        connection.execute("ROLLBACK")


@contextmanager
def writing(path: Path) -> Iterator[Connection]:
    """Open an index for writing; it has to exist; errors as `reading`."""
    if path.stat().st_size == 0:
        raise IndexProblemError(path, "is empty (0 bytes)", is_lasting=True)
    with ExitStack() as stack, problems(path):
        connection = stack.enter_context(open_single(path))
        _require_known(connection, path)
        yield connection


@contextmanager
def problems(path: Path) -> Iterator[None]:
    """Turn what SQLite says into a sentence about the file."""
    try:
        yield
    except library().error as error:
        code = getattr(error, "sqlite_errorcode", None)
        primary = code & 0xFF if isinstance(code, int) else 0
        if primary in _BUSY:
            raise IndexProblemError(
                path, "is in use by another program", is_lasting=False
            ) from error
        if primary == _INTERRUPTED:
            raise SearchCancelledError("the search was ended") from error
        is_lasting = primary in _BROKEN
        raise IndexProblemError(path, f"cannot be used: {error}", is_lasting=is_lasting) from error


_INTERRUPTED: Final = 9
_BROKEN: Final = (1, 11, 26)
"""SQL logic (tables are missing), damaged, no database."""


@functools.cache
def extension() -> str | None:
    """Return the path of sqlite-vec; its own loader would import NumPy."""
    try:
        found = importlib.util.find_spec("sqlite_vec")
    except (ImportError, ValueError):
        return None
    if found is None or not found.submodule_search_locations:
        return None
    return str(Path(found.submodule_search_locations[0]) / "vec0")


def load_vectors(connection: Connection) -> bool:
    """Teach a connection to compare vectors; False when SQLite or the extension cannot."""
    path = extension()
    if path is None or not library().can_load_extensions:
        return False
    try:
        connection.enable_load_extension(True)
        try:
            connection.load_extension(path)
        finally:
            connection.enable_load_extension(False)
    except (library().error, AttributeError):
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Make the names of a folder last."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_known(connection: Connection, path: Path) -> None:
    row = connection.execute("PRAGMA user_version").fetchone()
    version = row[0] if row is not None and isinstance(row[0], int) else 0
    if version != SCHEMA:
        raise IndexProblemError(path, f"has schema {version} instead of {SCHEMA}", is_lasting=True)


def _root_of(path: Path) -> str | None:
    """Return what an index is of; None when it does not say, so that it may be replaced."""
    try:
        with reading(path) as connection:
            return read_meta(connection).get("root")
    except (IndexUnavailableError, OSError):
        return None


def lock_name(path: Path) -> str:
    """Return a name for the lock of an index file."""
    return f"index-{_digest(str(path))}"


def _digest(text: str) -> str:
    import hashlib  # noqa: PLC0415  # a search needs none

    return hashlib.sha256(os.fsencode(text)).hexdigest()[:12]
