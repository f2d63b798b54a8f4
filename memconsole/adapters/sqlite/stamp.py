"""The state of a database's files, told without opening them."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from memconsole.errors import StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from pathlib import Path

FileStamp: TypeAlias = tuple[int, int, int, int]
"""(inode, size in bytes, mtime in ns, ctime in ns)."""


_SAME_TICK_NS = 20_000_000
"""File times move in steps of some milliseconds: a later write may leave them as they are."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a database's files from another, without opening them.

    Attributes:
        wal: None when there is no write-ahead log; an empty one is none.
        journal: The same for a rollback journal.
        has_shm: There is shared memory with content.
        is_settled: It was not written just now, so that a further write would show in its time.
    """

    main: FileStamp
    wal: FileStamp | None
    journal: FileStamp | None
    has_shm: bool
    is_settled: bool = field(default=True, compare=False)

    @property
    def size_bytes(self) -> int:
        """Bytes of the database and its log."""
        return sum(part[1] for part in (self.main, self.wal, self.journal) if part is not None)


def stamp_of(path: Path) -> Stamp:
    """Return the present state of a database's files; opens none of them.

    Raises:
        StoreError: It does not exist, is no regular file, is empty, or may not be seen.
    """
    now = time.time_ns()
    try:
        info = path.stat()
    except OSError as error:
        raise StoreError(one_line(f"{path} cannot be read: {error.strerror}")) from error
    if not stat.S_ISREG(info.st_mode):
        raise StoreError(one_line(f"{path} is not a regular file"))
    if info.st_size == 0:
        raise StoreError(one_line(f"{path} is empty (0 bytes)"))
    return Stamp(
        main=_file_stamp(info),
        wal=_beside(path, "-wal"),
        journal=_beside(path, "-journal"),
        has_shm=_beside(path, "-shm") is not None,
        is_settled=not 0 <= now - info.st_mtime_ns < _SAME_TICK_NS,
    )


def _beside(path: Path, suffix: str) -> FileStamp | None:
    try:
        info = os.stat(f"{path}{suffix}")  # noqa: PTH116 - the suffix is no path part
    except OSError:
        return None
    return _file_stamp(info) if info.st_size > 0 else None


def _file_stamp(info: os.stat_result) -> FileStamp:
    return (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
