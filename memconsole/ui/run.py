"""Runs the application from a shell: log, colours by the environment, and an honest exit code."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memconsole.ui.sparing import spared

with spared():
    from memconsole.ui.app import ConsoleApp
    from memconsole.ui.terminal.log import LogBuffer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.engine.report import ReportMaker
    from memconsole.ports.jobs import JobControl
    from memconsole.ports.platform import ChangeFeed


def run_console(
    engine: Engine,
    settings: Settings,
    feed: ChangeFeed | None = None,
    *,
    jobs: JobControl | None = None,
    report: Callable[[], ReportMaker] | None = None,
) -> int:
    """Run the console until it is left; return the exit code: 0, 1 after a bug, 128 + signal.

    Args:
        engine: The engine; read by thread workers.
        settings: Everything an operator can set.
        feed: File events; None means polling alone.
        jobs: The scheduler's jobs; a hosted scheduler ends with the console.
        report: Makes what a bug report needs.
    """
    # A reading in its thread lets the screen's thread in five times sooner than usual.
    sys.setswitchinterval(0.001)
    logbook = LogBuffer()
    with _log_into(logbook):
        app = ConsoleApp(
            engine,
            settings,
            feed,
            logbook=logbook,
            is_colourless=is_colourless(settings),
            jobs=jobs,
        )
        app.report = report
        try:
            app.run(mouse=settings.ui.mouse)
        finally:
            if jobs is not None:
                jobs.close()
    for line in app.left.account(jobs):
        sys.stderr.write(f"{line}\n")
    if app.ending.sentence:
        sys.stderr.write(f"{app.ending.sentence}\n")
    return app.return_code or 0


def is_colourless(settings: Settings) -> bool:
    """Tell whether the operator wants no colours (`NO_COLOR`, `--no-color`)."""
    return bool(os.environ.get("NO_COLOR")) or settings.ui.color == "never"


@contextmanager
def _log_into(logbook: LogBuffer) -> Iterator[None]:
    """Send the log to the log screen; a line written to the terminal would tear the picture."""
    loggers = (logging.getLogger(), logging.getLogger("memconsole"))
    silenced = [
        (logger, handler)
        for logger in loggers
        for handler in logger.handlers
        if type(handler) is logging.StreamHandler
    ]
    for logger, handler in silenced:
        logger.removeHandler(handler)
    loggers[0].addHandler(logbook)
    try:
        yield
    finally:
        loggers[0].removeHandler(logbook)
        for logger, handler in silenced:
            logger.addHandler(handler)
