"""Databases of our own: opened for writing."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.choice import connect
from memconsole.system.folders import adopt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection


CACHE_SIZE = -512
"""KiB of pages that a connection to a database of ours keeps: some are open for months."""


@contextmanager
def open_own(path: Path) -> Iterator[Connection]:
    """Open a database of ours for writing, creating it when it is missing.

    Write-ahead log, foreign keys on, a busy timeout of 2 s. The file is 0600 from its first byte,
    and so are its log and its shared memory, which take the mode of the file.

    Raises:
        Exception: `library().error`, or OSError when the file cannot be created.
    """
    if (kept := _kept(path)) is not None:
        yield kept
        return
    _require_no_link(path)
    # Only a file that is not there yet is touched: closing a descriptor of an open database would
    # drop the locks of other threads.
    with suppress(FileExistsError):
        make_file(path)
    with closing(connect(path, "mode=rw")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = {CACHE_SIZE}")
        yield connection


@contextmanager
def keep_own(path: Path) -> Iterator[None]:
    """Let this thread open a database of ours again and again at no cost, for the block.

    Whoever closes it last has to put its log away, which waits for the disk: 17 ms for a small
    write instead of one, measured. A file that takes its place is opened as ever.

    Raises:
        Exception: As `open_own`.
    """
    if path in _thread.kept:
        yield
        return
    with open_own(path) as connection:
        _thread.kept[path] = connection, path.stat().st_ino
        try:
            yield
        finally:
            del _thread.kept[path]


class _Thread(threading.local):
    def __init__(self) -> None:
        self.kept: dict[Path, tuple[Connection, int]] = {}


_thread = _Thread()


def _kept(path: Path) -> Connection | None:
    """Return what this thread keeps open, if it still is that file and nobody is at it."""
    connection, inode = _thread.kept.get(path, (None, 0))
    if connection is None or connection.in_transaction:
        return None
    try:
        return connection if path.stat().st_ino == inode else None
    except OSError:
        return None


@contextmanager
def open_single(path: Path, *, is_read_only: bool = False) -> Iterator[Connection]:
    """Open a database of ours that is one file and may be replaced by another one whole.

    It keeps a rollback journal, because a write-ahead log beside it would outlive the replacement.
    A file that is missing is not made when it is only read.

    Raises:
        Exception: `library().error`, or OSError when the file cannot be created.
    """
    if not is_read_only:
        _require_no_link(path)
        with suppress(FileExistsError):
            make_file(path)
    with closing(connect(path, "mode=ro" if is_read_only else "mode=rw")) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection


def make_file(path: Path) -> None:
    """Make an empty file for a database, 0600, owned like its folder when root makes it.

    Raises:
        FileExistsError: It is there.
        OSError: It cannot be made.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        adopt(descriptor, path.parent.stat())
    finally:
        os.close(descriptor)


def _require_no_link(path: Path) -> None:
    """Refuse a link in the place of a database of ours: SQLite would write what it names."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a symbolic link", str(path))


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Hold the write lock for the block; an exception rolls it back."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
