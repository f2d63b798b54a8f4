"""Answers what is asked about single sessions: details, messages, what pruning would cut."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import SHORTEST_ID, require_one_id
from memconsole.domain.release import HAS_MCP_SERVERS, least_release, release_of
from memconsole.domain.sessions.composition import advice, composition, files_of
from memconsole.domain.sessions.stored import SessionState
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.pruning import prune_preview
from memconsole.engine.sessions.windows import stored_windows, unattributed, windows
from memconsole.engine.snapshot.detail import session_detail, transcript_view
from memconsole.errors import SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.sessions.windows import Window
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import (
        ConsoleSnapshot,
        SessionDetail,
        SessionView,
        TranscriptView,
    )
    from memconsole.engine.home.live import LiveView
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.pruning import PruningPreview, PruningRequest
    from memconsole.engine.snapshot.snapshot import Snapshots
    from memconsole.ports.platform import Clock, SessionStore
    from memconsole.ports.state import CaptureLog, FlushLog, ObserverLog, RecoveryLog, SummaryLog


class SessionService:
    """Sessions by name: a session key, a session id, or the unambiguous beginning of an id.

    Raises:
        SessionNotFoundError: By every method that takes a name: nothing has it.
        StoreError: By the methods that read a transcript: it cannot be read.
    """

    def __init__(
        self,
        reader: Reader,
        snapshots: Snapshots,
        live: LiveView,
        settings: Settings,
        *,
        sessions: SessionStore,
        captures: CaptureLog,
        summaries: SummaryLog,
        recovery: RecoveryLog,
        flushes: FlushLog,
        observer: ObserverLog,
        clock: Clock,
    ) -> None:
        self._snapshots = snapshots
        self._store = sessions
        self._captures = captures
        self._summaries = summaries
        self._recovery = recovery
        self._flushes = flushes
        self._observer = observer
        self._clock = clock
        self._reader = reader
        self._live = live
        self._settings = settings

    def all(self) -> tuple[SessionView, ...]:
        """Return every session of every agent, judged from disk alone."""
        return self._snapshots.take(with_pools=False).sessions

    def find(self, name: str) -> SessionView:
        """Return one session, judged from disk alone."""
        return find_session(self.all(), name)

    def detail(self, name: str, *, with_windows: bool = False) -> SessionDetail:
        """Return one session, its transcript read whole.

        Args:
            name: Of the session.
            with_windows: Also what it was before its resets, and what of that is in memory.
        """
        found = self._snapshots.take(
            self._live,
            with_pools=False,
            min_compaction_ms=self._settings.min_compaction_ms,
        )
        view = find_session(found.sessions, name)
        detail = session_detail(
            view,
            found,
            self._settings,
            sessions=self._store,
            captures=self._captures,
            summaries=self._summaries,
            recovery=self._recovery,
            flushes=self._flushes,
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
        report = self._store.prompt_report(agent, view.key_text)
        files = () if report else files_of(self._reader.pool(found.home, agent).limits)
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
    ) -> tuple[tuple[Window, ...], int]:
        """Return the windows of a session, the newest first; of one without a key only its own.

        And how many ended transcripts its agent has of which nobody knows the session.
        """
        view = detail.view
        agent = find_agent(found.home, view.agent.id)
        listed, known = self._reader.listing(agent).sessions, self._recovery.keys(agent.ref)
        key = view.key_text
        stored = (view.stored,) if key is None else stored_windows(listed, key, known)
        made = windows(
            agent.ref,
            stored,
            detail.resets,
            view.messages,
            captures=self._captures,
            summaries=self._summaries,
            observer=self._observer,
        )
        return made, len(unattributed(listed, known))

    def transcript(
        self, name: str, *, tail: int | None = None, everything: bool = False
    ) -> TranscriptView:
        """Return a session's messages, oldest first.

        Args:
            name: Of the session.
            tail: Only the last messages; None for all.
            everything: Also what is off the active path or filtered.
        """
        return transcript_view(self._store, self.find(name), tail=tail, everything=everything)

    def pruned(self, name: str, request: PruningRequest) -> PruningPreview:
        """Return what the platform would trim or clear of a session's next request."""
        home = self._reader.home()
        view = self.find(name)
        return prune_preview(home, view, request, sessions=self._store, clock=self._clock)


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
