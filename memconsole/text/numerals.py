"""Sizes as words, in files, notes and both faces.

A KB is 1,024 bytes, and sizes are cut down, never rounded up: 735,011 bytes are `717 KB`.
"""

from __future__ import annotations

_UNITS = ("B", "KB", "MB", "GB", "TB")
_STEP = 1024


def size_words(size_bytes: int) -> str:
    """Return bytes such as `512 B`, `2.1 KB`, `717 KB`, `1.4 MB`."""
    whole, tenth, unit = _scaled(size_bytes)
    return f"{whole}.{tenth} {unit}" if whole < 10 and tenth else f"{whole} {unit}"


def size_column(size_bytes: int) -> str:
    """Return bytes as INDEX.md writes them, whole and without a blank: `4KB`."""
    whole, _, unit = _scaled(size_bytes)
    return f"{whole}{unit}"


def at_least(count: int, *, is_all: bool) -> str:
    """Return a count as `1,234`; as `1,234+?`, or `?` for none, where some could not be looked at.

    Args:
        count: What is known.
        is_all: Nothing can be missing.
    """
    if is_all:
        return f"{count:,}"
    return f"{count:,}+?" if count else "?"


def _scaled(size_bytes: int) -> tuple[int, int, str]:
    size = max(0, size_bytes)
    step = 1
    for unit in _UNITS[:-1]:
        if size < step * _STEP:
            return size // step, size * 10 // step % 10, unit
        step *= _STEP
    return size // step, size * 10 // step % 10, _UNITS[-1]
