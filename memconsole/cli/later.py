"""Puts off building what takes longer to load than the console takes to draw its first frame."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def later(build: Callable[[], T]) -> T:
    """Return what stands for an object until something is asked of it.

    Args:
        build: Called once, in the thread that asks first; others wait. What it raises reaches
            those who ask, and the next one tries again.
    """
    return cast("T", _Later(build))


class _Closes(Protocol):
    def close(self) -> None: ...


class _Later(Generic[T]):
    def __init__(self, build: Callable[[], T]) -> None:
        self._build = build
        self._lock = threading.Lock()
        self._built: T | None = None

    def close(self) -> None:
        """Close what was built; what nobody asked anything needs no end."""
        if self._built is not None:
            cast("_Closes", self._built).close()

    def __getattr__(self, name: str) -> object:
        with self._lock:
            if self._built is None:
                self._built = self._build()
        return getattr(self._built, name)
