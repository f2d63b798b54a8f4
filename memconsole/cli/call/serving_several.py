"""Runs a scheduler for each home of this host that the fleet names, each in a process of its own.

What ails one scheduler stays there: one that ends is started again after a pause, the others go on.
Homes of other hosts have their own; nobody runs their jobs from here.
"""

from __future__ import annotations

import logging
import os
import subprocess
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from memconsole.cli.call import exits
from memconsole.cli.call.serving import log_as_a_service, stopped_by_signals
from memconsole.config.keys import BY_NAME
from memconsole.errors import UsageError
from memconsole.scheduler.control import Stopper
from memconsole.scheduler.notify import Notifier
from memconsole.system import launch
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.call.call import Call
    from memconsole.domain.jobs.layers import Layer

logger = logging.getLogger(__name__)

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
    from memconsole.cli.call.fleet import meant, require_fleet  # noqa: PLC0415 - most have one home
    from memconsole.compose.fleet import build_sources, local_homes  # noqa: PLC0415 - likewise

    settings = call.settings
    sources = build_sources(settings, call.flags.config)
    require_fleet(sources)
    homes = local_homes(meant(sources, call.flags, settings.fleet.labels))
    if not homes:
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
    with closing(stopper.bell), stopped_by_signals(stopper):
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
    return exits.DONE if all(ended) else exits.FAILED
