"""`memconsole` without a command: the console on a terminal, else the plain screen.

What takes longer to load than the console takes to draw its first frame is built behind it.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

from memconsole import __version__
from memconsole.cli.call import exits
from memconsole.compose.feed import build_feed
from memconsole.compose.process import require_home
from memconsole.domain.agents import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memconsole.cli.call.call import Call
    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.engine.report import ReportMaker
    from memconsole.ports.fleet import FleetSource
    from memconsole.scheduler.control import Jobs


def version(call: Call) -> int:
    """Print the version."""
    call.output.lines([f"memconsole {__version__}"])
    return exits.DONE


def front(call: Call) -> int:
    """Open the console, or print `status` where no console can be.

    Raises:
        HomeNotFoundError: There is no platform home to open it over.
    """
    is_dumb = os.environ.get("TERM", "dumb") in ("dumb", "unknown", "")
    if call.is_json or is_dumb or not (call.output.is_terminal and _has_keyboard()):
        if call.flags.names_fleet or call.is_usually_of_fleet:
            from memconsole.cli.call.fleet import ask_fleet  # noqa: PLC0415 - most have one home

            return ask_fleet(call, "status", ["status"])
        from memconsole.cli.call.status import show_status  # noqa: PLC0415

        return show_status(call)
    sources = None
    if call.flags.names_fleet or call.is_usually_of_fleet:
        from memconsole.cli.call.fleet import meant_here  # noqa: PLC0415 - most have one home

        sources = meant_here(call)
    else:
        require_home(call.settings)
    from memconsole.ui.run import run_console  # noqa: PLC0415  # loads Textual

    call.origin = Origin.CONSOLE
    jobs = later(lambda: _jobs(call), is_hosting=False, underway=())
    engine = later(lambda: call.engine if sources is None else _several(call, sources))
    with call.life():
        feed = build_feed(engine, is_of_several=sources is not None)
        return run_console(engine, call.settings, feed, jobs=jobs, report=lambda: _report(call))


def _report(call: Call) -> ReportMaker:
    from memconsole.compose.report import build_report  # noqa: PLC0415 - rarely asked for

    return build_report(call.settings, call.origin, call.clock)


def _several(call: Call, sources: Sequence[FleetSource]) -> Engine:
    from memconsole.cli.call.fleet import is_meant  # noqa: PLC0415 - most have one home
    from memconsole.compose import engine as wiring  # noqa: PLC0415
    from memconsole.compose.fleet import build_several  # noqa: PLC0415 - most have one home

    def engine_of(settings: Settings) -> Engine:
        return wiring.build_engine(settings, Origin.CONSOLE, clock=call.clock)

    return build_several(
        call.settings,
        call.engine,
        sources,
        clock=call.clock,
        engine_of=engine_of,
        is_meant=is_meant(call),
    )


def _has_keyboard() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _jobs(call: Call) -> Jobs:
    """Return the jobs for a console: what it runs by hand is its own, what it hosts is not."""
    from memconsole.cli.call.child import ChildProcesses  # noqa: PLC0415
    from memconsole.compose import engine, jobs  # noqa: PLC0415

    return jobs.build_jobs(
        call.settings,
        call.engine,
        clock=call.clock,
        child=ChildProcesses(call.settings, call.clock),
        scheduler_engine=lambda: engine.build_engine(
            call.settings, Origin.SCHEDULER, clock=call.clock
        ),
    )


T = TypeVar("T")


def later(build: Callable[[], T], **known: object) -> T:
    """Return what stands for an object until something is asked of it.

    Args:
        build: Called once, in the thread that asks first; others wait. What it raises reaches
            those who ask, and the next one tries again.
        known: Attributes that need no object as long as there is none.
    """
    return cast("T", _Later(build, known))


class _Closes(Protocol):
    def close(self) -> None: ...


class _Later(Generic[T]):
    def __init__(self, build: Callable[[], T], known: Mapping[str, object]) -> None:
        self._build = build
        self._known = known
        self._lock = threading.Lock()
        self._built: T | None = None

    def close(self) -> None:
        """Close what was built; what nobody asked anything needs no end."""
        if self._built is not None:
            cast("_Closes", self._built).close()

    def __getattr__(self, name: str) -> object:
        if self._built is None and name in self._known:
            return self._known[name]
        with self._lock:
            if self._built is None:
                self._built = self._build()
        return getattr(self._built, name)
