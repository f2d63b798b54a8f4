"""Finds the agent that an operator names; never falls back to another one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.agents import Storage
from memconsole.errors import (
    HomeUnreadableError,
    PlatformConfigError,
    StoreError,
    TranscriptRefusedError,
    UnknownAgentError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.sessions.stored import StoredSession, StoreListing


def find_agent(home: Home, agent_id: str) -> Agent:
    """Return the agent with this id, compared by its lower-cased form.

    Raises:
        UnknownAgentError: There is none; `main` is never taken instead.
        PlatformConfigError: Nobody can know whether there is.
    """
    wanted = agent_id.strip().lower()
    for agent in home.agents:
        if agent.id == wanted:
            return agent
    _require_roster(home)
    raise UnknownAgentError(agent_id, tuple(agent.id for agent in home.agents))


def agents_of(home: Home, agent_id: str | None) -> tuple[Agent, ...]:
    """Return the agent with this id; all of them when none is named.

    Raises:
        UnknownAgentError: There is no such agent.
        PlatformConfigError: Nobody can know which agents there are.
    """
    if agent_id is not None:
        return (find_agent(home, agent_id),)
    _require_roster(home)
    return home.agents


def _require_roster(home: Home) -> None:
    """Refuse a home without agents whose configuration may name some: none is not unknown."""
    if not home.agents and not home.config.is_readable:
        raise PlatformConfigError(
            "no agent is known: the platform's configuration cannot be read",
            hint="Fix the platform's configuration file; `memconsole status` says what is wrong.",
        )


def default_agent(home: Home) -> str | None:
    """Return the agent that is meant when none is named: `main`, else the first one."""
    ids = [one.id for one in home.agents]
    return "main" if "main" in ids or not ids else ids[0]


def owns(agent: Agent, path: Path) -> bool:
    """Tell whether a changed file is the agent's."""
    places = (agent.folder, agent.sessions_dir, agent.workspace)
    return any(path == place or place in path.parents for place in places)


def is_own(home: Home, agent: Agent, path: str) -> bool:
    """Tell whether a memory file is no other agent's, by its real path.

    The innermost workspace or folder around it decides; agents may share a workspace.

    Args:
        home: All agents.
        agent: Who asks.
        path: As a search names it: below the workspace, or absolute.
    """
    real = Path(os.path.realpath(agent.workspace / path))
    mine = {os.path.realpath(one) for one in (agent.workspace, agent.folder)}
    others = {
        os.path.realpath(place) for one in home.agents for place in (one.workspace, one.folder)
    }
    around = [place for place in mine | others if real.is_relative_to(place)]
    return not around or max(around, key=len) in mine


def require_own_words(stored: StoredSession) -> None:
    """Refuse a session whose entry names a file that is not its own.

    Raises:
        TranscriptRefusedError: It does, and nothing of that file was read.
    """
    if stored.refusal is not None and stored.transcript is None:
        raise TranscriptRefusedError(stored.refusal.code, stored.refusal.message)


def unreadable(agent_id: str, listing: StoreListing) -> StoreError:
    """Return the error of stores that could not be read, with the first reason."""
    reasons = [notice.message for notice in listing.notices if notice.code.startswith("store-")]
    why = f": {reasons[0]}" if reasons else ""
    return StoreError(
        f"the sessions of {agent_id} cannot be read{why}",
        hint="`--session ID` saves a transcript by its session id.",
    )


def require_a_readable_store(home: Home, listings: Iterable[StoreListing]) -> None:
    """Keep "has no sessions" and "cannot be read" apart: the second is exit 3.

    Raises:
        HomeUnreadableError: There are session stores, and none of them can be read.
    """
    stores = [one for one in listings if one.storage is not Storage.NONE]
    if not stores or any(one.storage is not Storage.UNREADABLE for one in stores):
        return
    reasons = [notice.message for one in stores for notice in one.notices]
    raise HomeUnreadableError(str(home.path), reasons[0] if reasons else "no reason is known")
