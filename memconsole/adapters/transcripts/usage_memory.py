"""Ends of transcripts as they were read last, kept in the state folder (port `UsageMemory`).

A home of thousands of sessions would have thousands of transcripts read by every `status`. What
did not change since then reads the same: device, inode, size and both times of change say so, on
the host that they are of. It holds counts and times, and no words; losing it costs time alone.
"""

from __future__ import annotations

import hashlib
import logging
import os
import socket
import stat
import time
from datetime import datetime  # noqa: TC003 - msgspec reads the annotations
from typing import TYPE_CHECKING

import msgspec

from memconsole import __version__
from memconsole.domain.transcripts.records import Tail, TranscriptCounts, Turn
from memconsole.system.atomic_file import replace_file
from memconsole.system.folders import open_state_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memconsole.domain.transcripts.records import UsageMark

logger = logging.getLogger(__name__)

FOLDER = "usages"
_FORMAT = 2
_MOST_BYTES = 64 * 1024 * 1024
_SAME_TICK_NS = 2_000_000_000
"""Two writes within one tick of a file system's clock have one time."""


class _Row(msgspec.Struct, array_like=True):
    path: str
    session_id: str
    wanted: int
    stamp: tuple[int, ...]
    usage_tokens: int | None
    points: tuple[tuple[datetime, int], ...]
    spoke_at: datetime | None
    is_whole: bool
    has_gap: bool
    read_bytes: int
    counts: tuple[int, ...]
    turn: str | None


class _File(msgspec.Struct, array_like=True):
    maker: str
    rows: list[_Row]


_DECODER = msgspec.msgpack.Decoder(_File)


class DiskUsages:
    """Answers `ports.UsageMemory`.

    Args:
        state_dir: The state folder; it is not made for this.
        is_read_only: Nothing is written.
    """

    def __init__(self, state_dir: Path, *, is_read_only: bool = False) -> None:
        self._state_dir = state_dir
        self._is_read_only = is_read_only
        self._began_ns = time.time_ns()

    def load(self, home: str) -> Mapping[UsageMark, Tail]:
        """Return what is remembered of a home; nothing where it cannot be read."""
        self._began_ns = time.time_ns()
        try:
            found = _DECODER.decode(_own_bytes(self._path(home)))
        except (OSError, ValueError, RecursionError):
            return {}
        if found.maker != _maker(home):
            return {}
        return {(row.path, row.session_id, row.wanted, row.stamp): _tail(row) for row in found.rows}

    def store(self, home: str, tails: Mapping[UsageMark, Tail]) -> None:
        """Remember the ends of a home's transcripts in place of what was remembered."""
        if self._is_read_only or not self._state_dir.is_dir():
            return
        latest = self._began_ns - _SAME_TICK_NS
        rows = [
            _row(mark, tail)
            for mark, tail in tails.items()
            if _is_plain(tail) and max(mark[3]) <= latest
        ]
        data = msgspec.msgpack.encode(_File(_maker(home), rows))
        try:
            with open_state_folder(self._state_dir, FOLDER) as folder:
                replace_file(folder, self._path(home).name, data)
        except OSError as error:
            logger.info("ends of transcripts are not remembered: %s", error)

    def _path(self, home: str) -> Path:
        name = hashlib.blake2b(os.fsencode(home), digest_size=16).hexdigest()
        return self._state_dir / FOLDER / f"{name}.bin"


def _maker(home: str) -> str:
    return f"{_FORMAT} {__version__} {socket.gethostname()} {home}"


def _own_bytes(path: Path) -> bytes:
    """Return a file that only we can have written.

    Raises:
        OSError: There is none, or it is somebody else's.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        is_ours = stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid()
        if not is_ours or info.st_mode & 0o022 or info.st_size > _MOST_BYTES:
            raise PermissionError(f"{path} is not a file of ours")
        return file.read()


def _is_plain(tail: Tail) -> bool:
    """Whether it holds no words, and nothing that depends on the moment of its reading."""
    is_timeless = not tail.counts.future and not tail.counts.in_progress
    return is_timeless and not tail.messages and tail.last_compaction is None


_COUNTS = tuple(TranscriptCounts.__dataclass_fields__)


def _row(mark: UsageMark, tail: Tail) -> _Row:
    path, session_id, wanted, stamp = mark
    return _Row(
        path,
        session_id,
        wanted,
        stamp,
        tail.usage_tokens,
        tail.usage_points,
        tail.spoke_at,
        tail.is_whole,
        tail.has_gap,
        tail.read_bytes,
        tuple(getattr(tail.counts, name) for name in _COUNTS),
        tail.turn,
    )


def _tail(row: _Row) -> Tail:
    return Tail(
        counts=TranscriptCounts(*row.counts),
        is_whole=row.is_whole,
        has_gap=row.has_gap,
        read_bytes=row.read_bytes,
        usage_tokens=row.usage_tokens,
        usage_points=row.points,
        spoke_at=row.spoke_at,
        turn=None if row.turn is None else Turn(row.turn),
    )
