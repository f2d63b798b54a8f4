"""Tells the steps of a command as they go, and keeps them for its account."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import RUNNING, Step
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.commands.outcomes import Follower
    from memconsole.ports.platform import Clock


@dataclass(slots=True)
class Doing:
    """How a step goes; whoever does it may say more."""

    status: str = "done"
    message: str = ""


class StepLog:
    """The steps of one command, in order.

    Attributes:
        steps: The last one may still run.
    """

    def __init__(self, clock: Clock, follower: Follower | None = None) -> None:
        self._clock = clock
        self._follower = follower
        self.steps: list[Step] = []

    @contextmanager
    def doing(self, name: str, meanwhile: str = "") -> Iterator[Doing]:
        """Tell that a step begins, and how it ended; what is raised is its failure.

        Args:
            name: Of the step.
            meanwhile: What is waited for, where that takes longer than a moment.
        """
        start_s = self._clock.monotonic()
        self._tell(Step(name, RUNNING, message=meanwhile))
        step = Doing("failed")
        try:
            going = Doing()
            yield going
            step = going
        finally:
            took = round((self._clock.monotonic() - start_s) * 1000)
            self.steps.pop()
            self._tell(Step(name, step.status, took, step.message))

    def _tell(self, step: Step) -> None:
        self.steps.append(step)
        if self._follower is not None:
            self._follower.moved(step)
