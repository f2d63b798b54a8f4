"""Remembers how far a session was captured, and whose it is: the one function for both sides."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import is_capturable
from memconsole.domain.recover import SILENT, TAIL_MESSAGES, fingerprint
from memconsole.engine.transcripts.segment import read_segment
from memconsole.errors import StateError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memconsole.domain.agents import Agent, AgentRef
    from memconsole.domain.sessions.stored import StoredSession, TranscriptRef
    from memconsole.ports.bundle import Ports

logger = logging.getLogger(__name__)


def take_fingerprint(ports: Ports, ref: TranscriptRef, *, is_previous: bool = False) -> str | None:
    """Return the fingerprint of a talk's end; None when nobody said anything in it.

    Raises:
        StoreError: The transcript cannot be read.
    """
    segment = read_segment(ports.sessions, ref, wanted=TAIL_MESSAGES, is_previous=is_previous)
    return fingerprint(segment.messages) if segment.messages else None


def is_captured(ports: Ports, agent: AgentRef, ref: TranscriptRef) -> bool:
    """Tell whether a transcript was captured to its end, however that came about.

    Raises:
        StoreError: The transcript cannot be read.
    """
    known = ports.recovery.fingerprints(agent, ref.session_id)
    return bool(known) and (take_fingerprint(ports, ref) or SILENT) in known


def remember_end(ports: Ports, agent: AgentRef, ref: TranscriptRef) -> None:
    """Store that a talk is captured to its present end; call it behind the capture.

    A failure is logged only: the talk is captured once more when it has ended.
    """
    try:
        found = take_fingerprint(ports, ref)
        if found is not None:
            ports.recovery.remember(agent, ref.session_id, found, ports.clock.now())
    except (StateError, StoreError) as error:
        logger.warning("the end of %s is not remembered: %s", ref.session_id, error)


def note_keys(ports: Ports, agent: Agent, keys: Mapping[str, str]) -> None:
    """Store whose talks these are, by session id, as long as that is known.

    An ended transcript of the file era does not tell its key any more. A failure is logged only:
    the next command that sees the talk tries again.
    """
    try:
        known = ports.recovery.keys(agent.ref)
        new = {session_id: key for session_id, key in keys.items() if known.get(session_id) != key}
        if new:
            ports.recovery.note(agent.ref, new, ports.clock.now())
    except StateError as error:
        logger.warning("keys of %s are not remembered: %s", agent.id, error)


def keys_of(sessions: Iterable[StoredSession]) -> dict[str, str]:
    """Return the keys of talks that are captured, by session id."""
    return {
        one.session_id: one.key.text
        for one in sessions
        if one.session_id is not None and one.key is not None and is_capturable(one)
    }
