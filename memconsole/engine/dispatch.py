"""Runs one command and writes it down; loaded by the first command, not by a look.

The row of a command names the function that does it, as `module:function` below
`memconsole.engine`. That module is imported now, so that a call loads what its command needs. The
function is given the command and, by name, what its parameters ask for: a port by its name in
`Ports`, something of `MADE`, which is made of ports in the same way, or one of

    home        home, configuration and roster, as they are now
    reader      reads home, sessions and memory
    settings    those of the command's agent
    ports       what a search needs, as `SearchNeeds`
    step        runs another command as a part of this one, and tells that
    steps       is told the other parts of it
    finish      finishes what earlier runs promised to erase
    progress    is told how many steps are done, and of how many
    cancel      ends a long command early

What every command may raise is told here alone: that there is no such agent or no workspace, that
another run works in it (`engine/turn.py`), that somebody edits a file at the same time in every
attempt, and that our database cannot be written. Each names what else it raises.
"""

from __future__ import annotations

import logging
import sys
from dataclasses import fields, is_dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from memconsole.domain.commands.account import account_of, brief
from memconsole.domain.commands.command import command_line, key_of, name_of
from memconsole.domain.commands.outcomes import Planned, Run, reason_of, status_of
from memconsole.engine.turn import StepLog, settle
from memconsole.errors import ReadOnlyError, StateError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from types import CodeType

    from memconsole.domain.agents import Agent
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Account, Follower, Outcome
    from memconsole.domain.memory.intents import Erasure
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports
    from memconsole.ports.platform import StopSignal

logger = logging.getLogger(__name__)

_PARTS = {"observe": "observations", "summarize": "summary"}
"""What a step is called that is a command of another name."""

_SIMILARITY = "memconsole.domain.memory.similarity"


@dataclass(frozen=True, slots=True)
class Attended:
    """How somebody who waits for a command follows it; commands of one step ignore both.

    Attributes:
        progress: Told how many steps are done, and of how many.
        cancel: Ends it early, at a place where nothing is half done.
        job: Whose command it is; the run log names it.
        follower: Told each step of it, and then its account.
    """

    progress: Callable[[int, int], None] | None = None
    cancel: StopSignal | None = None
    job: str | None = None
    follower: Follower | None = None


UNATTENDED = Attended()

MADE = {
    "turns": "turn:Turns",
    "snapshots": "snapshot.snapshot:Snapshots",
    "config": "config_check.service:ConfigService",
    "fingerprints": "transcripts.fingerprint:Fingerprints",
    "model": "model:BudgetedModel",
    "memories": "home.workspace:Memories",
    "memory_index": "search.reindex:MemoryIndex",
    "memory_turns": "memory.turns:MemoryTurns",
    "targets": "rotation.target:Targets",
    "branching": "sessions.branch:Branching",
    "old_files": "cleanup.read:OldFiles",
}
"""What is made for a command that asks for it: its class, whose fields are asked for in turn."""


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
    told = StepLog(ports.clock, attended.follower)
    outcome = Steps(ports, reader, settings, attended, told).step(command)
    # Jobs look before they act; a look that changes nothing is no news.
    level = logging.DEBUG if command.dry_run else logging.INFO
    logger.log(level, "%s: %s", let_out(command_line(command)), status_of(outcome))
    if not (isinstance(outcome, Planned) or command.dry_run or settings.ui.read_only):
        account = account_of(outcome, told.steps, command.spec.stages)
        number = _write_down(outcome, started_at, ports, attended.job, account)
        if attended.follower is not None:
            attended.follower.kept(account, number)
    if _SIMILARITY in sys.modules:
        sys.modules[_SIMILARITY].forget()  # a process of months need not keep it
    return outcome


@dataclass(frozen=True, slots=True)
class Steps:
    """Runs commands, each with what it asks for; writes none of them down."""

    ports: Ports
    reader: Reader
    settings: Settings
    attended: Attended = UNATTENDED
    told: StepLog | None = None

    def part(self, command: Command) -> Outcome:
        """Run a command as a step of another one; its own steps are told to nobody."""
        name = name_of(command)
        quiet = replace(self, attended=UNATTENDED, told=None)
        with self._steps.doing(_PARTS.get(name, name)) as doing:
            outcome = quiet.step(command)
            doing.status, doing.message = status_of(outcome), brief(outcome)
        return outcome

    @property
    def _steps(self) -> StepLog:
        return StepLog(self.ports.clock) if self.told is None else self.told

    def step(self, command: Command) -> Outcome:
        """Run a command; an expected failure comes back as `Failed`, a held lock as a skip."""
        clock = self.ports.clock
        start_s = clock.monotonic()
        outcome = settle(command, lambda: self._done(command))
        return replace(outcome, duration_ms=round((clock.monotonic() - start_s) * 1000))

    def _done(self, command: Command) -> Outcome:
        if self.settings.ui.read_only and not command.dry_run:
            raise ReadOnlyError(name_of(command))
        settings = self.settings.for_agent(command.agent.id)
        runner: Callable[..., Outcome] = named(command.spec.runner)
        return runner(command, **self._uses(runner, settings))

    def _uses(self, made: Callable[..., object], settings: Settings) -> dict[str, object]:
        return {name: self._use(name, settings) for name in uses_of(made)}

    def _use(self, name: str, settings: Settings) -> object:
        """Return what a parameter asks for by its name."""
        own: dict[str, object] = {
            "reader": self.reader,
            "settings": settings,
            "ports": self.ports,
            "step": self.part,
            "steps": self._steps,
            "finish": partial(self._finish, settings),
            "progress": self.attended.progress,
            "cancel": self.attended.cancel,
        }
        if name in own:
            return own[name]
        if name == "home":
            return self.reader.home()
        if name in MADE:
            kind = named(MADE[name])
            return kind(**self._uses(kind, settings))
        return getattr(self.ports, name)

    def _finish(self, settings: Settings, promised: Sequence[Erasure], agent: Agent) -> None:
        finish = named("memory.erasure:finish")  # hardly ever needed
        finish(promised, agent, **self._uses(finish, settings))


def named(place: str) -> Callable[..., Any]:
    """Import what is named as `module:name` below `memconsole.engine`."""
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"memconsole.engine.{module}"), name)
    return found


def uses_of(made: Callable[..., object]) -> tuple[str, ...]:
    """Return the names of what a function takes by name, or a class is made of."""
    if isinstance(made, type) and is_dataclass(made):
        return tuple(one.name for one in fields(made))
    function = vars(made)["__init__"] if isinstance(made, type) else made
    code: CodeType = function.__code__
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


def _write_down(
    outcome: Outcome, started_at: datetime, ports: Ports, job: str | None, account: Account
) -> int | None:
    """Keep a run with its account, and return its number; None when it cannot be kept."""
    command = outcome.command
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
        home=command.agent.home.path,
        account=account,
    )
    try:
        return ports.runs.add(run)
    except StateError as error:
        logger.warning("the run was not recorded: %s", error)
        return None
