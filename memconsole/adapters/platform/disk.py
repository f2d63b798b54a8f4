"""Reads the platform home from disk: the `Platform` port.

The first releases knew no agents: their session folder lies right in the state folder. Later
releases move it below `agents/` when they start; where that never happened its sessions are still
there, no agent has them, and a notice says so.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.adapters.platform.config.read import read_config
from memconsole.adapters.platform.roster import build_roster, is_agent_folder
from memconsole.adapters.sqlite.read_only import read_platform
from memconsole.adapters.sqlite.stamp import stamp_of
from memconsole.domain.agents import Agent, Era, Home, Notice, Storage
from memconsole.errors import HomeNotFoundError, HomeUnreadableError, StoreError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from memconsole.adapters.platform.home import HomeChoice
    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.adapters.sqlite.stamp import Stamp
    from memconsole.adapters.sqlite.ways import Copies


class DiskPlatform:
    """One platform home; reads it anew each time it is asked, and never writes.

    Args:
        choice: The state folder.
        environ: Environment, for the variables that name a configuration.
        now: The wall clock, aware UTC.
        copies: Makes private copies of databases that cannot be read in place.
    """

    def __init__(
        self,
        choice: HomeChoice,
        *,
        environ: Mapping[str, str],
        now: Callable[[], datetime],
        copies: Copies,
    ) -> None:
        self._choice = choice
        self._environ = environ
        self._now = now
        self._eras = EraDetector(copies)

    def read(self) -> Home:
        """Read home, configuration and agents."""
        home = self._choice.path
        read_at = self._now()
        _require_folder(home)
        folders = _agent_folders(home)
        reading = read_config(self._choice, self._environ)
        agents, notices = build_roster(self._choice, reading, folders)
        cron = self._eras.cron(home)
        agents = tuple(replace(agent, era=self._eras.agent(agent, home, cron)) for agent in agents)
        return Home(
            path=home,
            config=reading.config,
            agents=agents,
            era=home_era((agent.era for agent in agents), cron),
            notices=(
                *self._choice.notices,
                *reading.notices,
                *notices,
                *store_above(home, agents),
            ),
            read_at=read_at,
        )


def _require_folder(home: Path) -> None:
    try:
        with os.scandir(home):
            return
    except FileNotFoundError:
        raise HomeNotFoundError(one_line(str(home))) from None
    except NotADirectoryError:
        raise HomeUnreadableError(one_line(str(home)), "it is a file, not a folder") from None
    except (OSError, ValueError) as error:
        raise HomeUnreadableError(one_line(str(home)), _reason(error)) from None


def _agent_folders(home: Path) -> list[Path]:
    """Return the agents' folders in no order; none when there is no `agents/` yet."""
    agents = home / "agents"
    try:
        with os.scandir(agents) as entries:
            names = [entry.name for entry in entries]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise HomeUnreadableError(one_line(str(home)), _reason(error)) from None
    return [path for path in (agents / name for name in names) if is_agent_folder(path)]


def _reason(error: OSError | ValueError) -> str:
    text = error.strerror if isinstance(error, OSError) else None
    return (text or "its name is impossible").lower()


_FOLDER = "sessions"
_STORE = "sessions.json"
_MOST_BYTES = 64 * 1024 * 1024
_ABSENT = (errno.ENOENT, errno.ENOTDIR)


def store_above(home: Path, agents: Iterable[Agent]) -> Iterator[Notice]:
    """Yield the notice of sessions that lie above the agents and are not read.

    Args:
        home: The state folder.
        agents: A store that one of them is configured to keep there is theirs.
    """
    store = home / _FOLDER / _STORE
    if any(agent.store_file == store for agent in agents):
        return
    try:
        info = store.stat()
        data = store.read_bytes() if store.is_file() and info.st_size <= _MOST_BYTES else b""
    except OSError as error:
        if error.errno not in _ABSENT:
            reason = (error.strerror or "no reason given").lower()
            yield _notice(store, f"{one_line(str(store))} cannot be read: {reason}")
        return
    count = _count(data)
    if count != 0:
        what = {None: "sessions", 1: "1 session"}.get(count, f"{count} sessions")
        message = (
            f"{one_line(str(store))} holds {what} from before there were agents, and they are not"
            " read; the platform moves them below agents/ when `openclaw doctor` is run"
        )
        yield _notice(store, message)


def _count(data: bytes) -> int | None:
    """Return how many entries a store has; None when that cannot be told."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return len(found) if isinstance(found, dict) else None


def _notice(store: Path, message: str) -> Notice:
    return Notice("store-unreadable", message, str(store))


class PlatformAndState:
    """Reads the platform home, and adds to its notices what is wrong around it.

    Args:
        platform: Reads the home.
        problem: Says what is wrong with our own state.
        own: Says what is wrong with our settings, given the platform's time zone.
    """

    def __init__(
        self,
        platform: DiskPlatform,
        problem: Callable[[], Notice | None],
        own: Callable[[str | None], tuple[Notice, ...]],
    ) -> None:
        self._platform = platform
        self._problem = problem
        self._own = own

    def read(self) -> Home:
        """Read home, configuration and agents."""
        home = self._platform.read()
        problem = self._problem()
        more = (*(() if problem is None else (problem,)), *self._own(home.config.user_timezone))
        return replace(home, notices=(*home.notices, *more)) if more else home


_SESSION_TABLES = frozenset({"session_nodes", "session_windows", "transcript_events"})
_MEMORY_TABLES = frozenset({"memory_index_meta", "memory_index_chunks"})
_CRON_TABLES = frozenset({"cron_jobs"})


class EraDetector:
    """Tells the era of agents and homes; looks into a database again only when it changed.

    Args:
        copies: Makes private copies of databases that cannot be read in place.
    """

    def __init__(self, copies: Copies) -> None:
        self._copies = copies
        self._tables: dict[Path, tuple[Stamp, frozenset[str]]] = {}

    def agent(self, agent: Agent, home: Path, cron: Storage) -> Era:
        """Return the era of one agent.

        Args:
            agent: The agent.
            home: The state folder.
            cron: Where the home keeps its jobs, for all agents alike.
        """
        try:
            tables = self._tables_of(agent.database)
        except StoreError:
            return Era(Storage.UNREADABLE, Storage.UNREADABLE, cron)
        sessions = Storage.SQLITE if tables & _SESSION_TABLES else _session_files(agent)
        memory = Storage.SQLITE if tables & _MEMORY_TABLES else _file(_memory_file(agent, home))
        return Era(sessions, memory, cron)

    def cron(self, home: Path) -> Storage:
        """Return where the home keeps its jobs."""
        try:
            tables = self._tables_of(home / "state" / "openclaw.sqlite")
        except StoreError:
            return Storage.UNREADABLE
        return Storage.SQLITE if tables & _CRON_TABLES else _file(home / "cron" / "jobs.json")

    def _tables_of(self, database: Path) -> frozenset[str]:
        """Return the names of a database's tables; none when there is no database.

        Raises:
            StoreError: There is one, and it cannot be read.
        """
        if not _is_there(database):
            return frozenset()
        stamp = stamp_of(database)
        known = self._tables.get(database)
        if known is not None and known[0] == stamp:
            return known[1]
        tables = read_platform(database, _table_names, self._copies)
        self._tables[database] = (stamp, tables)
        return tables


def home_era(eras: Iterable[Era], cron: Storage) -> Era:
    """Return the era of a home: that of its agents, `mixed` when they differ.

    An agent that has nothing yet does not differ from one that has.
    """
    known = list(eras)
    return Era(
        sessions=_joined(era.sessions for era in known),
        memory_index=_joined(era.memory_index for era in known),
        cron=cron,
    )


def _joined(found: Iterable[Storage]) -> Storage:
    kinds = set(found) - {Storage.NONE}
    if not kinds:
        return Storage.NONE
    return kinds.pop() if len(kinds) == 1 else Storage.MIXED


def _table_names(database: ReadOnlyDatabase) -> frozenset[str]:
    rows = database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    return frozenset(str(name) for (name,) in rows)


def _session_files(agent: Agent) -> Storage:
    try:
        if _is_present(agent.store_file):
            return Storage.FILES
        with os.scandir(agent.sessions_dir) as entries:
            has_transcript = any(".jsonl" in entry.name for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return Storage.NONE
    except OSError:
        return Storage.UNREADABLE
    return Storage.FILES if has_transcript else Storage.NONE


def _memory_file(agent: Agent, home: Path) -> Path:
    return home / "memory" / f"{agent.id}.sqlite"


def _file(path: Path) -> Storage:
    return Storage.FILES if _is_there(path) else Storage.NONE


def _is_there(path: Path) -> bool:
    """Whether there is something of that name; what cannot be seen counts as there."""
    try:
        return _is_present(path)
    except OSError:
        return True


def _is_present(path: Path) -> bool:
    """Whether there is something of that name.

    Raises:
        OSError: It cannot be seen whether there is.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True
