"""Values of a configuration that a person wrote: of the wrong type means not given."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LARGEST = 1 << 53
"""Above this a JSON number is no exact count any more."""


def mapping(value: object) -> Mapping[str, object]:
    """Return an object; anything else is an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> Sequence[object]:
    """Return a list; anything else is an empty one."""
    return value if isinstance(value, list) else ()


def text(value: object) -> str | None:
    """Return a text that is not blank; anything else is None.

    What no file name and no JSON can hold is taken out: NUL, and half a surrogate pair.
    """
    if not isinstance(value, str):
        return None
    whole = value.replace("\0", "").encode("utf-8", "replace").decode()
    return whole if whole.strip() else None


def integer(value: object, *, least: int = 1) -> int | None:
    """Return a whole number of at least `least`; anything else is None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not least <= value <= _LARGEST:  # also false for NaN
        return None
    return int(value)
