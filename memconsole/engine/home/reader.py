"""Reads the home part by part and keeps what did not change."""

from __future__ import annotations

import threading
from dataclasses import field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from memconsole.domain.agents import Notice, few
from memconsole.domain.sessions.activity import is_running
from memconsole.domain.sessions.judgement import needs_usage, window_of
from memconsole.domain.sessions.names import names_of
from memconsole.domain.sessions.stored import SessionState, TranscriptKind, TranscriptState
from memconsole.domain.sessions.tokens import LOOKBACK
from memconsole.domain.settings import usable
from memconsole.domain.settings.sections import HealthSettings, RotationSettings
from memconsole.domain.snapshot.unsaved import TODAY
from memconsole.engine.home.judge import Evidence, judge
from memconsole.engine.home.service import HomeService
from memconsole.engine.transcripts.ages import last_words
from memconsole.engine.transcripts.tail import read_usages
from memconsole.errors import TranscriptRefusedError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from datetime import datetime

    from memconsole.domain.agents import Agent, AgentRef, Home
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.sessions.stored import StoredSession, StoreListing, TranscriptRef
    from memconsole.domain.sessions.tokens import Sample
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.domain.transcripts.records import Tail, UsageMark
    from memconsole.ports.platform import (
        Clock,
        MemoryReader,
        Platform,
        ReadingMemory,
        SessionStore,
    )

_GROWTH_POINTS = 60

Seen: TypeAlias = "tuple[UsageMark, int | None, datetime | None]"
Tails: TypeAlias = "dict[str, tuple[Seen, Tail]]"
"""By session id: what the transcript was when it was read, and its end."""

_SAME_MOMENT = timedelta(minutes=1)

_WORTH_KEEPING = 25
"""Sessions and transcripts read anew; fewer take no time, and a small home keeps nothing."""

_NO_USAGE = 0
"""Of a transcript that is only opened."""

_GROWTH_READINGS = 8
"""Transcripts of one agent read for growth, the newest; more would slow a large home down."""


@dataclass(frozen=True, slots=True)
class AgentReading:
    """One agent's sessions, listed and with the transcript ends that were needed.

    Attributes:
        notices: Of transcripts that could not be read, or are not the sessions' own.
        refused: What is to be said of those that are not their own, by path.
        ended: Sessions that were reset within the last day, with the time of their last message.
    """

    agent: Agent
    listing: StoreListing
    usages: Mapping[str, Tail]
    read_at: datetime
    notices: tuple[Notice, ...] = ()
    ended: tuple[tuple[StoredSession, datetime], ...] = ()
    refused: Mapping[str, Notice] = field(default_factory=dict)


class Reader:
    """Keeps the last reading of every agent and workspace; safe from any thread.

    Attributes:
        homes: What all readings of the home go through.
        home: Reads home, configuration and roster.
        settings: What holds for this home.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        platform: Platform,
        sessions: SessionStore,
        memory: MemoryReader,
        read_before: ReadingMemory,
        clock: Clock,
    ) -> None:
        self.settings = settings
        self._store = sessions
        self._memory = memory
        self._read_before = read_before
        self._clock = clock
        self.homes = HomeService(platform)
        self.home = self.homes.read
        self._lock = threading.RLock()
        self._listings: dict[AgentRef, tuple[Agent, StoreListing]] = {}
        self._agents: dict[AgentRef, AgentReading] = {}
        self._pools: dict[str, tuple[object, Pool]] = {}
        self._tails: dict[AgentRef, Tails] = {}
        self._before: Mapping[UsageMark, Tail] | None = None
        self._news = self._listed = 0

    def rotation(self, agent_id: str, threshold_tokens: int | None = None) -> RotationSettings:
        """Return `[rotation]` of one agent; the usual one where its section is wrong.

        Sessions are shown all the same. What rotates reads the section itself, and is refused.
        """
        own = self.settings.for_agent(agent_id).rotation
        rules = usable(lambda: (own.threshold_tokens, own)[1], RotationSettings())
        if threshold_tokens is None:
            return rules
        return replace(rules, threshold_tokens=threshold_tokens, keys={}, models={})

    def _stuck_after(self, agent_id: str) -> timedelta:
        """Return from when on a run is stuck; the usual time where the section is wrong."""
        own = self.settings.for_agent(agent_id)
        return usable(lambda: own.health.stuck_after, HealthSettings().stuck_after)

    def keep_open(self) -> AbstractContextManager[None]:
        """Let many readings of this thread share their connections, for a short block."""
        return self._store.keep_open()

    def listing(self, agent: Agent) -> StoreListing:
        """List what an agent's stores hold; an unchanged store is not read again."""
        store = self._store
        with self._lock:
            known = self._listings.get(agent.ref)
            if (
                known is not None
                and known[0] == agent
                and known[1].fingerprint == store.fingerprint(agent)
            ):
                return known[1]
            listing = self._read_before.listing(agent, store.fingerprint)
            if listing is None:
                found = store.sessions(agent)
                listing = replace(found, names=tuple(names_of(found.sessions)))
                self._listed += len(listing.sessions)
            self._listings[agent.ref] = agent, listing
            return listing

    def sessions(self, home: Home, agent: Agent, *, reuse: bool = False) -> AgentReading:
        """List an agent's sessions, with the ends of transcripts that are needed to judge them.

        Args:
            home: The home it belongs to.
            agent: The agent.
            reuse: Take the last reading without even asking whether it changed.
        """
        with self._lock:
            known = self._agents.get(agent.ref)
            if known is not None and reuse:
                return known
            with self._store.keep_open():
                self._remembered(home)  # before anything is looked at
                listing = self.listing(agent)
                if known is not None and known.listing is listing:
                    return known
                failed: list[Notice] = []
                usages = self._usages(home, agent, listing, failed)
                now = self._clock.now()
                ended = _ended(self._store, listing, now)
            codes = TranscriptRefusedError.CODES
            refused = {one.path: one for one in failed if one.path and one.code in codes}
            reading = AgentReading(agent, listing, usages, now, few(failed), ended, refused)
            self._agents[agent.ref] = reading
            return reading

    def views(
        self,
        home: Home,
        reading: AgentReading,
        samples: Mapping[str, tuple[Sample, ...]],
        threshold_tokens: int | None = None,
    ) -> list[SessionView]:
        """Judge every session of a reading; cheap, and done anew each time: the clock moves on."""
        rules = self.rotation(reading.agent.id, threshold_tokens)
        stuck_after = self._stuck_after(reading.agent.id)
        now = self._clock.now()
        views = []
        listed = reading.listing.sessions
        for one, name in zip(listed, reading.listing.names or names_of(listed), strict=True):
            usage = reading.usages.get(one.session_id or "")
            stored = _spoken(_owned(one, reading.refused), usage)
            evidence = Evidence(
                usage=usage,
                samples=samples.get(one.session_id or "", ()),
                read_at=reading.read_at,
                name=name,
                stuck_after=stuck_after,
            )
            views.append(judge(stored, evidence, config=home.config, rules=rules, now=now))
        return views

    def pool(self, home: Home, agent: Agent, *, reuse: bool = False) -> Pool:
        """Read the memory pool of an agent's workspace; shared workspaces are read once."""
        root = str(agent.workspace)
        with self._lock:
            known = self._pools.get(root)
            if known is not None and reuse:
                return known[1]
            sharing = tuple(
                sorted(one.id for one in home.agents if one.workspace == agent.workspace)
            )
            if agent.workspace_doubt:
                return _unknown_pool(home, agent, sharing, self._clock.now())
            mark = (self._memory.fingerprint(agent.workspace), sharing)
            if known is not None and known[0] == mark:
                return known[1]
            pool = self._memory.pool(
                agent.workspace, sharing, config=home.config, now=self._clock.now()
            )
            self._pools[root] = (mark, pool)
            return pool

    def remember(self, home: Home) -> None:
        """Keep what was read for the next process, when much of it was read anew."""
        with self._lock:
            is_whole = all(agent.ref in self._listings for agent in home.agents)
            if max(self._news, self._listed) < _WORTH_KEEPING or not is_whole:
                return
            self._news = self._listed = 0
            ends = (one for known in self._tails.values() for one in known.values())
            found = {mark: tail for (mark, _, _), tail in ends if mark[3]}
            listings = {agent.ref: self._listings[agent.ref] for agent in home.agents}
            self._read_before.store(str(home.path), found, listings)

    def forget(self) -> None:
        """Forget what was kept for the next process: an erasure reaches every copy.

        Raises:
            StateError: It cannot be removed.
        """
        self._read_before.forget()

    def _remembered(self, home: Home) -> Mapping[UsageMark, Tail]:
        if self._before is None:
            self._before = self._read_before.load(str(home.path))
        return self._before

    def _usages(
        self, home: Home, agent: Agent, listing: StoreListing, failed: list[Notice]
    ) -> dict[str, Tail]:
        rules = self.rotation(agent.id)
        deep = _newest_sessions(listing, self._clock.now())
        far: dict[str, TranscriptRef] = {}
        near: dict[str, TranscriptRef] = {}
        unread: dict[str, TranscriptRef] = {}
        for stored in listing.sessions:
            ref, session_id = stored.transcript, stored.session_id
            if ref is None or session_id is None or not _is_worth_reading(stored):
                continue
            if session_id in deep:
                far[session_id] = ref
            elif is_running(stored) or needs_usage(stored, rules, window_of(stored, home.config)):
                near[session_id] = ref
            elif ref.kind is TranscriptKind.FILE:
                unread[session_id] = ref
        # One place a transcript: what it was before it grew is of no use to anybody, nor are those
        # that are not listed any more.
        known = self._tails.get(agent.ref, {})
        kept = self._tails[agent.ref] = {}
        # Nobody needs their ends; whether they are the sessions' own is told of them all the same.
        self._tails_of(unread, _NO_USAGE, known, kept, failed)
        return {
            **self._tails_of(near, 1, known, kept, failed),
            **self._tails_of(far, _GROWTH_POINTS, known, kept, failed),
        }

    def _tails_of(
        self,
        refs: Mapping[str, TranscriptRef],
        wanted: int,
        known: Tails,
        kept: Tails,
        failed: list[Notice],
    ) -> dict[str, Tail]:
        """Return the ends of transcripts, from memory while a transcript is unchanged."""
        marks: dict[str, Seen] = {
            one: (_mark(ref, wanted), ref.size_bytes, ref.modified_at) for one, ref in refs.items()
        }
        before = self._before or {}
        found = {one: known[one] for one in refs if one in known and known[one][0] == marks[one]}
        for one, mark in marks.items():
            if one not in found and mark[0][3] and mark[0] in before:
                found[one] = mark, before[mark[0]]
        ids = {id(ref): one for one, ref in refs.items() if one not in found}
        unread = [ref for one, ref in refs.items() if one not in found]
        store = self._store
        for ref, tail in read_usages(store, unread, wanted=wanted, failed=failed):
            one = ids[id(ref)]
            found[one] = marks[one], tail
            self._news += bool(marks[one][0][3])
        kept.update((one, row) for one, row in found.items() if refs[one].modified_at is not None)
        return {one: tail for one, (_, tail) in found.items()}


def _unknown_pool(home: Home, agent: Agent, sharing: tuple[str, ...], now: datetime) -> Pool:
    """Return the memory of a workspace that is only guessed: what lies there may be another's."""
    from memconsole.domain.memory.files import MARKER_TAGS, Pool  # noqa: PLC0415 - rarely needed

    code = "workspace-missing" if home.config.is_readable else "config-unreadable"
    return Pool(
        agents=sharing,
        root=agent.workspace,
        exists=False,
        files=0,
        size_bytes=0,
        tokens=0,
        markers=dict.fromkeys(MARKER_TAGS, 0),
        items=(),
        by_category=(),
        limits=(),
        notices=(),
        active_context_at=None,
        read_at=now,
        doubt=Notice(code, agent.workspace_trouble, agent=agent.id),
    )


def _ended(
    store: SessionStore, listing: StoreListing, now: datetime
) -> tuple[tuple[StoredSession, datetime], ...]:
    """Return what was reset of late; the name of an archive tells that, and not who spoke last."""
    recent = [
        one
        for one in listing.sessions
        if one.state is SessionState.ARCHIVED
        and one.archive_reason in ("reset", "rollover")
        and one.transcript is not None
        and one.updated_at is not None
        and timedelta() <= now - one.updated_at <= TODAY
    ]
    if not recent:
        return ()
    found = last_words(store, recent)
    return tuple((one, at) for one in recent if (at := found.get(id(one.transcript))) is not None)


def _mark(ref: TranscriptRef, wanted: int) -> UsageMark:
    """Return what an end is known by; without a stamp where other files count as well."""
    stamp = ref.stamp if ref.stamp is not None and ref.extra is None else ()
    return str(ref.path), ref.session_id, wanted, stamp


def _owned(stored: StoredSession, refused: Mapping[str, Notice]) -> StoredSession:
    """Say of a session whose transcript was opened and is another's that it is refused."""
    notice = None if stored.transcript is None else refused.get(str(stored.transcript.path))
    if notice is None:
        return stored
    return replace(stored, transcript_state=TranscriptState.REFUSED, refusal=notice)


def _spoken(stored: StoredSession, usage: Tail | None) -> StoredSession:
    """Date a session by its newest message, where that was read."""
    if usage is None or usage.spoke_at is None:
        return stored
    at, known = usage.spoke_at, stored.updated_at
    if known is not None and abs(known - at) <= _SAME_MOMENT:
        return stored  # the entry says so itself
    return replace(stored, spoke_at=at, updated_at=stored.updated_at or at)


def _is_worth_reading(stored: StoredSession) -> bool:
    """Counts of ended sessions are history; only what lives can still be saved."""
    if stored.state is SessionState.LIVE:
        return stored.transcript_state is TranscriptState.PRESENT
    # What ended without a date has one in its last message.
    return stored.state is SessionState.ORPHAN or stored.updated_at is None


def _newest_sessions(listing: StoreListing, now: datetime) -> frozenset[str]:
    """Return the ids whose growth is worth a deeper reading: the newest sessions of these hours."""
    sessions = [
        (one.updated_at, one.session_id)
        for one in listing.sessions
        if one.state is SessionState.LIVE
        and one.session_id is not None
        and one.updated_at is not None
        and one.transcript is not None
        and one.key is not None
        and one.key.kind.is_conversation
        and now - one.updated_at <= LOOKBACK
    ]
    sessions.sort(reverse=True)
    return frozenset(session_id for _, session_id in sessions[:_GROWTH_READINGS])
