"""Puts together what searching and indexing ask: our index, and the documents in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.index.index import DiskIndex
from memconsole.adapters.workspace.documents import PoolDocuments
from memconsole.domain.agents import Origin
from memconsole.ports.search import SearchPorts

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Clock


def search_ports(settings: Settings, origin: Origin, clock: Clock) -> SearchPorts:
    """Return what only searching and indexing ask."""
    index = DiskIndex(
        settings.state_dir / "index",
        lambda name, what: _index_lock(settings, clock, name, what),
        now=clock.now,
        redact=settings.redact,
        is_long_running=origin is Origin.CONSOLE,
    )
    return SearchPorts(index, PoolDocuments(redact=settings.redact))


def _index_lock(
    settings: Settings, clock: Clock, name: str, what: str
) -> AbstractContextManager[None]:
    from memconsole.adapters.locks import hold  # noqa: PLC0415  # only who writes an index

    return hold(settings.state_dir / "locks" / f"{name}.lock", what, clock.now)
