"""Runs one command and writes it down; loaded by the first command, not by a look.

The row of a command names the function that does it, as `module:function` below
`memconsole.engine`. That module is imported now, so that a call loads what its command needs. The
function is given the command and, by name, what its parameters ask for: a port by its name in
`Ports`, or one of

    home        home, configuration and roster, as they are now
    reader      reads home, sessions and memory
    settings    those of the command's agent
    progress    is told how many steps are done, and of how many
    cancel      ends a long command early
"""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from memconsole.domain.commands.command import command_line, key_of, name_of
from memconsole.domain.commands.outcomes import (
    Failed,
    Planned,
    Run,
    Skipped,
    SkipReason,
    reason_of,
    status_of,
)
from memconsole.errors import LockedError, MemconsoleError, ReadOnlyError, StateError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from types import CodeType

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports
    from memconsole.ports.platform import StopSignal

logger = logging.getLogger(__name__)

_SIMILARITY = "memconsole.domain.memory.similarity"


class Runner(Protocol):
    """What does a command: takes it, and by name what it uses."""

    __code__: CodeType

    def __call__(self, command: Command, /, **uses: object) -> Outcome:
        """Do it; raises what it raises."""


@dataclass(frozen=True, slots=True)
class Attended:
    """How somebody who waits for a command follows it; commands of one step ignore both.

    Attributes:
        progress: Told how many steps are done, and of how many.
        cancel: Ends it early, at a place where nothing is half done.
        job: Whose command it is; the run log names it.
    """

    progress: Callable[[int, int], None] | None = None
    cancel: StopSignal | None = None
    job: str | None = None


UNATTENDED = Attended()


def run_command(
    command: Command,
    *,
    ports: Ports,
    reader: Reader,
    settings: Settings,
    attended: Attended = UNATTENDED,
) -> Outcome:
    """Run a command; expected failures come back as `Failed`, bugs are raised."""
    started_at = ports.clock.now()
    start = ports.clock.monotonic()
    try:
        outcome = _dispatch(command, ports, reader, settings, attended)
    except LockedError as error:
        outcome = Skipped(command, SkipReason.LOCKED, str(error), error.hint)
    except MemconsoleError as error:
        outcome = Failed(command, error.code, str(error), error.hint)
    took = round((ports.clock.monotonic() - start) * 1000)
    outcome = replace(outcome, duration_ms=took)
    # Jobs look before they act; a look that changes nothing is no news.
    level = logging.DEBUG if command.dry_run else logging.INFO
    logger.log(level, "%s: %s", let_out(command_line(command)), status_of(outcome))
    if not (isinstance(outcome, Planned) or command.dry_run or settings.ui.read_only):
        _write_down(command, outcome, started_at, ports, attended.job)
    return outcome


def runner_of(place: str) -> Runner:
    """Return the function that a row names, and import its module."""
    module, _, function = place.partition(":")
    runner: Runner = getattr(import_module(f"memconsole.engine.{module}"), function)
    return runner


def uses_of(runner: Runner) -> tuple[str, ...]:
    """Return the names of what a function uses beside its command."""
    code = runner.__code__
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


def _dispatch(
    command: Command, ports: Ports, reader: Reader, settings: Settings, attended: Attended
) -> Outcome:
    if settings.ui.read_only and not command.dry_run:
        raise ReadOnlyError(name_of(command))
    runner = runner_of(command.spec.runner)
    known: dict[str, Callable[[], object]] = {
        "home": reader.home,
        "reader": lambda: reader,
        "settings": lambda: settings.for_agent(command.agent.id),
        "progress": lambda: attended.progress,
        "cancel": lambda: attended.cancel,
        "ports": lambda: ports,
    }
    uses = {
        name: known[name]() if name in known else getattr(ports, name) for name in uses_of(runner)
    }
    try:
        return runner(command, **uses)
    finally:
        if _SIMILARITY in sys.modules:
            sys.modules[_SIMILARITY].forget()  # a process of months need not keep it


def _write_down(
    command: Command, outcome: Outcome, started_at: datetime, ports: Ports, job: str | None
) -> None:
    run = Run(
        id=0,
        job=job,
        command=name_of(command),
        command_line=command_line(command),
        origin=ports.origin,
        agent=command.agent.id or None,
        key=key_of(command),
        started_at=started_at,
        ended_at=ports.clock.now(),
        status=status_of(outcome),
        reason=reason_of(outcome),
        message=outcome.message,
        duration_ms=outcome.duration_ms,
        home=command.agent.home,
    )
    try:
        ports.runs.add(run)
    except StateError as error:
        logger.warning("the run was not recorded: %s", error)
