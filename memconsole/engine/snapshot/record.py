"""Keeps what a reading found out, for growth, for recovery and for the next process."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from memconsole.domain.events import is_same, merged
from memconsole.domain.memory.files import PoolDay
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import Sample, TokenState
from memconsole.domain.snapshot.changes import Evidence, changes, noted_of
from memconsole.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.events import Event, Noted
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.host import LockList
    from memconsole.ports.platform import Clock, SampleStore
    from memconsole.ports.state import CaptureLog, EventLog, RecoveryLog

_LOOK_BACK = timedelta(hours=8)
"""A count of a session that is older says nothing about how full it was at its end."""

logger = logging.getLogger(__name__)


class ReadingService:
    """What readings leave behind."""

    def __init__(
        self,
        samples: SampleStore,
        recovery: RecoveryLog,
        reader: Reader,
        *,
        events: EventLog,
        captures: CaptureLog,
        clock: Clock,
        locks: Callable[[], LockList],
    ) -> None:
        self._samples = samples
        self._recovery = recovery
        self._reader = reader
        self._events = events
        self._captures = captures
        self._clock = clock
        self._locks = locks
        self._seen: Noted | None = None
        self._pools_on: date | None = None
        self._noted: dict[AgentRef, dict[str, str]] = {}

    def note_events(self, snapshot: ConsoleSnapshot) -> None:
        """Keep what the platform did since anybody looked last; most calls open no database."""
        last, now = self._seen, noted_of(snapshot)
        seen: Noted | None = merged(last, now)
        if last is not None and seen is not None and is_same(last, seen):
            self._seen = seen
            return

        def judge(before: Noted | None) -> tuple[Noted, tuple[Event, ...]] | None:
            nonlocal seen
            if before is None:
                return now, ()
            if before.at >= now.at:
                return None
            after = merged(before, now)
            if after.files != before.files and self._is_at_work():
                # What a run of ours writes is not told of before the run is: the next look does.
                after, seen = replace(after, files=before.files), None
            since = before.at if last is None else max(before.at, last.at)
            return after, changes(before, after, snapshot, since, self._evidence(snapshot))

        try:
            self._events.note(str(snapshot.home.path), judge)
        except StateError as error:
            logger.warning("what the platform did is not kept: %s", error)
        self._seen = seen

    def _is_at_work(self) -> bool:
        try:
            return bool(self._locks().held())
        except StateError:
            return False

    def _evidence(self, snapshot: ConsoleSnapshot) -> Evidence:
        home = str(snapshot.home.path)

        def tokens(session_id: str) -> int | None:
            since = snapshot.taken_at - _LOOK_BACK
            kept = [
                one.tokens
                for one in self._samples.samples(since=since)
                if one.session_id == session_id and one.at < snapshot.taken_at
            ]
            return kept[-1] if kept else None

        def saved_at(agent: AgentRef, session_id: str) -> datetime | None:
            return self._captures.latest_by_session(home).get((agent.id, session_id))

        return Evidence(tokens, saved_at)

    def sample(self, snapshot: ConsoleSnapshot) -> None:
        """Keep what a snapshot saw: counts for growth, pools for their trend, keys for recovery."""
        try:
            self._samples.add(samples_of(snapshot))
            if pools := _pools_of(snapshot):
                self._samples.add_pools(str(snapshot.home.path), pools)
                self._pools_on = pools[0].day
            for agent, keys in _keys_of(snapshot).items():
                if self._noted.get(agent) != keys:
                    self._recovery.note(agent, keys, snapshot.taken_at)
                    self._noted[agent] = keys
        except StateError as error:
            logger.warning("samples are not kept: %s", error)

    def wants_pools(self) -> bool:
        """Whether the pools were not kept yet today: once a day is enough for who shows none."""
        return self._pools_on != self._clock.now().astimezone(UTC).date()

    def remember(self) -> None:
        """Keep what was listed and read, so that the next process need not do it anew."""
        self._reader.remember(self._reader.home())


def samples_of(snapshot: ConsoleSnapshot) -> tuple[Sample, ...]:
    """Return one sample for each live session whose count is known now."""
    found = []
    for view in snapshot.sessions:
        is_known = view.count.state in (TokenState.FRESH, TokenState.ESTIMATED)
        if view.state is not SessionState.LIVE or not is_known:
            continue
        if view.session_id is not None and view.tokens is not None:
            found.append(Sample(view.agent.id, view.session_id, snapshot.taken_at, view.tokens))
    return tuple(found)


def _pools_of(snapshot: ConsoleSnapshot) -> tuple[PoolDay, ...]:
    """Return how large the memory of each agent is that was read."""
    day = snapshot.taken_at.astimezone(UTC).date()
    return tuple(
        PoolDay(one.ref.id, day, one.pool.size_bytes, one.pool.tokens, dict(one.pool.markers))
        for one in snapshot.agents
        if one.pool is not None and one.pool.exists and one.pool.is_known
    )


def _keys_of(snapshot: ConsoleSnapshot) -> dict[AgentRef, dict[str, str]]:
    """Return the keys of live sessions by session id and agent: recovery asks for them later."""
    found: dict[AgentRef, dict[str, str]] = {}
    for view in snapshot.sessions:
        if view.state is not SessionState.LIVE or not view.is_capturable:
            continue
        if view.session_id is not None and view.key_text is not None:
            found.setdefault(view.agent, {})[view.session_id] = view.key_text
    return found
