"""Zstandard: the module that Python has from 3.14 on, and its backport before; and gzip."""

from __future__ import annotations

import sys
import zlib
from typing import TYPE_CHECKING

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_FRAMES = 200_000
"""A file of frames that hold nothing would keep a processor busy: each takes 30 µs."""

PACK_ERRORS = (zstd.ZstdError, zlib.error)
"""What unpacking raises."""

__all__ = [
    "MOST_FRAMES",
    "PACK_ERRORS",
    "unpacked_frame",
    "unpacked_gzip",
    "unpacked_pieces",
    "zstd",
]


def unpacked_pieces(
    read: Callable[[], bytes], most_bytes: int, *, window_bytes: int
) -> Iterator[bytes]:
    """Yield what frames hold, one behind the other; a last one that ends early gives what it has.

    Args:
        read: Gives the next packed bytes; nothing at the end.
        most_bytes: Of one piece.
        window_bytes: Of memory, a power of two; a frame that needs more is refused.

    Raises:
        ZstdError: They are no frames, too many of them, or need too much memory.
    """
    unpacker, data, frames = _unpacker(window_bytes), b"", 1
    while True:
        if unpacker.eof:
            frames += 1
            if frames > MOST_FRAMES:
                raise zstd.ZstdError(f"it has more than {MOST_FRAMES} frames")
            unpacker, data = _unpacker(window_bytes), unpacker.unused_data
        if not data and unpacker.needs_input and not (data := read()):
            return
        if piece := unpacker.decompress(data, most_bytes):
            yield piece
        data = b""


def unpacked_gzip(read: Callable[[], bytes], most_bytes: int) -> Iterator[bytes]:
    """Yield what a gzip file holds; one that ends early gives what it has.

    Raises:
        zlib.error: It is none.
    """
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    while not unpacker.eof:
        data = unpacker.unconsumed_tail or read()
        if not (piece := unpacker.decompress(data, most_bytes)) and not data:
            return
        yield piece


def unpacked_frame(packed: bytes, most_bytes: int, *, window_bytes: int) -> bytes | None:
    """Return what one frame holds; None when it claims or gives too much, or ends early.

    Raises:
        ZstdError: It is no frame, or needs too much memory.
    """
    claimed = zstd.get_frame_info(packed).decompressed_size
    if claimed is not None and claimed > most_bytes:
        return None
    unpacker = _unpacker(window_bytes)
    data = unpacker.decompress(packed, most_bytes + 1)
    return data if unpacker.eof and len(data) <= most_bytes else None


def _unpacker(window_bytes: int) -> zstd.ZstdDecompressor:
    limit = window_bytes.bit_length() - 1
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: limit})
