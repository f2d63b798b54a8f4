"""Answers which sessions rotation would take, without asking the Gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.engine.rotation.plan import plan_rotation

if TYPE_CHECKING:
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.rotation.plan import RotationPlan
    from memconsole.ports.platform import Clock, RotationLog


class RotationService:
    """Plans of rotation."""

    def __init__(
        self, rotations: RotationLog, clock: Clock, reader: Reader, settings: Settings
    ) -> None:
        self._rotations = rotations
        self._clock = clock
        self._reader = reader
        self._settings = settings

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
