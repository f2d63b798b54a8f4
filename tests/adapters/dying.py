"""A process that is killed at its n-th change of the disk: nothing changes any more."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memconsole.sqlite import transaction
from memconsole.stores import state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from memconsole.sqlite import Connection

CHANGES = ("write", "replace", "rename", "unlink", "ftruncate", "mkdir", "rmdir")


class Killed(BaseException):
    """Ends a run, as a kill would."""


class Dying:
    """Counts changes of the disk, and lets no more than some of them happen.

    Attributes:
        done: How many happened.
        left: How many more may; None for all.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done = 0
        self.left: int | None = None
        for name in CHANGES:
            monkeypatch.setattr(os, name, self._mortal(getattr(os, name)))
        monkeypatch.setattr(os, "open", self._opening(os.open))
        monkeypatch.setattr(state, "transaction", self._transaction(transaction))

    @contextmanager
    def after(self, changes: int) -> Iterator[None]:
        """Kill what the block runs after so many changes."""
        self.left = changes
        try:
            yield
        except Killed:
            pass
        finally:
            self.left = None

    def _live(self) -> None:
        if self.left == 0:
            raise Killed
        self.done += 1
        if self.left is not None:
            self.left -= 1

    def _mortal(self, act: Callable[..., object]) -> Callable[..., object]:
        def acted(*arguments: object, **named: object) -> object:
            self._live()
            return act(*arguments, **named)

        return acted

    def _opening(self, act: Callable[..., int]) -> Callable[..., int]:
        def opened(path: object, flags: int, *arguments: object, **named: object) -> int:
            if flags & os.O_CREAT:
                self._live()
            return act(path, flags, *arguments, **named)

        return opened

    def _transaction(self, act: Callable[[Connection], object]) -> Callable[[Connection], object]:
        @contextmanager
        def ended(connection: Connection) -> Iterator[None]:
            self._live()  # a transaction is whole or was never begun
            with act(connection):  # type: ignore[attr-defined]
                yield

        return ended
