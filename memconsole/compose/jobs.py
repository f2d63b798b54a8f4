"""Puts the scheduler's jobs together over the adapters of this host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.compose import engine as wiring

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.ports.jobs import ChildRunner, TwoClocks
    from memconsole.ports.platform import ChangeFeed, Clock
    from memconsole.scheduler.control import Jobs


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
    from memconsole.adapters.locks import FileJobLocks, SchedulerWatch  # noqa: PLC0415
    from memconsole.adapters.sqlite.private_copy import PrivateCopies  # noqa: PLC0415
    from memconsole.adapters.state.database import StateDatabase  # noqa: PLC0415
    from memconsole.adapters.state.jobs import StateJobs  # noqa: PLC0415
    from memconsole.adapters.state.runs import StateRunLog  # noqa: PLC0415
    from memconsole.scheduler.control import Jobs  # noqa: PLC0415

    state = StateDatabase(settings.state_dir, PrivateCopies())
    store = StateJobs(state)
    locks = settings.state_dir / "locks"
    return Jobs(
        settings=settings,
        engine=engine,
        store=store,
        locks=FileJobLocks(locks, clock.now),
        runs=StateRunLog(state),
        clocks=_both(clock),
        watch=SchedulerWatch(locks, store),
        zone=lambda: wiring.zone(settings, engine.home()),
        child=child,
        scheduler_engine=scheduler_engine,
        feed=_feed,
    )


def is_state_old(settings: Settings) -> bool:
    """Tell whether our database is still to be made, or made anew for this version."""
    from memconsole.adapters.sqlite.private_copy import PrivateCopies  # noqa: PLC0415
    from memconsole.adapters.state.database import StateDatabase  # noqa: PLC0415
    from memconsole.adapters.state.schema import KNOWN_VERSION  # noqa: PLC0415

    state = StateDatabase(settings.state_dir, PrivateCopies())
    return state.read(lambda one: one.user_version, 0) < KNOWN_VERSION


def renew_state(settings: Settings) -> None:
    """Make our database, or make it anew for this version.

    Raises:
        StateError: The state folder cannot be written.
    """
    from memconsole.adapters.sqlite.private_copy import PrivateCopies  # noqa: PLC0415
    from memconsole.adapters.state.database import StateDatabase  # noqa: PLC0415

    StateDatabase(settings.state_dir, PrivateCopies()).write(lambda _: None)


def _feed() -> ChangeFeed:
    from memconsole.adapters.changes.feed import FileChangeFeed  # noqa: PLC0415

    return FileChangeFeed()


def _both(clock: Clock) -> TwoClocks:
    """Return the wall clock of the process together with the time that has passed."""
    from memconsole.adapters.clock import PassedTime  # noqa: PLC0415

    return PassedTime(clock)
