"""Builds session folders of the file era for tests."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from memconsole.adapters.sessions.files.store import FileSessionStore
from memconsole.domain.agents import Agent, AgentRef, HomeRef
from memconsole.domain.sessions.stored import SessionState

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.agents import Notice
    from memconsole.domain.sessions.stored import StoredSession, StoreListing

ID_A = "aaaaaaaa-1111-4222-8333-444444444444"
ID_B = "bbbbbbbb-1111-4222-8333-444444444444"
ID_C = "cccccccc-1111-4222-8333-444444444444"
STAMP = "2026-04-11T02-00-00.000Z"


def file_agent(state: Path, agent_id: str = "main", **changes: object) -> Agent:
    """Return an agent of a home; nothing of it need exist."""
    folder = state / "agents" / agent_id
    values: dict[str, object] = {
        "ref": AgentRef(HomeRef(str(state)), agent_id),
        "name": None,
        "workspace": state / "workspace",
        "workspace_exists": False,
        "folder": folder,
        "sessions_dir": folder / "sessions",
        "store_file": folder / "sessions" / "sessions.json",
        "database": folder / "agent" / "openclaw-agent.sqlite",
        "is_configured": True,
        **changes,
    }
    return Agent(**values)  # type: ignore[arg-type]  # names are checked by the dataclass itself


LIVE, ARCHIVED, ORPHAN = SessionState.LIVE, SessionState.ARCHIVED, SessionState.ORPHAN
KEY = "agent:main:main"


class Sessions:
    """The sessions folder of one agent in the making."""

    def __init__(self, state: Path, agent_id: str = "main", **changes: object) -> None:
        self.agent = file_agent(state, agent_id, **changes)
        self.folder = self.agent.sessions_dir
        self.folder.mkdir(parents=True)

    def store(self, entries: object) -> None:
        self.agent.store_file.write_text(json.dumps(entries), encoding="utf-8")

    def raw(self, data: bytes) -> None:
        self.agent.store_file.write_bytes(data)

    def file(self, name: str, size: int = 3, at: float | None = None) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{" * size)
        if at is not None:
            os.utime(path, (at, at))
        return path

    def header(self, name: str, session_id: str) -> Path:
        """Make a transcript that has a header and no words."""
        path = self.folder / name
        path.write_text(json.dumps({"type": "session", "id": session_id}) + "\n")
        return path

    def read(self) -> StoreListing:
        return FileSessionStore().sessions(self.agent)

    def one(self) -> StoredSession:
        [session] = self.read().sessions
        return session


def notices(listing: StoreListing) -> list[str]:
    """Return the codes of a listing's notices."""
    return [notice.code for notice in listing.notices]


def only(listing: StoreListing) -> Notice:
    """Return the one notice of a listing."""
    [notice] = listing.notices
    return notice


def by_state(listing: StoreListing, state: SessionState) -> list[str]:
    """Return keys, or ids where there is no key, of the sessions of one state."""
    return [
        one.key.text if one.key is not None else str(one.session_id)
        for one in listing.sessions
        if one.state is state
    ]
