"""Answers which sessions rotation would take, without asking the Gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.sessions.what_if import would_rotate
from memconsole.engine.home.lookup import agents_of
from memconsole.engine.rotation.plan import plan_rotation

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.sessions.what_if import WouldRotate
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.rotation.plan import RotationPlan
    from memconsole.ports.platform import Clock, RotationLog, SampleStore


class RotationService:
    """Plans of rotation."""

    def __init__(
        self,
        rotations: RotationLog,
        samples: SampleStore,
        clock: Clock,
        reader: Reader,
        settings: Settings,
    ) -> None:
        self._samples = samples
        self._rotations = rotations
        self._clock = clock
        self._reader = reader
        self._settings = settings

    def what_if(
        self, *, agent_id: str | None, threshold_tokens: int | None, since: datetime
    ) -> tuple[tuple[WouldRotate, str | None], ...]:
        """Return the rotations that another threshold would have made, each with its session key.

        Args:
            agent_id: Only of this agent; None for all.
            threshold_tokens: The other threshold; None for those of the settings.
            since: From when on; counts are kept for 14 days.
        """
        home = self._reader.home()
        agents = agents_of(home, agent_id)
        views = {
            view.session_id or "": view
            for agent in agents
            for view in self._reader.views(
                home, self._reader.sessions(home, agent), {}, threshold_tokens
            )
            if view.session_class.is_rotated
        }
        ids = {agent.id for agent in agents}
        seen = [
            one
            for one in self._samples.samples(since=since)
            if one.agent_id in ids and one.session_id in views
        ]
        rules = self._settings.rotation
        found = would_rotate(
            seen,
            lambda session_id: views[session_id].threshold,
            overhead=rules.overhead_tokens,
            min_interval=rules.min_interval,
        )
        return tuple((one, views[one.session_id].key_text) for one in found)

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
            self._rotations,
            self._clock,
            self._reader,
            self._settings,
            agent_id=agent_id,
            keys=keys,
            threshold_tokens=threshold_tokens,
            is_forced=is_forced,
            is_active_forced=is_active_forced,
        )
