"""Runs the scheduler in the foreground, until a signal ends it."""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING

from memconsole.cli.call import exits
from memconsole.cli.call.child import ChildProcesses
from memconsole.cli.output.logging import JsonFormatter
from memconsole.compose import engine as wiring
from memconsole.compose import jobs as wiring_jobs
from memconsole.compose.process import require_home
from memconsole.domain.agents import Origin
from memconsole.domain.jobs.layers import Layer
from memconsole.scheduler.control import Stopper
from memconsole.scheduler.notify import Notifier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from types import FrameType

    from memconsole.cli.call.call import Call
    from memconsole.domain.settings import Settings

logger = logging.getLogger(__name__)

_FLEET_JOIN_S = 5.0
_STOPPERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def serve_jobs(call: Call, layer: Layer | None = None) -> int:
    """Run the jobs, or those of one layer, until SIGTERM, SIGINT or SIGHUP.

    Raises:
        HomeNotFoundError: There is no platform home.
        SchedulerOwnedError: Another process runs the jobs of this state folder.
        ReadOnlyError: Nothing may be done.
        StateError: The state folder cannot be written.
    """
    settings = call.settings
    require_home(settings)
    log_as_a_service(settings, call.clock.now)
    children = ChildProcesses(settings, call.clock)
    if not settings.ui.read_only:
        children.renew_state()
    engine = wiring.build_engine(settings, Origin.SCHEDULER, clock=call.clock)
    jobs = wiring_jobs.build_jobs(settings, engine, clock=call.clock, child=children)
    stopper = Stopper()
    with (
        closing(stopper.bell),
        stopped_by_signals(stopper) as seen,
        _publishing(call) if layer in (None, Layer.HEALTH) else nullcontext(),
    ):
        has_ended = jobs.serve(stopper, Notifier.from_environment(os.environ), layer)
    code = exits.INTERRUPTED if signal.SIGINT in seen else exits.DONE
    if not has_ended:  # a thread that still works would keep the process alive
        logging.shutdown()
        os._exit(code)
    return code


@contextmanager
def _publishing(call: Call) -> Iterator[None]:
    """Publish figures while the block runs, where a fleet is named and something may leave."""
    stop = threading.Event()
    loops = _loops_of_a_fleet(call) if call.settings.fleet.url else []
    threads = [threading.Thread(target=loop, args=(stop,), daemon=True) for loop in loops]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(_FLEET_JOIN_S)


def _loops_of_a_fleet(call: Call) -> list[Callable[[threading.Event], None]]:
    """Return what publishes and carries out commands, or what takes out what was published."""
    from memconsole.compose import fleet_server  # noqa: PLC0415 - most hosts are in no fleet

    settings, clock = call.settings, call.clock
    if settings.ui.read_only:
        return []
    if not settings.fleet.is_published:
        if not fleet_server.has_published(settings):
            return []
        return [fleet_server.fleet_publisher(settings, clock, tuple).withdraw]
    from memconsole.cli.json.figures import Figures  # noqa: PLC0415 - likewise

    engine = wiring.build_engine(settings, Origin.SCHEDULER, clock=clock)
    figures = Figures(engine, settings, fleet_server.fleet_veil(settings), clock.now)
    publisher = fleet_server.fleet_publisher(settings, clock, figures.look)
    if not settings.fleet.operators:
        return [publisher.run]
    return [
        publisher.run,
        fleet_server.fleet_worker(settings, clock, figures.meant, figures.hidden).run,
    ]


@contextmanager
def stopped_by_signals(stopper: Stopper) -> Iterator[list[int]]:
    """Let signals end the loop between two steps; yields those that came."""
    seen: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        seen.append(number)
        stopper.stop()

    before = {one: signal.signal(one, note) for one in _STOPPERS}
    try:
        yield seen
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def log_as_a_service(settings: Settings, now: Callable[[], datetime]) -> None:
    """Log JSON lines to standard error, what was done included."""
    root = logging.getLogger("memconsole")
    root.setLevel(min(logging.INFO, logging.getLevelNamesMapping()[settings.log.level.upper()]))
    for handler in root.handlers:
        handler.setFormatter(JsonFormatter(now))
