"""Vectors as the platform stores them, and which are nearest to one (formats: memory index).

Plain Python: the library that is good at this belongs to our own index, and the only reading that
compares these vectors is a search that somebody wants explained.
"""

from __future__ import annotations

import heapq
import math
import sys
from array import array
from operator import mul
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_DOUBLE: Final = 8
_NUMBERS: Final = msgspec.json.Decoder(list[float])


def nearest(
    vector: Sequence[float], stored: Iterable[tuple[str, object]], limit: int
) -> list[tuple[str, float]]:
    """Return the ids of the nearest vectors with their cosines, the nearest first.

    Args:
        vector: What they are compared with.
        stored: Ids and vectors as they stand in the database; others of another length count as
            none.
        limit: How many.
    """
    length = math.hypot(*vector)
    if length == 0:
        return []
    cosines = _cosines(vector, length, stored)
    return heapq.nsmallest(limit, cosines, key=lambda one: (-one[1], one[0]))


def _cosines(
    vector: Sequence[float], length: float, stored: Iterable[tuple[str, object]]
) -> Iterator[tuple[str, float]]:
    for id_, raw in stored:
        other = decoded(raw)
        if len(other) != len(vector):
            continue
        norm = math.hypot(*other)
        if norm:
            yield id_, sum(map(mul, vector, other)) / length / norm


def decoded(raw: object) -> Sequence[float]:
    """Return a stored vector: JSON text, or little-endian doubles since schema 23; empty if odd."""
    if isinstance(raw, str):
        try:
            return _NUMBERS.decode(raw)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return ()
    if not isinstance(raw, bytes) or len(raw) % _DOUBLE:
        return ()
    numbers = array("d", raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
