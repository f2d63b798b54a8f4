"""Tells which agents a home has, and where their files are: configuration joined with the disk.

Ids are compared lower-cased; an unknown one is never taken for `main`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.adapters.platform.home import Place, expand, find_folder, is_folder
from memconsole.domain.agents import Agent, AgentRef, HomeRef, Notice, as_written
from memconsole.text.compiled import compiled
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import PurePath

    from memconsole.adapters.platform.config.read import AgentEntry, ConfigReading
    from memconsole.adapters.platform.home import HomeChoice


_OWN_FOLDERS = ("sessions", "agent", "session-sqlite-import-archive")
"""A folder under `agents/` without any of these belongs to somebody else."""


def is_agent_folder(path: Path) -> bool:
    """Whether a folder under `agents/` is an agent's: no dot-folder, no vendor's folder."""
    if path.name.startswith(".") or path.name == "node_modules":
        return False
    return any(_is_own_folder(path / name) for name in _OWN_FOLDERS)


def _is_own_folder(path: Path) -> bool:
    """Whether it is there; in a folder that we may not enter, it is taken to be."""
    try:
        return path.is_dir()
    except OSError:
        return True


def build_roster(
    choice: HomeChoice, reading: ConfigReading, folders: Sequence[Path]
) -> tuple[tuple[Agent, ...], tuple[Notice, ...]]:
    """Join configuration and disk.

    Args:
        choice: The home.
        reading: Its configuration.
        folders: Agent folders on disk, in any order.

    Returns:
        Configured agents in their order, then the others by id, without their eras; and what is
        wrong with the roster itself.
    """
    on_disk, twins = _folders(folders)
    entries, collisions = _entries(reading, has_main=MAIN in on_disk)
    layout = Layout(choice, reading, tuple(entries))
    agents = []
    for key in (*entries, *sorted(on_disk.keys() - entries.keys())):
        entry, is_configured = entries.get(key), key in entries
        place = layout.workspace(key, entry)
        folder = on_disk.get(key, choice.path / "agents" / key)
        strange = () if is_configured or not _is_known(reading) else (_stranger(key, folder),)
        agents.append(
            Agent(
                ref=AgentRef(HomeRef(str(choice.path)), key),
                name=None if entry is None else entry.name,
                workspace=place.path,
                workspace_exists=place.exists,
                workspace_doubt=place.doubt or _doubt(reading),
                folder=folder,
                sessions_dir=folder / "sessions",
                store_file=layout.store_file(key, folder),
                database=layout.database(entry, folder),
                is_configured=is_configured if reading.is_readable else None,
                main_key=reading.config.main_key,
                session_scope=reading.config.session_scope,
                problems=(
                    *strange,
                    *_place_problems(key, place, _doubt(reading), is_configured=is_configured),
                ),
            )
        )
    return _with_shared_stores(_with_shared_workspaces(agents)), (*collisions, *twins)


def _entries(
    reading: ConfigReading, *, has_main: bool
) -> tuple[dict[str, AgentEntry | None], tuple[Notice, ...]]:
    """Return configured agents by id, the first of equal ones, and the collisions.

    A configuration without a roster has `main`; a home without one has it once `main` ran.
    """
    found: dict[str, AgentEntry | None] = {}
    spelled: dict[str, list[str]] = {}
    for entry in reading.agents:
        key = agent_id(entry.id)
        found.setdefault(key, entry)
        spelled.setdefault(key, []).append(entry.id)
    if not found and (_is_known(reading) or has_main):
        return {MAIN: None}, ()
    path = None if reading.config.path is None else str(reading.config.path)
    notices = [
        Notice("agent-collision", _same_id(names), path, key)
        for key, names in spelled.items()
        if len(names) > 1
    ]
    return found, tuple(notices)


def _is_known(reading: ConfigReading) -> bool:
    """Whether there is a configuration that says who is an agent."""
    return reading.config.path is not None and reading.is_readable


def _doubt(reading: ConfigReading) -> str:
    """Say why all workspaces are guesses; "" when they are none."""
    return "" if reading.is_readable else "the platform configuration cannot be read"


def _same_id(names: list[str]) -> str:
    distinct = [one_line(name) for name in dict.fromkeys(names)]
    fact = "are the same id" if len(distinct) > 1 else "is configured twice"
    return f"{' and '.join(distinct)} {fact}; the first in the configuration counts"


def _folders(folders: Iterable[Path]) -> tuple[dict[str, Path], tuple[Notice, ...]]:
    """Return folders by id; of twins the one that the platform uses, else one with content."""
    groups: dict[str, list[Path]] = {}
    for folder in folders:
        # An id goes into our database and into JSON, so it must be text even where a name is not.
        name = os.fsencode(folder.name).decode("utf-8", "replace")
        groups.setdefault(name.lower(), []).append(folder)
    chosen = {key: group[0] for key, group in groups.items()}
    notices = []
    for key, group in sorted(groups.items()):
        if len(group) == 1:
            continue
        used, *twins = sorted(group, key=lambda one: (one.name != key, _is_empty(one), one.name))
        chosen[key] = used
        notices += [_twin(key, used, twin) for twin in twins if not _is_empty(twin)]
    return chosen, tuple(notices)


def _is_empty(folder: Path) -> bool:
    """Whether no file lies in any of an agent's own folders."""
    for name in _OWN_FOLDERS:
        try:
            with os.scandir(folder / name) as found:
                if any(True for _ in found):
                    return False
        except OSError:
            continue
    return True


def _twin(key: str, used: Path, twin: Path) -> Notice:
    read, unread = one_line(used.name), one_line(twin.name)
    message = f"{read} and {unread} are folders of the same id; {unread} is not read"
    return Notice("agent-collision", message, str(twin), key)


def _stranger(key: str, folder: Path) -> Notice:
    message = f"agent {one_line(key)} is on disk, but the configuration does not name it"
    return Notice("agent-unconfigured", message, str(folder), key)


def _place_problems(key: str, place: Place, doubt: str, *, is_configured: bool) -> Iterator[Notice]:
    """Yield what is wrong with a workspace; with `doubt` its place is only guessed."""
    path = one_line(as_written(place.path))
    if place.is_mapped:
        message = f"{one_line(str(place.named))} does not exist here; {path} is used"
        yield Notice("path-mapped", message, str(place.path), key)
    if place.doubt:
        written = one_line(str(place.named))
        message = f"the workspace of agent {one_line(key)} is not known: {place.doubt} ({written})"
        yield Notice("workspace-missing", message, str(place.path), key)
    elif is_configured and doubt and not place.exists:
        message = f"the workspace of agent {one_line(key)} is not known: {doubt}"
        yield Notice("workspace-missing", message, None, key)
    elif is_configured and not place.exists:
        message = f"the workspace {path} of agent {one_line(key)} does not exist"
        yield Notice("workspace-missing", message, str(place.path), key)


def _id(agent: Agent) -> str:
    return agent.id


def _with_shared_workspaces(agents: Iterable[Agent]) -> list[Agent]:
    """Give agents of one real workspace one spelling of it, and say who shares."""
    groups: dict[str, list[Agent]] = {}
    reals = [(os.path.realpath(agent.workspace), agent) for agent in agents]
    for real, agent in reals:
        groups.setdefault(real, []).append(agent)
    shared = []
    for real, agent in reals:
        first, *more = groups[real]
        if not more:
            shared.append(agent)
            continue
        names = " and ".join(one_line(one.id) for one in sorted(groups[real], key=_id))
        message = f"agents {names} share the workspace {one_line(str(first.workspace))}"
        notice = Notice("workspace-shared", message, str(first.workspace))
        problems = (*agent.problems, notice)
        shared.append(replace(agent, workspace=first.workspace, problems=problems))
    return shared


def _with_shared_stores(agents: list[Agent]) -> tuple[Agent, ...]:
    """Tell agents of one store file about each other; rare (`session.store` without an id)."""
    groups: dict[Path, list[str]] = {}
    for agent in agents:
        groups.setdefault(agent.store_file, []).append(agent.id)
    return tuple(
        replace(agent, store_agents=tuple(ids))
        if len(ids := groups[agent.store_file]) > 1
        else agent
        for agent in agents
    )


MAIN = "main"
DATABASE_NAME = "openclaw-agent.sqlite"

_VALID_ID = r"(?a)[a-z0-9][a-z0-9_-]{0,63}"
_ODD = r"(?a)[^a-z0-9_-]+"
_NO_NAME = r"/|^\.{1,2}$"
"""What cannot stand in the name of a folder."""


def agent_id(written: str) -> str:
    """Return the id of a configured agent as the platform spells its folder.

    A name without a Latin letter becomes `main` there; here it stays itself.
    """
    lowered = written.strip().lower()
    if compiled(_VALID_ID).fullmatch(lowered):
        return lowered
    return compiled(_ODD).sub("-", lowered).strip("-")[:64] or compiled(_NO_NAME).sub("-", lowered)


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
        """Return the file-era store; `session.store` may move it."""
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
