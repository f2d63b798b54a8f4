"""Whole lines of a transcript, in stored order or newest first, with bounded memory."""

from __future__ import annotations

import codecs
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.adapters.transcripts.reduce import LineReducer
from memconsole.adapters.transcripts.sources import (
    MAX_READ_BYTES,
    open_blob,
    open_file,
    open_packed,
)
from memconsole.errors import StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import size_words
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    from memconsole.adapters.transcripts.sources import Source

    Check: TypeAlias = Callable[[Source], None]
    """Looks at a source that was opened, and raises when it may not be read."""

_FIRST_BLOCK = 32 * 1024
_LARGEST_BLOCK = 256 * 1024
_LONG_LINE = 256 * 1024
_SEARCH_BLOCK = 1024 * 1024
_BLANKS = b" \t\r"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(slots=True)  # not frozen: made by the thousand, and never handed out
class RawLine:
    """One line as it lies in the file.

    Attributes:
        data: The bytes without line end, byte order mark, and blanks or NULs at the ends. Empty
            for a line that is not kept: NULs only, still being written and giant, or too big. A
            giant line comes without the insides of its long strings
            (`adapters.transcripts.reduce`).
        offset: Where the line begins in the (unpacked) bytes.
        is_complete: False for a last line that has no line end yet.
        size: Bytes of the line, with its end.
    """

    data: bytes
    offset: int
    is_complete: bool
    size: int


def lines_backward(
    path: Path,
    limit_bytes: int,
    *,
    first_block: int | None = None,
    check: Check | None = None,
) -> Iterator[RawLine]:
    """Yield the lines of a file newest first, until `limit_bytes` bytes were passed.

    Blank lines are left out. A line that begins before the limit is still given whole, unless it
    alone is longer than the limit: then it comes without data, as the last one. A file that
    shrinks meanwhile ends the reading.

    Args:
        path: The file.
        limit_bytes: Bytes to pass at most.
        first_block: Bytes to read first, where fewer than usual are likely to be enough.
        check: Looks at the file before anything of it is used.

    Raises:
        StoreError: The file cannot be opened or read, or is no regular file; and what `check`
            raises.
    """
    with open_file(path) as source:
        _passed(source, check)
        yield from _backward(source, limit_bytes, first_block)


def lines_forward(path: Path, *, check: Check | None = None) -> Iterator[RawLine]:
    """Yield the lines of a file in stored order; rules and errors as `lines_backward`.

    A hole of a sparse file is one line without data.

    Raises:
        StoreError: Also when it holds more than 2 GB.
    """
    with open_file(path) as source:
        _passed(source, check)
        _require_bounded(source, path)
        yield from _forward(source)


def packed_lines_backward(
    path: Path, limit_bytes: int, *, check: Check | None = None
) -> Iterator[RawLine]:
    """Like `lines_backward`, for a zstd-packed file; offsets are of the unpacked bytes."""
    with open_packed(path) as source:
        _passed(source, check)
        yield from _backward(source, limit_bytes)


def packed_lines_forward(path: Path, *, check: Check | None = None) -> Iterator[RawLine]:
    """Like `lines_forward`, for a zstd-packed file; offsets are of the unpacked bytes."""
    with open_packed(path) as source:
        _passed(source, check)
        yield from _forward(source)


def blob_lines_backward(
    data: bytes, limit_bytes: int, *, is_packed: bool, name: str
) -> Iterator[RawLine]:
    """Like `lines_backward`, for an archive that a database holds."""
    with open_blob(data, is_packed=is_packed, name=name) as source:
        yield from _backward(source, limit_bytes)


def blob_lines_forward(data: bytes, *, is_packed: bool, name: str) -> Iterator[RawLine]:
    """Like `lines_forward`, for an archive that a database holds."""
    with open_blob(data, is_packed=is_packed, name=name) as source:
        yield from _forward(source)


def file_texts(
    path: Path, *, is_packed: bool, check: Check | None = None
) -> Iterator[tuple[int, str]]:
    """Yield a file as it is, piece by piece, each with the line in which it begins.

    Args:
        path: The file.
        is_packed: With zstd.
        check: As `lines_backward`.

    Raises:
        StoreError: As `lines_forward`.
    """
    with open_packed(path) if is_packed else open_file(path) as source:
        _passed(source, check)
        _require_bounded(source, path)
        yield from texts_of(source)


def texts_of(source: Source) -> Iterator[tuple[int, str]]:
    """Yield what a source holds, piece by piece, each with the line in which it begins."""
    decoder, number = codecs.getincrementaldecoder("utf-8")("replace"), 1
    for begin, end in source.parts():
        for start in range(begin, end, _LARGEST_BLOCK):
            data = source.read_at(start, min(end - start, _LARGEST_BLOCK))
            text = decoder.decode(data)
            yield number, text
            number += text.count("\n")


def _passed(source: Source, check: Check | None) -> None:
    if check is not None:
        check(source)


class _ShrunkError(Exception):
    """The source gave fewer bytes than it had when it was opened."""


def _require_bounded(source: Source, path: Path) -> None:
    held = sum(end - begin for begin, end in source.parts())
    if held > MAX_READ_BYTES:
        raise StoreError(
            f"the transcript {one_line(str(path))} holds {size_words(held)} and is not read from "
            f"end to end: the limit is {size_words(MAX_READ_BYTES)}"
        )


def _backward(
    source: Source, limit_bytes: int, first_block: int | None = None
) -> Iterator[RawLine]:
    last, left = source.size, limit_bytes
    try:
        for begin, end in reversed(source.parts()):
            if end < last:
                yield _hole(end, last)
            yield from _lines_of_part_backward(source, begin, end, left, first_block)
            last, left = begin, left - (end - begin)
            if left <= 0:
                return
        if last > 0:
            yield _hole(0, last)
    except _ShrunkError:
        return


def _forward(source: Source) -> Iterator[RawLine]:
    try:
        yield from _whole_lines_forward(source)
    except _ShrunkError:
        return


def _lines_of_part_backward(
    source: Source, begin: int, end: int, limit_bytes: int, first_block: int | None
) -> Iterator[RawLine]:
    found = _whole_lines_backward(source, begin, end, limit_bytes, first_block or _FIRST_BLOCK)
    is_cut = end < source.size
    for line in found:
        if line.is_complete or not is_cut:
            yield line
        elif line.data:
            yield replace(line, is_complete=True)


def _whole_lines_backward(
    source: Source, first: int, end: int, limit_bytes: int, block: int
) -> Iterator[RawLine]:
    # `rest` holds the bytes from `position` to `end`: the end of a line not yet read to its begin.
    position = end
    floor = max(first, end - limit_bytes)
    rest = b""
    has_end = False
    while position > first and end + has_end > floor:
        start = max(first, position - block)
        pieces = (_read(source, start, position) + rest).split(b"\n")
        position, rest = start, pieces[0]
        block = min(2 * block, _LARGEST_BLOCK)
        for piece in reversed(pieces[1:]):
            begin = end - len(piece)
            if line := _line(piece, begin, has_end=has_end):
                yield line
            end, has_end = begin - 1, True
            if begin <= floor:
                return
        if len(rest) > _LONG_LINE:
            lowest = max(first, end - limit_bytes)
            begin = _line_start(source, position, lowest)
            if begin == lowest > first:
                yield RawLine(b"", lowest, has_end, end - lowest + has_end)
                return
            yield _giant(source, begin, end, has_end=has_end)
            end, has_end = begin - 1, True
            position, rest = max(first, end), b""
    is_first = position == first and end + has_end > floor
    if is_first and (line := _line(rest, first, has_end=has_end)):
        yield line


def _whole_lines_forward(source: Source) -> Iterator[RawLine]:
    last = 0
    for begin, end in source.parts():
        if begin > last:
            yield _hole(last, begin)
        yield from _lines_of_part(source, begin, end)
        last = end
    if last < source.size:
        yield _hole(last, source.size)


def _hole(begin: int, end: int) -> RawLine:
    """Return what stands for bytes that were never written: a line that holds nothing."""
    return RawLine(b"", begin, is_complete=True, size=end - begin)


def _lines_of_part(source: Source, begin: int, size: int) -> Iterator[RawLine]:
    """Yield the lines from one place to another; a line without its end is complete at a hole."""
    position = begin
    is_cut = size < source.size
    rest = b""
    while position < size:
        stop = min(size, position + _LARGEST_BLOCK)
        pieces = (rest + _read(source, position, stop)).split(b"\n")
        position, rest = stop, pieces[-1]
        for piece in pieces[:-1]:
            if line := _line(piece, begin, has_end=True):
                yield line
            begin += len(piece) + 1
        if len(rest) > _LONG_LINE:
            end = _line_end(source, position, size)
            yield _giant(source, begin, end, has_end=end < size or is_cut)
            begin = position = end + 1
            rest = b""
    is_filled_up = is_cut and not rest.strip(b"\0")  # a block ends where its file system says
    if not is_filled_up and (line := _line(rest, begin, has_end=is_cut)):
        yield line


def _line_start(source: Source, position: int, lowest: int) -> int:
    """Return where the line that covers `position` begins; `lowest` when that is further back."""
    while position > lowest:
        start = max(lowest, position - _SEARCH_BLOCK)
        found = _read(source, start, position).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        position = start
    return lowest


def _line_end(source: Source, position: int, size: int) -> int:
    """Return where the line that covers `position` ends; `size` when it has no end before it."""
    while position < size:
        stop = min(size, position + _SEARCH_BLOCK)
        found = _read(source, position, stop).find(b"\n")
        if found >= 0:
            return position + found
        position = stop
    return size


def _giant(source: Source, begin: int, end: int, *, has_end: bool) -> RawLine:
    stops = range(begin, end, _LARGEST_BLOCK)
    pieces = (_read(source, start, min(end, start + _LARGEST_BLOCK)) for start in stops)
    data = _reduced(pieces) if has_end else b""
    return RawLine(data, begin, has_end, end - begin + has_end)


def _line(piece: bytes, begin: int, *, has_end: bool) -> RawLine | None:
    if not piece.strip(_BLANKS):
        return None
    data = _trimmed(piece)
    if len(piece) > _LONG_LINE:
        data = _reduced((piece,)) if has_end else b""
    return RawLine(data, begin, has_end, len(piece) + has_end)


def _reduced(pieces: Iterable[bytes]) -> bytes:
    reducer = LineReducer()
    for piece in pieces:
        reducer.feed(piece)
    return _trimmed(reducer.line())


def _trimmed(piece: bytes) -> bytes:
    """A crash may leave NULs around a line, a concatenation a byte order mark before it."""
    return piece.strip(_BLANKS + b"\0").removeprefix(_BYTE_ORDER_MARK).lstrip(_BLANKS)


def _read(source: Source, start: int, stop: int) -> bytes:
    data = source.read_at(start, stop - start)
    if len(data) < stop - start:
        raise _ShrunkError
    return data
