"""Orders the jobs of one workspace: recovery, flush, observer, reflector, checkpoint, INDEX.md.

The engine's lock keeps runs apart; this keeps them in order, so that jobs that are due together do
not find each other's lock.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memconsole.ports.platform import StopSignal

_LOOK_S = 1.0
_PATIENCE_S = 60.0


class Rank(IntEnum):
    """The order inside one workspace; the lowest goes first."""

    RECOVERY = 1
    FLUSH = 2
    OBSERVER = 3
    REFLECTOR = 4
    CHECKPOINT = 5
    INDEX_MD = 6
    CONSOLIDATE = 7


class WorkspaceQueue:
    """Hands out places in the queue; safe from any thread.

    Args:
        patience_s: After so long a run goes ahead all the same: then the engine's lock decides.
    """

    def __init__(self, patience_s: float = _PATIENCE_S) -> None:
        self.patience_s = patience_s
        self.moved = threading.Condition()
        self.held: set[str] = set()
        self.queue: list[Ticket] = []
        self._number = 0

    def enter(self, rank: Rank | None) -> Ticket:
        """Queue up; None is for work that writes into no workspace and waits for nobody."""
        with self.moved:
            self._number += 1
            ticket = Ticket(self, rank, self._number)
            if rank is not None:
                self.queue.append(ticket)
            return ticket


class Ticket:
    """The place of one run in the queue; until it says what it wants, it may want everything."""

    def __init__(self, turns: WorkspaceQueue, rank: Rank | None, number: int) -> None:
        self._turns = turns
        self._rank = rank
        self._number = number
        self._expected: list[str] | None = None

    def expect(self, workspaces: Iterable[str]) -> None:
        """Say which workspaces are wanted, one a step; others pass in all the rest."""
        with self._turns.moved:
            self._expected = list(workspaces)
            self._turns.moved.notify_all()

    @contextmanager
    def turn(self, workspace: str, cancel: StopSignal) -> Iterator[None]:
        """Wait for the turn in a workspace, and have it during the block."""
        if self._rank is None:
            yield
            return
        is_mine = self._wait(workspace, cancel)
        try:
            yield
        finally:
            with self._turns.moved:
                if is_mine:
                    self._turns.held.discard(workspace)
                if self._expected and workspace in self._expected:
                    self._expected.remove(workspace)
                self._turns.moved.notify_all()

    def leave(self) -> None:
        """Give up the place; everybody behind moves up."""
        with self._turns.moved:
            if self in self._turns.queue:
                self._turns.queue.remove(self)
            self._turns.moved.notify_all()

    def _wait(self, workspace: str, cancel: StopSignal) -> bool:
        deadline_s = time.monotonic() + self._turns.patience_s
        with self._turns.moved:
            while not self._may_go(workspace):
                left_s = deadline_s - time.monotonic()
                if left_s <= 0 or cancel.is_set():
                    return False
                self._turns.moved.wait(min(left_s, _LOOK_S))
            self._turns.held.add(workspace)
            return True

    def _may_go(self, workspace: str) -> bool:
        if workspace in self._turns.held:
            return False
        return not any(other.wants_before(self, workspace) for other in self._turns.queue)

    def wants_before(self, other: Ticket, workspace: str) -> bool:
        """Tell whether this run may still want a workspace, and goes before another one."""
        may_want = self._expected is None or workspace in self._expected
        return self is not other and may_want and self._place < other._place

    @property
    def _place(self) -> tuple[int, int]:
        return (self._rank or 0, self._number)
