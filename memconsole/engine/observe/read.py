"""Gathers what an observer run looks at: the sessions, and what was observed of them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.calendar import local_time, resolve_zone
from memconsole.domain.checkpoint.rules import class_of, is_capturable, is_readable, label_of, named
from memconsole.domain.commands.outcomes import Skipped, SkipReason
from memconsole.domain.observe.rules import (
    MAX_LINES,
    MAX_SESSIONS,
    Part,
    is_reached,
    is_whole,
    source_of,
    told_before,
    unseen,
)
from memconsole.domain.recover import SILENT
from memconsole.domain.sessions.keys import classify, key_of
from memconsole.domain.sessions.stored import TranscriptState
from memconsole.domain.transcripts.notices import transcript_notices
from memconsole.domain.transcripts.records import Tail
from memconsole.engine.home.lookup import require_own_words, unreadable
from memconsole.engine.transcripts.ages import current_sessions
from memconsole.engine.transcripts.fingerprint import keys_of
from memconsole.engine.transcripts.segment import read_segment
from memconsole.engine.transcripts.tail import read_tail
from memconsole.errors import SessionNotFoundError, StoreError, TranscriptRefusedError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.calendar import Zone
    from memconsole.domain.commands.observe import Observe
    from memconsole.domain.observe.rules import Cursor
    from memconsole.domain.sessions.stored import StoredSession, StoreListing
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import ObserverSettings
    from memconsole.domain.transcripts.records import Message
    from memconsole.engine.model import BudgetedModel
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.ports.platform import Clock, SessionStore, Workspace
    from memconsole.ports.state import ObserverLog, RecoveryLog

logger = logging.getLogger(__name__)

CATCH_UP = 1_000
"""Messages of one session that are read back to where the last run ended."""

_MORNING_ENDS = 7


@dataclass(frozen=True, slots=True)
class ObserverRun:
    """One look at an agent's sessions, on its way."""

    command: Observe
    home: Home
    agent: Agent
    settings: Settings
    sessions: SessionStore
    workspace: Workspace
    seen: ObserverLog
    recovery: RecoveryLog
    fingerprints: Fingerprints
    model: BudgetedModel
    clock: Clock

    @property
    def observer(self) -> ObserverSettings:
        """The `[observer]` settings."""
        return self.settings.observer

    @property
    def zone(self) -> Zone:
        """The user's time zone."""
        return resolve_zone(self.settings.timezone, self.home.config.user_timezone).zone

    @property
    def mode(self) -> str:
        """`recover`, `flush`, `morning` or `normal`: how far back a run looks."""
        if self.command.recover_id is not None:
            return "recover"
        if self.command.is_flush:
            return "flush"
        hour = local_time(self.clock.now(), self.zone).hour
        return "morning" if hour <= _MORNING_ENDS else "normal"

    @property
    def lookback(self) -> timedelta:
        """How far back this mode looks."""
        settings = self.observer
        return {
            "recover": settings.recover_lookback,
            "flush": settings.flush_lookback,
            "morning": settings.morning_lookback,
        }.get(self.mode, settings.lookback)


@dataclass(frozen=True, slots=True)
class NewMessages:
    """The new words of all sessions.

    Attributes:
        parts: One a session with new messages, the session that was quiet longest first.
        read: Messages that were read, new or not.
        older: Messages that no run has looked at, older than this one looks back.
        end: (Session id, fingerprint) of an ended session that was asked for and whose key nobody
            knows: looking at it is all that can be done for it.
    """

    parts: tuple[Part, ...]
    notices: tuple[Notice, ...]
    read: int
    older: int = 0
    end: tuple[str, str] | None = None

    @property
    def lines(self) -> int:
        """How many messages are new."""
        return sum(len(part.messages) for part in self.parts)


def gather(run: ObserverRun) -> NewMessages | Skipped:
    """Read the sessions that this run is about.

    Raises:
        SessionNotFoundError: The command names a session that is not there.
        StoreError: The store, or the one transcript that was asked for, cannot be read.
    """
    listing = run.sessions.sessions(run.agent)
    if not run.command.dry_run:
        run.fingerprints.note_keys(run.agent, keys_of(listing.sessions))
    notices: list[Notice] = []
    chosen = _chosen(run, listing, notices)
    if isinstance(chosen, Skipped):
        return chosen
    cursors = run.seen.cursors(run.agent.ref)
    last = run.seen.last(run.agent.ref)
    parts: list[Part] = []
    read = older = 0
    end = _end(run, chosen)
    is_one = run.command.session_key is not None or run.command.recover_id is not None
    for stored in reversed(chosen):
        try:
            tail = _read(run, stored, cursors)
        except StoreError as error:
            if is_one or len(chosen) == 1:
                raise
            logger.warning("%s", error)
            path = None if stored.transcript is None else str(stored.transcript.path)
            notices.append(Notice(error.code, str(error), path, run.agent.id))
            continue
        read += len(tail.messages)
        notices += _notices(run, stored, tail)
        new = _new(run, stored, tail.messages, cursors, None if last is None else last[1])
        if stored.session_id not in cursors:
            older += len(tail.messages) - len(new)
        if new and stored.session_id is not None:
            cursor = cursors.get(stored.session_id)
            told = _told(run, tail.messages, new, cursor)
            parts.append(Part(stored.session_id, new, is_whole(tail, new, cursor), told))
    return NewMessages(tuple(parts), tuple(notices), read, older, end)


def _end(run: ObserverRun, chosen: Sequence[StoredSession]) -> tuple[str, str] | None:
    """Return the end of a session of nobody, taken before the session is read, which may grow."""
    if run.command.recover_id is None or run.command.is_previous:
        return None
    [stored] = chosen
    ref = stored.transcript
    assert ref is not None  # those without one were left out
    known = run.recovery.keys(run.agent.ref)
    if stored.key is not None or ref.session_id in known:
        return None
    return ref.session_id, run.fingerprints.take(ref) or SILENT


def _chosen(
    run: ObserverRun, listing: StoreListing, notices: list[Notice]
) -> Sequence[StoredSession] | Skipped:
    """Return the sessions to read, the one with the newest words first."""
    command = run.command
    name = command.recover_id or command.session_key
    if name is not None:
        return _named(run, listing, name)
    sessions = current_sessions(run.sessions, listing)
    notices += sessions.refused
    found = sessions.sessions[:MAX_SESSIONS]
    if not found and not is_readable(listing):
        raise unreadable(run.agent.id, listing)
    if not found and sessions.refused:
        raise TranscriptRefusedError(sessions.refused[0].code, sessions.refused[0].message)
    if not found:
        message = f"{run.agent.id} has no session with one person that could be observed"
        return Skipped(command, SkipReason.NO_SESSION, message)
    return found


def _named(run: ObserverRun, listing: StoreListing, name: str) -> Sequence[StoredSession] | Skipped:
    """Return the one session that was asked for, unless its class is never captured."""
    stored = named(listing.sessions, name)
    if stored is None:
        raise SessionNotFoundError(name)
    require_own_words(stored)
    session_class = class_of(stored)
    is_captured = is_capturable(stored) or stored.key is None
    if stored.key is None and stored.session_id is not None:
        known = run.recovery.keys(run.agent.ref).get(stored.session_id)
        if known is not None:
            session_class = classify(key_of(run.agent, known), None)
            is_captured = session_class.may_be_captured(groups=stored.captures_groups)
    label = label_of(stored)
    if not is_captured:
        return Skipped(
            run.command,
            SkipReason.NOT_CAPTURED,
            f"{label} is {session_class.phrase}, and those are never copied into memory",
        )
    if stored.transcript is None or stored.transcript_state is not TranscriptState.PRESENT:
        message = f"{label} has no transcript to read"
        return Skipped(run.command, SkipReason.NO_SESSION, message)
    return (stored,)


def _read(run: ObserverRun, stored: StoredSession, cursors: Mapping[str, Cursor]) -> Tail:
    """Read the end of one transcript, back to where the last run ended.

    A transcript that is moved while it is read is looked for once more.
    """
    try:
        return _tail(run, stored, cursors)
    except StoreError:
        listing = run.sessions.sessions(run.agent)
        again = named(listing.sessions, stored.session_id or "")
        if again is None or again.transcript == stored.transcript:
            raise
        return _tail(run, again, cursors)


def _tail(run: ObserverRun, stored: StoredSession, cursors: Mapping[str, Cursor]) -> Tail:
    assert stored.transcript is not None  # those without one were left out
    store, ref = run.sessions, stored.transcript
    if run.command.is_previous:
        segment = read_segment(store, ref, wanted=MAX_LINES, is_previous=True)
        return Tail(segment.messages, segment.counts, is_whole=segment.is_whole)
    tail = read_tail(store, ref, wanted=MAX_LINES)
    cursor = cursors.get(stored.session_id or "")
    if cursor is not None and not tail.is_whole and not is_reached(tail.messages, cursor):
        tail = read_tail(store, ref, wanted=CATCH_UP)
    return tail


def _new(
    run: ObserverRun,
    stored: StoredSession,
    messages: Sequence[Message],
    cursors: Mapping[str, Cursor],
    last_run: datetime | None,
) -> tuple[Message, ...]:
    """Return the messages that this run has to look at.

    A session that no run has seen yet began after the last run: it is looked at from then on, so
    that nothing is lost when runs were missed.
    """
    cursor = cursors.get(stored.session_id or "")
    now = run.clock.now()
    if run.mode == "recover":
        ended = next((one.at for one in reversed(messages) if one.at is not None), now)
        return unseen(messages, cursor, ended - run.lookback)
    cutoff = now - run.lookback
    if cursor is None and last_run is not None:
        cutoff = min(cutoff, last_run)
    return unseen(messages, cursor, cutoff)


def _told(
    run: ObserverRun, messages: Sequence[Message], new: Sequence[Message], cursor: Cursor | None
) -> int:
    """Return how many of the new messages a run before this one has told.

    One that looked back less far may have left some out, unless it is known that it did not.
    """
    is_longer = run.mode != "normal" and cursor is not None and not cursor.is_whole
    return 0 if is_longer else told_before(messages, new, cursor)


def _notices(run: ObserverRun, stored: StoredSession, tail: Tail) -> Sequence[Notice]:
    ref = stored.transcript
    assert ref is not None
    return tuple(
        transcript_notices(
            label_of(stored),
            tail.counts,
            has_gap=tail.has_gap,
            path=str(ref.path),
            agent=run.agent.id,
        )
    )


def session_keys(run: ObserverRun) -> dict[str, str]:
    """Return the key of each session by how the sources of its lines begin."""
    ref = run.agent.ref
    keys = {**run.recovery.keys(ref), **keys_of(run.sessions.sessions(run.agent).sessions)}
    return {source_of(run.agent.id, one): key for one, key in keys.items()}
