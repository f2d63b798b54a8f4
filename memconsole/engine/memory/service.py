"""Reads what agents wrote down: files and their entries, marked lines, checkpoints."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.advice import MemoryAdvice, advice_on
from memconsole.domain.memory.entries import (
    LONG_TERM,
    USER,
    entries_of,
    has_entries,
    is_curated,
    line_of,
)
from memconsole.domain.memory.files import trend_since, trends
from memconsole.engine.home.lookup import agents_of
from memconsole.errors import EntryIdError, UsageError, WorkspaceError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.outgoing import name_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date
    from pathlib import Path

    from memconsole.domain.checkpoint.rules import Capture
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import Marker, Pool, PoolItem
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.platform import Clock, MemoryReader, SampleStore, Workspace
    from memconsole.ports.state import CaptureLog


_CHECKPOINTS: Final = 200
"""How many of them can be compared: four days of one every half hour."""


@dataclass(slots=True)
class MemoryService:
    """The memory of agents.

    Raises:
        UnknownAgentError: By every method that takes an agent: there is no such agent.
    """

    reader: Reader
    workspace: Workspace
    memory: MemoryReader
    captures: CaptureLog
    samples: SampleStore
    clock: Clock

    def pools(self, agent_id: str | None = None, *, with_trend: bool = False) -> tuple[Pool, ...]:
        """Return the memory pools, one a workspace."""
        home = self.reader.home()
        agents = agents_of(home, agent_id)
        pools: dict[Path, Pool] = {}
        for agent in agents:
            pools.setdefault(agent.workspace, self.reader.pool(home, agent))
        if not with_trend:
            return tuple(pools.values())
        since = trend_since(self.clock.now())
        known = trends(self.samples.pool_days(str(home.path), since=since))
        return tuple(
            replace(one, trend=known.get(one.agents[0], ())) if one.agents else one
            for one in pools.values()
        )

    def markers(self, agent_id: str | None = None) -> tuple[tuple[str, Marker], ...]:
        """Return (agent id, marked line) of every pool; a shared pool names its first agent."""
        found = []
        for pool in self.pools(agent_id):
            if pool.doubt is not None:
                continue
            owner = pool.agents[0] if pool.agents else ""
            found += [(owner, marker) for marker in self.memory.markers(pool.root)]
        return tuple(found)

    def entries(self, agent_id: str, name: str | None = None) -> tuple[MemoryEntry, ...]:
        """Return the entries of one file of an agent's memory, or of all files.

        Raises:
            UsageError: The memory has no file of that name.
            WorkspaceError: The named file cannot be read.
        """
        return entries_shown(self.workspace, self.pools(agent_id)[0], name)

    def ids_of(self, agent_id: str, names: Sequence[str]) -> tuple[str, ...]:
        """Return ids as they are, and `PATH:LINE` as the id of the entry that holds the line.

        So what an operator says yes to stays the same when lines move meanwhile.

        Raises:
            UsageError: The memory has no file of that name.
            EntryIdError: The line is part of no entry.
            WorkspaceError: The named file cannot be read.
        """
        return tuple(
            self._id_at(agent_id, *place) if (place := line_of(one)) else one for one in names
        )

    def _id_at(self, agent_id: str, path: str, line: int) -> str:
        for entry in self.entries(agent_id, path):
            if entry.line <= line <= entry.end_line:
                return entry.id
        raise EntryIdError(
            f"line {line} of {path} is part of no entry",
            hint=f"`memconsole memory edit {path}` changes any line of it.",
        )

    def advice(self, agent_id: str) -> MemoryAdvice:
        """Return what wants a look in a curated memory: said twice, outdated, left open."""
        today = self.clock.now().date()
        return advice_shown(self.workspace, self.pools(agent_id)[0], today)

    def path(self, agent_id: str, name: str) -> str:
        """Return the path of a file of an agent's memory by its name.

        Raises:
            UsageError: The memory has no file of that name.
        """
        return file_named(self.pools(agent_id)[0], name)

    def text(self, agent_id: str, relative: str) -> str | None:
        """Return the text of one file of an agent's workspace; None when it does not exist.

        Raises:
            WorkspaceError: It lies outside the workspace or cannot be read.
        """
        found = self.workspace.read(self.reader.homes.agent(agent_id).workspace, relative)
        return None if found is None else found.text

    def checkpoints(self, agent_id: str) -> tuple[Capture, ...]:
        """Return the last checkpoints of an agent, as they were written, the newest first."""
        return self.captures.history(self.reader.homes.agent(agent_id).ref, _CHECKPOINTS)


logger = logging.getLogger(__name__)

MOST_ADVISED: Final = 40
"""Files that are compared with each other, the newest: a look must not take seconds."""

_NEVER: Final = datetime.min.replace(tzinfo=UTC)


def entries_shown(workspace: Workspace, pool: Pool, name: str | None) -> tuple[MemoryEntry, ...]:
    """Return the entries of one file, or of every file whose entries can be named.

    Raises:
        UsageError: The pool has no file of that name.
        WorkspaceError: The named file cannot be read.
    """
    if name is not None:
        path = file_named(pool, name)
        found = workspace.read(pool.root, path)
        return () if found is None else entries_of(path, found.text)
    paths = (one.path for one in pool.items if one.is_counted and has_entries(one.path))
    return tuple(_entries(workspace, pool, paths))


def advice_shown(workspace: Workspace, pool: Pool, today: date) -> MemoryAdvice:
    """Return what wants a look in the files that are kept by hand."""
    curated = [one for one in pool.items if one.is_counted and is_curated(one.path)]
    chosen = sorted(curated, key=_importance)[:MOST_ADVISED]
    entries = tuple(_entries(workspace, pool, (one.path for one in chosen)))
    found = advice_on(entries, today)
    return MemoryAdvice(found, len(chosen), len(curated))


def _importance(item: PoolItem) -> tuple[bool, float]:
    """What every session loads comes first, then the newest."""
    is_loaded = item.path in (LONG_TERM, LONG_TERM.lower(), USER)
    return not is_loaded, -(item.modified_at or _NEVER).timestamp()


def _entries(workspace: Workspace, pool: Pool, paths: Iterable[str]) -> Iterator[MemoryEntry]:
    """Yield the entries of files; one that cannot be read has none."""
    for path in paths:
        try:
            found = workspace.read(pool.root, path)
        except WorkspaceError as error:
            logger.info("%s", error)
            continue
        yield from () if found is None else entries_of(path, found.text)


def file_named(pool: Pool, name: str) -> str:
    """Return the path of a file of the pool, named whole or without `memory/` before it.

    One whose name is masked is named as it is shown.

    Raises:
        UsageError: There is none.
    """
    known = {shown: item.path for item in pool.items for shown in (name_out(item.path), item.path)}
    for path in (name, f"memory/{name}"):
        if path in known:
            return known[path]
    raise UsageError(
        f"the memory in {pool.root} has no file {name!r}",
        hint="`memconsole memory show` lists its files.",
    )
