"""Which words of a query decide its best chunks, so that only chunks with those are scored.

FTS5 scores every chunk with any of the words, and a word in half of all chunks costs thousands of
scores that come to nothing: what a word can add to BM25 is bounded, and the bound of a common word
is low. When the best chunks with rarer words lie above what the common words together could give,
no chunk with common words alone can be among them (MaxScore; Turtle and Flood 1995). The reader
checks that afterwards, so the answer is the same to the last digit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.search import CANDIDATES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
