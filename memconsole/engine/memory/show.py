"""Shows what stands in the files of a memory, entry by entry: `memory show`."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.advice import MemoryAdvice, advice_on
from memconsole.domain.memory.entries import LONG_TERM, USER, entries_of, has_entries, is_curated
from memconsole.errors import UsageError, WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import Pool, PoolItem
    from memconsole.ports.platform import Workspace

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
