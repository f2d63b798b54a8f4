"""Lays what the Gateway sees over what the disk says, and never waits for it.

The Gateway is asked in a thread beside the reading of the disk. What it answers in time is merged
by session key; what comes later is there for the next reading.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice, Origin, Storage
from memconsole.domain.gateway import LiveReading, Verdict
from memconsole.domain.sessions.keys import key_of, parse_key
from memconsole.domain.sessions.stored import SessionState, StoredSession, TranscriptState
from memconsole.text.timestamps import sound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memconsole.domain.gateway import GatewayStatus, LiveSession
    from memconsole.engine.home.reader import AgentReading
    from memconsole.ports.platform import Gateway

BUDGET_S = 1.0
"""Seconds from the question on that an answer is waited for."""

CONSOLE_BUDGET_S = 0.05
"""The console looks again soon: it paints what the disk says and takes the answer next time."""

PATIENCE_S = 5.0
"""The console calls a Gateway slow whose last answer is older than this; it asks often."""

_REFUSED = frozenset(Verdict) - {Verdict.UP, Verdict.DOWN, Verdict.OFF}


class LiveView:
    """Asks the Gateway beside other work; one question at a time, from any thread.

    Args:
        gateway: What is asked.
        origin: Who asks.
        budget_s: Seconds that an answer is waited for; None is the usual time of the face.
    """

    def __init__(self, gateway: Gateway, origin: Origin, *, budget_s: float | None = None) -> None:
        self._gateway = gateway
        is_console = origin is Origin.CONSOLE and budget_s is None
        usual_s = CONSOLE_BUDGET_S if is_console else BUDGET_S
        self._budget_s = usual_s if budget_s is None else budget_s
        self._patience_s = PATIENCE_S if is_console else 0.0
        self._answered_at = 0.0
        self._lock = threading.Lock()
        self._asked_at = self._first_asked_at = 0.0
        self._answered: threading.Event | None = None
        self._last: LiveReading | None = None

    def begin(self) -> None:
        """Ask, unless a question is still open."""
        if self._gateway.is_off:
            return
        with self._lock:
            self._asked_at = time.monotonic()
            self._first_asked_at = self._first_asked_at or self._asked_at
            if self._answered is not None and not self._answered.is_set():
                return
            self._answered = threading.Event()
            threading.Thread(target=self._ask, args=(self._answered,), daemon=True).start()

    def so_far(self) -> LiveReading:
        """Return what can be said without waiting: that no answer came yet, or the last one."""
        if self._answered is None:
            return LiveReading()
        with self._lock:
            return self._last or LiveReading(status=self._gateway.provisional())

    def take(self) -> LiveReading:
        """Return the answer when it came in time, else what is known."""
        if self._answered is None:
            return LiveReading()
        left = self._asked_at + self._budget_s - time.monotonic()
        is_in_time = self._answered.wait(max(0.0, left))
        with self._lock:
            last, age_s = self._last, time.monotonic() - self._answered_at
        if is_in_time and last is not None:
            return last
        if last is None and self._is_new:
            return LiveReading()  # nothing is said of one that had no time to answer
        if last is not None and age_s <= self._patience_s:
            return last
        return _late(last, self._gateway.provisional())

    @property
    def _is_new(self) -> bool:
        """Whether the console asked for the first time, less than the usual budget ago."""
        return time.monotonic() - self._first_asked_at < min(self._patience_s, BUDGET_S)

    def _ask(self, answered: threading.Event) -> None:
        reading = LiveReading(self._gateway.provisional())
        try:
            reading = self._gateway.read()
        finally:
            with self._lock:
                self._last, self._answered_at = reading, time.monotonic()
            answered.set()


def _late(last: LiveReading | None, now: GatewayStatus) -> LiveReading:
    """Return what is known of a Gateway that owes an answer.

    Its last answer stays, and so does a bad verdict: the present silence does not make it better.
    """
    is_late = now.verdict == Verdict.LATE
    if last is None:
        return LiveReading(now, is_late=is_late)
    if last.status.verdict != Verdict.UP or not is_late:
        return replace(last, is_late=is_late)
    status = replace(last.status, verdict=now.verdict, reason=now.reason, hint=now.hint)
    return replace(last, status=status, is_late=True)


def live_notices(live: LiveReading) -> Iterator[Notice]:
    """Yield what is odd about an answer of the Gateway: late, refused, or cut off."""
    status = live.status
    if live.is_late and live.sessions:
        yield Notice("gateway-late", f"the gateway {status.does}: its last answer is shown")
    elif live.is_late or status.verdict in _REFUSED:
        code = "gateway-late" if live.is_late else "gateway-refused"
        yield Notice(code, f"the gateway {status.does}: sessions are shown from disk")
    elif status.verdict == Verdict.UP and status.reason is not None:
        yield Notice("gateway-refused", f"{status.reason}: sessions are shown from disk")
    if live.strangers:
        where = f" at {status.url}" if status.url else ""
        number = live.strangers
        none = "its only session is not" if number == 1 else f"none of its {number} sessions is"
        yield Notice(
            "gateway-other-home",
            f"the gateway{where} looks at another home: {none} in this one, and the disk's "
            "figures are shown",
        )
    if live.cut_at is not None:
        came, total = live.cut_at
        yield Notice(
            "gateway-list-cut",
            f"the gateway listed {came} of its {total} sessions; the others are shown from disk",
        )


def of_this_home(
    readings: Iterable[AgentReading], live: LiveReading, *, is_whole: bool
) -> LiveReading:
    """Return an answer without its sessions where the Gateway looks at another home.

    Args:
        readings: What the disk says.
        live: The answer.
        is_whole: The readings are those of all agents.
    """
    read = tuple(readings)
    agents = {one.agent.id for one in read}
    theirs = [
        one
        for one in live.sessions.values()
        if not one.is_archived and (is_whole or _agent_of(one) in agents)
    ]
    ours = {
        stored.key.text: stored.session_id
        for one in read
        for stored in one.listing.sessions
        if stored.state is SessionState.LIVE and stored.key is not None
    }
    is_unread = any(one.listing.storage is Storage.UNREADABLE for one in read)
    if not theirs or (is_unread and not ours) or any(_is_common(one, ours) for one in theirs):
        return live
    return replace(live, sessions={}, strangers=len(theirs))


def _is_common(one: LiveSession, ours: Mapping[str, str | None]) -> bool:
    return one.key in ours and (one.session_id is None or one.session_id == ours[one.key])


def overlaid(reading: AgentReading, live: LiveReading) -> AgentReading:
    """Return an agent's reading with what the Gateway knows better, by session key."""
    if not live.sessions:
        return reading
    sessions = tuple(_merged(stored, live) for stored in reading.listing.sessions)
    return replace(reading, listing=replace(reading.listing, sessions=sessions))


def completed(reading: AgentReading, live: LiveReading) -> AgentReading:
    """Return an agent's reading with the sessions that only the Gateway lists."""
    if not live.sessions:
        return reading
    listing = reading.listing
    known = {
        stored.key.text
        for stored in listing.sessions
        if stored.key is not None and stored.state is SessionState.LIVE
    }
    only_there = [
        _from_gateway(one, reading)
        for one in live.sessions.values()
        if one.key not in known and not one.is_archived and _agent_of(one) == reading.agent.id
    ]
    if not only_there:
        return reading
    is_unread = listing.storage is Storage.UNREADABLE
    storage = Storage.GATEWAY if is_unread else listing.storage
    sessions = (*listing.sessions, *only_there)
    merged = replace(listing, sessions=sessions, names=(), storage=storage)
    return replace(reading, listing=merged)


def merge(stored: StoredSession, one: LiveSession) -> StoredSession:
    """Return a session with the Gateway's values where it gives any.

    A count of the wire never carries a version, and one that it does not give leaves the
    disk's as it is.
    """
    has_count = one.tokens is not None
    return replace(
        stored,
        tokens_reported=one.tokens if has_count else stored.tokens_reported,
        tokens_fresh=one.tokens_fresh if has_count else stored.tokens_fresh,
        is_count_versioned=stored.is_count_versioned and not has_count,
        window=one.window or stored.window,
        compactions=stored.compactions if one.compactions is None else one.compactions,
        model=one.model or stored.model,
        model_provider=one.model_provider or stored.model_provider,
        status=one.status or stored.status,
        is_active=stored.is_active if one.is_active is None else one.is_busy,
        started_at=sound(one.started_at, stored.started_at),
        updated_at=sound(one.updated_at, stored.updated_at),
        last_interaction_at=sound(one.last_interaction_at, stored.last_interaction_at),
        source=Storage.GATEWAY,
    )


def _merged(stored: StoredSession, live: LiveReading) -> StoredSession:
    """Merge a live session; another session id means another home, or a moment between two."""
    if stored.state is not SessionState.LIVE or stored.key is None:
        return stored
    one = live.sessions.get(stored.key.text)
    if one is None or one.session_id != stored.session_id:
        return stored
    return merge(stored, one)


def _agent_of(one: LiveSession) -> str:
    return (one.agent_id or parse_key(one.key, owner="").agent_id).lower()


def _from_gateway(one: LiveSession, reading: AgentReading) -> StoredSession:
    """Return a session that only the Gateway can show."""
    agent = reading.agent
    has_run = bool(one.tokens or one.compactions)
    bare = StoredSession(
        agent=agent.ref,
        key=key_of(agent, one.key),
        session_id=one.session_id,
        state=SessionState.LIVE,
        transcript_state=TranscriptState.MISSING if has_run else TranscriptState.NONE,
        label=one.label,
        chat_type=one.chat_type,
        started_at=one.started_at,
    )
    return merge(bare, one)
