"""Where the files of one agent are, by the rules of each generation (mission §2)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.platform.home import is_folder
from memconsole.platform.places import Place, expand, find_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import PurePath

    from memconsole.platform.config import AgentEntry, ConfigReading
    from memconsole.platform.home import HomeChoice

MAIN = "main"
DATABASE_NAME = "openclaw-agent.sqlite"

_VALID_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)
_ODD = re.compile(r"[^a-z0-9_-]+", re.ASCII)
_NO_NAME = re.compile(r"/|^\.{1,2}$")
"""What cannot stand in the name of a folder."""


def agent_id(written: str) -> str:
    """Return the id of a configured agent as the platform spells its folder.

    A name without a Latin letter becomes `main` there; here it stays itself (case c11).
    """
    lowered = written.strip().lower()
    if _VALID_ID.fullmatch(lowered):
        return lowered
    return _ODD.sub("-", lowered).strip("-")[:64] or _NO_NAME.sub("-", lowered)


class Layout:
    """Answers where things are, agent by agent.

    Args:
        choice: The home.
        reading: Its configuration.
        configured: Ids of the configured agents, in their order.

    Attributes:
        default: The agent that gets `agents.defaults.workspace`: the one flagged as default, else
            `main`, else the first.
    """

    def __init__(
        self, choice: HomeChoice, reading: ConfigReading, configured: Sequence[str]
    ) -> None:
        self._choice = choice
        self._reading = reading
        flagged = [agent_id(entry.id) for entry in reading.agents if entry.is_default]
        usual = [MAIN] if MAIN in configured or not configured else []
        self.default = (*flagged, *usual, *configured)[0]

    def workspace(self, key: str, entry: AgentEntry | None) -> Place:
        """Find the workspace of an agent; `entry` is None when nobody configured it."""
        if (unset := self._unset(key, entry)) is not None:
            written = entry.workspace if entry is not None and entry.unset else None
            named = expand(written or self._reading.default_workspace or "~", self._choice)
            return Place(Path("/", named), named, exists=False, doubt=f"{unset} is not set")
        main = None if key == self.default else self._usual(self.default)
        places = [
            find_folder(path, self._choice, main_workspace=main)
            for path in self._named_workspaces(key, entry)
        ]
        return next((place for place in places if place.exists), places[0])

    def _unset(self, key: str, entry: AgentEntry | None) -> str | None:
        """Return the variable without which nobody can say where the workspace is."""
        if entry is not None and entry.workspace is not None:
            return entry.unset
        is_usual = key != self.default and is_folder(self._usual(key))
        return None if is_usual else self._reading.default_unset

    def store_file(self, key: str, folder: Path) -> Path:
        """Return the file-era store; `session.store` may move it (formats §2)."""
        template = self._reading.store
        if template is None:
            return folder / "sessions" / "sessions.json"
        named = expand(template.replace("{agentId}", key), self._choice)
        place = find_folder(named.parent, self._choice, main_workspace=None)
        return place.path / named.name

    def database(self, entry: AgentEntry | None, folder: Path) -> Path:
        """Return the agent's database; `agentDir` may move it."""
        if entry is None or entry.agent_dir is None:
            return folder / "agent" / DATABASE_NAME
        named = expand(entry.agent_dir, self._choice)
        return find_folder(named, self._choice, main_workspace=None).path / DATABASE_NAME

    def _named_workspaces(self, key: str, entry: AgentEntry | None) -> list[PurePath]:
        """Return where the workspace should be; more than one where releases differ."""
        choice, default = self._choice, self._reading.default_workspace
        if entry is not None and entry.workspace is not None:
            return [expand(entry.workspace, choice)]
        if default is None:
            return [self._usual(key)]
        if key == self.default:
            return [expand(default, choice)]
        # Newer releases put the others below the default workspace instead of beside it.
        return [self._usual(key), expand(default, choice) / key]

    def _usual(self, key: str) -> Path:
        """Return the workspace that the platform makes when none is configured."""
        suffix = "" if key == self.default else f"-{key}"
        if self._is_clawdbot():
            return self._choice.tilde / f"clawd{suffix}"
        return self._choice.path / f"workspace{suffix}"

    def _is_clawdbot(self) -> bool:
        """Whether workspaces are `~/clawd…`: told by the file's name, else by the folder's."""
        path = self._reading.config.path or self._choice.path
        return path.name.lstrip(".").startswith(("clawdbot", "moltbot", "moldbot"))
