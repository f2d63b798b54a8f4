"""Counts what is said while it is said, and knows when it should be observed (mission §13).

Like `index_watch` it keeps no thread and no timer: whoever hears of changed files tells it, and
whoever has a thread to spare asks what is due. Counted are complete records of main and direct
talks, from where the last look ended: byte offsets of a file, numbers of a database. A transcript
that was renamed, replaced or cut begins anew; what was there before the first look is not news.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

from memconsole.domain.checkpoint import class_of
from memconsole.domain.commands import Observe
from memconsole.domain.sessions import SessionState
from memconsole.domain.transcript import EntryKind
from memconsole.domain.watching import TalkCount, WatchRules
from memconsole.engine.lookup import owns
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memconsole.domain.agents import Agent, AgentRef, Home
    from memconsole.domain.sessions import StoredSession
    from memconsole.engine.ports_bundle import Ports

logger = logging.getLogger(__name__)

_LIMIT_BYTES: Final = 4 * 1024 * 1024
"""What one look passes of a transcript that grew by more than anybody talks."""

_NOT_COUNTED: Final = (EntryKind.IN_PROGRESS, EntryKind.SESSION, EntryKind.LEAF)


class TalkWatch:
    """Counts new lines of talks; safe from any thread, raises nothing.

    Args:
        ports: The engine's ports.
        home: Reads home and roster.
        rules: `[watcher]`.
    """

    def __init__(
        self, ports: Ports, home: Callable[[], Home], rules: WatchRules | None = None
    ) -> None:
        self._ports = ports
        self._home = home
        self._rules = rules or WatchRules()
        self._lock = threading.Lock()
        self._counts: dict[AgentRef, TalkCount] = {}
        self._places: dict[tuple[AgentRef, str], int] = {}
        self._begun: set[AgentRef] = set()

    def note(self, paths: frozenset[Path]) -> None:
        """Take changed paths, as a `ChangeFeed` yields them, and count what was said."""
        try:
            home = self._home()
        except MemconsoleError as error:
            logger.info("talks are not counted: %s", error)
            return
        for agent in home.agents:
            if home.path in paths or any(owns(agent, path) for path in paths):
                self._count(agent)

    def observed(self, agent: AgentRef | None = None) -> None:
        """Take note of a run of the observer, of one agent or of all."""
        now = self._ports.clock.monotonic()
        with self._lock:
            for ref in (agent,) if agent is not None else tuple(self._counts):
                self._counts[ref] = self._counts.get(ref, TalkCount()).observed(now)

    def due_in_s(self) -> float | None:
        """Return the seconds until something is due: 0 for now, None when nothing waits."""
        now = self._ports.clock.monotonic()
        with self._lock:
            waits = [one.due_in_s(now, self._rules) for one in self._counts.values()]
        return min((wait for wait in waits if wait is not None), default=None)

    def take_due(self) -> tuple[Observe, ...]:
        """Return what should be observed now, and start its count and its pause anew."""
        now = self._ports.clock.monotonic()
        with self._lock:
            due = [ref for ref, one in self._counts.items() if one.due_in_s(now, self._rules) == 0]
            for ref in due:
                self._counts[ref] = self._counts[ref].observed(now)
        return tuple(Observe(ref) for ref in due)

    def _count(self, agent: Agent) -> None:
        is_first = agent.ref not in self._begun
        lines = 0
        try:
            for stored in self._talks(agent):
                lines += self._new_lines(agent.ref, stored, is_first=is_first)
        except MemconsoleError as error:
            logger.info("the talks of %s are not counted: %s", agent.id, error)
            return
        with self._lock:
            self._begun.add(agent.ref)
            known = self._counts.get(agent.ref, TalkCount())
            self._counts[agent.ref] = known.grown(lines)

    def _talks(self, agent: Agent) -> Iterator[StoredSession]:
        for stored in self._ports.sessions.sessions(agent).sessions:
            is_talk = stored.state is SessionState.LIVE and class_of(stored).is_captured
            if is_talk and stored.transcript is not None:
                yield stored

    def _new_lines(self, ref: AgentRef, stored: StoredSession, *, is_first: bool) -> int:
        """Return how many records stand behind the last look; -1 is before every place."""
        transcript = stored.transcript
        assert transcript is not None  # talks have one
        name = (ref, transcript.session_id)
        known = self._places.get(name, -1)
        newest, lines = -1, 0
        for entry in self._ports.sessions.backward(transcript, limit_bytes=_LIMIT_BYTES):
            if entry.kind is EntryKind.IN_PROGRESS:
                continue  # it is counted when it is whole
            newest = max(newest, entry.position)
            if entry.position <= known or (is_first and newest >= 0):
                break
            lines += entry.kind not in _NOT_COUNTED
        with self._lock:
            self._places[name] = newest
        if is_first:
            return 0
        if newest < known:  # cut, or another file under the same id
            return 0
        return lines
