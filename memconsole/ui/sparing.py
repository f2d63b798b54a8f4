"""Spares a start what Textual loads and the console never asks of it: a twelfth of the first frame.

The standard library compiles the methods of a dataclass when its module is imported: 143 for
Textual and Rich, of which their import calls four. And `asyncio` loads TLS, of which the console
has no use: the Gateway is asked by blocking calls, with a TLS of their own.
"""

from __future__ import annotations

import dataclasses
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MAKER = "_create_fn"
"""What makes each method of a dataclass until Python 3.12; later ones make all of them at once."""


@contextmanager
def spared() -> Iterator[None]:
    """Import here what the console is made of; what was loaded before stays as it is."""
    make = getattr(dataclasses, _MAKER, None)
    has_tls = not {"asyncio", "ssl"}.isdisjoint(sys.modules)
    if make is not None:
        setattr(dataclasses, _MAKER, partial(_late, make))
    if not has_tls:
        sys.modules["ssl"] = None  # type: ignore[assignment]  # as on a Python without it
    try:
        yield
    finally:
        if make is not None:
            setattr(dataclasses, _MAKER, make)
        if not has_tls:
            del sys.modules["ssl"]


def _late(
    make: Callable[..., Callable[..., object]], name: str, *how: object, **named: object
) -> Callable[..., object]:
    """Return a method that is compiled when it is called, and then stands in its own place."""
    made: Callable[..., object] | None = None

    def first(self: object, /, *values: object, **options: object) -> object:
        nonlocal made
        if made is None:
            made = make(name, *how, **named)
            owner = next((one for one in type(self).__mro__ if vars(one).get(name) is first), None)
            if owner is not None:  # a representation stands in a guard against circles
                type.__setattr__(owner, name, made)
        return made(self, *values, **options)

    first.__name__ = name
    return first
