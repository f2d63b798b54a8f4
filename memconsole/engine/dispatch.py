"""Runs one command and writes it down; loaded by the first command, not by a look."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.commands.commands import (
    Checkpoint,
    Compact,
    ConfigFix,
    Flush,
    IndexMd,
    Observe,
    Recover,
    Reflect,
    Reindex,
    Rotate,
    Summarize,
)
from memconsole.domain.commands.line import command_line, key_of, name_of
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

    from memconsole.domain.commands.commands import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports
    from memconsole.ports.platform import StopSignal

logger = logging.getLogger(__name__)


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


def _dispatch(
    command: Command, ports: Ports, reader: Reader, settings: Settings, attended: Attended
) -> Outcome:
    if settings.ui.read_only and not command.dry_run:
        raise ReadOnlyError(name_of(command))
    settings = settings.for_agent(command.agent.id)
    match command:
        case Checkpoint():
            from memconsole.engine.checkpoint.run import checkpoint  # noqa: PLC0415

            return checkpoint(command, ports=ports, reader=reader, settings=settings)
        case Rotate() | Compact():
            from memconsole.engine.request import request  # noqa: PLC0415

            return request(command, ports=ports, reader=reader, settings=settings)
        case Reindex():
            from memconsole.engine.search.reindex import reindex  # noqa: PLC0415

            return reindex(
                command,
                ports=ports,
                settings=settings,
                home=reader.home(),
                cancel=attended.cancel,
                progress=attended.progress,
            )
        case Observe() | Summarize() | Flush() | Recover() | Reflect() | IndexMd():
            from memconsole.engine.capture import capture  # noqa: PLC0415

            return capture(command, ports=ports, reader=reader, settings=settings)
        case ConfigFix():
            from memconsole.engine.config_check.service import ConfigDoor  # noqa: PLC0415

            return ConfigDoor(ports, reader, settings).fix(command)
        case _:
            from memconsole.engine.memory.run import edit_memory  # noqa: PLC0415

            return edit_memory(command, ports=ports, reader=reader, settings=settings)


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
