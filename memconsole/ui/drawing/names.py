"""How agents and sessions are called on screen; every name is literal and on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.sessions.tokens import TokenState
from memconsole.ui.drawing.literal import literal

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.ui.drawing.glyphs import Glyphs

_SILENT_WORDS = frozenset({"direct", "dm", "group", "channel", "account"})
"""Words of a key that say what a column or the name says already."""

_NO_CHANNELS = frozenset({"dashboard", "explicit", "main"})
"""First words of a key that add nothing to a label."""


def agent_name(agent: Agent) -> str:
    """Return the agent's id, and its display name when that says something else."""
    name = literal(agent.name) if agent.name else ""
    return agent.id if not name or name.casefold() == agent.id else f"{agent.id} ({name})"


def session_name(view: SessionView, glyphs: Glyphs) -> str:
    """Return such as `main`, `telegram · Ada`, `cron · nightly-digest`; ids for want of better."""
    if view.key is None:
        return literal(view.label or view.session_id or "?")
    words = [word for word in view.key.short.split(":") if word and word not in _SILENT_WORDS]
    label = literal(view.label) if view.label else ""
    if label:
        has_channel = len(words) > 1 and words[0] not in _NO_CHANNELS
        words = [words[0], label] if has_channel else [label]
    return f" {glyphs.dot} ".join(literal(word) for word in words) or literal(view.key.text)


def row_key(view: SessionView) -> str:
    """Return what names a session's row: its id and key, which both may be missing or doubled."""
    return f"{view.agent.id}/{view.key_text or ''}/{view.session_id or ''}/{view.state.value}"


def state_word(view: SessionView) -> str:
    """Return the state of a count in text, for eyes that cannot go by colour."""
    if view.is_due:
        return "DUE"
    return _STATE_WORDS[view.count.state]


_STATE_WORDS = {
    TokenState.FRESH: "",
    TokenState.ESTIMATED: "est",
    TokenState.STALE: "stale",
    TokenState.SUSPECT: "suspect",
    TokenState.UNKNOWN: "?",
}
