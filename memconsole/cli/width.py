"""Cutting text to terminal cells: in the middle for paths and ids, at the end for sentences."""

from __future__ import annotations

from memconsole.domain.graphemes import boundary_before


def cell_len(text: str) -> int:
    """Return how many terminal cells a line of text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len as measure  # noqa: PLC0415  # JSON and ASCII need no Rich

    return measure(text)


def cut_end(text: str, width: int, ellipsis: str = "…") -> str:
    """Return `text` in at most `width` cells, the end replaced by the ellipsis."""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(ellipsis)
    return text[: _fitting(text, room)] + ellipsis if room >= 0 else ""


def cut_middle(text: str, width: int, ellipsis: str = "…") -> str:
    """Return `text` in at most `width` cells, beginning and end kept."""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(ellipsis)
    if room < 2:
        return cut_end(text, width, ellipsis)
    head = _fitting(text, (room + 1) // 2)
    tail = _from_end(text, room // 2)
    return text[:head] + ellipsis + text[tail:]


def pad(text: str, width: int, *, right: bool) -> str:
    """Return `text` filled with blanks to `width` cells."""
    blanks = " " * max(0, width - cell_len(text))
    return blanks + text if right else text + blanks


def _fitting(text: str, room: int) -> int:
    """Return how many characters from the beginning fit into `room` cells."""
    end = min(len(text), max(0, room))
    while end and cell_len(text[:end]) > room:
        end -= 1
    return boundary_before(text, end)


def _from_end(text: str, room: int) -> int:
    """Return the index from which the rest of the text fits into `room` cells."""
    start = max(0, len(text) - room)
    while start < len(text) and cell_len(text[start:]) > room:
        start += 1
    while start < len(text) and boundary_before(text, start) != start:
        start += 1
    return start
