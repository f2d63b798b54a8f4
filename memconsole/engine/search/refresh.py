"""Brings the search index of a memory up to date after an edit, where there is one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from memconsole.domain.agents import Notice
from memconsole.domain.commands.outcomes import Reported
from memconsole.domain.search.indexing import IndexState, Source
from memconsole.engine.search.open import shelves
from memconsole.errors import IndexUnavailableError, LockedError

if TYPE_CHECKING:
    from memconsole.engine.home.workspace import Bench

Changed = TypeVar("Changed", bound=Reported)


def indexed(outcome: Changed, bench: Bench) -> Changed:
    """Take in what an action changed, and return its outcome with what came of that."""
    state, notice = refresh(bench, is_full=False)
    notices = outcome.notices if notice is None else (*outcome.notices, notice)
    return replace(outcome, details={**outcome.details, "index": state}, notices=notices)


def refresh(bench: Bench, *, is_full: bool) -> tuple[str, Notice | None]:
    """Take the files in as they are now.

    Args:
        bench: The memory.
        is_full: Build the index anew, so that nothing of its old file is left.

    Returns:
        `none`, `updated`, `rebuilt` or `stale`; why it is stale.
    """
    found = shelves(bench.ports, bench.settings, bench.home, (bench.agent,), (Source.MEMORY,))
    index = bench.ports.search().index
    state = "none"
    for shelf in found:
        if index.status(shelf.scope, shelf.settings).state is IndexState.MISSING:
            continue
        try:
            index.sync(shelf.scope, shelf.documents(), shelf.read, shelf.settings, is_full=is_full)
        except (LockedError, IndexUnavailableError) as error:
            return "stale", Notice("index-stale", str(error), agent=bench.agent.id)
        state = "rebuilt" if is_full else "updated"
    return state, None
