"""Values out of the platform's configuration, where any shape may stand in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


_MOST: Final = 1e12
"""No setting is as large; JSON has integers that no number of ours can hold."""


def part(config: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Return an object inside another one; anything else there is an empty one."""
    found = config.get(name)
    return found if isinstance(found, dict) else {}


def number(config: Mapping[str, object], name: str, usual: float) -> float:
    """Return a number; anything else there, such as Infinity, is the usual one."""
    found = config.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return usual
    return float(found) if abs(found) < _MOST else usual
