"""Finds the session that an operator names; never falls back to another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import SHORTEST_ID, require_one_id
from memconsole.domain.sessions.stored import SessionState
from memconsole.errors import SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.snapshot.snapshot import SessionView


def find_session(sessions: Sequence[SessionView], name: str) -> SessionView:
    """Return the session with this key, id, or beginning of an id; live ones before ended ones.

    Raises:
        SessionNotFoundError: Nothing has that name.
        UsageError: The beginning of an id fits several sessions.
    """
    ranked = sorted(sessions, key=lambda view: view.state is not SessionState.LIVE)
    for view in ranked:
        if view.key_text == name:
            return view
    for view in ranked:
        if view.session_id == name:
            return view
    if len(name) < SHORTEST_ID:
        raise SessionNotFoundError(name)
    begun = [view for view in ranked if (view.session_id or "").startswith(name)]
    require_one_id(name, {view.session_id or "" for view in begun})
    if not begun:
        raise SessionNotFoundError(name)
    return begun[0]
