"""What `q` asks before the console ends, what is finished first, and what the terminal is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import status_of
from memconsole.errors import MemconsoleError
from memconsole.lazy_dataclass import dataclass
from memconsole.ui.drawing.literal import literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.ports.jobs import JobControl
    from memconsole.ui.actions.action import Action, Actions
    from memconsole.ui.actions.targets import Target


@dataclass(frozen=True, slots=True)
class Underway:
    """What this process was doing at one moment.

    Attributes:
        action: What a key began; None when nothing of it ran.
        jobs: Ids of the jobs that ran.
    """

    action: Action | None = None
    jobs: tuple[str, ...] = ()

    @classmethod
    def now(cls, actions: Actions, jobs: JobControl | None) -> Underway:
        """Look what runs."""
        return cls(
            actions.current if actions.is_busy else None, () if jobs is None else jobs.underway
        )

    @property
    def names(self) -> tuple[str, ...]:
        """What ran, by its name on the command line."""
        return (*(() if self.action is None else (self.action.spec.name,)), *self.jobs)

    def account(self, jobs: JobControl | None) -> Iterator[str]:
        """Yield what came of each, once all has ended."""
        if (action := self.action) is not None:
            for place in action.todo:
                target, outcome = action.targets[place], action.outcomes.get(place)
                yield f"{action.spec.name} {_ended(target, outcome)}"
        try:
            records = {} if jobs is None or not self.jobs else {o.id: o.record for o in jobs.jobs()}
        except MemconsoleError as error:
            yield f"what came of {', '.join(self.jobs)} cannot be read: {error}"
            return
        for name in self.jobs:
            record = records[name]
            yield literal(f"{name} {record.status or 'has no known end'}: {record.message}")


def what_quitting_ends(actions: Actions, jobs: JobControl | None) -> Iterator[str]:
    """Yield what is said before the console ends; nothing where nothing ends with it."""
    if names := Underway.now(actions, jobs).names:
        yield f"Still running: {', '.join(names)}."
        yield "What is begun is finished first, nothing else is begun; its end is told here."
    if jobs is not None and jobs.is_hosting:
        yield "This console runs the jobs: without it nobody saves, until S or --serve."


def _ended(target: Target, outcome: Outcome | None) -> str:
    if outcome is None:
        return literal(f"{target.name} was not begun")
    return literal(f"{target.name} {status_of(outcome)}: {outcome.message}")
