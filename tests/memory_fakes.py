"""Fakes of what captures, consolidates and looks after memory."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Written
from memconsole.domain.health.checks import CronErrors
from memconsole.domain.hooks import HOOKS, HookState, HookStatus
from memconsole.domain.model import Completion
from memconsole.errors import ModelError, StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import AgentRef, Home
    from memconsole.domain.flush import FlushMark
    from memconsole.domain.health.checks import HeldLock
    from memconsole.domain.jobs.runs import JobRecord
    from memconsole.domain.memory.edits import MemoryAction
    from memconsole.domain.memory.records import ReflectionRecord, SummaryRecord
    from memconsole.domain.model import ModelUse, Prompt


@dataclass
class FakeSummaries:
    """The summaries that were written, oldest first."""

    stored: list[SummaryRecord] = field(default_factory=list)
    is_unwritable: bool = False

    def last(self, agent: AgentRef, session_id: str) -> SummaryRecord | None:
        found = [one for one in self.stored if (one.agent, one.session_id) == (agent, session_id)]
        return found[-1] if found else None

    def _check(self) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")

    def add(self, record: SummaryRecord) -> None:
        self._check()
        self.stored.append(record)


@dataclass
class FakeEdits:
    """What was done to memory by hand, oldest first; an undone action is gone."""

    stored: list[MemoryAction] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    is_unwritable: bool = False

    def actions(self, workspace: str) -> tuple[MemoryAction, ...]:
        return tuple(one for one in reversed(self.stored) if one.workspace == workspace)

    def _check(self) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")

    def add(self, action: MemoryAction) -> None:
        self._check()
        number = 1 + max((one.id for one in self.stored), default=0)
        self.stored.append(replace(action, id=number))

    def undone(self, action: MemoryAction, at: datetime) -> None:
        self._check()
        self.stored = [one for one in self.stored if one.id != action.id]

    def erase(self, actions: Collection[int], clean: Callable[[str], str]) -> None:
        self._check()
        self.blocks = [clean(one) for one in self.blocks]
        self.stored = [one for one in self.stored if one.id not in actions]


@dataclass
class FakeFlushes:
    """The last flush of each session, by agent and key."""

    stored: dict[tuple[AgentRef, str], FlushMark] = field(default_factory=dict)
    is_unwritable: bool = False

    def last(self, agent: AgentRef, key: str) -> FlushMark | None:
        return self.stored.get((agent, key))

    def store(self, agent: AgentRef, key: str, mark: FlushMark) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")
        self.stored[agent, key] = mark


@dataclass
class FakeRecovery:
    """Fingerprints by session id, and keys by session id."""

    stored: dict[str, set[str]] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)
    is_unwritable: bool = False

    def fingerprints(self, agent: AgentRef, session_id: str) -> frozenset[str]:
        return frozenset(self.stored.get(session_id, ()))

    def remember(self, agent: AgentRef, session_id: str, fingerprint: str, at: datetime) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")
        self.stored.setdefault(session_id, set()).add(fingerprint)

    def keys(self, agent: AgentRef) -> Mapping[str, str]:
        return self.known

    def note(self, agent: AgentRef, keys: Mapping[str, str], at: datetime) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")
        self.known.update(keys)


@dataclass
class FakeReflections:
    """Consolidations, oldest first; those that were undone by number."""

    stored: list[ReflectionRecord] = field(default_factory=list)
    taken_back: set[int] = field(default_factory=set)
    is_unwritable: bool = False

    def last(self, workspace: str) -> ReflectionRecord | None:
        found = [
            one
            for one in self.stored
            if one.workspace == workspace and one.id not in self.taken_back
        ]
        return found[-1] if found else None

    def _check(self) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")

    def add(self, record: ReflectionRecord) -> None:
        self._check()
        self.stored.append(replace(record, id=len(self.stored) + 1))

    def undone(self, record: ReflectionRecord, at: datetime) -> None:
        self.taken_back.add(record.id)


class FakeHost:
    """A host with half a disk, no processes and no locks, unless told otherwise."""

    def __init__(self) -> None:
        self.percents: dict[Path, float | None] = {}
        self.bytes: int | None = 0
        self.lines: tuple[str, ...] | None = ()
        self.served: dict[int, bool | None] = {}

    def disk_percent(self, path: Path) -> float | None:
        return self.percents.get(path, 50.0)

    def tree_bytes(self, folders: Iterable[Path]) -> int | None:
        return self.bytes

    def command_lines(self) -> Mapping[int, str] | None:
        return None if self.lines is None else dict(enumerate(self.lines))

    def serves(self, pid: int, home: Path) -> bool | None:
        return self.served.get(pid, True)


class FakeLockList:
    """Locks that somebody holds."""

    def __init__(self) -> None:
        self.current: list[HeldLock] = []

    def held(self) -> tuple[HeldLock, ...]:
        return tuple(self.current)


class FakeCron:
    """The platform's record of its runs; None where there is none."""

    def __init__(self) -> None:
        self.current: CronErrors | None = CronErrors(0, ())
        self.since: datetime | None = None

    def errors(self, home: Home, since: datetime) -> CronErrors | None:
        self.since = since
        return self.current


class FakeJobs:
    """What is remembered about jobs."""

    def __init__(self) -> None:
        self.current: dict[str, JobRecord] = {}

    def records(self) -> Mapping[str, JobRecord]:
        return self.current

    def save(self, record: JobRecord) -> None:
        self.current[record.id] = record

    def pause(self, job: str, *, is_paused: bool) -> None:
        self.current[job] = replace(self.current[job], is_paused=is_paused)

    def changes(self) -> object:
        return dict(self.current)

    def keep_open(self) -> AbstractContextManager[None]:
        return nullcontext()


class FakeModel:
    """A language model that says what it was told to; without anything to say it fails."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.asked: list[Prompt] = []
        self.uses: list[ModelUse] = []

    def complete(self, prompt: Prompt, *, timeout_s: float) -> Completion:
        self.asked.append(prompt)
        if not self.answers:
            raise ModelError("the model cannot be reached")
        return Completion(self.answers.pop(0), "small", 100)

    def tokens_since(self, at: datetime) -> int:
        return sum(one.tokens for one in self.uses if one.at >= at)

    def add(self, use: ModelUse) -> None:
        self.uses.append(use)


class FakeHooks:
    """A hooks folder that is written in memory."""

    def __init__(self) -> None:
        self.installed: list[str] = []

    def status(self, prefix: str, *, asks: bool = False) -> tuple[HookStatus, ...]:
        del asks
        return tuple(
            HookStatus(
                f"{prefix}{spec.name}",
                f"/home/operator/.openclaw/hooks/{prefix}{spec.name}",
                HookState.INSTALLED if spec.name in self.installed else HookState.MISSING,
                None,
                "it is as it is",
            )
            for spec in HOOKS
        )

    def install(self, prefix: str, *, dry_run: bool) -> tuple[Written, ...]:
        if not dry_run:
            self.installed = [spec.name for spec in HOOKS]
        return tuple(Written(f"{prefix}{spec.name}/handler.js", 10) for spec in HOOKS)

    def remove(self, prefix: str, *, dry_run: bool) -> tuple[str, ...]:
        gone = tuple(self.installed)
        if not dry_run:
            self.installed = []
        return gone
