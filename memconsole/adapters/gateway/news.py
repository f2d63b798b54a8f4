"""Which events of the wire mean that a new look is worth it, and what a farewell says.

Releases before 2026.7 push no `sessions.changed`; there the end of a run is the news. Formats:
`docs/formats.md`, "Events".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.gateway import frames
from memconsole.domain.gateway import Verdict, refusal
from memconsole.text.graphemes import cut
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.gateway import Refusal

FAREWELL = "shutdown"

_ALWAYS = frozenset({"sessions.changed", "session.operation"})
_ENDS = {
    "chat": ("state", frozenset({"final", "aborted", "error"})),
    "agent": ("stream", frozenset({"lifecycle", "compaction"})),
    "cron": ("action", frozenset({"finished", "removed"})),
}
_LONGEST_REASON = 60


def is_news(frame: Mapping[str, object]) -> bool:
    """Tell whether an event may have changed a session; deltas, ticks and presence do not."""
    event = frames.text(frame.get("event")) or ""
    if event in _ALWAYS:
        return True
    if event not in _ENDS:
        return False
    field, words = _ENDS[event]
    return frames.text(frames.mapping(frame.get("payload")).get(field)) in words


def farewell(payload: Mapping[str, object]) -> Refusal:
    """Return the verdict of a `shutdown` event: it goes away, or comes back by itself."""
    said = cut(let_out(one_line(frames.text(payload.get("reason")) or "")), _LONGEST_REASON)
    words = f": {said}" if said else ""
    expected = frames.whole(payload.get("restartExpectedMs"))
    if expected is None:
        return refusal(Verdict.DOWN, f"the gateway says that it stops{words}")
    return refusal(Verdict.STARTING, f"the gateway says that it starts anew{words}")
