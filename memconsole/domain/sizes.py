"""Sizes as words, for files and notes; the faces have humanize (house rule 4)."""

from __future__ import annotations

_UNITS = ("B", "KB", "MB", "GB", "TB")
_STEP = 1024


def size_words(size_bytes: int) -> str:
    """Return bytes as such as `512 B`, `2.1 KB`, `717 KB`, `1.5 MB`; a KB is 1,024 bytes."""
    value, unit = _scaled(size_bytes)
    if unit == "B" or round(value, 1) >= 10 or value == int(value):
        return f"{round(value)} {unit}"
    return f"{value:.1f} {unit}"


def size_column(size_bytes: int) -> str:
    """Return bytes as INDEX.md writes them, whole and without a blank: `4KB` (mission §8)."""
    value, unit = _scaled(size_bytes)
    return f"{round(value)}{unit}"


def _scaled(size_bytes: int) -> tuple[float, str]:
    value = float(max(0, size_bytes))
    for unit in _UNITS[:-1]:
        if round(value) < _STEP:
            return value, unit
        value /= _STEP
    return value, _UNITS[-1]
