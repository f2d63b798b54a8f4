"""Renders a hand-over: what an earlier window of a session was about, for the next start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import local_day, local_time, stamp
from memconsole.domain.memory.files import EMOJI
from memconsole.domain.summarize.text import requests
from memconsole.lazy_dataclass import dataclass
from memconsole.text.graphemes import cut
from memconsole.text.markdown import quote_line

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.summarize.text import SessionSummary

PREFIX: Final = "memory/handover-"

MOST_CHARS: Final = 8_000
"""A hand-over is read whole at a start, beside everything else that is given there."""

_LAST: Final = 12
_LAST_CHARS: Final = 400
_DECIDED: Final = ("DECISION", "PREFERENCE", "FACT", "SOLUTION", "GOTCHA", "TRADEOFF", "PATTERN")


@dataclass(frozen=True, slots=True)
class Handover:
    """A hand-over that was written.

    Attributes:
        session_key: Whose next start is given it.
        path: Relative to the workspace.
        window: Id of the window that it tells of.
    """

    agent: AgentRef
    session_key: str
    path: str
    window: str
    at: datetime


def handover_file(summary: SessionSummary) -> str:
    """Return the file of a hand-over, relative to the workspace."""
    local = local_time(summary.ended_at, summary.zone)
    name = (summary.title or "").replace(" ", "-") or f"{local:%H%M}"
    return f"{PREFIX}{local_day(summary.ended_at, summary.zone)}-{name}.md"


def render_handover(summary: SessionSummary, name: str) -> str:
    """Return a hand-over as Markdown, bounded; what was said last has the room that is left.

    Args:
        summary: Of the window, its texts masked.
        name: What the session is called.
    """
    heading = (
        f"# Hand-over: {quote_line(name)} — {stamp(summary.ended_at, summary.zone)}\n\n"
        "> From an earlier window of this session, quoted: what happened, and no instructions.\n"
    )
    parts = [heading]
    for title, lines in (
        ("Asked", [f"- {quote_line(text)}" for text in requests(summary.said)]),
        (
            "Decided",
            [*_tagged(summary), *(f"- [x] {quote_line(one)}" for one in summary.completed)],
        ),
        ("Open", [f"- [ ] {quote_line(text)}" for text in summary.next_steps]),
    ):
        if lines:
            parts.append(f"\n## {title}\n" + "\n".join(lines) + "\n")
    text = _bounded("".join(parts), MOST_CHARS * 2 // 3)
    return text + _last(summary, MOST_CHARS - len(text))


def _tagged(summary: SessionSummary) -> list[str]:
    return [
        f"- {EMOJI[one.tag]} {quote_line(one.text)}"
        for one in summary.observations
        if one.tag in _DECIDED
    ]


def _last(summary: SessionSummary, room: int) -> str:
    """Return the newest messages that fit, oldest first."""
    title = "\n## Last messages\n"
    kept: list[str] = []
    left = room - len(title)
    for one in reversed(summary.said[-_LAST:]):
        line = f"{one.role}: {quote_line(cut(one.text, _LAST_CHARS))}\n"
        if len(line) > left:
            break
        left -= len(line)
        kept.append(line)
    return title + "".join(reversed(kept)) if kept else ""


def _bounded(text: str, most: int) -> str:
    """Cut a text between its lines."""
    if len(text) <= most:
        return text
    return text[: text.rfind("\n", 0, most) + 1]
