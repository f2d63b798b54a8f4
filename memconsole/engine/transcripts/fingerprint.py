"""Remembers how far a session was captured, and whose it is: the one function for both sides."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import is_capturable
from memconsole.domain.recover import SILENT, TAIL_MESSAGES, fingerprint, whole
from memconsole.engine.transcripts.segment import read_segment
from memconsole.errors import StateError, StoreError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memconsole.domain.agents import Agent, AgentRef
    from memconsole.domain.sessions.stored import StoredSession, TranscriptRef
    from memconsole.ports.platform import Clock, SessionStore
    from memconsole.ports.state import ObserverLog, RecoveryLog

logger = logging.getLogger(__name__)


def take_fingerprint(
    sessions: SessionStore, ref: TranscriptRef, *, is_previous: bool = False
) -> str | None:
    """Return the fingerprint of a session's end; None when nobody said anything in it.

    Raises:
        StoreError: The transcript cannot be read.
    """
    segment = read_segment(sessions, ref, wanted=TAIL_MESSAGES, is_previous=is_previous)
    return fingerprint(segment.messages) if segment.messages else None


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """How far sessions were captured, and whose they are."""

    sessions: SessionStore
    recovery: RecoveryLog
    observer: ObserverLog
    clock: Clock

    def take(self, ref: TranscriptRef, *, is_previous: bool = False) -> str | None:
        """Return the fingerprint of a session's end; see `take_fingerprint`."""
        return take_fingerprint(self.sessions, ref, is_previous=is_previous)

    def end(self, ref: TranscriptRef) -> str:
        """Return the fingerprint of a session's end, of which nothing was passed over.

        Raises:
            StoreError: The transcript cannot be read, or something at its end cannot: it may be
                words that no capture saw.
        """
        segment = read_segment(self.sessions, ref, wanted=TAIL_MESSAGES)
        counts, is_silent = segment.counts, not segment.messages
        if counts.damaged or counts.in_progress or (is_silent and counts.unknown):
            raise StoreError("records at its end cannot be read, so nobody captured them")
        if is_silent and not segment.is_whole:
            raise StoreError("it is too large to tell whether something was said in it")
        return fingerprint(segment.messages) if segment.messages else SILENT

    def is_captured(self, agent: AgentRef, ref: TranscriptRef) -> bool:
        """Tell whether a transcript was captured to its end, however that came about.

        Raises:
            StoreError: The transcript cannot be read.
        """
        known = self.recovery.fingerprints(agent, ref.session_id)
        return bool(known) and (self.take(ref) or SILENT) in known

    def remember(
        self, agent: AgentRef, session_id: str, print_: str, *, is_whole: bool = False
    ) -> None:
        """Store a fingerprint; call it behind the capture.

        A capture may take the end of a session alone: that everything was captured is stored
        where the observer looked at each message.

        Args:
            agent: Whose session.
            session_id: The session.
            print_: Of its end.
            is_whole: It is known otherwise that nothing before that end would be lost.

        Raises:
            StateError: It cannot be stored.
        """
        self.recovery.remember(agent, session_id, print_, self.clock.now())
        cursor = self.observer.cursors(agent).get(session_id)
        if is_whole or print_ == SILENT or (cursor is not None and cursor.is_whole):
            self.recovery.remember(agent, session_id, whole(print_), self.clock.now())

    def remember_end(self, agent: AgentRef, ref: TranscriptRef) -> None:
        """Store that a session is captured to its present end; call it behind the capture.

        A failure is logged only: the session is captured once more when it has ended.
        """
        try:
            found = self.take(ref)
            if found is not None:
                self.remember(agent, ref.session_id, found)
        except (StateError, StoreError) as error:
            logger.warning("the end of %s is not remembered: %s", ref.session_id, error)

    def note_keys(self, agent: Agent, keys: Mapping[str, str]) -> None:
        """Store whose sessions these are, by session id, as long as that is known.

        An ended transcript of the file era does not tell its key any more. A failure is logged
        only: the next command that sees the session tries again.
        """
        try:
            known = self.recovery.keys(agent.ref)
            new = {id_: key for id_, key in keys.items() if known.get(id_) != key}
            if new:
                self.recovery.note(agent.ref, new, self.clock.now())
        except StateError as error:
            logger.warning("keys of %s are not remembered: %s", agent.id, error)


def keys_of(sessions: Iterable[StoredSession]) -> dict[str, str]:
    """Return the keys of sessions that are captured, by session id."""
    return {
        one.session_id: one.key.text
        for one in sessions
        if one.session_id is not None and one.key is not None and is_capturable(one)
    }
