"""One session in full: its messages, what fills its context, what belongs to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.sessions.composition import TokensByClass
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.domain.sessions.tokens import DEFAULT_WINDOW
from memconsole.domain.snapshot.snapshot import (
    Contributor,
    SessionDetail,
    TranscriptView,
)
from memconsole.domain.transcripts.notices import transcript_notices
from memconsole.domain.transcripts.records import MessageKind, TranscriptCounts, Whole
from memconsole.engine.flush.run import fill_of
from memconsole.engine.freshness import freshness_of, next_events
from memconsole.engine.home.lookup import require_own_words
from memconsole.engine.transcripts.fingerprint import take_fingerprint
from memconsole.engine.transcripts.whole import read_whole
from memconsole.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.memory.records import SummaryRecord
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionView
    from memconsole.engine.flush.run import Fill
    from memconsole.ports.platform import SessionStore
    from memconsole.ports.state import CaptureLog, FlushLog, RecoveryLog, SummaryLog

_TOP_CONTRIBUTORS = 12


def transcript_view(
    sessions: SessionStore, view: SessionView, *, tail: int | None, everything: bool
) -> TranscriptView:
    """Return a session's messages, oldest first; a session that never ran has none.

    Args:
        sessions: The store.
        view: The session.
        tail: Only the last messages; None for all.
        everything: Also filtered messages and those off the active path.

    Raises:
        StoreError: The transcript cannot be read.
    """
    whole = _whole(sessions, view, everything=everything)
    messages = whole.messages
    if not everything:
        messages = tuple(message for message in messages if message.on_path)
    if tail is not None:
        messages = messages[len(messages) - min(tail, len(messages)) :]
    return TranscriptView(
        session=view,
        messages=messages,
        counts=whole.counts,
        is_whole=tail is None,
        notices=tuple(_notices(view, whole)),
        events=whole.events,
    )


def session_detail(
    view: SessionView,
    snapshot: ConsoleSnapshot,
    settings: Settings,
    *,
    sessions: SessionStore,
    captures: CaptureLog,
    summaries: SummaryLog,
    recovery: RecoveryLog,
    flushes: FlushLog,
) -> SessionDetail:
    """Return everything that one whole reading of a session tells.

    Raises:
        StoreError: The transcript cannot be read.
    """
    whole = _whole(sessions, view, everything=False)
    spoken = sum(one.kind is MessageKind.MESSAGE and one.on_path for one in whole.messages)
    capture = None if view.session_id is None else captures.last(view.agent, view.session_id)
    fresh = freshness_of(
        view,
        home=snapshot.home,
        settings=settings,
        now=snapshot.taken_at,
        version=snapshot.gateway.version,
    )
    fill = _fill(view, snapshot, flushes, settings)
    # A session that never ran has no messages; one whose transcript is missing has unknown ones.
    is_counted = view.transcript_state in (TranscriptState.PRESENT, TranscriptState.NONE)
    return SessionDetail(
        view=replace(view, messages=spoken) if is_counted else view,
        events=whole.events,
        by_class=_by_class(whole),
        contributors=tuple(_contributors(whole)),
        compactions=tuple(one for one in whole.messages if one.kind is MessageKind.COMPACTION),
        resets=tuple(one.at for one in whole.messages if one.kind is MessageKind.RESET),
        usage_points=whole.usage_points,
        counts=whole.counts,
        related=tuple(other for other in snapshot.sessions if _is_related(view, other)),
        last_capture_at=None if capture is None else capture.at,
        notices=tuple(_notices(view, whole)),
        next_events=next_events(view, fresh),
        freshness=fresh,
        last_flush_at=None if fill is None or fill.last is None else fill.last.at,
        summary=_summary(view, summaries),
        is_captured=_is_captured(view, recovery, sessions),
        limits={} if fill is None else _limits(view, snapshot, fill),
    )


def _summary(view: SessionView, summaries: SummaryLog) -> SummaryRecord | None:
    if view.session_id is None:
        return None
    return summaries.last(view.agent, view.session_id)


def _is_captured(view: SessionView, recovery: RecoveryLog, sessions: SessionStore) -> bool | None:
    """Return whether recovery would find nothing here; None where nothing is ever captured."""
    if view.transcript is None or not view.is_capturable:
        return None
    known = recovery.fingerprints(view.agent, view.transcript.session_id)
    if not known:
        return False
    try:
        return take_fingerprint(sessions, view.transcript) in known
    except StoreError:
        return None


def _fill(
    view: SessionView, snapshot: ConsoleSnapshot, flushes: FlushLog, settings: Settings
) -> Fill | None:
    """Return how far a live session is from its compaction; None for anything else."""
    if view.state is not SessionState.LIVE or not view.session_class.is_rotated:
        return None
    return fill_of(view, snapshot.home, flushes=flushes, settings=settings)


def _limits(view: SessionView, snapshot: ConsoleSnapshot, fill: Fill) -> dict[str, int]:
    """Return where flush, rotation and the platform's compaction begin, in tokens."""
    window = view.window or DEFAULT_WINDOW
    return {
        **{f"flush_{stage.value}": limit for stage, limit in fill.limits.items()},
        "rotation": view.threshold,
        "compaction": max(window - snapshot.home.config.reserve_tokens, 0),
    }


def _whole(sessions: SessionStore, view: SessionView, *, everything: bool) -> Whole:
    require_own_words(view.stored)
    if view.transcript is None:
        return Whole(counts=TranscriptCounts())
    return read_whole(sessions, view.transcript, everything=everything)


def _by_class(whole: Whole) -> TokensByClass:
    return TokensByClass(
        user=_tokens(whole.user_chars),
        assistant=_tokens(whole.assistant_chars),
        tool_result=_tokens(whole.tool_result_chars),
        thinking=_tokens(whole.thinking_chars),
    )


def _tokens(chars: int) -> int:
    """Estimate the tokens of a text: one is four characters."""
    return -(-chars // 4)


def _contributors(whole: Whole) -> Iterator[Contributor]:
    parts = [
        ("user text", whole.user_chars),
        ("assistant text", whole.assistant_chars),
        ("thinking", whole.thinking_chars),
        *((f"tool {name}", chars) for name, chars in whole.tool_chars),
    ]
    total = sum(chars for _, chars in parts)
    parts.sort(key=lambda part: (-part[1], part[0]))
    for name, chars in parts[:_TOP_CONTRIBUTORS]:
        if chars:
            yield Contributor(name, _tokens(chars), round(chars / total, 3))


def _is_related(view: SessionView, other: SessionView) -> bool:
    """Other transcripts of the same key, and helpers that it spawned."""
    if other is view or view.key_text is None or other.agent != view.agent:
        return False
    return view.key_text in (other.key_text, other.stored.parent_key)


def _notices(view: SessionView, whole: Whole) -> Iterator[Notice]:
    name = view.key_text or view.session_id or "?"
    path = None if view.transcript is None else str(view.transcript.path)
    if view.transcript_state is TranscriptState.MISSING:
        text = f"the transcript of {name} had content and cannot be found"
        yield Notice("missing-transcript", text, path, view.agent.id)
    yield from transcript_notices(
        name, whole.counts, has_gap=whole.has_gap, path=path, agent=view.agent.id
    )
