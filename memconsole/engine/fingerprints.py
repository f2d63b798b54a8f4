"""Takes and stores the fingerprint of a talk: the one function for both sides (mission §14)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.recovery import TAIL_MESSAGES, fingerprint
from memconsole.engine.segment import read_segment
from memconsole.errors import StateError, StoreError

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.sessions import TranscriptRef
    from memconsole.engine.ports_bundle import Ports

logger = logging.getLogger(__name__)


def take_fingerprint(ports: Ports, ref: TranscriptRef, *, is_previous: bool = False) -> str | None:
    """Return the fingerprint of a talk's end; None when nobody said anything in it.

    Raises:
        StoreError: The transcript cannot be read.
    """
    segment = read_segment(ports.sessions, ref, wanted=TAIL_MESSAGES, is_previous=is_previous)
    return fingerprint(segment.messages) if segment.messages else None


def remember_end(ports: Ports, agent: AgentRef, ref: TranscriptRef) -> None:
    """Store that a talk is captured to its present end; call it behind the capture (A12).

    A failure is logged only: the talk is captured once more when it has ended.
    """
    try:
        found = take_fingerprint(ports, ref)
        if found is not None:
            ports.recovery.remember(agent, ref.session_id, found, ports.clock.now())
    except (StateError, StoreError) as error:
        logger.warning("the end of %s is not remembered: %s", ref.session_id, error)
