"""Databases as a reader finds them, and what lies in a folder before and after."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.own import open_own

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase


def make_database(folder: Path) -> Path:
    """Make a cleanly closed database in WAL mode with one row, alone in its folder."""
    folder.mkdir()
    path = folder / "agent.sqlite"
    with open_own(path) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (1)")
    return path


def everything(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Return all files with mode, mtime and content; the content of a `-shm` does not count."""
    found = {}
    for path in folder.rglob("*"):
        info = path.stat()
        if path.name.endswith("-shm") or path.is_dir():
            found[str(path)] = (info.st_mode, 0, "")
        else:
            found[str(path)] = (
                info.st_mode,
                info.st_mtime_ns,
                sha256(path.read_bytes()).hexdigest(),
            )
    return found


def count(database: ReadOnlyDatabase) -> int:
    row = database.first("SELECT count(*) FROM t")
    assert row is not None
    assert isinstance(row[0], int)
    return row[0]


@contextmanager
def writer(path: Path) -> Iterator[Connection]:
    """Another connection that stays open; in our process, as only one library is in it."""
    with open_own(path) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        yield connection


def run_elsewhere(code: str, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode in {0, -9}, done.stderr


LEAVE_A_LOG = """
import os, signal, sys
from pathlib import Path
from memconsole.adapters import sqlite
with sqlite.open_own(Path(sys.argv[1])) as connection:
    connection.execute("INSERT INTO t VALUES (2)")
    os.kill(os.getpid(), signal.SIGKILL)
"""
