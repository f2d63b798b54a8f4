"""Runs one job from its first command to its last; every face that runs jobs comes here."""

from __future__ import annotations

import logging
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Failed, Outcome, is_busy
from memconsole.domain.jobs.runs import FAILED, INTERNAL, SKIPPED, JobEnd, JobRun, end_of
from memconsole.errors import LockedError, MemconsoleError, StateError
from memconsole.lazy_dataclass import dataclass
from memconsole.scheduler.workspace_queue import WorkspaceQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.commands.command import Command
    from memconsole.engine.engine import Engine
    from memconsole.ports.jobs import ChildRunner, JobLocks
    from memconsole.ports.platform import StopSignal
    from memconsole.scheduler.jobs import Job
    from memconsole.scheduler.workspace_queue import Ticket

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class JobRunner:
    """Runs jobs; safe from any thread.

    Attributes:
        child: Runs what needs a process of its own; None runs it in this one.
        underway: Ids of the jobs that run now, whoever of this process runs them.
    """

    engine: Engine
    locks: JobLocks
    child: ChildRunner | None = None
    turns: WorkspaceQueue = field(default_factory=WorkspaceQueue)
    underway: list[str] = field(default_factory=list)

    def enter(self, job: Job) -> Ticket:
        """Queue a job up for its workspaces; `run` gives the place back."""
        return self.turns.enter(job.rank)

    def run(self, job: Job, cancel: StopSignal, ticket: Ticket | None = None) -> JobEnd:
        """Run a job; whatever happens inside becomes its end."""
        try:
            return self.perform(job, cancel, ticket).end
        except LockedError as error:
            return JobEnd(SKIPPED, error.code, str(error))
        except MemconsoleError as error:
            return JobEnd(FAILED, error.code, str(error))
        except Exception as error:  # the edge of a job: the others go on
            logger.exception("job %s", job.id)
            return JobEnd(FAILED, INTERNAL, f"{type(error).__name__}: {error}")

    def perform(
        self,
        job: Job,
        cancel: StopSignal,
        ticket: Ticket | None = None,
        *,
        dry_run: bool = False,
    ) -> JobRun:
        """Run a job: its commands one after the other, each in its workspace's turn.

        Args:
            job: The row of the table.
            cancel: Looked at between two commands, and by those that take long.
            ticket: Its place in the queue, from `enter`; given back here.
            dry_run: Say what would be done; nothing is written, not even a lock.

        Raises:
            LockedError: Another run of it goes on.
            MemconsoleError: What there is to do cannot be found out, or cannot be done at all.
        """
        ticket = ticket or self.enter(job)
        try:
            held = nullcontext() if dry_run else self._held(job)
            with held, self.engine.home.keep():
                if job.work is not None:
                    plan = JobEnd("planned", None, f"would {job.help[:1].lower()}{job.help[1:]}")
                    return JobRun(plan if dry_run else job.work(self.engine, cancel))
                found, is_cancelled = self._run_all(job, cancel, ticket, dry_run=dry_run)
                return JobRun(end_of(found, is_cancelled), tuple(found))
        finally:
            ticket.leave()

    def _run_all(
        self, job: Job, cancel: StopSignal, ticket: Ticket, *, dry_run: bool
    ) -> tuple[list[Outcome], bool]:
        """Return the outcomes, and whether it was told to end before the last of them."""
        things = list(job.commands(self.engine, dry_run=dry_run))
        settled = [one for one in things if isinstance(one, Outcome)]
        commands = [one for one in things if not isinstance(one, Outcome)]
        places = self._places(commands)
        ticket.expect(places)
        found: list[Outcome] = []
        most = None if job.most is None else job.most(self.engine.settings)
        for command, place in zip(commands, places, strict=True):
            if cancel.is_set():
                return found, True
            if most is not None and sum(not is_busy(one) for one in found) >= most:
                return found, False
            with ticket.turn(place, cancel):
                found.append(self._outcome(job, command, cancel))
        return [*found, *settled], False

    @contextmanager
    def _held(self, job: Job) -> Iterator[None]:
        """Keep other processes from running the job; without a place for locks they cannot."""
        with ExitStack() as stack:
            try:
                stack.enter_context(self.locks.job(job.id))
            except StateError as error:
                logger.warning("job %s runs without its lock: %s", job.id, error)
            self.underway.append(job.id)
            stack.callback(self.underway.remove, job.id)
            yield

    def _outcome(self, job: Job, command: Command, cancel: StopSignal) -> Outcome:
        try:
            if job.needs_child and self.child is not None and not command.dry_run:
                return self.child(command, job.id, cancel)
            return self.engine.run(command, cancel=cancel, job=job.id)
        except Exception as error:  # the edge of a command: the other agents go on
            logger.exception("job %s", job.id)
            return Failed(command, INTERNAL, f"{type(error).__name__}: {error}")

    def _places(self, commands: list[Command]) -> list[str]:
        """Return the workspace that each command writes into."""
        if not commands:
            return []
        roots = {agent.ref: str(agent.workspace) for agent in self.engine.home.read().agents}
        return [roots.get(command.agent, str(command.agent)) for command in commands]
