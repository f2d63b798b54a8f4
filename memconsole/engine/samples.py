"""Which counts of a snapshot are worth remembering."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.sessions import SessionState
from memconsole.domain.tokens import Sample, TokenState

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.snapshot import ConsoleSnapshot


def samples_of(snapshot: ConsoleSnapshot) -> tuple[Sample, ...]:
    """Return one sample for each live session whose count is known now."""
    found = []
    for view in snapshot.sessions:
        is_known = view.count.state in (TokenState.FRESH, TokenState.ESTIMATED)
        if view.state is not SessionState.LIVE or not is_known:
            continue
        if view.session_id is not None and view.tokens is not None:
            found.append(Sample(view.agent.id, view.session_id, snapshot.taken_at, view.tokens))
    return tuple(found)


def keys_of(snapshot: ConsoleSnapshot) -> dict[AgentRef, dict[str, str]]:
    """Return the keys of live talks by session id, of each agent: recovery asks for them later."""
    found: dict[AgentRef, dict[str, str]] = {}
    for view in snapshot.sessions:
        if view.state is not SessionState.LIVE or not view.is_capturable:
            continue
        if view.session_id is not None and view.key_text is not None:
            found.setdefault(view.agent, {})[view.session_id] = view.key_text
    return found
