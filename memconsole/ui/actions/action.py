"""One command over one or several targets: plan, run, stop when told to, take back.

Those of one home go one after the other, homes side by side: one that is away keeps no other back.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from datetime import timedelta
from enum import StrEnum
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from memconsole.domain.commands.cleanup import Cleanup
from memconsole.domain.commands.confirmation import carried_out, for_question
from memconsole.domain.commands.memory import MEMORY_UNDO, MemoryUndo
from memconsole.domain.commands.outcomes import RUNNING, Failed, Planned, status_of
from memconsole.domain.commands.reflect import Reflect
from memconsole.errors import MemconsoleError
from memconsole.lazy_dataclass import dataclass
from memconsole.ui.actions.targets import Target, whole
from memconsole.ui.messages import CommandFinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from textual.app import App

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.command import Command, CommandSpec
    from memconsole.domain.commands.outcomes import Account, Follower, Outcome, Step
    from memconsole.ports.platform import StopSignal


logger = logging.getLogger(__name__)

_REMEMBERED = 50

_COUNT_EVERY_S = 0.25
_HOMES_AT_ONCE = 64


class Phase(StrEnum):
    """How far an action is."""

    PLANNING = "planning"
    ASKING = "asking"
    RUNNING = "running"
    DONE = "done"


class RunsCommands(Protocol):
    """What an action asks of the engine."""

    def run(
        self,
        command: Command,
        /,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: StopSignal | None = None,
        follower: Follower | None = None,
    ) -> Outcome:
        """Run one command; expected failures come back as values."""


class Series:
    """How one target goes; written by the thread that does it, read by the screen.

    Attributes:
        steps: As far as it is; the last one may still run.
        counted: How many parts of it are done, and of how many; None where none are counted.
        account: What is kept of it; None until it has ended.
        run_id: Of the run that keeps it; None until then, and when it could not be kept.
    """

    def __init__(self, moved: Callable[[], object], monotonic: Callable[[], float]) -> None:
        self._moved = moved
        self._monotonic = monotonic
        self._begun_s = monotonic()
        self._counted_s: float | None = None
        self.steps: tuple[Step, ...] = ()
        self.counted: tuple[int, int] | None = None
        self.account: Account | None = None
        self.run_id: int | None = None

    @property
    def passed(self) -> timedelta:
        """Time since it was begun."""
        return timedelta(seconds=self._monotonic() - self._begun_s)

    def moved(self, step: Step) -> None:
        """Hear that a step began, or ended."""
        before = self.steps
        if before and (before[-1].name, before[-1].status) == (step.name, RUNNING):
            before = before[:-1]
        self.steps = (*before, step)
        self._moved()

    def progress(self, done: int, total: int) -> None:
        """Hear how many parts are done; told on, at most a few times a second."""
        self.counted = (done, total)
        now = self._monotonic()
        if self._counted_s is None or now - self._counted_s >= _COUNT_EVERY_S:
            self._counted_s = now
            self._moved()

    def kept(self, account: Account, run_id: int | None) -> None:
        """Hear the whole account, and where it is kept."""
        self.account, self.run_id = account, run_id


@dataclass
class Action:
    """What the operator began, from key to proof.

    Attributes:
        refusal: Why it can only be planned now; empty when it can be done.
        plans: Outcome of the dry run, one a target.
        outcomes: What came of it, by the place of the target.
        courses: How each of them goes that was begun, likewise.
        waits: Targets whose host is away, with the time of what is shown of it: what is sent waits.
        within: How long that waits.
        is_stopping: The stop key was pressed: the target in hand is finished, no other begun, and
            what waits is taken back.
    """

    spec: CommandSpec
    targets: tuple[Target, ...]
    refusal: str = ""
    phase: Phase = Phase.PLANNING
    plans: list[Outcome] = field(default_factory=list)
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    courses: dict[int, Series] = field(default_factory=dict)
    waits: Mapping[int, datetime | None] = field(default_factory=dict)
    within: timedelta = timedelta()
    _stop: threading.Event = field(default_factory=threading.Event)

    @property
    def is_stopping(self) -> bool:
        """Whether no further target is begun."""
        return self._stop.is_set()

    @property
    def todo(self) -> tuple[int, ...]:
        """Targets whose plan says that something would be done."""
        return tuple(place for place, plan in enumerate(self.plans) if isinstance(plan, Planned))

    def stop(self) -> None:
        """Finish the target in hand, begin no other."""
        self._stop.set()

    @property
    def places(self) -> int:
        """On how many homes it acts."""
        return len({one.agent.home for one in self.targets})

    @property
    def still_waits(self) -> bool:
        """Whether something was sent to a host that is away, and is not begun."""
        return any(map(self.is_waiting, self.waits))

    def is_waiting(self, place: int) -> bool:
        """Whether that was sent to a host that is away, and the host has not begun it."""
        course = self.courses.get(place)
        is_open = course is not None and not course.steps and place not in self.outcomes
        return is_open and place in self.waits

    def attempt(
        self,
        engine: RunsCommands,
        place: int,
        plan: Outcome | None = None,
        course: Series | None = None,
    ) -> Outcome:
        """Plan one command, or carry its plan out.

        A bug in one target does not stop the others, nor end the console.
        """
        target = self.targets[place]
        command = self.spec.build(target.agent, target.key, dry_run=plan is None)
        if plan is not None:
            command = carried_out(command, plan)
        elif self.spec.asks and not self.refusal:
            command = for_question(command)
        try:
            if course is None:
                return engine.run(command)
            if place in self.waits:
                return engine.run(command, follower=course, cancel=self._stop)
            return engine.run(command, progress=course.progress, follower=course)
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
        runs: Numbers of the runs that were begun here.
    """

    def __init__(self, app: App[int], engine: RunsCommands) -> None:
        self._app = app
        self._engine = engine
        self.current: Action | None = None
        self.done: deque[Action] = deque(maxlen=_REMEMBERED)
        self.runs: frozenset[int] = frozenset()

    @property
    def is_busy(self) -> bool:
        """Whether something is being done right now."""
        return self.current is not None and self.current.phase is Phase.RUNNING

    def begin(
        self,
        spec: CommandSpec,
        targets: tuple[Target, ...],
        refusal: str = "",
        *,
        waits: Mapping[int, datetime | None] = MappingProxyType({}),
        within: timedelta = timedelta(),
    ) -> Action:
        """Plan a command for these targets; what they are is said by `Action`."""
        action = self.current = Action(spec, targets, refusal, waits=waits, within=within)
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
        found: dict[int, Outcome] = {}

        def plan(place: int) -> None:
            found[place] = action.attempt(self._engine, place)

        _by_home(action, range(len(action.targets)), plan)
        action.plans += [found[place] for place in sorted(found)]
        if action.refusal or not action.todo:
            action.phase = Phase.DONE
        elif action.spec.asks or set(action.waits) & set(action.todo):
            action.phase = Phase.ASKING
        else:
            action.phase = Phase.RUNNING
        self._app.post_message(ActionMoved(action))
        if action.phase is Phase.RUNNING:
            self._run(action)

    def _run(self, action: Action) -> None:
        _by_home(action, action.todo, lambda place: self._carry_out(action, place))
        action.phase = Phase.DONE
        if any(status_of(outcome) == "done" for outcome in action.outcomes.values()):
            self.done.appendleft(action)
        self._app.post_message(ActionMoved(action))

    def _carry_out(self, action: Action, place: int) -> None:
        if action.is_stopping:
            return
        course = Series(lambda: self._app.post_message(ActionMoved(action)), monotonic)
        action.courses[place] = course
        self._app.post_message(ActionMoved(action))
        outcome = action.attempt(self._engine, place, action.plans[place], course)
        if course.run_id is not None:
            self.runs |= {course.run_id}
        action.outcomes[place] = outcome
        self._app.post_message(CommandFinished(outcome))
        self._app.post_message(ActionMoved(action))


def _by_home(action: Action, places: Iterable[int], do: Callable[[int], None]) -> None:
    """Do something for each of these targets; what waits comes last, and each by itself."""
    groups: dict[object, list[int]] = {}
    for place in sorted(places, key=lambda one: one in action.waits):
        home = action.targets[place].agent.home
        groups.setdefault(place if place in action.waits else home, []).append(place)

    def all_of(group: list[int]) -> None:
        for place in group:
            do(place)

    if len(groups) < 2:
        for group in groups.values():
            all_of(group)
        return
    with ThreadPoolExecutor(min(_HOMES_AT_ONCE, len(groups))) as pool:
        list(pool.map(all_of, groups.values()))


def undo_of(actions: Iterable[Action]) -> tuple[CommandSpec, tuple[Target, ...]] | None:
    """Return what takes the newest of these actions back that can be; None when none can.

    Args:
        actions: Those that were done, newest first.
    """
    taken_back: Counter[tuple[AgentRef, bool]] = Counter()
    for action in actions:
        commands = [one.command for one in action.outcomes.values() if status_of(one) == "done"]
        taken_back.update(_stack(one) for one in commands if _is_undo(one))
        edits = [one for one in commands if _is_edit(one)]
        refs = {one.agent for one in edits if not taken_back[_stack(one)]}
        taken_back.subtract(_stack(one) for one in edits if taken_back[_stack(one)])
        if refs:
            return _spec(action, edits), tuple(whole(ref) for ref in sorted(refs))
    return None


def _stack(command: Command) -> tuple[AgentRef, bool]:
    """Return what is taken back last in, first out: memory, and the files of ended sessions."""
    return command.agent, isinstance(command, Cleanup)


def _is_undo(command: Command) -> bool:
    is_undo = isinstance(command, Reflect | Cleanup) and command.is_undo
    return is_undo or isinstance(command, MemoryUndo)


def _is_edit(command: Command) -> bool:
    return (command.is_undoable or isinstance(command, Cleanup)) and not _is_undo(command)


def _spec(action: Action, edits: Iterable[Command]) -> CommandSpec:
    """Return the command that takes an action back; memory is one stack for `memory undo`."""
    if any(isinstance(one, Reflect | Cleanup) for one in edits):
        title, given = f"Undo {action.spec.name}", {"is_undo": True}
        return replace(action.spec, title=title, force="", given=given, undo="")
    return MEMORY_UNDO


def why_nothing(actions: Iterable[Action]) -> str:
    """Return why nothing can be taken back."""
    for action in actions:
        if action.spec.name == MEMORY_UNDO.name:
            return "undo: what was done here is taken back; the memory screen (m) goes further back"
        return f"undo {action.spec.name}: {action.spec.undo or 'not possible'}"
    return "undo: nothing was done in this console yet"
