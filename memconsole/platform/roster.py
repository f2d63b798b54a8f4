"""Which agents a home has: those of the configuration joined with the folders on disk.

Ids are compared lower-cased; an unknown one is never taken for `main` (case c11).
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import Agent, AgentRef, Notice
from memconsole.domain.plain import one_line
from memconsole.platform.layout import MAIN, Layout, agent_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from memconsole.platform.config import AgentEntry, ConfigReading
    from memconsole.platform.home import HomeChoice
    from memconsole.platform.places import Place

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
                ref=AgentRef(str(choice.path), key),
                name=None if entry is None else entry.name,
                workspace=place.path,
                workspace_exists=place.exists,
                workspace_doubt=place.doubt or _doubt(reading),
                folder=folder,
                sessions_dir=folder / "sessions",
                store_file=layout.store_file(key, folder),
                database=layout.database(entry, folder),
                is_configured=is_configured,
                main_key=reading.config.main_key,
                problems=(*strange, *_place_problems(key, place, is_configured=is_configured)),
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


def _place_problems(key: str, place: Place, *, is_configured: bool) -> Iterator[Notice]:
    path = one_line(str(place.path))
    if place.is_mapped:
        message = f"{one_line(str(place.named))} does not exist here; {path} is used"
        yield Notice("path-mapped", message, str(place.path), key)
    if place.doubt:
        written = one_line(str(place.named))
        message = f"the workspace of agent {one_line(key)} is not known: {place.doubt} ({written})"
        yield Notice("workspace-missing", message, str(place.path), key)
    elif is_configured and not place.exists:
        message = f"the workspace {path} of agent {one_line(key)} does not exist"
        yield Notice("workspace-missing", message, str(place.path), key)


def _id(agent: Agent) -> str:
    return agent.id


def _with_shared_workspaces(agents: Iterable[Agent]) -> list[Agent]:
    """Give agents of one real workspace one spelling of it, and say who shares (A7)."""
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
