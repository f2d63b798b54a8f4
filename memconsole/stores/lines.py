"""Whole lines of a transcript file, forward or newest first, with bounded memory (A5)."""

from __future__ import annotations

import io
import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import zstandard

from memconsole.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BLOCK = 64 * 1024


@dataclass(frozen=True, slots=True)
class RawLine:
    """One line as it lies in the file.

    Attributes:
        data: The bytes without line end, byte order mark and surrounding blanks.
        offset: Where the line begins in the (unpacked) file.
        is_complete: False for a last line that has no line end yet.
        size: Bytes of the line in the file, with its end.
    """

    data: bytes
    offset: int
    is_complete: bool
    size: int


class _Source(Protocol):
    size: int

    def read_at(self, offset: int, count: int) -> bytes:
        """Return up to `count` bytes from `offset`; fewer when the source has shrunk."""


def lines_backward(path: Path, limit_bytes: int) -> Iterator[RawLine]:
    """Yield the lines of a file newest first, until `limit_bytes` were passed.

    Blank lines are left out.

    Raises:
        StoreError: The file cannot be opened, or is no regular file.
    """
    with _open_file(path) as source:
        yield from _backward(source, limit_bytes)


def lines_forward(path: Path) -> Iterator[RawLine]:
    """Yield the lines of a file in stored order; errors as `lines_backward`."""
    with _open_file(path) as source:
        yield from _forward(source)


def packed_lines_backward(path: Path, limit_bytes: int) -> Iterator[RawLine]:
    """Like `lines_backward`, for a zstd-packed file; offsets are of the unpacked text."""
    with _open_packed(path) as source:
        yield from _backward(source, limit_bytes)


def packed_lines_forward(path: Path) -> Iterator[RawLine]:
    """Like `lines_forward`, for a zstd-packed file; offsets are of the unpacked text."""
    with _open_packed(path) as source:
        yield from _forward(source)


class _FileSource:
    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self.size = size

    def read_at(self, offset: int, count: int) -> bytes:
        return os.pread(self._descriptor, count, offset)


class _MemorySource:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read_at(self, offset: int, count: int) -> bytes:
        return self._data[offset : offset + count]


@contextmanager
def _open_file(path: Path) -> Iterator[_Source]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}") from error
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise StoreError(f"{path} is not a regular file")
        yield _FileSource(descriptor, info.st_size)
    finally:
        os.close(descriptor)


@contextmanager
def _open_packed(path: Path) -> Iterator[_Source]:
    with _open_file(path) as source:
        packed = source.read_at(0, source.size)
    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)) as reader:
            data = reader.read()
    except zstandard.ZstdError as error:
        raise StoreError(f"{path} cannot be unpacked: {error}") from error
    yield _MemorySource(data)


def _backward(source: _Source, limit_bytes: int) -> Iterator[RawLine]:
    end = source.size
    rest = b""
    floor = max(0, end - limit_bytes)
    is_complete = False
    first = True
    while end > floor:
        start = max(0, end - _BLOCK)
        block = source.read_at(start, end - start)
        if len(block) < end - start:
            return
        pieces = (block + rest).split(b"\n")
        offset = start + len(block) + len(rest)
        if first:
            is_complete = False
            first = False
        for piece in reversed(pieces[1:]):
            offset -= len(piece)
            line = _line(piece, offset, is_complete=is_complete)
            is_complete = True
            offset -= 1
            if line is not None:
                yield line
        rest = pieces[0]
        end = start
    if end == 0:
        line = _line(rest, 0, is_complete=is_complete)
        if line is not None:
            yield line


def _forward(source: _Source) -> Iterator[RawLine]:
    offset = 0
    rest = b""
    position = 0
    while position < source.size:
        block = source.read_at(position, min(_BLOCK, source.size - position))
        if not block:
            break
        position += len(block)
        pieces = (rest + block).split(b"\n")
        for piece in pieces[:-1]:
            line = _line(piece, offset, is_complete=True)
            offset += len(piece) + 1
            if line is not None:
                yield line
        rest = pieces[-1]
    line = _line(rest, offset, is_complete=False)
    if line is not None:
        yield line


def _line(piece: bytes, offset: int, *, is_complete: bool) -> RawLine | None:
    data = piece.removeprefix(b"\xef\xbb\xbf") if offset == 0 else piece
    data = data.strip(b" \t\r\0")
    if not data:
        return None
    return RawLine(data, offset, is_complete, len(piece) + is_complete)
