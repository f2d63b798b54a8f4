"""Finds the platform's own search indexes: own databases up to 2026.3, tables since 2026.7."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, TypeVar

from memconsole.adapters.platform_index.database import NEW, OLD, Place, SqlitePlatformIndex
from memconsole.adapters.sqlite.read_only import read_platform
from memconsole.adapters.workspace.pool_text import read_bytes
from memconsole.domain.agents import Storage
from memconsole.domain.platform_search.index import text_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.adapters.sqlite.ways import Copies
    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.platform_search.index import IndexedFile

T = TypeVar("T")

_SAME_MS: Final = 1.0
_LEFT: Final = (".tmp-", ".backup-")


class PlatformIndexFiles:
    """Answers `PlatformIndexes`; reads, and leaves nothing behind.

    Args:
        copies: For a database that cannot be read in place.
    """

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    def read(
        self, agent: Agent, home: Home, reading: Callable[[SqlitePlatformIndex], T]
    ) -> T | None:
        """Run one reading of an agent's index; None when it has none.

        Raises:
            StoreError: There is one, and it cannot be read.
        """
        era = agent.era.memory_index
        if era is Storage.NONE:
            return None
        is_old = era is Storage.FILES
        path = home.path / "memory" / f"{agent.id}.sqlite" if is_old else agent.database
        version = home.config.last_version

        def read(database: ReadOnlyDatabase) -> T:
            return reading(
                SqlitePlatformIndex(database, OLD if is_old else NEW, _place(path), version)
            )

        return read_platform(path, read, self._copies)

    def hashes(
        self, workspace: Path, paths: Iterable[str], known: Iterable[IndexedFile] = ()
    ) -> Mapping[str, str]:
        """Return the platform's hash of each file that is there; what lies outside is left out."""
        indexed = {one.path: one for one in known}
        found = {}
        for path in paths:
            parts = PurePosixPath(path)
            if parts.is_absolute() or ".." in parts.parts or "\0" in path:
                continue
            with suppress(OSError):
                found[path] = _hash(workspace / path, indexed.get(path))
        return found


def _hash(path: Path, known: IndexedFile | None) -> str:
    """Return the hash of a file, without a look into it when it is as it was indexed.

    Raises:
        OSError: It is not there, or cannot be read.
    """
    status = path.lstat()
    if (
        known is not None
        and known.modified_ms is not None
        and known.size_bytes == status.st_size
        and abs(known.modified_ms - status.st_mtime_ns / 1e6) < _SAME_MS
    ):
        return known.hash
    return text_hash(read_bytes(str(path)))


def _place(path: Path) -> Place:
    """Return where an index is, with the files that a rebuild left beside it."""
    try:
        names = os.listdir(path.parent)  # noqa: PTH208  # names are all that is wanted
    except OSError:
        return Place(path)
    ours = (name for name in names if name.startswith(tuple(path.name + one for one in _LEFT)))
    return Place(path, tuple(sorted(ours)))
