"""Indexes what changed, once it has been quiet for a while (mission §15, sync).

One watch lives as long as its face. Whoever hears of changed files tells it; whoever has a thread
to spare asks when something is due and does it. It keeps no thread and no timer of its own::

    watch = engine.index_watch()
    # thread 1, the face's change feed
    for paths in feed.changes(engine.watched(), stop):
        watch.note(paths)
    # thread 2, or a timer that calls again after `due_in_s()` seconds
    if watch.due_in_s() == 0:
        outcomes = watch.run_due(stop)

A face that must stay small (the scheduler, A18) takes `take_due()` instead of `run_due()`, runs the
commands in a child process (`memconsole reindex --agent A`), and hands back with `again(command)`
those that were locked or failed.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memconsole.domain.commands import Reindex
from memconsole.domain.indexing import Source
from memconsole.domain.outcomes import Failed, Skipped, SkipReason
from memconsole.engine.scopes import shelves
from memconsole.errors import LockedError, MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from memconsole.domain.agents import Agent, AgentRef, Home
    from memconsole.domain.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.ports_bundle import DoorPorts
    from memconsole.engine.scopes import Shelf
    from memconsole.ports import StopSignal

logger = logging.getLogger(__name__)

TALK_BYTES: Final = 100_000
"""Talks are indexed when they have grown by so much in all (mission §15)..."""

TALK_CHANGES: Final = 50
"""...or after so many changes: each of them brought at least one message."""

_PATIENCE: Final = 20
"""Files that never rest are indexed after so many times the quiet that is waited for."""


@dataclass(slots=True)
class _Waiting:
    """What is known to have changed of one agent.

    Attributes:
        first_s: When its first change was seen; on the clock's stopwatch, as `last_s`.
        has_memory: A memory file changed.
        talks: Changes of transcripts.
    """

    first_s: float
    last_s: float
    has_memory: bool = False
    talks: int = 0


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
        ports: DoorPorts,
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
        self._waiting: dict[AgentRef, _Waiting] = {}

    def note(self, paths: frozenset[Path]) -> None:
        """Take changed paths, as a `ChangeFeed` yields them.

        A path that is a root itself (the home, a workspace) means that anything below it may have
        changed. What belongs to no agent's memory or transcripts is ignored.
        """
        if self._settings.ui.read_only:
            return
        try:
            agents = self._home().agents
        except MemconsoleError as error:
            logger.info("changes are not indexed: %s", error)
            return
        now = self._ports.clock.monotonic()
        for agent in agents:
            has_talks = self._settings.for_agent(agent.id).search.sessions
            found = set(_changed_sources(agent, paths))
            if Source.MEMORY in found or (has_talks and Source.SESSIONS in found):
                self._add(agent.ref, found, now)

    def due_in_s(self) -> float | None:
        """Return the seconds until something is due: 0 for now, None when nothing waits."""
        now = self._ports.clock.monotonic()
        with self._lock:
            left = [self._due_at(one) - now for one in self._waiting.values() if _is_timed(one)]
        return max(0.0, min(left)) if left else None

    def take_due(self) -> tuple[Reindex, ...]:
        """Return the commands that are due and forget them; compares each index on the way.

        What turns out to be unchanged is left out. Transcripts come when they have grown by
        100,000 bytes, after 50 changes, or along with memory that changed.
        """
        now = self._ports.clock.monotonic()
        with self._lock:
            due = {
                ref: one
                for ref, one in self._waiting.items()
                if _is_timed(one) and self._due_at(one) <= now
            }
            for ref in due:
                del self._waiting[ref]
        return tuple(self._commands(due))

    def again(self, command: Reindex) -> None:
        """Let a command that did not succeed be due once more, after another quiet time."""
        self._add(command.agent, {Source.MEMORY}, self._ports.clock.monotonic())

    def run_due(self, cancel: StopSignal | None = None) -> tuple[Outcome, ...]:
        """Index what is due, in this process and thread; may take seconds and loads NumPy.

        Successes and failures come back as outcomes and are not written into the run log: an agent
        that writes all day would fill it. An index that another process writes is tried again.

        Args:
            cancel: Looked at between two agents and between two documents.
        """
        outcomes = []
        for command in self.take_due():
            if cancel is not None and cancel.is_set():
                self.again(command)
                continue
            outcomes.append(self._index(command, cancel))
        return tuple(outcomes)

    def _index(self, command: Reindex, cancel: StopSignal | None) -> Outcome:
        from memconsole.engine.reindex import reindex  # noqa: PLC0415

        try:
            return reindex(command, ports=self._ports, settings=self._settings, cancel=cancel)
        except LockedError as error:
            self.again(command)
            return Skipped(command, SkipReason.LOCKED, str(error), error.hint)
        except MemconsoleError as error:
            logger.warning("changes of %s are not indexed: %s", command.agent.id, error)
            return Failed(command, error.code, str(error), error.hint)

    def _add(self, ref: AgentRef, sources: Iterable[Source], now: float) -> None:
        with self._lock:
            one = self._waiting.setdefault(ref, _Waiting(now, now))
            if not _is_timed(one):
                one.first_s = now
            one.last_s = now
            one.has_memory = one.has_memory or Source.MEMORY in sources
            one.talks += Source.SESSIONS in sources

    def _due_at(self, one: _Waiting) -> float:
        return min(one.last_s + self._quiet_s, one.first_s + _PATIENCE * self._quiet_s)

    def _commands(self, due: dict[AgentRef, _Waiting]) -> Iterator[Reindex]:
        if not due:
            return
        try:
            home = self._home()
        except MemconsoleError as error:
            logger.info("changes are not indexed: %s", error)
            return
        for agent in home.agents:
            one = due.get(agent.ref)
            if one is None:
                continue
            if wanted := self._wanted(home, agent, one):
                yield Reindex(agent.ref, with_sessions=Source.SESSIONS in wanted)
            elif one.talks:
                self._keep(agent.ref, one)

    def _wanted(self, home: Home, agent: Agent, one: _Waiting) -> set[Source]:
        """Return whose index should be brought up to date."""
        return {
            shelf.scope.source
            for shelf in shelves(self._ports, self._settings, home, (agent,))
            if self._is_wanted(shelf, one)
        }

    def _is_wanted(self, shelf: Shelf, one: _Waiting) -> bool:
        try:
            found = self._ports.search().index.pending(
                shelf.scope, shelf.documents(), shelf.settings
            )
        except MemconsoleError:
            return True  # reindexing tells why it cannot be
        if not found.is_any or (found.must_build and not self._may_build):
            return False
        if shelf.scope.source is Source.MEMORY or one.has_memory:
            return True
        return found.grown_bytes >= TALK_BYTES or one.talks >= TALK_CHANGES

    def _keep(self, ref: AgentRef, one: _Waiting) -> None:
        """Remember changes that are too few; the next one is counted on top of them."""
        with self._lock:
            later = self._waiting.get(ref)
            if later is None:
                one.first_s = one.last_s = float("inf")
                self._waiting[ref] = one
            else:
                later.talks += one.talks


def _is_timed(one: _Waiting) -> bool:
    """Tell whether it becomes due by itself; what was kept waits for the next change."""
    return one.last_s != float("inf")


def _changed_sources(agent: Agent, paths: Iterable[Path]) -> Iterator[Source]:
    """Yield what of an agent changed paths belong to."""
    database = agent.database.parent
    for path in paths:
        is_above = path in agent.workspace.parents or path == agent.workspace
        if is_above or (agent.workspace in path.parents and path.suffix.lower() == ".md"):
            yield Source.MEMORY
        for place in (agent.sessions_dir, database):
            if path == place or place in path.parents or path in place.parents:
                yield Source.SESSIONS
