"""A process that is killed at its n-th change of the disk, or a disk that takes no more then."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.own import transaction
from memconsole.adapters.state import database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from memconsole.adapters.sqlite.choice import Connection

CHANGES = ("write", "replace", "rename", "unlink", "ftruncate", "mkdir", "rmdir")
GROWING = ("write", "mkdir", "fsync", "open")
"""What a full disk refuses; what makes room goes on."""


class Killed(BaseException):
    """Ends a run, as a kill would."""


class Dying:
    """Counts changes of the disk, and lets no more than some of them happen.

    Attributes:
        done: How many happened.
        left: How many more may; None for all.
        is_full: A full disk comes instead of a kill.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done = 0
        self.left: int | None = None
        self.is_full = False
        for name in CHANGES:
            monkeypatch.setattr(os, name, self._mortal(name, getattr(os, name)))
        monkeypatch.setattr(os, "fsync", self._mortal("fsync", os.fsync))
        monkeypatch.setattr(os, "open", self._opening(os.open))
        monkeypatch.setattr(database, "transaction", self._transaction(transaction))

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

    @contextmanager
    def full(self, changes: int) -> Iterator[None]:
        """Let the disk of the block take no more after so many changes."""
        self.left, self.is_full = changes, True
        try:
            yield
        finally:
            self.left, self.is_full = None, False

    def _live(self, name: str) -> None:
        if self.left == 0 and not self.is_full:
            raise Killed
        if self.left == 0 and name in GROWING:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.done += 1
        if self.left:
            self.left -= 1

    def _mortal(self, name: str, act: Callable[..., object]) -> Callable[..., object]:
        def acted(*arguments: object, **named: object) -> object:
            if name == "fsync" and not self.is_full:
                return None  # a kill leaves the same before it and behind it
            self._live(name)
            return act(*arguments, **named)

        return acted

    def _opening(self, act: Callable[..., int]) -> Callable[..., int]:
        def opened(path: object, flags: int, *arguments: object, **named: object) -> int:
            if flags & os.O_CREAT:
                self._live("open")
            return act(path, flags, *arguments, **named)

        return opened

    def _transaction(self, act: Callable[[Connection], object]) -> Callable[[Connection], object]:
        @contextmanager
        def ended(connection: Connection) -> Iterator[None]:
            self._live("commit")  # a transaction is whole or was never begun
            with act(connection):  # type: ignore[attr-defined]
                yield

        return ended
