"""What four checkpoints of the sample home saved, as the program renders it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.calendar import resolve_zone
from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.checkpoint.text import CurrentWork, render_context
from memconsole.domain.sessions.tokens import TokenCount, TokenState
from memconsole.domain.transcripts.excerpts import SessionExcerpt, Spoken
from tests.ui import sample

if TYPE_CHECKING:
    from collections.abc import Sequence

SAID = (
    (1_520, "user", "Can you look at the inventory sync again? It was slow last night."),
    (1_518, "assistant", "I looked at the last three runs: the slow one waited 41 s for a lock."),
    (70, "user", "Good. And the digest?"),
    (68, "assistant", "It went out at 06:00, without the sales part. The source was empty."),
    (12, "user", "Then let it wait for the sales source, and tell me when it is late."),
    (10, "assistant", "The digest waits until 06:20 now, and writes a line when it is late."),
)
"""Minutes ago, role and words."""


def captures() -> tuple[Capture, ...]:
    """Return four checkpoints, the newest first; of the second no word is new."""
    return (
        _capture(4, SAID, ("digest/wait.py", "inventory/sync.py"), open_items=()),
        _capture(34, SAID[:4], ("inventory/sync.py",)),
        _capture(64, SAID[:4], ("inventory/sync.py",), is_logged=False),
        _capture(1_510, SAID[:2], ("inventory/sync.py",), session_id="9f31c0de"),
    )


def _capture(
    minutes: int,
    said: Sequence[tuple[int, str, str]],
    files: tuple[str, ...],
    *,
    open_items: tuple[str, ...] = ("ask why the sales source was empty",),
    is_logged: bool = True,
    session_id: str = "4b1e77a2",
) -> Capture:
    at = sample.ago(minutes=minutes)
    spoken = tuple(Spoken(role, sample.ago(minutes=when), text) for when, role, text in said)
    work = CurrentWork(
        agent_id="main",
        session_id=session_id,
        session_key="agent:main:main",
        session=SessionExcerpt(spoken, open_items, files),
        tokens=TokenCount(TokenState.FRESH, 151_200, None),
        compactions=1,
        at=at,
        zone=resolve_zone("Europe/Berlin", None).zone,
    )
    return Capture(
        agent=sample.ref("main"),
        session_id=session_id,
        session_key="agent:main:main",
        at=at,
        content_hash=f"{minutes:064}",
        block=render_context(work),
        is_logged=is_logged,
        day_file="memory/2026-01-26.md" if is_logged else None,
        workspace="/home/operator/ws",
    )
