"""Which daily notes searches found: what speaks for keeping one for good.

Nothing of a query is kept but a hash, and nothing of a note but its id: the log tells that a note
was wanted, by how many questions and on how many days.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.entries import entries_of, is_daily, is_note
from memconsole.domain.search.indexing import Source
from memconsole.domain.search.query import Query, match_spans
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date, datetime

    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.search.values import SearchHit

KEPT: Final = timedelta(days=60)
"""How long a hit is remembered: two times the age at which it stops counting."""


@dataclass(frozen=True, slots=True)
class NoteHit:
    """One note that one query found on one day.

    Attributes:
        entry: Id of the note, `d-` and 8 hex digits.
        path: Its file, relative to the workspace.
        query: Hash of the words that were looked for, whatever their order and letters.
        day: The user's.
        score: Of the hit it was in, 0 to 1.
    """

    entry: str
    path: str
    query: str
    day: date
    score: float
    at: datetime


def query_hash(query: Query) -> str:
    """Return what tells one question from another; the words cannot be read from it."""
    words = " ".join(sorted(set(query.words)))
    return hashlib.sha256(words.encode("utf-8", errors="replace")).hexdigest()[:16]


def counts(hit: SearchHit) -> bool:
    """Whether a hit says that a daily note was wanted: weak ones and archives say nothing."""
    is_daily_note = hit.source is Source.MEMORY and is_daily(hit.path)
    return is_daily_note and not hit.is_weak and not hit.is_archived


def notes_found(hit: SearchHit, text: str, query: Query) -> Iterator[MemoryEntry]:
    """Yield the notes of a hit that were meant: those with most words of the query.

    A hit is a piece of a file with several notes. Where none of them has a word of the query, the
    hit was found by its meaning, and only a note that stands alone in it can be the one.

    Args:
        hit: In a file of the memory.
        text: The file.
        query: What was looked for.
    """
    inside = [
        one
        for one in entries_of(hit.path, text)
        if is_note(one.id) and one.line <= hit.end_line and one.end_line >= hit.start_line
    ]
    asked = [Query(word, (word,)) for word in query.words]
    shared = [sum(bool(match_spans(one.text, word)) for word in asked) for one in inside]
    most = max(shared, default=0)
    if most or len(inside) == 1:
        yield from (one for one, count in zip(inside, shared, strict=True) if count == most)
