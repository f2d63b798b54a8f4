"""Indexes what changed, once it has been quiet for a while.

One watch lives as long as its face. Whoever hears of changed files tells it; whoever has a thread
to spare asks when something is due and does it. It keeps no thread and no timer of its own::

    watch = engine.watches.index()
    # thread 1, the face's change feed
    for paths in feed.changes(engine.home.watched(), stop):
        watch.note(paths)
    # thread 2, or a timer that calls again after `due_in_s()` seconds
    if watch.due_in_s() == 0:
        outcomes = watch.run_due(stop)

A face that must stay small (the scheduler) takes `take_due()` instead of `run_due()`, runs the
commands in a child process (`memconsole reindex --agent A`), and hands back with `again(command)`
those that were locked or failed.

What is known to have changed of one agent and waits to be indexed.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import field
from typing import TYPE_CHECKING, Final

from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.search.indexing import Source
from memconsole.engine.search.open import targets
from memconsole.engine.search.reindex import done, reindex
from memconsole.errors import LockedError, MemconsoleError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from memconsole.domain.agents import Agent, AgentRef, Home
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.search.open import IndexTarget
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import StopSignal


logger = logging.getLogger(__name__)

SESSION_BYTES: Final = 100_000
"""Sessions are indexed when they have grown by so much in all..."""

SESSION_CHANGES: Final = 50
"""...or after so many changes: each of them brought at least one message."""


class IndexWatch:
    """Collects changes and knows when they are due; safe from any thread, raises nothing.

    Args:
        ports: The engine's ports.
        settings: `search.debounce` is the quiet time; each agent's `search.sessions` decides
            whether transcripts count; with `ui.read_only` nothing is ever due.
        home: Reads home and roster.
        may_build: Build an index that is missing or unusable as well. False leaves it to the first
            search: the console does not spend a minute on what nobody may look for.
    """

    def __init__(
        self,
        ports: SearchNeeds,
        settings: Settings,
        home: Callable[[], Home],
        *,
        may_build: bool = False,
    ) -> None:
        self._ports = ports
        self._settings = settings
        self._home = home
        self._may_build = may_build
        self._quiet_s = settings.search.debounce.total_seconds()
        self._lock = threading.Lock()
        self._waiting: dict[AgentRef, PendingChanges] = {}

    def note(self, paths: frozenset[Path]) -> None:
        """Take changed paths, as a `ChangeFeed` yields them.

        A path that is a root itself (the home, a workspace) means that anything below it may have
        changed. What belongs to no agent's memory or transcripts is ignored.
        """
        if self._settings.ui.read_only:
            return
        home = self._known_home()
        now = self._ports.clock.monotonic()
        for agent in home.agents if home is not None else ():
            has_sessions = self._settings.for_agent(agent.id).search.sessions
            found = changes_of(agent, paths)
            if found.has_memory or (has_sessions and found.sessions):
                self._add(agent.ref, found, now)

    def due_in_s(self) -> float | None:
        """Return the seconds until something is due: 0 for now, None when nothing waits."""
        now = self._ports.clock.monotonic()
        with self._lock:
            left = [
                one.due_at(self._quiet_s) - now for one in self._waiting.values() if one.is_timed
            ]
        return max(0.0, min(left)) if left else None

    def behind(self) -> frozenset[AgentRef]:
        """Return the agents whose index lacks changes that were seen: their answers are stale."""
        with self._lock:
            return frozenset(self._waiting)

    def take_due(self) -> tuple[Reindex, ...]:
        """Return the commands that are due and forget them; compares each index on the way.

        What turns out to be unchanged is left out. Transcripts come when they have grown by
        100,000 bytes, after 50 changes, or along with memory that changed.
        """
        return tuple(self._commands(self._take()))

    def again(self, command: Reindex) -> None:
        """Let a command that did not succeed be due once more, after another quiet time."""
        now = self._ports.clock.monotonic()
        self._add(command.agent, PendingChanges(now, now, has_memory=True, files=None), now)

    def run_due(self, cancel: StopSignal | None = None) -> tuple[Outcome, ...]:
        """Index what is due, in this process and thread; may take seconds and loads NumPy.

        Successes and failures come back as outcomes and are not written into the run log: an agent
        that writes all day would fill it. An index that another process writes is tried again.
        Where only known files have changed, no other is looked at: the time it takes does not
        depend on the size of the index.

        Args:
            cancel: Looked at between two agents and between two documents.
        """
        outcomes: list[Outcome] = []
        due = self._take()
        outcomes += self._take_in_files(due, cancel)
        for command in self._commands(due):
            if cancel is not None and cancel.is_set():
                self.again(command)
                continue
            outcomes.append(self._index(command, cancel))
        return tuple(outcomes)

    def _index(self, command: Reindex, cancel: StopSignal | None) -> Outcome:

        try:
            return reindex(command, ports=self._ports, settings=self._settings, cancel=cancel)
        except LockedError as error:
            self.again(command)
            return Skipped(command, SkipReason.LOCKED, str(error), error.hint)
        except MemconsoleError as error:
            logger.warning("changes of %s are not indexed: %s", command.agent.id, error)
            return Failed(command, error.code, str(error), error.hint)

    def _take_in_files(
        self, due: dict[AgentRef, PendingChanges], cancel: StopSignal | None
    ) -> Iterator[Outcome]:
        """Take in the files that are known to have changed; what needs a comparison stays due."""
        known = [ref for ref, one in due.items() if one.files and not one.sessions]
        home = self._known_home() if known else None
        for agent in home.agents if home is not None else ():
            if agent.ref not in known or (cancel is not None and cancel.is_set()):
                continue
            outcome = self._file_outcome(home, agent, due[agent.ref].files or set(), cancel)
            if outcome is not None:
                del due[agent.ref]
                yield outcome

    def _file_outcome(
        self, home: Home | None, agent: Agent, files: set[Path], cancel: StopSignal | None
    ) -> Outcome | None:
        """Return what came of it; None when the index must be compared as a whole."""
        assert home is not None
        command = Reindex(agent.ref, with_sessions=False)
        [target] = targets(self._ports, self._settings, home, (agent,), (Source.MEMORY,))
        try:
            changed = target.changed(sorted(files))
            if changed is None:
                return None
            report = self._ports.search().index.take_in(
                target.scope, changed, target.read, target.settings, cancel
            )
        except MemconsoleError:
            return None  # comparing it tells what is wrong
        return None if report is None else done(command, [report], report.notices)

    def _take(self) -> dict[AgentRef, PendingChanges]:
        now = self._ports.clock.monotonic()
        with self._lock:
            due = {
                ref: one
                for ref, one in self._waiting.items()
                if one.is_timed and one.due_at(self._quiet_s) <= now
            }
            for ref in due:
                del self._waiting[ref]
        return due

    def _add(self, ref: AgentRef, more: PendingChanges, now: float) -> None:
        with self._lock:
            self._waiting.setdefault(ref, PendingChanges(now, now)).add(more, now)

    def _commands(self, due: dict[AgentRef, PendingChanges]) -> Iterator[Reindex]:
        home = self._known_home() if due else None
        if home is None:
            return
        for agent in home.agents:
            one = due.get(agent.ref)
            if one is None:
                continue
            if wanted := self._wanted(home, agent, one):
                yield Reindex(agent.ref, with_sessions=Source.SESSIONS in wanted)
            elif one.sessions:
                self._keep(agent.ref, one)

    def _known_home(self) -> Home | None:
        try:
            return self._home()
        except MemconsoleError as error:
            logger.info("changes are not indexed: %s", error)
            return None

    def _wanted(self, home: Home, agent: Agent, one: PendingChanges) -> set[Source]:
        """Return whose index should be brought up to date."""
        return {
            target.scope.source
            for target in targets(self._ports, self._settings, home, (agent,))
            if self._is_wanted(target, one)
        }

    def _is_wanted(self, target: IndexTarget, one: PendingChanges) -> bool:
        try:
            found = self._ports.search().index.pending(
                target.scope, target.documents(), target.settings
            )
        except MemconsoleError:
            return True  # reindexing tells why it cannot be
        if not found.is_any or (found.must_build and not self._may_build):
            return False
        if target.scope.source is Source.MEMORY or one.has_memory:
            return True
        return found.grown_bytes >= SESSION_BYTES or one.sessions >= SESSION_CHANGES

    def _keep(self, ref: AgentRef, one: PendingChanges) -> None:
        """Remember changes that are too few; the next one is counted on top of them."""
        with self._lock:
            later = self._waiting.get(ref)
            if later is None:
                one.wait_for_more()
                self._waiting[ref] = one
            else:
                later.sessions += one.sessions


_MOST_FILES: Final = 100
"""More changed files than these are found by a walk."""

_PATIENCE: Final = 20
"""Files that never rest are indexed after so many times the quiet that is waited for."""

_NEVER: Final = float("inf")


@dataclass(slots=True)
class PendingChanges:
    """Changes that have not been indexed yet.

    Attributes:
        first_s: When the first of them was seen; on the clock's stopwatch, as `last_s`.
        has_memory: A memory file changed.
        sessions: Changes of transcripts.
        files: The memory files that changed; None when it may be any of them.
    """

    first_s: float
    last_s: float
    has_memory: bool = False
    sessions: int = 0
    files: set[Path] | None = field(default_factory=set)

    @property
    def is_timed(self) -> bool:
        """Whether it becomes due by itself; otherwise it waits for the next change."""
        return self.last_s != _NEVER

    def due_at(self, quiet_s: float) -> float:
        """Return when it is due, given the quiet that is waited for."""
        return min(self.last_s + quiet_s, self.first_s + _PATIENCE * quiet_s)

    def add(self, more: PendingChanges, now: float) -> None:
        """Take further changes."""
        if not self.is_timed:
            self.first_s = now
        self.last_s = now
        self.has_memory = self.has_memory or more.has_memory
        self.sessions += more.sessions
        if self.files is not None:
            files = None if more.files is None else self.files | more.files
            self.files = None if files is None or len(files) > _MOST_FILES else files

    def wait_for_more(self) -> None:
        """Be due only after another change."""
        self.first_s = self.last_s = _NEVER


def changes_of(agent: Agent, paths: Iterable[Path]) -> PendingChanges:
    """Return what of an agent changed paths belong to; its times mean nothing."""
    found = PendingChanges(0, 0)
    places = (agent.sessions_dir, agent.database.parent)
    for path in paths:
        if path == agent.workspace or path in agent.workspace.parents:
            found.has_memory, found.files = True, None
        elif agent.workspace in path.parents and path.suffix.lower() == ".md":
            found.has_memory = True
            if found.files is not None:
                found.files.add(path)
        for place in places:
            if path == place or place in path.parents or path in place.parents:
                found.sessions = 1
    return found
