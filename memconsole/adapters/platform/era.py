"""Where each feature of the platform keeps its data, told by what lies on disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.read_only import read_platform
from memconsole.adapters.sqlite.stamp import stamp_of
from memconsole.domain.agents import Agent, Era, Storage
from memconsole.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.adapters.sqlite.stamp import Stamp
    from memconsole.adapters.sqlite.ways import Copies

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
