"""Cuts Markdown into chunks for the index.

A chunk is whole lines of one section, at most `tokens` long, with the end of the chunk before it in
front. A heading begins a new one. Lines that are too long are cut, and data is left out.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Final

from memconsole.lazy_dataclass import dataclass
from memconsole.text.graphemes import boundary_before

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHARS_PER_TOKEN: Final = 4

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*)|#*[ \t]*)$")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_DATA: Final = re.compile(r"[A-Za-z0-9+/=_-]{200,}|(?:[0-9a-fA-F]{2}[\s:]){100,}")
"""Base64 and dumps: nobody said that, and nobody looks for it."""

_FENCES: Final = ("`", "~")
_SHORT_CHARS: Final = 199
"""Lines that hold no data, and fit into a chunk of the usual size."""

_HEADING_CHARS: Final = 120
_LINE_CHARS: Final = 100_000
"""What of one line is looked at; the rest of a line of megabytes is no text to search."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of one section.

    Attributes:
        start_line: First line, from 1.
        end_line: Last line, included.
        heading: The headings above it from the outermost, joined by ` > `; its own included.
        text: The lines as they are, without those that are data.
    """

    start_line: int
    end_line: int
    heading: str
    text: str


@dataclass(slots=True)
class _Section:
    """Lines that wait to become a chunk: (line number, text)."""

    limit: int
    overlap: int
    heading: str = ""
    lines: list[tuple[int, str]] = field(default_factory=list)
    chars: int = 0
    fresh: int = 0

    def add(self, number: int, text: str) -> Chunk | None:
        """Take one line; return the chunk that it no longer fits into."""
        full = None
        if self.fresh and self.chars + len(text) + 1 > self.limit:
            full = self.flush()
            self._keep_tail(len(text) + 1)
        self.lines.append((number, text))
        self.chars += len(text) + 1
        if text and not text.isspace():
            self.fresh += 1
        return full

    def flush(self) -> Chunk | None:
        """Return what is there, unless nothing new is in it."""
        if not self.fresh:
            return None
        self.fresh = 0
        kept = _trimmed(self.lines)
        text = "\n".join([line for _, line in kept])
        return Chunk(kept[0][0], kept[-1][0], self.heading, text)

    def _keep_tail(self, coming: int) -> None:
        """Keep whole lines from the end as the overlap, as far as the next line leaves room."""
        room = min(self.overlap, self.limit - coming)
        kept: list[tuple[int, str]] = []
        for number, text in reversed(self.lines):
            room -= len(text) + 1
            if room < 0:
                break
            kept.append((number, text))
        self.lines = kept[::-1]
        self.chars = sum(len(text) + 1 for _, text in self.lines)


def chunks(text: str, *, tokens: int = 400, overlap_tokens: int = 80) -> Iterator[Chunk]:
    r"""Yield the chunks of a Markdown text in order.

    Args:
        text: With line ends of any kind.
        tokens: Size of a chunk, four characters each.
        overlap_tokens: How much of the chunk before is repeated; less than `tokens`.
    """
    limit = tokens * CHARS_PER_TOKEN
    path: list[tuple[int, str]] = []
    section = _Section(limit, min(overlap_tokens, tokens - 1) * CHARS_PER_TOKEN)
    for number, line, title in _lines(text):
        if title is not None and (ended := _headed(section, path, title)) is not None:
            yield ended
        for part in (line,) if len(line) <= _SHORT_CHARS <= limit else _parts(line, limit):
            if (full := section.add(number, part)) is not None:
                yield full
            section.fresh -= title is not None and bool(part.strip())
    if (last := _last(section)) is not None:
        yield last


def line_chunks(lines: Iterable[str], *, tokens: int = 400) -> Iterator[Chunk]:
    """Yield chunks of lines that are numbered from 1 and never repeated: messages of a session."""
    section = _Section(tokens * CHARS_PER_TOKEN, 0)
    for number, line in enumerate(lines, 1):
        for part in _parts(line, section.limit):
            if (full := section.add(number, part)) is not None:
                yield full
    if (last := section.flush()) is not None:
        yield last


def _headed(section: _Section, path: list[tuple[int, str]], title: tuple[int, str]) -> Chunk | None:
    """End the section before a heading; headings without text stay for what follows them."""
    ended = section.flush()
    if ended is not None:
        section.lines, section.chars = [], 0
    while path and path[-1][0] >= title[0]:
        path.pop()
    path.append(title)
    section.heading = " > ".join(words for _, words in path if words)
    return ended


def _last(section: _Section) -> Chunk | None:
    """Return the end, also when it is nothing but headings."""
    section.fresh += any(_HEADING.match(line) for _, line in section.lines)
    return section.flush() if section.chars > section.overlap or section.fresh else None


def _lines(text: str) -> Iterator[tuple[int, str, tuple[int, str] | None]]:
    """Yield (number, line, heading of it); `#` in a code fence is no heading."""
    fence = ""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        first = line.lstrip()[:1]
        if first in _FENCES and (mark := _FENCE.match(line)) is not None:
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = ""
        found = None if fence or first != "#" else _HEADING.match(line)
        yield (
            number,
            line,
            None if found is None else (len(found[1]), _title(found[2] or "")),
        )


def _title(said: str) -> str:
    """Return a heading without the signs that may close it."""
    return said.rstrip(" \t").rstrip("#").rstrip(" \t")[:_HEADING_CHARS]


def _parts(line: str, limit: int) -> Iterator[str]:
    """Yield a line in pieces that fit a chunk, at blanks where there are some."""
    line = line[:_LINE_CHARS]
    if len(line) > _SHORT_CHARS:
        line = _DATA.sub(" ", line)
    while len(line) > limit:
        end = line.rfind(" ", limit // 2, limit)
        end = boundary_before(line, limit) if end < 0 else end
        end = end or limit
        yield line[:end]
        line = line[end:].lstrip(" ")
    yield line


def _trimmed(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Leave out blank lines at both ends."""
    start, end = 0, len(lines)
    while start < end - 1 and not lines[start][1].strip():
        start += 1
    while end > start + 1 and not lines[end - 1][1].strip():
        end -= 1
    return lines[start:end]
