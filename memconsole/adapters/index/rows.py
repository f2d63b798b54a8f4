"""Makes the rows of the index out of a document: chunks with their dates, tags and words."""

from __future__ import annotations

import calendar
import hashlib
import re
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from memconsole.adapters.index.schema import bit_of
from memconsole.domain.memory.markers import marked_lines
from memconsole.domain.search.chunking import Chunk, chunks, line_chunks
from memconsole.lazy_dataclass import dataclass
from memconsole.text.folding import index_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.search.indexing import Document, DocumentText, MessageLine
    from memconsole.domain.settings.sections import SearchSettings


_DATE: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?!\d)")
_DAY_S: Final = 86_399


@dataclass(frozen=True, slots=True)
class Row:
    """One chunk on its way into the index.

    Attributes:
        hash: Of what is embedded and indexed; equal rows need no new vector.
        at: When it is from, in seconds since 1970; None for what is of no day.
        tags: Bits of `MARKER_TAGS`.
    """

    start_line: int
    end_line: int
    heading: str
    text: str
    hash: bytes
    at: float | None
    tags: int
    on_path: bool = True


def content_hash(text: DocumentText) -> bytes:
    """Return what tells one content of a document from another."""
    digest = hashlib.blake2b(text.text.encode("utf-8", "surrogatepass"), digest_size=16)
    for line in text.session:
        digest.update(f"\n{line.on_path:d}{line.text}".encode("utf-8", "surrogatepass"))
    return digest.digest()


def rows_of(document: Document, text: DocumentText, settings: SearchSettings) -> Iterator[Row]:
    """Yield the chunks of a document in order."""
    if text.session:
        yield from _session_rows(text.session, settings)
        return
    at = _moment(document)
    marked = [(line, bit_of(tag)) for line, tag, _ in marked_lines(text.text)]
    found = chunks(text.text, tokens=settings.chunk_tokens, overlap_tokens=settings.chunk_overlap)
    for chunk in found:
        tags = 0
        for line, bit in marked:
            if chunk.start_line <= line <= chunk.end_line:
                tags |= bit
        yield _row(chunk, at, tags)


def heading_words(path: str, heading: str) -> str:
    """Return the words of the second column: headings, the day in words, the file's name."""
    return index_text(f"{heading} {_name_words(path)}")


@lru_cache(maxsize=64)
def _name_words(path: str) -> str:
    """Return what the name of a document says; all of its chunks ask for it in turn."""
    name = PurePosixPath(path).stem
    if (found := _DATE.search(path)) is None:
        return name
    year, month, day = (int(part) for part in found.groups())
    words = f"{found[0]} {calendar.month_name[month]} {calendar.month_abbr[month]} {day} {year}"
    return f"{words} {_DATE.sub(' ', name)}"


def _session_rows(session: Sequence[MessageLine], settings: SearchSettings) -> Iterator[Row]:
    """Yield chunks of messages, those off the active path apart; each message once."""
    start = 0
    for end in range(1, len(session) + 1):
        if end < len(session) and session[end].on_path == session[start].on_path:
            continue
        lines = (line.text for line in session[start:end])
        for chunk in line_chunks(lines, tokens=settings.chunk_tokens):
            last = session[start + chunk.end_line - 1]
            moved = Chunk(chunk.start_line + start, chunk.end_line + start, "", chunk.text)
            at = None if last.at is None else last.at.timestamp()
            yield _row(moved, at, 0, on_path=last.on_path)
        start = end


def _row(chunk: Chunk, at: float | None, tags: int, *, on_path: bool = True) -> Row:
    spoken = f"{chunk.heading}\0{chunk.text}".encode("utf-8", "surrogatepass")
    return Row(
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        heading=chunk.heading,
        text=chunk.text,
        hash=hashlib.blake2b(spoken, digest_size=16).digest(),
        at=at,
        tags=tags,
        on_path=on_path,
    )


def _moment(document: Document) -> float | None:
    """Return the end of the day in a document's name; None when it is of no day."""
    if (found := _DATE.search(document.path)) is None:
        return None
    try:
        return datetime.fromisoformat(found[0]).replace(tzinfo=UTC).timestamp() + _DAY_S
    except ValueError:
        return None
