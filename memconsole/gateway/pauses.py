"""When to try again: growing pauses after what can heal, a long one after what cannot (A16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.gateway import Verdict

if TYPE_CHECKING:
    from memconsole.domain.gateway import GatewayPlace, Refusal

STEPS_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds after the first, second, … failure in a row; the last one stays."""

NEAR_S = 5.0
"""Cap for what is on this host and not there yet: asking costs nothing, and it may be up soon."""

STUBBORN_S = 300.0
"""Seconds after a verdict that only an operator changes; another address or token ends it."""


class Pauses:
    """Remembers the last failure; not safe from several threads, its owner holds a lock."""

    def __init__(self) -> None:
        self._failures = 0
        self._until = 0.0
        self._place: GatewayPlace | None = None
        self.refusal: Refusal | None = None

    def is_over(self, place: GatewayPlace, now: float) -> bool:
        """Tell whether it may be tried: never failed, waited long enough, or another place."""
        return self.refusal is None or now >= self._until or place != self._place

    def failed(
        self, place: GatewayPlace, refusal: Refusal, now: float, *, is_near: bool = False
    ) -> None:
        """Remember a failure.

        Args:
            place: Where it happened.
            refusal: What it was.
            now: `time.monotonic()`.
            is_near: Nothing listens there, or it is starting, and that is on this host.
        """
        is_same = place == self._place
        self._failures = self._failures + 1 if is_same and refusal.verdict.can_heal else 1
        self._place, self.refusal = place, refusal
        if not refusal.verdict.can_heal:
            pause = STUBBORN_S
        elif refusal.verdict is Verdict.STARTING and refusal.retry_after_s is not None:
            pause = max(refusal.retry_after_s, STEPS_S[min(self._failures, len(STEPS_S)) - 1])
        else:
            pause = STEPS_S[min(self._failures, len(STEPS_S)) - 1]
        self._until = now + (min(pause, NEAR_S) if is_near and refusal.verdict.can_heal else pause)

    def left_s(self, now: float) -> float:
        """Return how long the pause still lasts."""
        return 0.0 if self.refusal is None else max(0.0, self._until - now)

    def succeeded(self) -> None:
        """Forget what failed before."""
        self._failures, self.refusal = 0, None
