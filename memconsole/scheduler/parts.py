"""What the loop of the scheduler works with; tests bring parts whose time is their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.jobs import JobEnd


class Hands(Protocol):
    """Where jobs run."""

    def submit(self, job: str, work: Callable[[], JobEnd], done: Callable[[JobEnd], None]) -> None:
        """Begin to run a job and return at once; `done` is told when its place is free again."""

    def close(self) -> None:
        """Take no more work; what runs goes on."""


class Waker(Protocol):
    """Ends a wait early (`bell.Bell`)."""

    def ring(self) -> None:
        """End the waiting, now or when it begins."""

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until it rings."""
