"""Keeps results from repeating each other as the platform does: maximal marginal relevance.

Unlike our own (`diversity`), it spreads the scores of a query over 0 to 1 first, compares the
platform's words and single characters, and so reorders everything, not only what is shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")

_WORD: Final = re.compile(r"[a-z0-9_]+")
_SOLID: Final = re.compile(
    "[\u3040-\u309f\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u1100-\u11ff]+"
)


def varied(
    items: Sequence[T], score: Callable[[T], float], text: Callable[[T], str], weight: float
) -> list[T]:
    """Return all items, each next one good and unlike those before it.

    Args:
        items: The best first.
        score: Of an item.
        text: What of an item is compared.
        weight: Of the score; the rest is that of likeness.
    """
    if len(items) < 2 or weight >= 1:
        return list(items)
    scores = [score(one) for one in items]
    least, range_ = min(scores), max(scores) - min(scores)
    worth = [1.0 if range_ == 0 else (one - least) / range_ for one in scores]
    texts = [text(one) for one in items]
    said = [frozenset(_tokens(one.lower())) for one in texts]
    likeness = [0.0] * len(items)
    left, taken = list(range(len(items))), []
    while left:
        best = max(
            left,
            key=lambda at: (weight * worth[at] - (1 - weight) * likeness[at], scores[at], -at),
        )
        left.remove(best)
        taken.append(items[best])
        for at in left:
            alike = _likeness(said[at], said[best], is_same=texts[at] == texts[best])
            likeness[at] = max(likeness[at], alike)
    return taken


def _tokens(text: str) -> Iterator[str]:
    yield from _WORD.findall(text)
    for run in _SOLID.findall(text):
        yield from run
        yield from (run[at : at + 2] for at in range(len(run) - 1))


def _likeness(one: frozenset[str], other: frozenset[str], *, is_same: bool) -> float:
    if not one and not other:
        return float(is_same)
    return len(one & other) / len(one | other)
