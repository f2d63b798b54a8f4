"""Notices a session that goes on under another id, and has the one that ended recovered.

A session id that changed without a command of ours is a reset by a person, or the platform giving a
session up: what was said after the last capture lies in a transcript that nobody reads. Like the
other watches it keeps no thread and no timer.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final, TypeAlias

from memconsole.domain.checkpoint.rules import is_capturable, is_readable
from memconsole.domain.commands.recover import Recover
from memconsole.domain.sessions.stored import SessionState
from memconsole.engine.home.lookup import owns
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import Agent, AgentRef, Home
    from memconsole.domain.sessions.stored import StoreListing
    from memconsole.ports.platform import Clock

logger = logging.getLogger(__name__)

REST_S: Final = 10.0
"""After a change, the platform's hook writes its summary and the transcript gets its last name."""

_Sessions: TypeAlias = "dict[str, tuple[str | None, datetime | None]]"
"""Session id and start by session key: a reset in place keeps the id."""


class EndedWatch:
    """Knows which agents have a session that ended; safe from any thread, raises nothing.

    Args:
        clock: For the rest after a change.
        home: Reads home and roster.
        listing: Lists an agent's sessions; an unchanged store costs it nothing.
        wants: Whether an agent's sessions are to be recovered, by its id.
    """

    def __init__(
        self,
        clock: Clock,
        home: Callable[[], Home],
        listing: Callable[[Agent], StoreListing],
        wants: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._clock = clock
        self._home = home
        self._listing = listing
        self._wants = wants
        self._lock = threading.Lock()
        self._sessions: dict[AgentRef, _Sessions] = {}
        self._due_at: dict[AgentRef, float] = {}

    def begin(self) -> None:
        """Compare all agents with what is known of them; what is there at first is no change."""
        self._look(None)

    def note(self, paths: frozenset[Path]) -> None:
        """Take changed paths, as a `ChangeFeed` yields them."""
        self._look(paths)

    def recovered(self) -> None:
        """Take note of a run that looked at all agents."""
        with self._lock:
            self._due_at.clear()

    def due_in_s(self) -> float | None:
        """Return the seconds until something is due: 0 for now, None when nothing waits."""
        now = self._clock.monotonic()
        with self._lock:
            return min((max(0.0, at - now) for at in self._due_at.values()), default=None)

    def take_due(self) -> tuple[Recover, ...]:
        """Return what is to be recovered now, and forget it."""
        now = self._clock.monotonic()
        with self._lock:
            due = [ref for ref, at in self._due_at.items() if at <= now]
            for ref in due:
                del self._due_at[ref]
        return tuple(Recover(ref) for ref in due)

    def _look(self, paths: frozenset[Path] | None) -> None:
        try:
            home = self._home()
        except MemconsoleError as error:
            logger.info("ended sessions are not looked for: %s", error)
            return
        for agent in home.agents:
            is_changed = paths is None or home.path in paths
            if self._wants(agent.id) and (is_changed or any(owns(agent, it) for it in paths or ())):
                self._compare(agent)

    def _compare(self, agent: Agent) -> None:
        listing = self._listing(agent)
        if not is_readable(listing):
            return  # what is not known has not ended
        sessions = _sessions(listing)
        with self._lock:
            before = self._sessions.get(agent.ref, sessions)
            self._sessions[agent.ref] = sessions
            if any(sessions.get(key) != one for key, one in before.items()):
                self._due_at[agent.ref] = self._clock.monotonic() + REST_S


def _sessions(listing: StoreListing) -> _Sessions:
    return {
        one.key.text: (one.session_id, one.started_at)
        for one in listing.sessions
        if one.state is SessionState.LIVE and one.key is not None and is_capturable(one)
    }
