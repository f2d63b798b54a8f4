"""Puts the scheduler's jobs together over the adapters of this host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.changes.feed import FileChangeFeed
from memconsole.adapters.clock import PassedTime
from memconsole.adapters.locks import FileJobLocks, SchedulerWatch
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.runs import StateJobs, StateRunLog
from memconsole.compose import process
from memconsole.scheduler.control import Jobs

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.ports.jobs import ChildRunner, TwoClocks
    from memconsole.ports.platform import ChangeFeed, Clock


def build_jobs(
    settings: Settings,
    engine: Engine,
    *,
    clock: Clock,
    child: ChildRunner | None = None,
    scheduler_engine: Callable[[], Engine] | None = None,
) -> Jobs:
    """Return the jobs of a state folder.

    Args:
        settings: File, environment and options.
        engine: Runs what a face asks for.
        clock: The clock of the process.
        child: Runs what loads much; None runs it in this process.
        scheduler_engine: Makes the engine of a hosted scheduler; None takes `engine`.
    """
    state = StateDatabase(settings.state_dir, PrivateCopies())
    store = StateJobs(state, mark := process.home_mark(settings))
    locks = settings.state_dir / f"locks{mark and '-'}{mark}"
    return Jobs(
        settings=settings,
        engine=engine,
        store=store,
        locks=FileJobLocks(locks, clock.now),
        runs=StateRunLog(state),
        clocks=_both(clock),
        watch=SchedulerWatch(locks, store),
        zone=lambda: process.zone(settings, engine.home.read()),
        child=child,
        scheduler_engine=scheduler_engine,
        feed=_feed,
    )


def _feed() -> ChangeFeed:
    return FileChangeFeed()


def _both(clock: Clock) -> TwoClocks:
    """Return the wall clock of the process together with the time that has passed."""
    return PassedTime(clock)
