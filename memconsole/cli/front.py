"""`memconsole` without a command: the console on a terminal, else the plain screen."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from memconsole import __version__
from memconsole.cli import exits
from memconsole.cli.later import later

if TYPE_CHECKING:
    from memconsole.cli.call import Call
    from memconsole.engine.engine import Engine
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
        from memconsole.cli.reading import show_status  # noqa: PLC0415

        return show_status(call)
    from memconsole import wiring  # noqa: PLC0415

    wiring.require_home(call.settings)
    from memconsole.ui.run import run_console  # noqa: PLC0415  # loads Textual

    call.is_console = True
    jobs = later(lambda: _jobs(call))

    def build() -> Engine:
        found = call.engine
        # With the first reading the screen asks for it, and must not wait for its modules.
        _ = jobs.is_hosting
        return found

    engine = later(build)
    with call.life():
        return run_console(engine, call.settings, wiring.build_feed(engine), jobs=jobs)


def _has_keyboard() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _jobs(call: Call) -> Jobs:
    """Return the jobs for a console: what it runs by hand is its own, what it hosts is not."""
    from memconsole import wiring, wiring_jobs  # noqa: PLC0415
    from memconsole.cli.child import ChildProcesses  # noqa: PLC0415
    from memconsole.domain.origin import Origin  # noqa: PLC0415

    return wiring_jobs.build_jobs(
        call.settings,
        call.engine,
        clock=call.clock,
        child=ChildProcesses(call.settings, call.clock),
        scheduler_engine=lambda: wiring.build_engine(
            call.settings, Origin.SCHEDULER, clock=call.clock
        ),
    )
