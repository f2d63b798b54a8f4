"""Finds the session that a request is about: on the Gateway, and the same one on disk.

An unknown key is never sent anywhere: the platform would make a session of it, and an agent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import Storage
from memconsole.domain.gateway import GatewayStatus, LiveReading
from memconsole.domain.rotation import Identity, joined, of_live, of_stored
from memconsole.domain.sessions.stored import SessionState
from memconsole.engine.home.live import overlaid
from memconsole.engine.home.lookup import find_agent
from memconsole.errors import GatewayMismatchError, SessionNotFoundError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent, AgentRef
    from memconsole.domain.gateway import LiveSession
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.platform import Clock, Gateway


PATIENCE_S = 60.0
"""Seconds; a restart of the platform takes 12 to 45 of them."""


@dataclass(frozen=True, slots=True)
class Target:
    """One session, seen from both sides at one moment.

    Attributes:
        view: Judged with the Gateway's count over the disk's.
        live: As the Gateway sees it.
        before: What a reset would change.
    """

    agent: Agent
    view: SessionView
    live: LiveSession
    before: Identity

    @property
    def key(self) -> str:
        """The session's whole key."""
        return self.live.key

    @property
    def is_busy(self) -> bool:
        """Whether a reset would break off a run.

        Releases before 2026.7 do not say it over the wire: there the transcript's lock does.
        """
        return self.live.is_busy or self.view.stored.is_active is True


@dataclass(frozen=True, slots=True)
class Targets:
    """Finds sessions on both sides."""

    gateway: Gateway
    reader: Reader
    clock: Clock

    def find(self, ref: AgentRef, key: str, *, threshold_tokens: int | None = None) -> Target:
        """Ask the Gateway for the session, and find it on disk.

        Raises:
            GatewayUnavailableError: It cannot be asked.
            GatewayMismatchError: The Gateway's session of that key is another one than the home's.
            SessionNotFoundError: It does not know the key, or the home does not.
        """
        live = self.gateway.find(key)
        if live is None or live.is_archived:
            raise SessionNotFoundError(key)
        agent = find_agent(self.reader.home(), ref.id)
        view = self._view(agent, live, threshold_tokens)
        if view is None:
            raise SessionNotFoundError(key)
        if view.stored.source is not Storage.GATEWAY:
            raise GatewayMismatchError(key)
        return Target(agent, view, live, joined(of_live(live), of_stored(view.stored)))

    def on_disk(self, target: Target) -> StoredSession | None:
        """Return the live session of that key as the store has it now."""
        reading = self.reader.sessions(self.reader.home(), target.agent)
        for one in reading.listing.sessions:
            is_live = one.state is SessionState.LIVE
            if is_live and one.key is not None and one.key.text == target.key:
                return one
        return None

    def look_again(self, target: Target, reply: Identity) -> Identity:
        """Return what the session is now: by the Gateway's list, its answer, and the disk.

        Args:
            target: As it was before.
            reply: What the answer to the request said.

        Raises:
            GatewayUnavailableError: The Gateway did not come back in time.
        """
        live = self.gateway.find(target.key, patience_s=PATIENCE_S)
        now = joined(of_live(live), reply, of_stored(self.on_disk(target)))
        return now if live is None else replace(now, tokens=live.tokens)

    def _view(
        self, agent: Agent, live: LiveSession, threshold_tokens: int | None
    ) -> SessionView | None:
        home = self.reader.home()
        seen = LiveReading(GatewayStatus("up"), {live.key: live}, self.clock.now())
        reading = overlaid(self.reader.sessions(home, agent), seen)
        for view in self.reader.views(home, reading, {}, threshold_tokens):
            if view.state is SessionState.LIVE and view.key_text == live.key:
                return view
        return None
