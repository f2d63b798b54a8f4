"""Bytes of a transcript that can be read from any place: plain files, packed files, blobs."""

from __future__ import annotations

import errno
import functools
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from memconsole.errors import StoreError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    import tempfile
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_BLOCK_BYTES = 512
"""What `st_blocks` counts in."""

_STEP = 1024 * 1024
_IN_MEMORY = 16 * 1024 * 1024
_PACKED_STEP = 64 * 1024
_LONGEST_WINDOW = 1 << 27
_GZIP = b"\x1f\x8b"

MAX_READ_BYTES = 2 * 1024 * 1024 * 1024
"""A transcript that holds or unpacks to more is not read from end to end: it may be a bomb."""


class Source(Protocol):
    """Bytes at places.

    Attributes:
        size: Bytes when it was opened; what is added later is not read.
    """

    size: int

    def read_at(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from `offset`; fewer when the source has shrunk since."""

    def parts(self) -> Sequence[tuple[int, int]]:
        """Return begin and end of the parts that hold data; between them are holes."""


class _Descriptor:
    def __init__(self, descriptor: int, info: os.stat_result) -> None:
        self._descriptor = descriptor
        self._has_holes = info.st_blocks * _BLOCK_BYTES < info.st_size
        self.size = info.st_size

    def parts(self) -> Sequence[tuple[int, int]]:
        if not self._has_holes:
            return ((0, self.size),)
        found: list[tuple[int, int]] = []
        end = 0
        while end < self.size:
            try:
                begin = os.lseek(self._descriptor, end, os.SEEK_DATA)
                end = os.lseek(self._descriptor, begin, os.SEEK_HOLE)
            except OSError as error:
                if error.errno == errno.ENXIO:  # nothing but a hole from there on
                    break
                return ((0, self.size),)  # a file system that tells of none
            found.append((begin, min(end, self.size)))
        return found

    def read_at(self, offset: int, count: int) -> bytes:
        return os.pread(self._descriptor, count, offset)


class _Blob:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def parts(self) -> Sequence[tuple[int, int]]:
        return ((0, self.size),)

    def read_at(self, offset: int, count: int) -> bytes:
        return self._data[offset : offset + count]


class _Spool:
    def __init__(self, spool: tempfile.SpooledTemporaryFile[bytes], size: int) -> None:
        self._spool = spool
        self.size = size

    def parts(self) -> Sequence[tuple[int, int]]:
        return ((0, self.size),)

    def read_at(self, offset: int, count: int) -> bytes:
        self._spool.seek(offset)
        return self._spool.read(count)


@contextmanager
def open_file(path: Path) -> Iterator[Source]:
    """Open a regular file; a pipe or a device is refused and never waited for.

    Raises:
        StoreError: It cannot be opened or read, or is no regular file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        raise _cannot("opened", path, error) from error
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise StoreError(f"the transcript {one_line(str(path))} is not a regular file")
        yield _Descriptor(descriptor, info)
    except OSError as error:
        raise _cannot("read", path, error) from error
    finally:
        os.close(descriptor)


@contextmanager
def open_packed(path: Path) -> Iterator[Source]:
    """Open a file unpacked that zstd or gzip packed; a big one goes to an unnamed file of ours.

    Raises:
        StoreError: It cannot be opened, read or unpacked, or unpacks to too much.
    """
    with open_file(path) as packed, _unpacked(packed, one_line(str(path))) as source:
        yield source


@contextmanager
def open_blob(data: bytes, *, is_packed: bool, name: str) -> Iterator[Source]:
    """Open bytes that come from elsewhere, such as an archive inside a database.

    Args:
        data: The bytes.
        is_packed: They are packed with zstd.
        name: What to call them in an error.

    Raises:
        StoreError: They cannot be unpacked, or unpack to too much.
    """
    if not is_packed:
        yield _Blob(data)
        return
    with _unpacked(_Blob(data), name) as source:
        yield source


@contextmanager
def _unpacked(packed: Source, name: str) -> Iterator[Source]:
    from memconsole.adapters.transcripts.packing import (  # noqa: PLC0415
        PACK_ERRORS,
        unpacked_gzip,
        unpacked_pieces,
    )

    read = functools.partial(next, _steps(packed), b"")
    if packed.read_at(0, len(_GZIP)) == _GZIP:
        pieces = unpacked_gzip(read, _STEP)
    else:
        pieces = unpacked_pieces(read, _STEP, window_bytes=_LONGEST_WINDOW)
    import tempfile  # noqa: PLC0415 - it loads three compressors, for what few homes hold

    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        size = 0
        try:
            for piece in pieces:
                size += len(piece)
                if size > MAX_READ_BYTES:
                    raise StoreError(f"{name} unpacks to more than {MAX_READ_BYTES} bytes")
                spool.write(piece)
        except (*PACK_ERRORS, MemoryError) as error:
            raise StoreError(f"{name} cannot be unpacked: {error}") from error
        yield _Spool(spool, size)


def _steps(source: Source) -> Iterator[bytes]:
    """Yield the bytes of a source; short steps, since what follows a frame is copied."""
    for offset in range(0, source.size, _PACKED_STEP):
        yield source.read_at(offset, min(_PACKED_STEP, source.size - offset))


def _cannot(verb: str, path: Path, error: OSError) -> StoreError:
    reason = error.strerror or "no reason given"
    return StoreError(f"{one_line(str(path))} cannot be {verb}: {reason}")  # stores come here too
