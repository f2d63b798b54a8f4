"""Answers which sessions rotation would take, and what it did, without asking the Gateway."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.planted import holds_planted
from memconsole.domain.rotation import (
    Limits,
    RotationState,
    WouldCapture,
    is_another,
    of_stored,
    would_rotate,
)
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.summarize.markers import observations
from memconsole.engine.home.lookup import agents_of
from memconsole.engine.rotation.plan import plan_rotation
from memconsole.engine.rotation.run import UNANSWERED
from memconsole.engine.transcripts.whole import read_whole
from memconsole.errors import LockedError, StoreError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.rotation import Rotation, WouldRotate
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.domain.transcripts.records import Message
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.rotation.plan import RotationPlan
    from memconsole.ports.platform import Clock, Locks, RotationLog, SampleStore, SessionStore

_NEWEST = 5


@dataclass(slots=True)
class RotationService:
    """Plans of rotation, and the ends of resets whose process has ended."""

    rotations: RotationLog
    samples: SampleStore
    sessions: SessionStore
    clock: Clock
    reader: Reader
    settings: Settings
    locks: Locks

    def settled(self, since: datetime) -> tuple[Rotation, ...] | None:
        """Return the resets that were sent since then, each with its end, by journal and disk.

        Nothing is sent. None while one of them may still be answered, or its process still goes on.

        Raises:
            StateError: An end cannot be written into the journal.
        """
        found: list[Rotation] = []
        for agent, key, stored in self._live():
            for one in self.rotations.recent(agent, key, limit=_NEWEST):
                if one.started_at < since or one.state is RotationState.DEFERRED:
                    continue
                ended = self._ended(one, stored)
                if ended is None:
                    return None
                found.append(ended)
        return tuple(found)

    def _live(self) -> Iterator[tuple[AgentRef, str, StoredSession]]:
        home = self.reader.home()
        for agent in agents_of(home, None):
            for one in self.reader.sessions(home, agent).listing.sessions:
                if one.state is SessionState.LIVE and one.key is not None:
                    yield agent.ref, one.key.text, one

    def _ended(self, one: Rotation, stored: StoredSession) -> Rotation | None:
        """Return a reset with its end, of which nobody but the session itself can tell."""
        if one.state is not RotationState.SENT:
            return one
        now = self.clock.now()
        try:
            with self.locks.session(one.agent.home.path, one.key):
                after = of_stored(stored)
                if is_another(one.before, after):
                    state = RotationState.PROVEN
                elif now - one.started_at >= UNANSWERED:
                    state = RotationState.INEFFECTIVE
                else:
                    return None
                self.rotations.finish(one.id, state, after, now)
                return replace(one, state=state, after=after, ended_at=now)
        except LockedError:
            return None

    def what_if(
        self, *, agent_id: str | None, threshold_tokens: int | None, since: datetime
    ) -> tuple[tuple[tuple[WouldRotate, str | None, WouldCapture], ...], int]:
        """Return the rotations that another threshold would have made, and of how many counts.

        Each comes with its session key and what would have been saved before it. Where no counts
        were kept, nobody can say.

        Args:
            agent_id: Only of this agent; None for all.
            threshold_tokens: The other threshold; None for those of the settings.
            since: From when on; counts are kept for 14 days.
        """
        home = self.reader.home()
        agents = agents_of(home, agent_id)
        views = {
            view.session_id or "": view
            for agent in agents
            for view in self.reader.views(
                home, self.reader.sessions(home, agent), {}, threshold_tokens
            )
            if view.session_class.is_rotated
        }
        ids = {agent.id for agent in agents}
        seen = [
            one
            for one in self.samples.samples(since=since)
            if one.agent_id in ids and one.session_id in views
        ]
        said: dict[str, tuple[Message, ...] | None] = {}
        made: list[tuple[WouldRotate, str | None, WouldCapture]] = []
        for one in would_rotate(seen, lambda session_id: self._limits(views[session_id])):
            view = views[one.session_id]
            if one.session_id not in said:
                said[one.session_id] = self._said(view)
            most = self.settings.for_agent(one.agent_id).summary.max_per_tag
            made.append((one, view.key_text, _captured(one, said[one.session_id], most)))
        return tuple(made), len(seen)

    def _limits(self, view: SessionView) -> Limits:
        rules = self.settings.for_agent(view.agent.id).rotation
        return Limits(view.threshold, rules.overhead_tokens, rules.min_interval)

    def _said(self, view: SessionView) -> tuple[Message, ...] | None:
        """Return what would be captured of a session; None when its transcript cannot be read."""
        stored = view.stored
        if not view.session_class.may_be_captured(groups=stored.captures_groups):
            return ()
        if stored.transcript is None:
            return None
        try:
            whole = read_whole(self.sessions, stored.transcript)
        except StoreError:
            return None
        return tuple(
            one for one in whole.messages if one.on_path and one.role in {"user", "assistant"}
        )

    def plan(
        self,
        *,
        agent_id: str | None = None,
        keys: tuple[str, ...] = (),
        threshold_tokens: int | None = None,
        is_forced: bool = False,
        is_active_forced: bool = False,
    ) -> RotationPlan:
        """Say which sessions rotation would take now; see `plan_rotation`."""
        return plan_rotation(
            self.rotations,
            self.clock,
            self.reader,
            self.settings,
            agent_id=agent_id,
            keys=keys,
            threshold_tokens=threshold_tokens,
            is_forced=is_forced,
            is_active_forced=is_active_forced,
        )


def _captured(one: WouldRotate, said: tuple[Message, ...] | None, most: int) -> WouldCapture:
    if said is None:
        return WouldCapture()
    since = one.since
    held = [
        message
        for message in said
        if message.at is not None and message.at <= one.at and (since is None or message.at > since)
    ]
    honest = ((message.role or "", message.text) for message in held)
    found = observations((pair for pair in honest if not holds_planted(pair[1])), most)
    return WouldCapture(len(held), len(found))
