"""How agents and sessions are called on screen; every name is literal and on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.sessions.activity import RUNNING, Doing
from memconsole.domain.sessions.tokens import TokenState
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent
    from memconsole.domain.snapshot.snapshot import SessionView


def agent_name(agent: Agent) -> str:
    """Return the agent's id, and its display name when that says something else."""
    name = literal(agent.name) if agent.name else ""
    return agent.id if not name or name.casefold() == agent.id else f"{agent.id} ({name})"


def session_name(view: SessionView) -> str:
    """Return such as `main`, `telegram · Ada`, `cron · nightly-digest`: the same everywhere."""
    return literal(view.name)


def full_name(view: SessionView) -> str:
    """Return the name with its agent before it, for places that show no agent beside it."""
    return f"{view.agent.id} / {session_name(view)}"


def row_key(view: SessionView) -> str:
    """Return what names a session's row: its id and key, which both may be missing or doubled."""
    return f"{view.agent.id}/{view.key_text or ''}/{view.session_id or ''}/{view.state}"


def state_word(view: SessionView) -> str:
    """Return the state of a count in text, for eyes that cannot go by colour."""
    if view.is_due:
        return "DUE"
    return _STATE_WORDS[view.count.state]


def doing_role(doing: Doing | None) -> Role:
    """Return how strongly what a session does is written; None where nobody knows."""
    if doing in (Doing.STUCK, Doing.FAILED):
        return Role.WARNING
    return Role.PLAIN if doing in RUNNING else Role.MUTED


_STATE_WORDS = {
    TokenState.FRESH: "",
    TokenState.ESTIMATED: "est",
    TokenState.STALE: "stale",
    TokenState.SUSPECT: "suspect",
    TokenState.UNKNOWN: "?",
}
