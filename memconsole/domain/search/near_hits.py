"""Folds hits that say the same into the best of them, for a list that is looked at.

The same sentence is written into many notes: by a checkpoint every half hour, by an agent that
copies it. What counts are the lines that hold the words asked for; two that contradict each other,
or name another number or person, are never folded (`domain/memory/similarity.py`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.memory.similarity import Features
    from memconsole.domain.search.values import SearchHit

_LEAST_WORDS: Final = 4
"""Of lines that can be told to be the same: a heading stands in many notes."""

_STAMP: Final = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?\**\[?\d{1,2}:\d{2}\]?\**", re.MULTILINE)
"""When a line was said, in front of it."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One result, and those that say the same.

    Attributes:
        hit: The best of them.
        others: In the order in which they were found.
    """

    hit: SearchHit
    others: tuple[SearchHit, ...] = ()


def folded(hits: Sequence[SearchHit]) -> tuple[Fold, ...]:
    """Return the results in their order, each with those of its agent that say the same."""
    from memconsole.domain.memory.similarity import features  # noqa: PLC0415 - the first paint needs it not

    groups: list[tuple[Features, list[SearchHit]]] = []
    for hit in hits:
        looks = features(_said(hit))
        same = (found for known, found in groups if _may_fold(looks, known, hit, found[0]))
        group = next(same, None)
        if group is None:
            groups.append((looks, [hit]))
        else:
            group.append(hit)
    return tuple(Fold(found[0], tuple(found[1:])) for _, found in groups)


def _may_fold(looks: Features, known: Features, hit: SearchHit, best: SearchHit) -> bool:
    if hit.agent != best.agent or looks.folded.count(" ") + 1 < _LEAST_WORDS:
        return False
    from memconsole.domain.memory.similarity import is_same  # noqa: PLC0415 - see above

    return is_same(looks, known)


def _said(hit: SearchHit) -> str:
    """Return the lines of a snippet that hold matched words; all of it where none does."""
    if not hit.marks:
        return _STAMP.sub("", hit.snippet)
    kept, start = [], 0
    for line in hit.snippet.split("\n"):
        end = start + len(line)
        if any(start <= begin < end for begin, _ in hit.marks):
            kept.append(line)
        start = end + 1
    return _STAMP.sub("", "\n".join(kept))
