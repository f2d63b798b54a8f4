"""Windows of a session, which resets, rollovers and imports ended, and branches made of them."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.domain.sessions.stored import SessionState, TranscriptKind
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.sessions.stored import CompactionPoint, StoredSession


BEFORE_RESET = "~1"
"""Ends the id of what stands in a transcript before its last reset in place."""

BEFORE_COMPACTION = "~c"
"""Stands in the id of what was said before a compaction, before the beginning of its own id."""

_POINT_CHARS = 8

_PACKED = frozenset(
    {
        TranscriptKind.PACKED_FILE,
        TranscriptKind.DATABASE_ARCHIVE,
        TranscriptKind.COLD_ARCHIVE,
    }
)


class WindowState(StrEnum):
    """Where a window is: `archived` was put away by the platform, `parked` by its import."""

    CURRENT = "current"
    ENDED = "ended"
    ARCHIVED = "archived"
    PARKED = "parked"


@dataclass(frozen=True, slots=True)
class Window:
    """One window of a session.

    Attributes:
        id: The session id; with `BEFORE_RESET` behind it, what was said before a reset in place.
        why: Why it ended: `reset`, `deleted`, `imported`, `rollover`, `compaction`; None while it
            goes on, and where nobody knows.
        messages: What people said in it; None where counting means reading the whole of it.
        size_bytes: Of its records; None where they are not counted, or shared with another window.
        captured: What of it is in memory, such as `checkpoint` or the path of its summary.
    """

    id: str
    state: WindowState
    started_at: datetime | None = None
    ended_at: datetime | None = None
    why: str | None = None
    messages: int | None = None
    size_bytes: int | None = None
    captured: tuple[str, ...] = ()


def window_of(
    stored: StoredSession, *, messages: int | None = None, captured: tuple[str, ...] = ()
) -> Window:
    """Return the window that a session of a store is."""
    state = _state(stored)
    is_current = state is WindowState.CURRENT
    return Window(
        id=stored.session_id or "?",
        state=state,
        started_at=stored.started_at,
        ended_at=None if is_current else stored.spoke_at or stored.updated_at,
        why=None if is_current else stored.archive_reason or _rollover(stored),
        messages=messages,
        size_bytes=None if stored.transcript is None else stored.transcript.size_bytes,
        captured=captured,
    )


def split(window: Window, resets: Sequence[datetime | None]) -> tuple[Window, ...]:
    """Return a window, and what stands in the same transcript before its last reset in place.

    Args:
        window: Of a whole transcript.
        resets: Times of its resets in place, oldest first.
    """
    if not resets:
        return (window,)
    began = resets[-1]
    before = Window(
        id=f"{window.id}{BEFORE_RESET}",
        state=WindowState.ENDED,
        started_at=resets[-2] if len(resets) > 1 else None,
        ended_at=began,
        why="reset",
        captured=window.captured,
    )
    return replace(window, started_at=began or window.started_at), before


def before_compactions(stored: StoredSession) -> tuple[Window, ...]:
    """Return what stood in a session before each of its compactions, the newest first."""
    return tuple(
        Window(point_name(stored, one), WindowState.ENDED, ended_at=one.at, why="compaction")
        for one in stored.points
    )


def point_name(stored: StoredSession, point: CompactionPoint) -> str:
    """Return the id of the window that ended at a compaction."""
    return f"{stored.session_id}{BEFORE_COMPACTION}{point.id[:_POINT_CHARS]}"


def _state(stored: StoredSession) -> WindowState:
    if stored.state is SessionState.LIVE:
        return WindowState.CURRENT
    if stored.archive_reason == "imported":
        return WindowState.PARKED
    kind = None if stored.transcript is None else stored.transcript.kind
    is_renamed = kind is TranscriptKind.FILE and stored.archive_reason is not None
    return WindowState.ARCHIVED if is_renamed or kind in _PACKED else WindowState.ENDED


def _rollover(stored: StoredSession) -> str | None:
    """A window of a database that no reset ended was followed by one of another id."""
    is_window = stored.transcript is not None and stored.transcript.kind is TranscriptKind.DATABASE
    return "rollover" if is_window and stored.key is not None else None


class BranchState(StrEnum):
    """How far a branch is; `sent` stays when nobody saw its end."""

    SENT = "sent"
    PROVEN = "proven"
    INEFFECTIVE = "ineffective"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of the journal of branches.

    Attributes:
        id: 0 until it is stored.
        key: Of the session that it leaves as it is.
        window: Id of the window that it continues.
        entry: Id of the question before which it ends.
        ended_at: None while it is only sent.
        made: Key of the new session.
    """

    id: int
    agent: AgentRef
    key: str
    window: str
    entry: str
    state: BranchState
    started_at: datetime
    ended_at: datetime | None = None
    made: str | None = None
