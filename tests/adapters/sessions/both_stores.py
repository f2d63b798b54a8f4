"""What the suites over both session stores share: the same home in either era."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from tests.homes import FileHome, HomeBuilder, SqliteHome

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.adapters.sessions.agent import AgentSessionStore
    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.transcripts.records import Entry

Builder: TypeAlias = "Callable[[Path], HomeBuilder]"

BUILDERS: dict[str, Builder] = {
    "files": FileHome,
    "sqlite": SqliteHome,
    "sqlite-unpacked": lambda home: SqliteHome(home, is_packing=False),
}


def session_of(store: AgentSessionStore, agent: Agent, session_id: str) -> StoredSession:
    [found] = [one for one in store.sessions(agent).sessions if one.session_id == session_id]
    return found


def entries_of(store: AgentSessionStore, agent: Agent, session_id: str) -> list[Entry]:
    ref = session_of(store, agent, session_id).transcript
    assert ref is not None
    return list(store.forward(ref))


def without_words(entries: list[Entry]) -> list[Entry]:
    """What is left of entries for whoever only counts."""
    return [
        replace(entry, text="", thinking_chars=0, attachments=(), tools=()) for entry in entries
    ]
