"""Runs the scheduler in the foreground, until a signal ends it: of one home or of several.

Of several homes each has a process of its own, and what ails one stays there: one that ends is
started again after a pause, the others go on. Homes of other hosts have their own; nobody runs
their jobs from here.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading
from collections import Counter
from contextlib import closing, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

from memconsole.cli.call import exits
from memconsole.cli.call.child import ChildProcesses
from memconsole.cli.output.logging import JsonFormatter
from memconsole.compose import engine as wiring
from memconsole.compose import jobs as wiring_jobs
from memconsole.compose.process import require_home
from memconsole.config.keys import BY_NAME
from memconsole.domain.agents import Origin
from memconsole.domain.jobs.layers import Layer
from memconsole.errors import UsageError
from memconsole.scheduler.control import Stopper
from memconsole.scheduler.serving import Notifier
from memconsole.system import launch
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
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
    with _going_on(_loops_of_a_fleet(call) if call.settings.fleet.url else []):
        yield


@contextmanager
def _going_on(loops: Sequence[Callable[[threading.Event], None]]) -> Iterator[None]:
    """Run each of these in a thread of its own while the block runs."""
    stop = threading.Event()
    threads = [threading.Thread(target=_lasting, args=(loop, stop), daemon=True) for loop in loops]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(_FLEET_JOIN_S)


def _lasting(loop: Callable[[threading.Event], None], stop: threading.Event) -> None:
    """Run a loop until it is stopped; a bug in it is logged, and it begins anew after a while."""
    while not stop.is_set():
        try:
            loop(stop)
            return
        except Exception:  # the edge of a thread: what is local goes on
            logger.exception("what this host does for its fleet failed, which is a bug")
            stop.wait(_AFTER_A_BUG_S)


_AFTER_A_BUG_S = 60.0


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
    look = figures.look
    ended: Counter[str] = Counter()
    choose = engine.search.outgoing
    publisher = fleet_server.fleet_publisher(settings, clock, look, choose, ended=ended)
    if not settings.fleet.operators:
        return [publisher.run]
    worker = fleet_server.fleet_worker(
        settings, clock, figures.meant, figures.hidden, engine, ended=ended
    )
    return [publisher.run, worker.run]


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


_LOOK_S = 0.5

_PAUSE_S = 10.0
"""Between the end of a scheduler and its next start."""

_GRACE_S = 60.0
"""For what a scheduler is doing when it is told to end; then it is killed."""


class _Scheduler:
    """The process of one home."""

    def __init__(self, home: str, words: Sequence[str], environ: dict[str, str]) -> None:
        self.home = home
        self._argv = launch.own_module("memconsole", "--home", home, *words)
        self._environ = environ
        self._process: subprocess.Popen[bytes] | None = None
        self._rest_s = 0.0

    def look(self) -> None:
        """Start it when it is time, and note that it has ended."""
        if self._process is not None and self._process.poll() is not None:
            logger.error(
                "the scheduler of %s ended with %s; it is started again in %.0f s",
                self.home,
                self._process.returncode,
                _PAUSE_S,
            )
            self._process, self._rest_s = None, _PAUSE_S
        self._rest_s = max(self._rest_s - _LOOK_S, 0.0)
        if self._process is None and self._rest_s <= 0:
            self._process = subprocess.Popen(
                self._argv, stdin=subprocess.DEVNULL, env=self._environ, cwd=launch.FOLDER
            )

    def stop(self) -> None:
        """Tell it to end."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.terminate()

    def wait(self) -> bool:
        """Wait until it has ended; whether it did so by itself."""
        if self._process is None:
            return True
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return False
        return True


def serve_several(call: Call, layer: Layer | None) -> int:
    """Run the jobs of every home of this host that is meant, until a signal ends it.

    Raises:
        UsageError: None of the homes that are meant is of this host.
    """
    from memconsole.cli.call.fleet import is_meant, meant_here  # noqa: PLC0415 - seldom
    from memconsole.compose.fleet import (  # noqa: PLC0415 - likewise
        build_teller,
        local_homes,
    )

    settings = call.settings
    homes = local_homes(meant_here(call))
    tell = build_teller(settings, call.engine, call.clock, is_meant(call), is_alone=not homes)
    if not homes and tell is None:
        raise UsageError(
            "no home of this host is meant", hint="The jobs of another host are run there."
        )
    log_as_a_service(settings, call.clock.now)
    notifier = Notifier.from_environment(os.environ)
    environ = launch.environment()
    environ |= {
        BY_NAME[name].variable: text
        for name, text in call.flags.values.items()
        if name != "platform.home"
    }
    config = () if call.flags.config is None else ("--config", os.path.abspath(call.flags.config))  # noqa: PTH100 - keeps links
    words = (*config, "--serve", *(() if layer is None else ("--layer", layer.value)))
    schedulers = [_Scheduler(home, words, environ) for home in homes]
    stopper = Stopper()
    with (
        closing(stopper.bell),
        stopped_by_signals(stopper) as seen,
        _going_on([tell] if tell else []),
    ):
        notifier.ready(f"{plural(len(homes), 'home')}, a scheduler each")
        while not stopper.is_stopped:
            for one in schedulers:
                one.look()
            notifier.alive()
            stopper.bell.wait(_LOOK_S)
        notifier.stopping()
        for one in schedulers:
            one.stop()
        ended = [one.wait() for one in schedulers]
    if not all(ended):
        return exits.FAILED
    return exits.INTERRUPTED if signal.SIGINT in seen else exits.DONE
