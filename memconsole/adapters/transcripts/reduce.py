"""Shrinks a giant JSON line while it streams by: costs its bytes, not its memory.

Pictures lie inline in transcripts as base64. A long line is copied without the insides of its long
strings; how much was left out stands behind what was kept, under a mark that no file can forge.
"""

from __future__ import annotations

import os
import re

_MARK = os.urandom(8).hex()
_MARK_BYTES = rf"\u0000{_MARK}:".encode()
_MARKED = re.compile(f"\0{_MARK}:([0-9]+)\\Z")
_MARKED_BYTES = re.compile(rb"\\u0000" + _MARK.encode() + rb":([0-9]+)")

_CONTENT = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_BASE64 = re.compile(rb"(?:data:[\w.+;=/\\-]{0,120},)?(?:[A-Za-z0-9+/=_-]|\\[nr/])+")
_QUOTE, _BACKSLASH = b'"', b"\\"
_LONGEST_ESCAPE = 6

KEPT_OF_BASE64 = 160
"""Bytes kept of a base64 string: enough for the media type of a data URL."""


class LineReducer:
    """Takes one line in pieces and keeps a smaller line that decodes to the same, blobs apart.

    Attributes:
        has_overflowed: The line has more structure than `line_limit`; it cannot be kept.
    """

    def __init__(
        self,
        *,
        sample: int = 4 * 1024,
        string_limit: int = 1024 * 1024,
        line_limit: int = 16 * 1024 * 1024,
    ) -> None:
        """Set the limits, in bytes.

        Args:
            sample: A string of more bytes is looked at: base64 loses its inside.
            string_limit: Bytes kept of any other string.
            line_limit: Bytes kept of the line.
        """
        self.has_overflowed = False
        self._sample = max(sample, KEPT_OF_BASE64)
        self._string_limit = max(string_limit, self._sample)
        self._line_limit = line_limit
        self._kept = bytearray()
        self._carried = b""
        self._string_start: int | None = None
        self._is_judged = False
        self._is_dropping = False
        self._dropped = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the line."""
        if self.has_overflowed:
            return
        piece = self._carried + piece
        self._carried = b""
        place = 0
        while place < len(piece):
            if self._string_start is None:
                place = self._outside(piece, place)
            else:
                place = self._inside(piece, place)
        if len(self._kept) > self._line_limit:
            self.has_overflowed = True
            self._kept.clear()

    def line(self) -> bytes:
        """Return the reduced line; empty when it has overflowed."""
        return b"" if self.has_overflowed else bytes(self._kept) + self._carried

    def _outside(self, piece: bytes, place: int) -> int:
        end = piece.find(_QUOTE, place) + 1
        if not end:
            self._kept += piece[place:]
            return len(piece)
        self._kept += piece[place:end]
        self._string_start = len(self._kept)
        self._is_judged = self._is_dropping = False
        self._dropped = 0
        return end

    def _inside(self, piece: bytes, place: int) -> int:
        end = _content_end(piece, place)
        self._add(piece[place:end])
        if piece[end : end + 1] == _QUOTE:
            self._close()
            return end + 1
        if end < len(piece):  # a backslash whose other half comes with the next piece
            self._carried = piece[end:]
        return len(piece)

    def _add(self, content: bytes) -> None:
        if self._is_dropping:
            self._dropped += len(content)
            return
        self._kept += content
        start = self._string_start or 0
        length = len(self._kept) - start
        if length > self._sample and not self._is_judged:
            self._is_judged = True
            if _BASE64.fullmatch(self._kept, start, start + self._whole(self._sample)):
                self._drop_behind(KEPT_OF_BASE64)
                return
        if length > self._string_limit:
            self._drop_behind(self._string_limit)

    def _drop_behind(self, count: int) -> None:
        end = (self._string_start or 0) + self._whole(count)
        self._dropped = len(self._kept) - end
        self._is_dropping = True
        del self._kept[end:]

    def _whole(self, count: int) -> int:
        """Return the most bytes, up to `count`, that split no escape and no character."""
        start = self._string_start or 0
        end = start + count
        escape = self._kept.rfind(_BACKSLASH, max(start, end - _LONGEST_ESCAPE), end)
        if escape >= 0:
            first = escape
            while first > start and self._kept[first - 1 : first] == _BACKSLASH:
                first -= 1
            length = _LONGEST_ESCAPE if self._kept[escape + 1 : escape + 2] == b"u" else 2
            if (escape - first) % 2 == 0 and escape + length > end:
                end = escape
        while end > start and end < len(self._kept) and self._kept[end] & 0xC0 == 0x80:
            end -= 1
        return end - start

    def _close(self) -> None:
        if self._dropped:
            self._kept += _MARK_BYTES + str(self._dropped).encode()
        self._kept += _QUOTE
        self._string_start = None


def unmarked(text: str) -> tuple[str, int]:
    """Return a decoded string of a reduced line as it begins, and how many bytes were left out."""
    if "\0" in text and (match := _MARKED.search(text)):
        return text[: match.start()], int(match[1])
    return text, 0


def unmarked_size(raw: bytes) -> int:
    """Return how many bytes a piece of JSON of a reduced line had before it was reduced."""
    return len(raw) + sum(int(match[1]) - len(match[0]) for match in _MARKED_BYTES.finditer(raw))


def _content_end(piece: bytes, place: int) -> int:
    """Return where a string's content ends in `piece`: its quote, or half an escape, or the end."""
    end = piece.find(_QUOTE, place)
    if end < 0:
        end = len(piece)
    if piece.find(_BACKSLASH, place, end) < 0:
        return end
    match = _CONTENT.match(piece, place)
    return place if match is None else match.end()
