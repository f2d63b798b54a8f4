"""Chooses results that do not repeat each other: maximal marginal relevance.

Off by default: on labelled questions it changed nothing. It helps where the same
paragraph was written into many notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.text.folding import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.search.values import SearchHit


def diverse(hits: Sequence[SearchHit], most: int, weight: float) -> tuple[SearchHit, ...]:
    """Return the results that are good and unlike each other, in the order they came.

    One after the other is taken that has the most of weight · score - (1 - weight) · likeness,
    where likeness is the share of common words with the one taken before that is most like it. So
    the best is always among them, and asking for more results takes none away.

    Args:
        hits: All that qualify, however many are wanted.
        most: How many are wanted.
        weight: Of the score; 1 leaves likeness out.
    """
    said = [frozenset(words(hit.snippet)) for hit in hits]
    likeness = [0.0] * len(hits)
    left = sorted(range(len(hits)), key=lambda at: (-hits[at].score, at))
    taken: list[int] = []
    while left and len(taken) < most:
        best = max(left, key=lambda at: weight * hits[at].score - (1 - weight) * likeness[at])
        left.remove(best)
        taken.append(best)
        for at in left:
            likeness[at] = max(likeness[at], _likeness(said[at], said[best]))
    return tuple(hits[at] for at in sorted(taken))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 0.0
