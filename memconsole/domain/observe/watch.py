"""Decides when enough was said for the observer to look at once, on any clock.

At 40 new lines an agent's sessions are observed, but not within five minutes of the last time. What
comes to 40 inside that pause is not forgotten: it fires when the pause ends. Any other run of the
observer starts both anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from memconsole.domain.settings.sections import WatcherSettings


@dataclass(frozen=True, slots=True)
class LineCount:
    """What was said to one agent since its sessions were last observed.

    Attributes:
        lines: New lines.
        observed_s: When that was, on a clock that never goes back; None when nobody knows.
    """

    lines: int = 0
    observed_s: float | None = None

    def grown(self, lines: int) -> LineCount:
        """Return it with more lines."""
        return replace(self, lines=self.lines + max(0, lines))

    def observed(self, at_s: float) -> LineCount:
        """Return it after a run of the observer, whoever started it."""
        return LineCount(0, at_s)

    def due_in_s(self, now_s: float, rules: WatcherSettings) -> float | None:
        """Return the seconds until a look is due: 0 for now, None while too little was said."""
        if self.lines < rules.line_threshold:
            return None
        if self.observed_s is None:
            return 0.0
        return max(0.0, self.observed_s + rules.cooldown.total_seconds() - now_s)
