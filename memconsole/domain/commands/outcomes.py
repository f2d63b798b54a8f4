"""What came of a command: the same values for console, command line and scheduler."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memconsole.domain.agents import Notice, Origin
    from memconsole.domain.commands.command import Command


RUNNING, NOT_DONE = "running", "not-done"
"""Status of a step that goes on, and of one that a failure left out."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a command.

    Attributes:
        name: Such as `checkpoint` or `reset`.
        status: As of an outcome; else `running`, `unanswered` or `not-done`.
        duration_ms: None while it runs, and for what was not done.
        message: What came of it, in a few words.
    """

    name: str
    status: str
    duration_ms: int | None = None
    message: str = ""


class Verdict(StrEnum):
    """What was seen of an effect after it was asked for."""

    PROVEN = "proven"
    NOT_PROVEN = "not-proven"
    UNSEEN = "unseen"
    WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class Proof:
    """What was seen before and after.

    Attributes:
        text: Both sides, such as `revision 84d7… → 91cc…, 159.1K → 0`.
    """

    verdict: Verdict
    text: str


@dataclass(frozen=True, slots=True)
class Account:
    """What was done, step by step, and what proves it; None where nothing has to be proven."""

    steps: tuple[Step, ...]
    proof: Proof | None = None


class Follower(Protocol):
    """Somebody who watches a command; told from the thread that runs it."""

    def moved(self, step: Step) -> None:
        """Hear that a step began, or ended."""

    def kept(self, account: Account, run_id: int | None) -> None:
        """Hear the whole account, and the number of the run that keeps it; None when none does."""


Detail: TypeAlias = "str | int | float | bool | list[Detail] | dict[str, Detail] | None"
"""A value that JSON can carry."""


@dataclass(frozen=True, slots=True)
class Reported:
    """Base of the outcomes in which something was done, or would be.

    Attributes:
        message: One sentence without a full stop.
        wrote: Files, in the order they were written.
        details: By stable words, for `--json`.
        notices: What was odd on the way.
        duration_ms: What it took; None where nothing was timed.
    """

    command: Command
    message: str
    wrote: tuple[Written, ...] = ()
    details: Mapping[str, Detail] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    duration_ms: int | None = None


class SkipReason(StrEnum):
    """Why nothing was done although nothing failed; the stable words of `reason`."""

    NO_SESSION = "no-session"
    STALE = "stale"
    TOO_SMALL = "too-small"
    TOO_FEW_MESSAGES = "too-few-messages"
    NOTHING_NEW = "nothing-new"
    WORKSPACE_MISSING = "workspace-missing"
    LOCKED = "locked"
    NOT_CAPTURED = "class-not-captured"
    NOT_ROTATED = "class-not-rotated"
    NOT_DUE = "not-due"
    NOT_CONFIRMED = "count-not-confirmed"
    SKIP_PATTERN = "skip-pattern"
    MAX_PER_RUN = "max-per-run"
    BUSY = "active-run"
    IN_FLIGHT = "in-flight"
    TOO_SOON = "too-soon"
    BREAKER = "circuit-breaker"
    CHANGED = "session-changed"
    NOT_COMPACTED = "not-compacted"
    NOTHING_TO_FIX = "nothing-to-fix"
    DUPLICATE = "duplicate"
    UNREADABLE = "unreadable"
    PLATFORM_CONSOLIDATES = "platform-consolidates"


@dataclass(frozen=True, slots=True)
class Written:
    """One file that was written, or would be.

    Attributes:
        path: Relative to the workspace with `/`, or absolute outside of one.
        size_bytes: Size of the file afterwards for a replacement, bytes added for an append.
        mode: Such as `0600`.
    """

    path: str
    size_bytes: int
    mode: str = "0600"


@dataclass(frozen=True, slots=True)
class Planned(Reported):
    """What a dry run would do.

    Attributes:
        then: The command that does exactly this; None: the same command without `dry_run`.
    """

    then: Command | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nothing was done, for a reason that is no failure."""

    command: Command
    reason: SkipReason
    message: str
    hint: str = ""
    details: Mapping[str, Detail] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """An expected failure; `code` is the stable word of `reason`."""

    command: Command
    code: str
    message: str
    hint: str = ""
    details: Mapping[str, Detail] = field(default_factory=dict)
    duration_ms: int | None = None


Outcome: TypeAlias = Reported | Skipped | Failed
"""What came of a command; each command declares what it reports when it is done."""


def status_of(outcome: Outcome) -> str:
    """Return `done`, `planned`, `skipped` or `failed`, the `status` of `--json`."""
    match outcome:
        case Planned():
            return "planned"
        case Skipped():
            return "skipped"
        case Failed():
            return "failed"
        case _:
            return "done"


def reason_of(outcome: Outcome) -> str | None:
    """Return the stable word that says why, or None when it was done or planned."""
    match outcome:
        case Skipped():
            return outcome.reason.value
        case Failed():
            return outcome.code
        case _:
            return None


def notices_of(outcome: Outcome) -> tuple[Notice, ...]:
    """Return the warnings that came up on the way."""
    return () if isinstance(outcome, Failed) else outcome.notices


@dataclass(frozen=True, slots=True)
class Run:
    """One line of the run log.

    Attributes:
        command: Name on the command line, such as `checkpoint`.
        command_line: The equivalent call, for the activity panel.
        status: `done`, `planned`, `skipped`, `failed` or `running`.
        home: The platform home it was about: one state folder may serve several.
        account: Its steps and its proof; None for a run of an older release.
    """

    id: int
    job: str | None
    command: str
    command_line: str
    origin: Origin
    agent: str | None
    key: str | None
    started_at: datetime
    ended_at: datetime | None
    status: str
    reason: str | None
    message: str
    duration_ms: int | None
    home: str | None = None
    account: Account | None = None


def is_busy(outcome: Outcome) -> bool:
    """Whether a session was left alone because a run goes on in it."""
    return isinstance(outcome, Skipped) and outcome.reason is SkipReason.BUSY
