"""Sessions of a home as the demo's Gateway sends them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.sessions import SessionState

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memconsole.domain.snapshot import SessionView


def rows_of(sessions: Iterable[SessionView]) -> list[dict[str, object]]:
    """Return live sessions of a reading from disk as rows of the wire."""
    return [
        _row(view)
        for view in sessions
        if view.state is SessionState.LIVE and view.key_text is not None
    ]


def _row(view: SessionView) -> dict[str, object]:
    stored = view.stored
    row: dict[str, object] = {
        "key": view.key_text,
        "agentId": view.agent.id,
        "sessionId": view.session_id,
        "kind": stored.chat_type,
        "chatType": stored.chat_type,
        "label": stored.label,
        "updatedAt": _stamp(stored.updated_at),
        "lastInteractionAt": _stamp(stored.last_interaction_at),
        "totalTokens": stored.tokens_reported,
        "totalTokensFresh": stored.tokens_fresh,
        "contextTokens": stored.window,
        "compactionCount": stored.compactions,
        "status": stored.status,
        "hasActiveRun": stored.is_active,
        "model": stored.model,
        "modelProvider": stored.model_provider,
    }
    return {name: value for name, value in row.items() if value is not None}


def _stamp(at: datetime | None) -> int | None:
    return None if at is None else int(at.timestamp() * 1000)
