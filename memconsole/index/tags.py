"""Markers of a chunk as bits of one number."""

from __future__ import annotations

from typing import Final

from memconsole.domain.memory import MARKER_TAGS

_BITS: Final = {tag: 1 << place for place, tag in enumerate(MARKER_TAGS)}


def tags_of(bits: int) -> tuple[str, ...]:
    """Return the tags that a number of bits stands for."""
    return tuple(tag for tag, bit in _BITS.items() if bits & bit)


def bit_of(tag: str) -> int:
    """Return the bit of a tag; 0 for one that is none."""
    return _BITS.get(tag, 0)
