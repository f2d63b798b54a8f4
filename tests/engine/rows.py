"""Builders of stored sessions for engine tests."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from tests.doubles.platform import HOME, NOW


def row(
    key: str | None = "agent:main:main", tokens: int | None = 1_000, **changes: object
) -> StoredSession:
    """Return a live session with a transcript; its id is the key's last segment."""
    owner = "main" if key is None else key.split(":")[1]
    agent = AgentRef(HomeRef(str(HOME)), owner)
    session_id = f"id-{(key or 'orphan').rsplit(':', 1)[-1]}"
    stored = StoredSession(
        agent=agent,
        key=None if key is None else parse_key(key, owner=owner),
        session_id=session_id,
        state=SessionState.LIVE,
        transcript_state=TranscriptState.PRESENT,
        transcript=TranscriptRef(
            agent,
            session_id,
            TranscriptKind.FILE,
            Path(f"/x/{session_id}.jsonl"),
            size_bytes=4_000,
            modified_at=NOW - timedelta(minutes=5),
        ),
        tokens_reported=tokens,
        tokens_fresh=True,
        window=200_000,
        updated_at=NOW - timedelta(minutes=5),
    )
    return replace(stored, **changes)  # type: ignore[arg-type]
