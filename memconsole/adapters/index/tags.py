"""Markers of a chunk as bits of one number."""

from __future__ import annotations

from functools import cache


def tags_of(bits: int) -> tuple[str, ...]:
    """Return the tags that a number of bits stands for."""
    return tuple(tag for tag, bit in _bits().items() if bits & bit) if bits else ()


def bit_of(tag: str) -> int:
    """Return the bit of a tag; 0 for one that is none."""
    return _bits().get(tag, 0)


@cache
def _bits() -> dict[str, int]:
    from memconsole.domain.memory.files import MARKER_TAGS  # noqa: PLC0415  # most chunks have none

    return {tag: 1 << place for place, tag in enumerate(MARKER_TAGS)}
