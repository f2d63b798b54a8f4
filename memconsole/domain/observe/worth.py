"""What a line of `observations.md` is worth to somebody who has room for some of them only.

A line is worth reading for its importance and its rare words, measured against the room it takes.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

from memconsole.domain.observe.sentences import content_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.memory.observations import Observation

_LEAST_IMPORTANCE: Final = 0.1
"""A line without any would be worth nothing, whatever it says."""

_FRAME_CHARS: Final = 11
"""Bullet, priority, clock time and line end: what a line takes beside its text."""


def values(observations: Iterable[Observation]) -> tuple[float, ...]:
    """Return what each of some observations is worth a character, in their order.

    A word counts by its rarity among all of them: ln(1 + N/df). The square root keeps long lines
    from winning by their length alone.
    """
    ones = tuple(observations)
    words = [frozenset(content_words(one.text)) for one in ones]
    lines_with = Counter(word for said in words for word in said)
    rarity = {word: math.log(1 + len(ones) / count) for word, count in lines_with.items()}
    return tuple(
        max(one.importance, _LEAST_IMPORTANCE)
        * math.sqrt(math.fsum(rarity[word] for word in said))
        / (len(one.text) + _FRAME_CHARS)
        for one, said in zip(ones, words, strict=True)
    )
