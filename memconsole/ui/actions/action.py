"""One command over one or several targets: plan, run one after the other, stop when told to."""

from __future__ import annotations

import logging
import threading
from collections import deque
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from memconsole.errors import MemconsoleError
from memconsole.lazy_dataclass import dataclass
from memconsole.ui.messages import CommandFinished

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App

    from memconsole.domain.commands.command import Command, CommandSpec
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.ui.actions.targets import Target

logger = logging.getLogger(__name__)


_REMEMBERED = 50


class Phase(StrEnum):
    """How far an action is."""

    PLANNING = "planning"
    ASKING = "asking"
    RUNNING = "running"
    DONE = "done"


class RunsCommands(Protocol):
    """What an action asks of the engine."""

    def run(self, command: Command, /) -> Outcome:
        """Run one command; expected failures come back as values."""


@dataclass
class Action:
    """What the operator began, from key to proof.

    Attributes:
        refusal: Why it can only be planned now; empty when it can be done.
        plans: Outcome of the dry run, one a target.
        outcomes: What came of it, one a target that was run.
        is_stopping: The stop key was pressed: the target in hand is finished, no other begun.
    """

    spec: CommandSpec
    targets: tuple[Target, ...]
    refusal: str = ""
    phase: Phase = Phase.PLANNING
    plans: list[Outcome] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)

    @property
    def is_stopping(self) -> bool:
        """Whether no further target is begun."""
        return self._stop.is_set()

    @property
    def todo(self) -> tuple[int, ...]:
        """Targets whose plan says that something would be done."""
        from memconsole.domain.commands.outcomes import Planned  # noqa: PLC0415 - by the first action

        return tuple(place for place, plan in enumerate(self.plans) if isinstance(plan, Planned))

    def stop(self) -> None:
        """Finish the target in hand, begin no other."""
        self._stop.set()

    def attempt(self, engine: RunsCommands, target: Target, plan: Outcome | None = None) -> Outcome:
        """Plan one command, or carry its plan out.

        A bug in one target does not stop the others, nor end the console.
        """
        from memconsole.domain.commands.confirmation import carried_out, for_question  # noqa: PLC0415 - as above
        from memconsole.domain.commands.outcomes import Failed  # noqa: PLC0415 - see above

        command = self.spec.build(target.agent, target.key, dry_run=plan is None)
        if plan is not None:
            command = carried_out(command, plan)
        elif self.spec.asks and not self.refusal:
            command = for_question(command)
        try:
            return engine.run(command)
        except MemconsoleError as error:
            return Failed(command, error.code, str(error), error.hint)
        except Exception as error:
            logger.exception("%s failed", self.spec.name)
            return Failed(
                command, "bug", f"it failed: {type(error).__name__}", "The log has it: press l."
            )


class ActionMoved(Message):
    """An action is further than before."""

    def __init__(self, action: Action) -> None:
        super().__init__()
        self.action = action


class Actions:
    """Runs the one action in hand in a thread, and posts how far it is.

    Attributes:
        done: Actions that changed something, newest first.
    """

    def __init__(self, app: App[int], engine: RunsCommands) -> None:
        self._app = app
        self._engine = engine
        self.current: Action | None = None
        self.done: deque[Action] = deque(maxlen=_REMEMBERED)

    @property
    def is_busy(self) -> bool:
        """Whether something is being done right now."""
        return self.current is not None and self.current.phase is Phase.RUNNING

    def begin(self, spec: CommandSpec, targets: tuple[Target, ...], refusal: str = "") -> Action:
        """Plan a command for these targets."""
        action = self.current = Action(spec, targets, refusal)
        self._work(lambda: self._plan(action))
        return action

    def confirm(self, action: Action) -> None:
        """Do what was planned."""
        action.phase = Phase.RUNNING
        self._app.post_message(ActionMoved(action))
        self._work(lambda: self._run(action))

    def _work(self, job: Callable[[], None]) -> None:
        self._app.run_worker(job, thread=True, group="action", exit_on_error=False)

    def _plan(self, action: Action) -> None:
        for target in action.targets:
            action.plans.append(action.attempt(self._engine, target))
        if action.refusal or not action.todo:
            action.phase = Phase.DONE
        elif action.spec.asks:
            action.phase = Phase.ASKING
        else:
            action.phase = Phase.RUNNING
        self._app.post_message(ActionMoved(action))
        if action.phase is Phase.RUNNING:
            self._run(action)

    def _run(self, action: Action) -> None:
        from memconsole.domain.commands.outcomes import status_of  # noqa: PLC0415 - see above

        for place in action.todo:
            if action.is_stopping:
                break
            target = action.targets[place]
            outcome = action.attempt(self._engine, target, action.plans[place])
            action.outcomes.append(outcome)
            self._app.post_message(CommandFinished(outcome))
            self._app.post_message(ActionMoved(action))
        action.phase = Phase.DONE
        if any(status_of(outcome) == "done" for outcome in action.outcomes):
            self.done.appendleft(action)
        self._app.post_message(ActionMoved(action))
