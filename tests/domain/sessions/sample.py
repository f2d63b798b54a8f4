"""A live session as its store knows it, to be changed for a test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.sessions.keys import SessionClass, SessionKey
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.settings.sections import RotationSettings

AGENT = AgentRef(HomeRef("/home/operator/.openclaw"), "main")
KEY = SessionKey("agent:main:main", "main", "main", SessionClass.MAIN)
REF = TranscriptRef(AGENT, "a1", TranscriptKind.FILE, Path("/x/a1.jsonl"))
STORED = StoredSession(
    AGENT,
    KEY,
    "a1",
    SessionState.LIVE,
    TranscriptState.PRESENT,
    REF,
    tokens_reported=1000,
    tokens_fresh=True,
    window=200_000,
)
RULES = RotationSettings()


def stored(**changes: object) -> StoredSession:
    """Return the session with other facts."""
    return replace(STORED, **changes)  # type: ignore[arg-type]
