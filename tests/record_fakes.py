"""Fakes of what captures, runs and samples leave in our own database."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memconsole.domain.memory.edits import Standing
from memconsole.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.memory.intents import Erasure
    from memconsole.domain.memory.records import Capture
    from memconsole.domain.sessions.tokens import Sample
    from tests.fakes import FakeWorkspace


@dataclass
class FakeCaptures:
    """The capture log as a list, oldest first."""

    stored: list[Capture] = field(default_factory=list)
    is_unwritable: bool = False

    def last(self, agent: AgentRef, session_id: str | None = None) -> Capture | None:
        return self._newest(agent, session_id, self.stored)

    def history(self, agent: AgentRef, limit: int) -> tuple[Capture, ...]:
        found = [one for one in reversed(self.stored) if one.agent == agent]
        return tuple(found[:limit])

    def latest_by_agent(self, home: str) -> dict[str, Capture]:
        return {one.agent.id: one for one in self.stored if one.agent.home == home}

    def last_logged(self, agent: AgentRef, session_id: str | None = None) -> Capture | None:
        return self._newest(agent, session_id, [one for one in self.stored if one.is_logged])

    def _check(self) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")

    def add(self, capture: Capture) -> None:
        self._check()
        self.stored.append(capture)

    @staticmethod
    def _newest(
        agent: AgentRef, session_id: str | None, captures: Iterable[Capture]
    ) -> Capture | None:
        found = [
            one for one in captures if one.agent == agent and session_id in (None, one.session_id)
        ]
        return found[-1] if found else None


class FakeJournal:
    """Takes a turn back that ends with an exception, whatever was recorded in it."""

    def __init__(self, workspace: FakeWorkspace) -> None:
        self.workspace = workspace
        self.promised: list[Erasure] = []
        self.is_unwritable = False

    @contextmanager
    def turn(self, root: Path, *, is_forward: bool = False) -> Iterator[None]:
        self._check()
        self.workspace.undo.clear()
        try:
            yield
        except BaseException:
            if not (is_forward or self.promised):
                self.workspace.take_back()
            raise

    def close(self, root: Path) -> tuple[Erasure, ...]:
        self._check()
        return tuple(self.promised)

    def promise(self, root: Path, erasure: Erasure) -> None:
        self.promised.append(erasure)

    def kept(self, root: Path) -> None:
        self.promised.clear()

    def _check(self) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")


class FakeFolders:
    """Folders of a `FakeWorkspace`."""

    def __init__(self, workspace: FakeWorkspace) -> None:
        self.workspace = workspace

    def names(self, root: Path, folder: str) -> tuple[str, ...]:
        found = (path for place, path in self.workspace.files if place == root)
        return tuple(
            sorted(
                PurePosixPath(path).name
                for path in found
                if str(PurePosixPath(path).parent) == folder
            )
        )

    def standing(self, root: Path, relative: str) -> Standing:
        return Standing()

    def remove(
        self, root: Path, relative: str, *, folders: Sequence[str] = (), is_final: bool = False
    ) -> None:
        self.workspace.put(root, relative, None)
        if is_final:
            self.workspace.undo.pop()


@dataclass
class FakeRuns:
    """The run log as a list, oldest first."""

    stored: list[Run] = field(default_factory=list)
    is_unwritable: bool = False
    is_unreadable: bool = False

    def require_readable(self) -> None:
        if self.is_unreadable:
            raise StateError("what was recorded cannot be read")

    def add(self, run: Run) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")
        self.stored.append(run)

    def runs(
        self,
        *,
        limit: int,
        since: datetime | None = None,
        job: str | None = None,
        home: str | None = None,
        command: str | None = None,
    ) -> tuple[Run, ...]:
        chosen = [
            run
            for run in reversed(self.stored)
            if (since is None or run.started_at >= since)
            and job in (None, run.job)
            and home in (None, run.home)
            and command in (None, run.command)
        ]
        return tuple(chosen[:limit])


@dataclass
class FakeSamples:
    """Token samples in the order they came."""

    stored: list[Sample] = field(default_factory=list)
    is_unwritable: bool = False

    def add(self, samples: Iterable[Sample]) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")
        self.stored += samples

    def samples(self, *, since: datetime) -> tuple[Sample, ...]:
        return tuple(one for one in self.stored if one.at >= since)
