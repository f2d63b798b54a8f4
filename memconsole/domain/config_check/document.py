"""Holds the platform's configuration as it was read: its text, and values of whatever shape."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ConfigText:
    """A configuration on its way to being changed; it may hold secrets and is never shown.

    Attributes:
        text: Every byte of it; what is no UTF-8 comes as lone surrogates.
        version: Modification time in ns, size in bytes and SHA-256.
        root: Decoded.
        is_plain: Plain JSON without comments: a rewriting program loses nothing of it.
        mode: Such as `0600`.
    """

    path: Path
    text: str = field(repr=False)
    version: tuple[int, int, str]
    root: Mapping[str, object] = field(repr=False)
    is_plain: bool = False
    mode: str = "0600"


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
