"""Answers what is asked about single sessions: details, messages, what pruning would cut."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.checkpoint.rules import SHORTEST_ID, require_one_id
from memconsole.domain.release import HAS_MCP_SERVERS, least_release, release_of
from memconsole.domain.sessions.composition import TokensByClass, advice, composition, files_of
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.domain.sessions.tokens import DEFAULT_WINDOW
from memconsole.domain.settings import usable
from memconsole.domain.snapshot.snapshot import (
    Contributor,
    SessionDetail,
    TranscriptView,
)
from memconsole.domain.transcripts.notices import transcript_notices
from memconsole.domain.transcripts.records import MessageKind, TranscriptCounts, Whole
from memconsole.engine.flush import fill_of
from memconsole.engine.freshness import freshness_of, next_events
from memconsole.engine.home.lookup import find_agent, require_own_words
from memconsole.engine.pruning import prune_preview
from memconsole.engine.sessions.windows import newness, stored_windows, unattributed, windows
from memconsole.engine.transcripts.ages import dated
from memconsole.engine.transcripts.fingerprint import take_fingerprint
from memconsole.engine.transcripts.whole import read_whole
from memconsole.errors import SessionNotFoundError, StoreError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.sessions.windows import Window
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import (
        ConsoleSnapshot,
        SessionView,
    )
    from memconsole.domain.summarize.text import SummaryRecord
    from memconsole.engine.flush import Fill
    from memconsole.engine.home.live import LiveView
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.pruning import PruningPreview, PruningRequest
    from memconsole.engine.snapshot.snapshot import Snapshots
    from memconsole.ports.platform import Clock, SessionStore
    from memconsole.ports.state import CaptureLog, FlushLog, ObserverLog, RecoveryLog, SummaryLog


@dataclass(slots=True)
class SessionService:
    """Sessions by name: a session key, a session id, or the unambiguous beginning of an id.

    Raises:
        SessionNotFoundError: By every method that takes a name: nothing has it.
        StoreError: By the methods that read a transcript: it cannot be read.
    """

    reader: Reader
    snapshots: Snapshots
    live: LiveView
    settings: Settings
    sessions: SessionStore
    captures: CaptureLog
    summaries: SummaryLog
    recovery: RecoveryLog
    flushes: FlushLog
    observer: ObserverLog
    clock: Clock

    def all(self) -> tuple[SessionView, ...]:
        """Return every session of every agent, judged from disk alone."""
        return self.snapshots.take(with_pools=False).sessions

    def find(self, name: str) -> SessionView:
        """Return one session, judged from disk alone."""
        return find_session(self.all(), name)

    def detail(self, name: str, *, with_windows: bool = False) -> SessionDetail:
        """Return one session, its transcript read whole.

        Args:
            name: Of the session.
            with_windows: Also what it was before its resets, and what of that is in memory.
        """
        found = self.snapshots.take(
            self.live,
            with_pools=False,
            min_compaction_ms=self.settings.min_compaction_ms,
        )
        view = find_session(found.sessions, name)
        detail = session_detail(
            view,
            found,
            self.settings,
            sessions=self.sessions,
            captures=self.captures,
            summaries=self.summaries,
            recovery=self.recovery,
            flushes=self.flushes,
        )
        explained = self._explained(detail, found)
        if not with_windows:
            return explained
        made, unattributed = self._windows(detail, found)
        return replace(explained, windows=made, unattributed=unattributed)

    def _explained(self, detail: SessionDetail, found: ConsoleSnapshot) -> SessionDetail:
        """Add what the count is made of; of a session that has ended nothing stands there now."""
        view = detail.view
        if view.state is not SessionState.LIVE or view.key_text is None:
            return detail
        agent = find_agent(found.home, view.agent.id)
        report = self.sessions.prompt_report(agent, view.key_text)
        files = () if report else files_of(self.reader.pool(found.home, agent).limits)
        parts = composition(view.tokens, detail.by_class, report, files)
        return replace(
            detail,
            parts=parts,
            noted_at=None if report is None else report.at,
            advice=advice(
                parts,
                view.key_text,
                agent_id=view.agent.id,
                window_percent=view.percent_of_window,
                is_compacted=view.session_class.is_rotated,
                has_servers=_has_servers(found),
            ),
        )

    def _windows(
        self, detail: SessionDetail, found: ConsoleSnapshot
    ) -> tuple[tuple[Window, ...], tuple[Window, ...]]:
        """Return the windows of a session, the newest first; of one without a key only its own.

        And the ended transcripts that its agent has of which nobody knows the session.
        """
        view = detail.view
        agent = find_agent(found.home, view.agent.id)
        listed, known = self.reader.listing(agent).sessions, self.recovery.keys(agent.ref)
        key = view.key_text
        stored: Sequence[StoredSession] = (view.stored,)
        if key is not None:
            stored = dated(self.sessions, stored_windows(listed, key, known))
        listed_as = partial(
            windows,
            agent.ref,
            captures=self.captures,
            summaries=self.summaries,
            observer=self.observer,
        )
        made = listed_as(stored, detail.resets, view.messages)
        lost = dated(self.sessions, unattributed(listed, known))
        return made, listed_as(sorted(lost, key=newness, reverse=True), (), None)

    def transcript(
        self, name: str, *, tail: int | None = None, everything: bool = False
    ) -> TranscriptView:
        """Return a session's messages, oldest first.

        Args:
            name: Of the session.
            tail: Only the last messages; None for all.
            everything: Also what is off the active path or filtered.
        """
        return transcript_view(self.sessions, self.find(name), tail=tail, everything=everything)

    def pruned(self, name: str, request: PruningRequest) -> PruningPreview:
        """Return what the platform would trim or clear of a session's next request."""
        home = self.reader.home()
        view = self.find(name)
        return prune_preview(home, view, request, sessions=self.sessions, clock=self.clock)


def find_session(sessions: Sequence[SessionView], name: str) -> SessionView:
    """Return the session with this key, id, or beginning of an id; live ones before ended ones.

    Raises:
        SessionNotFoundError: Nothing has that name.
        UsageError: The beginning of an id fits several sessions.
    """
    ranked = sorted(sessions, key=lambda view: view.state is not SessionState.LIVE)
    for view in ranked:
        if view.key_text == name:
            return view
    for view in ranked:
        if view.session_id == name:
            return view
    if len(name) < SHORTEST_ID:
        raise SessionNotFoundError(name)
    begun = [view for view in ranked if (view.session_id or "").startswith(name)]
    require_one_id(name, {view.session_id or "" for view in begun})
    if not begun:
        raise SessionNotFoundError(name)
    return begun[0]


def _has_servers(found: ConsoleSnapshot) -> bool:
    """Tell whether the platform has `openclaw mcp`; a release that nobody knows counts as old."""
    version = found.gateway.version or found.home.config.last_version
    release = release_of(version) or least_release(found.home.era)
    return release is not None and release >= HAS_MCP_SERVERS


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
    return usable(lambda: fill_of(view, snapshot.home, flushes=flushes, settings=settings), None)


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
