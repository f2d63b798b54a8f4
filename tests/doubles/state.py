"""Doubles of what captures and consolidation remember in our own database."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memconsole.domain.memory.edits import MemoryAction, PathState
from tests.doubles.platform import contain
from tests.doubles.unwritable import Unwritable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date, datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.checkpoint.rules import Capture
    from memconsole.domain.cleanup import TakenFile
    from memconsole.domain.consolidate.note_hits import NoteHit
    from memconsole.domain.flush import FlushMark
    from memconsole.domain.memory.edits import ReflectionRecord
    from memconsole.domain.observe.rules import Cursor
    from memconsole.domain.summarize.handover import Handover
    from memconsole.domain.summarize.text import SummaryRecord
    from tests.doubles.platform import FakeWorkspace


@dataclass
class FakeCaptures(Unwritable):
    """The capture log as a list, oldest first."""

    stored: list[Capture] = field(default_factory=list)

    def last(self, agent: AgentRef, session_id: str | None = None) -> Capture | None:
        return self._newest(agent, session_id, self.stored)

    def history(self, agent: AgentRef, limit: int) -> tuple[Capture, ...]:
        found = [one for one in reversed(self.stored) if one.agent == agent]
        return tuple(found[:limit])

    def latest_by_agent(self, home: str) -> dict[str, Capture]:
        return {one.agent.id: one for one in self.stored if one.agent.home.path == home}

    def latest_by_session(self, home: str) -> dict[tuple[str, str], datetime]:
        own = [one for one in self.stored if one.agent.home.path == home]
        return {
            (one.agent.id, one.session_id): one.at for one in sorted(own, key=lambda one: one.at)
        }

    def last_logged(self, agent: AgentRef, session_id: str | None = None) -> Capture | None:
        return self._newest(agent, session_id, [one for one in self.stored if one.is_logged])

    def add(self, capture: Capture) -> None:
        self._record()
        newest = self.last(capture.agent)
        if newest is not None and not newest.is_logged and _seen(newest) == _seen(capture):
            self.stored.remove(newest)
        self.stored.append(capture)

    @staticmethod
    def _newest(
        agent: AgentRef, session_id: str | None, captures: Iterable[Capture]
    ) -> Capture | None:
        found = [
            one for one in captures if one.agent == agent and session_id in (None, one.session_id)
        ]
        return found[-1] if found else None


def _seen(capture: Capture) -> tuple[str, str]:
    return capture.session_id, capture.content_hash


@dataclass
class FakeSummaries(Unwritable):
    """The summaries that were written, oldest first."""

    stored: list[SummaryRecord] = field(default_factory=list)

    def last(self, agent: AgentRef, session_id: str) -> SummaryRecord | None:
        found = [one for one in self.stored if (one.agent, one.session_id) == (agent, session_id)]
        return found[-1] if found else None

    def add(self, record: SummaryRecord) -> None:
        self._record()
        self.stored.append(record)


@dataclass
class FakeHandovers(Unwritable):
    """The hand-overs that wait, oldest first."""

    stored: list[Handover] = field(default_factory=list)

    def waiting(self, agent: AgentRef, key: str) -> Handover | None:
        found = [one for one in self.stored if (one.agent, one.session_key) == (agent, key)]
        return found[-1] if found else None

    def of_agent(self, agent: AgentRef) -> tuple[Handover, ...]:
        return tuple(one for one in reversed(self.stored) if one.agent == agent)

    def add(self, handover: Handover) -> None:
        self._check()
        self._close(handover)
        self.stored.append(handover)

    def given(self, handover: Handover, at: datetime) -> None:
        self._check()
        self._close(handover)

    def _close(self, handover: Handover) -> None:
        owner = handover.agent, handover.session_key
        self.stored = [one for one in self.stored if (one.agent, one.session_key) != owner]


@dataclass
class FakeTaken(Unwritable):
    """What was packed and taken away, oldest first."""

    stored: list[TakenFile] = field(default_factory=list)
    numbers: count[int] = field(default_factory=lambda: count(1))

    def durable(self) -> AbstractContextManager[None]:
        return nullcontext()

    def of(self, agent: AgentRef) -> tuple[TakenFile, ...]:
        return tuple(one for one in reversed(self.stored) if one.agent == agent)

    def add(self, taken: TakenFile) -> TakenFile:
        self._check()
        self.stored.append(replace(taken, id=next(self.numbers)))
        return self.stored[-1]

    def done(self, taken: TakenFile) -> None:
        self._check()
        self.stored = [
            replace(one, is_done=True) if one.id == taken.id else one for one in self.stored
        ]

    def looked(self, taken: Iterable[TakenFile]) -> None:
        self._check()
        known = {one.id: one for one in taken}
        self.stored = [known.get(one.id, one) for one in self.stored]

    def drop(self, taken: TakenFile) -> None:
        self._check()
        self.stored = [one for one in self.stored if one.id != taken.id]


@dataclass
class FakeEdits(Unwritable):
    """What was done to memory by hand, oldest first; an undone action is gone."""

    captures: FakeCaptures
    reflections: FakeReflections
    stored: list[MemoryAction] = field(default_factory=list)

    def actions(self, workspace: str) -> tuple[MemoryAction, ...]:
        return tuple(one for one in reversed(self.stored) if one.workspace == workspace)

    def add(self, action: MemoryAction) -> None:
        self._record()
        number = 1 + max((one.id for one in self.stored), default=0)
        self.stored.append(replace(action, id=number))

    def undone(self, action: MemoryAction, at: datetime) -> None:
        self._record()
        self.stored = [one for one in self.stored if one.id != action.id]

    def places(self) -> frozenset[str]:
        edited = [one for one in self.reflections.stored if one.edits]
        return frozenset(
            {one.workspace for one in self.stored}
            | {one.workspace for one in edited}
            | {one.workspace for one in self.captures.stored}
        )

    def blocks(self, workspace: str) -> tuple[str, ...]:
        return tuple(one.block for one in self.captures.stored if one.workspace == workspace)

    def erase(
        self, actions: Collection[int], places: Collection[str], clean: Callable[[str], str]
    ) -> None:
        self._check()
        self.captures.stored = [
            replace(one, block=clean(one.block)) if one.workspace in places else one
            for one in self.captures.stored
        ]
        self.reflections.stored = [
            replace(one, edits=()) if one.workspace in places else one
            for one in self.reflections.stored
        ]
        self.stored = [one for one in self.stored if one.id not in actions]


@dataclass
class FakeFlushes(Unwritable):
    """The last flush of each session, by agent and key."""

    stored: dict[tuple[AgentRef, str], FlushMark] = field(default_factory=dict)

    def last(self, agent: AgentRef, key: str) -> FlushMark | None:
        return self.stored.get((agent, key))

    def store(self, agent: AgentRef, key: str, mark: FlushMark) -> None:
        self._check()
        self.stored[agent, key] = mark


@dataclass
class FakeRecovery(Unwritable):
    """Fingerprints by agent and session id, and keys of each agent by session id."""

    captures: FakeCaptures
    summaries: FakeSummaries
    flushes: FakeFlushes
    stored: dict[tuple[AgentRef, str], set[str]] = field(default_factory=dict)
    known: dict[AgentRef, dict[str, str]] = field(default_factory=dict)

    def fingerprints(self, agent: AgentRef, session_id: str) -> frozenset[str]:
        return frozenset(self.stored.get((agent, session_id), ()))

    def remember(self, agent: AgentRef, session_id: str, fingerprint: str, at: datetime) -> None:
        self._record()
        self.stored.setdefault((agent, session_id), set()).add(fingerprint)

    def keys(self, agent: AgentRef) -> Mapping[str, str]:
        told: list[tuple[AgentRef, str | None, str | None]] = [
            *((one.agent, one.session_id, one.session_key) for one in self.captures.stored),
            *((one.agent, one.session_id, one.session_key) for one in self.summaries.stored),
            *((who, one.cycle.session_id, key) for (who, key), one in self.flushes.stored.items()),
        ]
        known = {name: key for who, name, key in told if who == agent and name and key}
        return known | self.known.get(agent, {})

    def note(self, agent: AgentRef, keys: Mapping[str, str], at: datetime) -> None:
        self._check()
        self.known.setdefault(agent, {}).update(keys)


@dataclass
class FakeReflections(Unwritable):
    """Consolidations, oldest first; those that were undone by number."""

    stored: list[ReflectionRecord] = field(default_factory=list)
    taken_back: set[int] = field(default_factory=set)

    def last(self, workspace: str) -> ReflectionRecord | None:
        found = [
            one
            for one in self.stored
            if one.workspace == workspace and one.id not in self.taken_back
        ]
        return found[-1] if found else None

    def add(self, record: ReflectionRecord) -> None:
        self._record()
        self.stored.append(replace(record, id=len(self.stored) + 1))

    def undone(self, record: ReflectionRecord, at: datetime) -> None:
        self._record()
        self.taken_back.add(record.id)
        self.stored = [
            replace(one, edits=()) if one.id == record.id else one for one in self.stored
        ]


@dataclass
class FakeConsolidation(Unwritable):
    """What searches found by workspace, what was declined, and the last report."""

    found: dict[str, dict[tuple[str, str, date], NoteHit]] = field(default_factory=dict)
    refused: dict[str, set[str]] = field(default_factory=dict)
    reports: dict[str, tuple[str, datetime]] = field(default_factory=dict)

    def hits(self, workspace: str) -> tuple[NoteHit, ...]:
        return tuple(sorted(self.found.get(workspace, {}).values(), key=lambda one: one.at))

    def add(self, workspace: str, hits: Sequence[NoteHit], *, keep_since: datetime) -> None:
        self._record()
        held = self.found.setdefault(workspace, {})
        for one in hits:
            known = held.setdefault((one.entry, one.query, one.day), one)
            best, newest = max(known.score, one.score), max(known.at, one.at)
            held[one.entry, one.query, one.day] = replace(one, score=best, at=newest)
        self.found[workspace] = {key: one for key, one in held.items() if one.at >= keep_since}

    def declined(self, workspace: str) -> frozenset[str]:
        return frozenset(self.refused.get(workspace, ()))

    def decline(self, workspace: str, entries: Collection[str], at: datetime) -> None:
        self._record()
        self.refused.setdefault(workspace, set()).update(entries)

    def last(self, workspace: str) -> tuple[str, datetime] | None:
        return self.reports.get(workspace)

    def reported(self, workspace: str, input_hash: str, at: datetime) -> None:
        self._record()
        self.reports[workspace] = (input_hash, at)


@dataclass
class FakeObserver(Unwritable):
    """How far the observer has read, by agent."""

    runs: dict[AgentRef, tuple[str, datetime]] = field(default_factory=dict)
    stored: dict[AgentRef, dict[str, Cursor]] = field(default_factory=dict)

    def last(self, agent: AgentRef) -> tuple[str, datetime] | None:
        return self.runs.get(agent)

    def cursors(self, agent: AgentRef) -> Mapping[str, Cursor]:
        return dict(self.stored.get(agent, {}))

    def advance(
        self, agent: AgentRef, hash_: str, cursors: Mapping[str, Cursor], at: datetime
    ) -> None:
        self._record()
        self.runs[agent] = (hash_, at)
        self.stored.setdefault(agent, {}).update(cursors)


class FakeFolders:
    """Folders of a `FakeWorkspace`."""

    def __init__(self, workspace: FakeWorkspace) -> None:
        self.workspace = workspace

    def names(self, root: Path, folder: str) -> tuple[str, ...]:
        contain(folder)
        found = (path for place, path in self.workspace.files if place == root)
        return tuple(
            sorted(
                PurePosixPath(path).name
                for path in found
                if str(PurePosixPath(path).parent) == folder
            )
        )

    def path_state(self, root: Path, relative: str) -> PathState:
        contain(relative)
        held = [PurePosixPath(path) for place, path in self.workspace.files if place == root]
        folders = {parent for path in held for parent in path.parents}
        wanted = list(PurePosixPath(relative).parents)[-2::-1]
        missing = tuple(str(one) for one in wanted if one not in folders)
        return PathState(0o600 if PurePosixPath(relative) in held else None, missing)

    def remove(
        self, root: Path, relative: str, *, folders: Sequence[str] = (), is_final: bool = False
    ) -> None:
        contain(relative)
        if self.workspace.text(root, relative) is None:
            return
        self.workspace.put(root, relative, None)
        if is_final:
            self.workspace.undo.pop()
