"""What the scheduler needs from outside, and what the other faces may ask of it, as protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from datetime import datetime

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.jobs.layers import Layer
    from memconsole.domain.jobs.runs import JobRecord, JobRun, JobView
    from memconsole.ports.platform import StopSignal


class TwoClocks(Protocol):
    """Wall time, and the time that has passed, sleep included."""

    def now(self) -> datetime:
        """Return the wall time, aware UTC."""

    def elapsed(self) -> float:
        """Return seconds of a clock that never goes back and does not stop in sleep."""


class JobStore(Protocol):
    """What is remembered about jobs (`state.db`)."""

    def records(self) -> Mapping[str, JobRecord]:
        """Return all records by job id; none when they cannot be read."""

    def save(self, record: JobRecord) -> None:
        """Store a record; whether it is paused stays as it is."""

    def pause(self, job: str, *, is_paused: bool) -> None:
        """Pause a job or let it go on."""

    def changes(self) -> object:
        """Return a cheap value that changes when records may have changed."""

    def keep_open(self) -> AbstractContextManager[None]:
        """Make the many small writes of the block cheap."""


class JobLocks(Protocol):
    """Who may run what, between processes."""

    def scheduler(self, layer: Layer | None = None) -> AbstractContextManager[frozenset[Layer]]:
        """Own the scheduling of this state folder, or that of one layer.

        Yields:
            The layers that are owned: who owns the scheduling leaves those that others run.

        Raises:
            SchedulerOwnedError: Somebody else owns all of it.
            StateError: The state folder cannot be written.
        """

    def job(self, job: str) -> AbstractContextManager[None]:
        """Hold one job for one run.

        Raises:
            LockedError: Another run of it goes on.
            StateError: The state folder cannot be written.
        """

    def beat(self) -> None:
        """Show that the owner is alive."""


class ChildRunner(Protocol):
    """Runs a command in a process of its own, so that what it loads goes with it."""

    def __call__(self, command: Command, job: str, cancel: StopSignal) -> Outcome:
        """Run one command; a child that dies is a failed outcome."""


class JobControl(Protocol):
    """The jobs, for the console and the command line."""

    def jobs(self) -> tuple[JobView, ...]:
        """Return every job, in the order of the table."""

    def pause(self, job: str, *, is_paused: bool) -> None:
        """Pause a job or let it go on.

        Raises:
            UsageError: There is no such job.
        """

    def run_now(self, job: str, *, dry_run: bool = False) -> JobRun:
        """Run a job here and now; blocks until it has ended.

        Raises:
            UsageError: There is no such job.
            MemconsoleError: It could not begin.
        """

    @property
    def is_hosting(self) -> bool:
        """Whether the scheduler runs inside this process."""

    def host(self) -> None:
        """Run the scheduler inside this process, until `close`.

        Raises:
            LockedError: Somebody else owns it.
            StateError: The state folder cannot be written.
        """

    @property
    def underway(self) -> tuple[str, ...]:
        """The jobs that this process runs at this moment."""

    def stop(self) -> None:
        """Begin nothing else, and return at once; the command in hand is finished."""

    def close(self) -> None:
        """End the hosted scheduler; what runs is finished or rolled back within 10 s."""
