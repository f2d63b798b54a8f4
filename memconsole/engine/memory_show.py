"""Shows what stands in the files of a memory, entry by entry: `memory show` (mission §19)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.entries import entries_of, has_entries
from memconsole.errors import UsageError, WorkspaceError

if TYPE_CHECKING:
    from memconsole.domain.entries import MemoryEntry
    from memconsole.domain.memory import Pool
    from memconsole.engine.ports_bundle import Ports

logger = logging.getLogger(__name__)


def entries_shown(ports: Ports, pool: Pool, name: str | None) -> tuple[MemoryEntry, ...]:
    """Return the entries of one file, or of every file whose entries can be named.

    Raises:
        UsageError: The pool has no file of that name.
        WorkspaceError: The named file cannot be read.
    """
    if name is not None:
        path = file_named(pool, name)
        found = ports.workspace.read(pool.root, path)
        return () if found is None else entries_of(path, found.text)
    entries: list[MemoryEntry] = []
    for item in pool.items:
        if not (item.is_counted and has_entries(item.path)):
            continue
        try:
            found = ports.workspace.read(pool.root, item.path)
        except WorkspaceError as error:
            logger.info("%s", error)
            continue
        entries += () if found is None else entries_of(item.path, found.text)
    return tuple(entries)


def file_named(pool: Pool, name: str) -> str:
    """Return the path of a file of the pool, named whole or without `memory/` before it.

    Raises:
        UsageError: There is none.
    """
    known = {item.path for item in pool.items}
    for path in (name, f"memory/{name}"):
        if path in known:
            return path
    raise UsageError(
        f"the memory in {pool.root} has no file {name!r}",
        hint="`memconsole memory show` lists its files.",
    )
