"""Cuts what is shown of a hit: around the match, at most 700 characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.search.query import match_spans
from memconsole.domain.search.values import SNIPPET_CHARS
from memconsole.text.graphemes import boundary_before

if TYPE_CHECKING:
    from memconsole.domain.search.query import Query

Spans = tuple[tuple[int, int], ...]


def snippet(text: str, query: Query, chars: int = SNIPPET_CHARS) -> tuple[str, Spans]:
    """Return the part of a chunk with most of the words, and where they stand in it.

    Args:
        text: The chunk, masked already.
        query: What was looked for.
        chars: Most characters of the part.
    """
    spans = match_spans(text, query)
    start = _start(text, spans, chars) if len(text) > chars else 0
    end = len(text) if len(text) - start <= chars else boundary_before(text, start + chars)
    part = text[start:end].rstrip()
    marks = tuple((a - start, b - start) for a, b in spans if a >= start and b <= start + len(part))
    return part, marks


def _start(text: str, spans: Spans, chars: int) -> int:
    """Return the line start from which most different words are in reach, the first of equals."""
    starts = [0]
    while (found := text.find("\n", starts[-1])) >= 0:
        starts.append(found + 1)
    for a, _ in spans:  # a line longer than the snippet has places inside it as well
        line = max(start for start in starts if start <= a)
        if a - line > chars // 2:
            starts.append(boundary_before(text, a - chars // 4))
    last = _line_after(text, max(0, len(text) - chars))
    best, most = 0, -1
    for start in sorted({min(start, last) for start in starts}):
        words = {text[a:b].casefold() for a, b in spans if a >= start and b <= start + chars}
        if len(words) > most:
            best, most = start, len(words)
    return best


def _line_after(text: str, position: int) -> int:
    """Return the line start at or behind a position; the position when there is none near."""
    if position == 0 or text[position - 1] == "\n":
        return position
    found = text.find("\n", position)
    return boundary_before(text, position) if found < 0 else found + 1
