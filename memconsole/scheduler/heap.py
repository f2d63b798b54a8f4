"""Gives memory back that the C library keeps after a run.

What a job needed for a moment lies in pages between what lives on; the GNU C library gives them
back only when it is asked to. In a process of months they add up.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def give_back() -> None:
    """Give back what is free; elsewhere than with the GNU C library nothing happens."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    import ctypes  # noqa: PLC0415 - not before the first job has run

    try:
        trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    except OSError:  # a static build has no library to look in
        return None
    return trim
