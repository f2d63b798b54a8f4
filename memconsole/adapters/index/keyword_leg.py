"""Finds chunks by their words: the text leg of a search.

FTS5 scores every chunk with any of the words, and a word in half of all chunks costs thousands of
scores that come to nothing: what a word can add to BM25 is bounded, and the bound of a common word
is low. When the best chunks with rarer words lie above what the common words together could give,
no chunk with common words alone can be among them (MaxScore; Turtle and Flood 1995). The reader
checks that afterwards, so the answer is the same to the last digit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.search.values import CANDIDATES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memconsole.adapters.sqlite.choice import SqlValue
    from memconsole.domain.search.query import Query


if TYPE_CHECKING:
    Rows = Callable[..., list[tuple[SqlValue, ...]]]

SHORT: Final = 3
"""Letters up to which a beginning may say nothing."""

COSTLY: Final = 2_000
"""Chunks from which it matters what FTS5 scores in vain."""

_NO_SCORE: Final = 1e-9


class TextLeg:
    """The words of one query in one index.

    Args:
        rows: Asks the index.
        chunks: How many it has.
        counts: In how many chunks words are, as far as that is known; added to.
    """

    def __init__(self, rows: Rows, chunks: int, counts: dict[str, int]) -> None:
        self._rows = rows
        self._chunks = chunks
        self._counts = counts

    def scores(self, query: Query, where: str, values: Sequence[SqlValue]) -> dict[int, float]:
        """Return the best chunks with any of the words, and their BM25.

        Args:
            query: What is looked for.
            where: Condition on `chunks`; empty lets all of them in.
            values: Its parameters.
        """
        literals = query.literals()
        telling = literals if self._chunks < COSTLY else self._telling(literals, query)
        found = self._best(telling, where, values)
        return found if found or telling == literals else self._newest(literals, where, values)

    def known(self, query: Query) -> frozenset[str]:
        """Return the words of a query that occur in the index."""
        return query.known(self.count)

    def count(self, literal: str) -> int:
        """Return in how many chunks a word is."""
        if literal not in self._counts:
            sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?"
            [(found,)] = self._rows(sql, literal)
            self._counts[literal] = found if isinstance(found, int) else 0
        return self._counts[literal]

    def _telling(self, literals: Sequence[str], query: Query) -> tuple[str, ...]:
        """Return the words that are worth scoring, which takes longer than all else of a search.

        Not worth it are a word that no chunk has; a beginning that finds what the word itself does;
        the stop words of a query that has no others; and a short beginning that more than half of
        the chunks have, which BM25 holds for a millionth of another word.
        """
        if query.is_common:
            return ()
        beginning = query.beginning
        found = [one for one in literals if one != beginning and self.count(one)]
        if beginning:
            count = self.count(beginning)
            is_everywhere = len(query.prefix or "") <= SHORT and count > self._chunks / 2
            if not is_everywhere and count != self.count(beginning.removesuffix(" *")):
                found.append(beginning)
        return tuple(found)

    def _newest(
        self, literals: Sequence[str], where: str, values: Sequence[SqlValue]
    ) -> dict[int, float]:
        """Return the chunks that came last of those with any of the words, as equals."""
        also = f"AND +rowid IN (SELECT id FROM chunks WHERE {where})" if where else ""
        found = self._rows(
            f"SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? {also} "
            f"ORDER BY rowid DESC LIMIT {CANDIDATES}",
            " OR ".join(literals),
            *values,
        )
        return {at: _NO_SCORE for (at,) in found if isinstance(at, int)}

    def _best(
        self, literals: Sequence[str], where: str, values: Sequence[SqlValue]
    ) -> dict[int, float]:
        """Return the chunks with the best scores."""
        every = " OR ".join(literals)
        if where:
            return self._matches(every, f"SELECT id FROM chunks WHERE {where}", values)
        parts = split(self._chunks, self._needed(literals))
        if parts.ceiling:
            deciding = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?"
            found = self._matches(every, deciding, (" OR ".join(parts.deciding),))
            if best_above(tuple(found.values()), parts.ceiling):
                return found
        return self._matches(every)

    def _needed(self, literals: Sequence[str]) -> Mapping[str, int]:
        """Return in how many chunks the words are; none when that cannot leave one of them out.

        The last one is the dearest to count when it is a beginning, and only it may be more common
        than what fills the places: counting it then decides nothing.
        """
        first = {one: self.count(one) for one in literals[:-1]}
        if max(first.values(), default=0) < CANDIDATES:
            return {}
        return first | {literals[-1]: self.count(literals[-1])}

    def _matches(
        self, expression: str, among: str = "", values: Sequence[SqlValue] = ()
    ) -> dict[int, float]:
        """Return the best chunks that match, at most those whose ids a query gives."""
        if not expression:
            return {}
        # The sign keeps SQLite from asking FTS5 once for each of the ids: minutes instead of
        # milliseconds.
        also = f"AND +rowid IN ({among})" if among else ""
        # By the function and not by `rank`, which takes twice as long.
        found = self._rows(
            "SELECT rowid, -bm25(chunks_fts, 1, 1) AS score FROM chunks_fts "
            f"WHERE chunks_fts MATCH ? {also} ORDER BY score DESC, rowid LIMIT {CANDIDATES}",
            expression,
            *values,
        )
        return {
            at: max(float(score or 0.0), _NO_SCORE) for at, score in found if isinstance(at, int)
        }


_LEAST_IDF: Final = 1e-6
"""What FTS5 gives words that more than half of the rows have."""

_MOST_FREQUENCY: Final = 2.2
"""k1 + 1, which the frequency of a word inside a chunk can never reach."""

_USUAL: Final = 0.9
"""Of its IDF, what a word gives a chunk of middle length: a guess that only decides the attempt."""

_WORTH_WHILE: Final = 0.75
"""Finding the chunks that decide costs time as well: there have to be fewer of them."""

_MOST_KNOWN: Final = 4096


class Split(NamedTuple):
    """The words of a query in two parts.

    Attributes:
        deciding: Chunks with any of these are scored.
        ceiling: What a chunk with none of them stays below; 0.0 when all words decide.
    """

    deciding: tuple[str, ...]
    ceiling: float = 0.0


def split(chunks: int, counts: Mapping[str, int]) -> Split:
    """Leave out as many of the most common words as can be left out probably.

    Args:
        chunks: Rows of the full-text table.
        counts: In how many of them each word of the query is.
    """
    weights = {word: _idf(count, chunks) for word, count in counts.items()}
    rarest_first = sorted(counts, key=lambda word: (counts[word], word))
    anchor = next((word for word in rarest_first if counts[word] >= CANDIDATES), None)
    if anchor is None:
        return Split(tuple(counts))
    reach, ceiling, left_out = _USUAL * weights[anchor], 0.0, set[str]()
    for word in reversed(rarest_first[rarest_first.index(anchor) + 1 :]):
        if ceiling + weights[word] * _MOST_FREQUENCY > reach:
            break
        ceiling += weights[word] * _MOST_FREQUENCY
        left_out.add(word)
    kept = tuple(word for word in counts if word not in left_out)
    rarest = min((counts[word] for word in left_out), default=0)
    if max(counts[word] for word in kept) > _WORTH_WHILE * rarest:
        return Split(tuple(counts))
    return Split(kept, ceiling)


class WordCounts:
    """In how many chunks words are, kept for as long as an index does not change."""

    def __init__(self) -> None:
        self._state: tuple[object, ...] = ()
        self._known: dict[str, int] = {}

    def at(self, state: tuple[object, ...]) -> dict[str, int]:
        """Return what is known of an index in this state, to be read and added to."""
        if state != self._state or len(self._known) > _MOST_KNOWN:
            self._state, self._known = state, {}
        return self._known


def best_above(scores: Sequence[float], ceiling: float) -> bool:
    """Whether as many chunks as are wanted were found, and all above a ceiling."""
    return len(scores) >= CANDIDATES and min(scores) > ceiling


def _idf(count: int, chunks: int) -> float:
    """Return the weight that FTS5 gives a word."""
    return max(_LEAST_IDF, math.log((chunks - count + 0.5) / (count + 0.5)))
