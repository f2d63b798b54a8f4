"""Text measured in terminal cells: cut, shortened and padded without breaking a character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

ELLIPSIS = "…"

_MOST_CHARS_A_CELL, _SPARE = 8, 64
"""How far to look for the end of a line: characters of no width may stand on each cell."""


_ONE_CELL_EACH = r"[ -~\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f]*"
"""Latin letters, dashes, arrows, and what lines and bars are drawn with."""


def width(text: str) -> int:
    """Return how many cells a line of text takes."""
    is_plain = text.isascii() and text.isprintable()
    if is_plain or compiled(_ONE_CELL_EACH).fullmatch(text):
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - plain text needs no Rich, which loads long

    return cell_len(text)


def cut(text: str, cells: int, *, ellipsis: str = ELLIPSIS) -> str:
    """Return `text`, or its beginning and an ellipsis, in at most `cells` cells."""
    if width(text) <= cells:
        return text
    if cells <= 0:
        return ""
    room = cells - width(ellipsis)
    return _head(text, cells) if room < 0 else _head(text, room).rstrip() + ellipsis


def cut_middle(text: str, cells: int, *, ellipsis: str = ELLIPSIS) -> str:
    """Return `text`, or its beginning and end around an ellipsis, in at most `cells` cells.

    Ids and paths differ at both ends, so both ends stay.
    """
    if width(text) <= cells:
        return text
    room = cells - width(ellipsis)
    if room < 2:
        return cut(text, cells, ellipsis=ellipsis)
    tail = _tail(text, room // 2)
    return _head(text, room - width(tail)) + ellipsis + tail


def pad(text: str, cells: int, *, right: bool = False) -> str:
    """Return `text` filled with blanks to exactly `cells` cells; longer text is cut.

    Args:
        text: One line.
        cells: Width wanted.
        right: Align on the right, for numbers.
    """
    text = cut(text, cells)
    blanks = " " * (cells - width(text))
    return blanks + text if right else text + blanks


def wrap(text: str, cells: int) -> Iterator[str]:
    """Yield `text` in lines of at most `cells` cells, broken at blanks where there are any."""
    for paragraph in text.split("\n"):
        yield from _wrap_line(paragraph.expandtabs(4), max(cells, 1))


def _wrap_line(text: str, cells: int) -> Iterator[str]:
    # Only a window is measured at a time: a line of a megabyte must not cost its square.
    window = cells + 1 if text.isascii() else cells * _MOST_CHARS_A_CELL + _SPARE
    start = 0
    while True:
        chunk = text[start : start + window]
        if start + len(chunk) == len(text) and width(chunk) <= cells:
            yield chunk
            return
        head = _head(chunk, cells) or chunk[:1]
        end = len(head)
        if chunk[end : end + 1] != " ":
            # A break far to the left would leave a ragged column; a long word is cut instead.
            blank = head.rfind(" ")
            end = blank if blank > cells // 3 else end
        yield head[:end].rstrip() if end < len(chunk) else head[:end]
        start += end
        if end < len(chunk) and text[start : start + 1] == " ":
            start += 1


def _head(text: str, cells: int) -> str:
    if text.isascii():
        return text[: max(cells, 0)]
    taken = end = 0
    for _, stop, size in _spans(text[: cells * _MOST_CHARS_A_CELL + _SPARE]):
        if taken + size > cells:
            break
        taken += size
        end = stop
    return text[:end]


def _tail(text: str, cells: int) -> str:
    if text.isascii():
        return text[len(text) - max(cells, 0) :] if cells > 0 else ""
    spans = _spans(text)
    taken, start = 0, len(text)
    for begin, _, size in reversed(spans):
        if taken + size > cells:
            break
        taken += size
        start = begin
    return text[start:]


def _spans(text: str) -> list[tuple[int, int, int]]:
    """Return start, end and cells of what a reader sees as one character each."""
    from rich.cells import split_graphemes  # noqa: PLC0415 - see `width`

    # Behind a joiner that joins nothing it calls wide letters 0 cells, and measures more of them.
    return [
        (start, stop, size or width(text[start:stop]))
        for start, stop, size in split_graphemes(text)[0]
    ]
