"""How a command goes: its turn in a locked workspace, its attempts, and the steps it tells of.

Every command that writes into a workspace begins with its turn. What an attempt writes stands with
the record of it, or is taken back; what an earlier run left half done is put right before.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.commands.outcomes import (
    RUNNING,
    Failed,
    Skipped,
    SkipReason,
    Step,
    notices_of,
)
from memconsole.engine.home.lookup import find_agent
from memconsole.errors import (
    ConcurrentEditError,
    LockedError,
    MemconsoleError,
    NoWorkspaceError,
)
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Follower, Outcome
    from memconsole.domain.memory.intents import Erasure
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.platform import Clock, Journal, Locks


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns of one command.

    Attributes:
        finish: Finishes what earlier runs promised to erase; the lock is held.
    """

    locks: Locks
    journal: Journal
    reader: Reader
    finish: Callable[[Sequence[Erasure], Agent], None]

    def place(self, command: Command) -> tuple[Home, Agent]:
        """Return the command's agent in the home as it is now.

        Raises:
            UnknownAgentError: There is no such agent.
            NoWorkspaceError: Its workspace is not there, or only guessed.
        """
        home = self.reader.home()
        agent = find_agent(home, command.agent.id)
        require_workspace(agent)
        return home, agent

    def take(
        self,
        command: Command,
        attempt: Callable[[Home, Agent], Outcome],
        *,
        tries: int = 2,
        patience_s: float = 0,
    ) -> Outcome:
        """Find the agent, then run an attempt: a dry run at once, anything else in its turn.

        Args:
            command: Whose agent is found.
            attempt: Looks, decides and writes.
            tries: See `hold`.
            patience_s: See `hold`.

        Raises:
            UnknownAgentError: There is no such agent.
            NoWorkspaceError: Its workspace is not there, or only guessed.
            LockedError: Another run works in the workspace.
            ConcurrentEditError: Somebody edits the file at the same time, in every attempt.
            StateError: Our own database cannot be written; nothing was done.
        """
        home, agent = self.place(command)
        if command.dry_run:
            return attempt(home, agent)
        return self.hold(agent, lambda: attempt(home, agent), tries=tries, patience_s=patience_s)

    def hold(
        self,
        agent: Agent,
        attempt: Callable[[], Outcome],
        *,
        tries: int = 2,
        patience_s: float = 0,
    ) -> Outcome:
        """Hold the workspace's lock for an attempt, and for another one after somebody's edit.

        Args:
            agent: Whose workspace.
            attempt: Looks, decides and writes.
            tries: How many attempts there are.
            patience_s: Seconds to wait for another run in the workspace.

        Raises:
            LockedError: Another run works in the workspace.
            ConcurrentEditError: Somebody edits the file at the same time, in every attempt.
            StateError: Our own database cannot be written; nothing was done.
        """
        root = agent.workspace
        with self.locks.workspace(root, patience_s):
            if promised := self.journal.close(root):
                self.finish(promised, agent)
            for _ in range(1, tries):
                try:
                    with self.journal.turn(root):
                        return attempt()
                except ConcurrentEditError as error:
                    logger.info("%s; looking again", error)
            with self.journal.turn(root):
                return attempt()


def require_workspace(agent: Agent) -> None:
    """Refuse to work where the agent's workspace is not there.

    A workspace that is only guessed is not written into: what lies at the usual place may be
    somebody else's, or left over from last year.

    Raises:
        NoWorkspaceError: It is not there, or only guessed.
    """
    if agent.workspace_doubt:
        raise NoWorkspaceError(
            agent.workspace_trouble,
            hint="A guessed workspace is left alone; `memconsole status` says more.",
        )
    if not agent.workspace_exists:
        raise NoWorkspaceError(
            agent.workspace_trouble,
            hint="The platform makes it at the agent's first run; memconsole never does.",
        )


def settle(command: Command, run: Callable[[], Outcome]) -> Outcome:
    """Run something; an expected failure comes back as `Failed`, what only waits as a skip."""
    try:
        return run()
    except LockedError as error:
        return Skipped(command, SkipReason.LOCKED, str(error), error.hint)
    except NoWorkspaceError as error:
        return Skipped(command, SkipReason.WORKSPACE_MISSING, str(error), error.hint)
    except MemconsoleError as error:
        return Failed(command, error.code, str(error), error.hint)


def notices_of_step(name: str, outcome: Outcome) -> tuple[Notice, ...]:
    """Return the warnings of one step; that it failed is one, where the whole goes on."""
    if not isinstance(outcome, Failed):
        return notices_of(outcome)
    said = f"{name} failed: {outcome.message}"
    return (Notice("capture-failed", said, agent=outcome.command.agent.id or None),)


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
