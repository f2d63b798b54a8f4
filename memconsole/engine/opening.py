"""Brings the indexes of a search up to date and opens them.

A search is no command: it brings its index up to date on the way, because an index is disposable
and nobody's state (A24). It does so while that is quick, else it answers from what there is and
says `stale`; an index that is missing is built. Read-only, nothing is written at all.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import Notice
from memconsole.domain.index_state import IndexState
from memconsole.domain.indexing import IndexStatus, Source, Vectors
from memconsole.errors import IndexUnavailableError, LockedError, StateError, StoreError
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import ExitStack

    from memconsole.domain.query import Query
    from memconsole.domain.search import Candidate, SearchRequest
    from memconsole.engine.ports_bundle import DoorPorts
    from memconsole.engine.scopes import Shelf
    from memconsole.ports import StopSignal
    from memconsole.search_ports import IndexReader

_MB: Final = 1_000_000
_WORST_FIRST: Final = (
    IndexState.UNAVAILABLE,
    IndexState.BUILDING,
    IndexState.MISSING,
    IndexState.STALE,
    IndexState.FRESH,
)


@dataclass(slots=True)
class OpenIndex:
    """One index that is being searched."""

    shelf: Shelf
    reader: IndexReader


@dataclass(slots=True)
class SearchRun:
    """One search on its way."""

    ports: DoorPorts
    request: SearchRequest
    query: Query
    opened: list[OpenIndex] = field(default_factory=list)
    statuses: dict[tuple[str, Source], IndexStatus] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    is_raw: bool = False
    known: set[str] = field(default_factory=set)


def open_index(
    run: SearchRun,
    shelf: Shelf,
    stack: ExitStack,
    *,
    is_read_only: bool,
    cancel: StopSignal | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Bring one index up to date and open it; whatever stands in the way becomes its state."""
    place = (shelf.agent.id, shelf.scope.source)
    state, because = IndexState.FRESH, ""
    if not run.request.is_typing:
        state, because = _freshen(
            run, shelf, is_read_only=is_read_only, cancel=cancel, progress=progress
        )
    index = run.ports.search().index
    try:
        reader = stack.enter_context(index.open(shelf.scope, shelf.settings, cancel))
    except FileNotFoundError:
        is_built = state is IndexState.BUILDING
        run.statuses[place] = IndexStatus(
            state if is_built or state is IndexState.UNAVAILABLE else IndexState.MISSING,
            provider=shelf.settings.provider,
            because=because or "it was never built",
        )
        return
    except IndexUnavailableError as error:
        run.statuses[place] = IndexStatus(
            IndexState.UNAVAILABLE, provider=shelf.settings.provider, because=str(error)
        )
        return
    # An index that could not be brought up to date still answers.
    shown = IndexState.FRESH if state is IndexState.FRESH else IndexState.STALE
    sentence = because or reader.status.because
    run.statuses[place] = replace(reader.status, state=shown, because=sentence)
    run.opened.append(OpenIndex(shelf, reader))


def _freshen(
    run: SearchRun,
    shelf: Shelf,
    *,
    is_read_only: bool,
    cancel: StopSignal | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[IndexState, str]:
    """Bring an index up to date when that is quick; return its state and why."""
    index = run.ports.search().index
    try:
        documents = shelf.documents()
        pending = index.pending(shelf.scope, documents, shelf.settings)
        if not pending.is_any:
            return IndexState.FRESH, ""
        if is_read_only:
            return IndexState.STALE, f"{pending.because}; read-only, it stays as it is"
        if not pending.must_build and pending.size_bytes > shelf.settings.sync_mb * _MB:
            return IndexState.STALE, f"{pending.because}; `memconsole reindex` takes them in"
        report = index.sync(
            shelf.scope, documents, shelf.read, shelf.settings, cancel=cancel, progress=progress
        )
    except LockedError as error:
        return IndexState.BUILDING, str(error)
    except (IndexUnavailableError, StateError, StoreError) as error:
        run.notices.append(Notice("index-stale", str(error), agent=shelf.agent.id))
        # Of talks that cannot be read now, the index still knows what it knew.
        is_there = isinstance(error, StoreError)
        return (IndexState.STALE if is_there else IndexState.UNAVAILABLE), str(error)
    run.notices += [one for one in report.notices if one.code != "not-utf8"]
    return IndexState.FRESH, ""


def ages(
    run: SearchRun, candidates: Iterable[Candidate], now: float
) -> dict[tuple[int, int], float]:
    """Return the ages of candidates in seconds by (scope, id); of what is dated."""
    ids: dict[int, list[int]] = {}
    for one in candidates:
        ids.setdefault(one.scope, []).append(one.id)
    return {
        (scope, at): max(0.0, now - when)
        for scope, wanted in ids.items()
        for at, when in run.opened[scope].reader.ages(wanted).items()
    }


def combined(statuses: Sequence[IndexStatus]) -> IndexStatus:
    """Return several indexes as one, in the worst of their states."""
    if not statuses:
        return IndexStatus(IndexState.FRESH, because="there are no agents")
    worst = min(statuses, key=lambda one: _WORST_FIRST.index(one.state))
    times = [one.updated_at for one in statuses if one.updated_at is not None]
    return IndexStatus(
        worst.state,
        chunks=sum(one.chunks for one in statuses),
        provider=next((one.provider for one in statuses if one.chunks), statuses[0].provider),
        has_vectors=any(one.has_vectors for one in statuses),
        updated_at=min(times, default=None),
        because=worst.because or next((one.because for one in statuses if one.because), ""),
        way=next((one.way for one in statuses if one.way is not Vectors.NONE), Vectors.NONE),
        files=sum(one.files for one in statuses),
        size_bytes=sum(one.size_bytes for one in statuses),
    )
