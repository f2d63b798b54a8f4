"""Reads sections of the settings that may be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from memconsole.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


def usable(part: Callable[[], _T], otherwise: _T) -> _T:
    """Return a part of the settings; of a section that is wrong, something else.

    Whoever does the work of that section reads it himself, and is told then.
    """
    try:
        return part()
    except ConfigError:
        return otherwise
