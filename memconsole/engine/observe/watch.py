"""Counts what is said while it is said, and knows when it should be observed.

Like `IndexWatch` it keeps no thread and no timer: whoever hears of changed files tells it, and
whoever has a thread to spare asks what is due. Counted are complete records of main and direct
sessions, from where the last look ended: byte offsets of a file, numbers of a database. A
transcript that was renamed, replaced or cut begins anew; what was there before the first look is
not news.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.checkpoint.rules import is_capturable
from memconsole.domain.commands.observe import Observe
from memconsole.domain.observe.watch import LineCount
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.settings.sections import WatcherSettings
from memconsole.domain.transcripts.records import EntryKind
from memconsole.engine.home.lookup import owns
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memconsole.domain.agents import Agent, AgentRef, Home
    from memconsole.domain.sessions.stored import StoreListing, TranscriptRef
    from memconsole.ports.platform import Clock, SessionStore

logger = logging.getLogger(__name__)

_LIMIT_BYTES: Final = 4 * 1024 * 1024
"""What one look passes of a transcript that grew by more than anybody says."""

_START: Final = -1
"""Before every place."""

_NOT_COUNTED: Final = (EntryKind.IN_PROGRESS, EntryKind.SESSION, EntryKind.LEAF)


class _Place(NamedTuple):
    """Where a session ended at the last look, and what its transcript was like."""

    ref: TranscriptRef
    position: int


class ObserverWatch:
    """Counts new lines of sessions; safe from any thread, raises nothing.

    Args:
        home: Reads home and roster.
        rules: `[watcher]` of an agent, by its id; None where it is off.
        listing: Lists an agent's sessions; None asks the store each time.
        sessions: The store.
        clock: Measures pauses.
    """

    def __init__(
        self,
        home: Callable[[], Home],
        rules: Callable[[str], WatcherSettings | None] = lambda _: WatcherSettings(),
        listing: Callable[[Agent], StoreListing] | None = None,
        *,
        sessions: SessionStore,
        clock: Clock,
    ) -> None:
        self._store = sessions
        self._clock = clock
        self._home = home
        self._rules = rules
        self._listing = listing or sessions.sessions
        self._lock = threading.Lock()
        self._counts: dict[AgentRef, LineCount] = {}
        self._places: dict[AgentRef, dict[str, _Place]] = {}

    def begin(self) -> None:
        """Look where all sessions end now: what comes behind it is news."""
        self._look(None)

    def note(self, paths: frozenset[Path]) -> None:
        """Take changed paths, as a `ChangeFeed` yields them, and count what was said."""
        self._look(paths)

    def observed(self, agent: AgentRef | None = None) -> None:
        """Take note of a run of the observer, of one agent or of all."""
        now = self._clock.monotonic()
        with self._lock:
            for ref in (agent,) if agent is not None else tuple(self._counts):
                self._counts[ref] = self._counts.get(ref, LineCount()).observed(now)

    def due_in_s(self) -> float | None:
        """Return the seconds until something is due: 0 for now, None when nothing waits."""
        now = self._clock.monotonic()
        with self._lock:
            waits = [self._due_in_s(ref, now) for ref in self._counts]
        return min((wait for wait in waits if wait is not None), default=None)

    def take_due(self) -> tuple[Observe, ...]:
        """Return what should be observed now, and start its count and its pause anew."""
        now = self._clock.monotonic()
        with self._lock:
            due = [ref for ref in self._counts if self._due_in_s(ref, now) == 0]
            for ref in due:
                self._counts[ref] = self._counts[ref].observed(now)
        return tuple(Observe(ref) for ref in due)

    def _due_in_s(self, ref: AgentRef, now_s: float) -> float | None:
        rules = self._rules(ref.id)
        return None if rules is None else self._counts[ref].due_in_s(now_s, rules)

    def _look(self, paths: frozenset[Path] | None) -> None:
        try:
            home = self._home()
        except MemconsoleError as error:
            logger.info("sessions are not counted: %s", error)
            return
        for agent in home.agents:
            if paths is None or home.path in paths or any(owns(agent, path) for path in paths):
                self._count(agent)

    def _count(self, agent: Agent) -> None:
        is_first, known = agent.ref not in self._places, self._places.get(agent.ref, {})
        places: dict[str, _Place] = {}
        lines = 0
        try:
            for ref in self._sessions(agent):
                place = known.get(ref.session_id)
                if place is None or ref.modified_at is None or place.ref != ref:
                    start = _START if place is None else place.position
                    newest, grown = self._new_lines(ref, None if is_first else start)
                    place, lines = _Place(ref, newest), lines + grown
                places[ref.session_id] = place
        except MemconsoleError as error:
            logger.info("the sessions of %s are not counted: %s", agent.id, error)
            return
        with self._lock:
            self._places[agent.ref] = places
            count = self._counts.get(agent.ref, LineCount())
            self._counts[agent.ref] = count.grown(lines)

    def _sessions(self, agent: Agent) -> Iterator[TranscriptRef]:
        for stored in self._listing(agent).sessions:
            is_conversation = stored.state is SessionState.LIVE and is_capturable(stored)
            if is_conversation and stored.transcript is not None:
                yield stored.transcript

    def _new_lines(self, ref: TranscriptRef, known: int | None) -> tuple[int, int]:
        """Return where a session ends, and how many records stand behind the last look.

        Args:
            ref: The session.
            known: Where it ended then; None when there was no look yet.
        """
        newest, lines = _START, 0
        for entry in self._store.backward(ref, limit_bytes=_LIMIT_BYTES):
            if entry.kind is EntryKind.IN_PROGRESS:
                continue  # it is counted when it is whole
            newest = max(newest, entry.position)
            if known is None or entry.position <= known:
                break
            lines += entry.kind not in _NOT_COUNTED
        is_other = known is None or newest < known  # cut, or another file under the same id
        return newest, 0 if is_other else lines
