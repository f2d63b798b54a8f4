"""Brings the indexes of a search up to date and opens them.

A search is no command: it brings its index up to date on the way, because an index is disposable
and nobody's state. It does so while that is quick, else it answers from what there is and says
`stale`; an index that is missing is built. Read-only, nothing is written at all.
"""

from __future__ import annotations

import os
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.agents import UNREADABLE, Notice
from memconsole.domain.search.indexing import IndexScope, IndexState, IndexStatus, Source, Vectors
from memconsole.errors import IndexUnavailableError, LockedError, StateError, StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import ExitStack

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.calendar import Zone
    from memconsole.domain.search.indexing import Document, DocumentText
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import Candidate, Ranking, SearchRequest
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import SearchSettings
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import Clock, StopSignal
    from memconsole.ports.search import IndexReader


QUALITY_OFF: Final = "quality-off"
"""Code of the notice that the better model took no part in a search, and why."""

OTHER_LANGUAGE: Final = "other-language"
"""Code of the notice that the built-in vectors cannot compare a question with the memory."""

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
    """One index that is being searched.

    Attributes:
        agent: Whose name hits carry, where their rows name nobody.
    """

    agent: str
    source: Source
    settings: SearchSettings
    reader: IndexReader


@dataclass(slots=True)
class SearchRun:
    """One search on its way.

    Attributes:
        zone: Gives the user's time zone; few searches ask for it.
        known: By agent, the words of the query that occur in its indexes.
        spoken: The largest share of an index that is in the language of the query.
    """

    clock: Clock
    request: SearchRequest
    query: Query
    zone: Callable[[], Zone]
    opened: list[OpenIndex] = field(default_factory=list)
    statuses: dict[tuple[str, Source], IndexStatus] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    is_raw: bool = False
    known: dict[str, set[str]] = field(default_factory=dict)
    spoken: float = 0.0
    ranking: Ranking | None = None

    @property
    def coverage(self) -> float | None:
        """The share of the query's words that some index knows; None without any word."""
        words = self.query.words
        return len(set().union(*self.known.values())) / len(words) if words else None


def open_index(
    run: SearchRun,
    target: IndexTarget,
    stack: ExitStack,
    *,
    is_read_only: bool,
    cancel: StopSignal | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Bring one index up to date and open it; whatever stands in the way becomes its state."""
    place = (target.agent.id, target.scope.source)
    if target.agent.workspace_doubt and target.scope.source is Source.MEMORY:
        run.statuses[place] = IndexStatus(
            IndexState.UNAVAILABLE,
            provider=target.settings.provider,
            because=target.agent.workspace_trouble,
        )
        return
    state, because = IndexState.FRESH, ""
    if not run.request.is_typing:
        state, because = _freshen(
            run, target, is_read_only=is_read_only, cancel=cancel, progress=progress
        )
    index = target.ports.search().index
    try:
        reader = stack.enter_context(index.open(target.scope, target.settings, cancel))
    except FileNotFoundError:
        is_built = state is IndexState.BUILDING
        run.statuses[place] = IndexStatus(
            state if is_built or state is IndexState.UNAVAILABLE else IndexState.MISSING,
            provider=target.settings.provider,
            because=because or "it was never built",
        )
        return
    except IndexUnavailableError as error:
        run.statuses[place] = IndexStatus(
            IndexState.UNAVAILABLE, provider=target.settings.provider, because=str(error)
        )
        return
    # An index that could not be brought up to date still answers.
    shown = IndexState.FRESH if state is IndexState.FRESH else IndexState.STALE
    sentence = because or reader.status.because
    run.statuses[place] = replace(reader.status, state=shown, because=sentence)
    run.opened.append(OpenIndex(*place, target.settings, reader))


def _freshen(
    run: SearchRun,
    target: IndexTarget,
    *,
    is_read_only: bool,
    cancel: StopSignal | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[IndexState, str]:
    """Bring an index up to date when that is quick; return its state and why."""
    index = target.ports.search().index
    try:
        documents = target.documents()
        pending = index.pending(target.scope, documents, target.settings)
        unread = unread_notices(target, documents)
        run.notices += (*unread, *target.left_out())
        if not pending.is_any:
            return _read_state(unread)
        if is_read_only:
            return IndexState.STALE, f"{pending.because}; read-only, it stays as it is"
        if not pending.must_build and pending.size_bytes > target.settings.sync_mb * _MB:
            return IndexState.STALE, f"{pending.because}; `memconsole reindex` takes them in"
        report = index.sync(
            target.scope, documents, target.read, target.settings, cancel=cancel, progress=progress
        )
    except LockedError as error:
        return IndexState.BUILDING, str(error)
    except (IndexUnavailableError, StateError, StoreError) as error:
        run.notices.append(Notice("index-stale", str(error), agent=target.agent.id))
        # Of sessions that cannot be read now, the index still knows what it knew.
        is_there = isinstance(error, StoreError)
        return (IndexState.STALE if is_there else IndexState.UNAVAILABLE), str(error)
    run.notices += [one for one in report.notices if one.code != "not-utf8"]
    return _read_state(unread)


def _read_state(unread: Sequence[Notice]) -> tuple[IndexState, str]:
    """Return the state of an index that holds everything but what could not be read."""
    if not unread:
        return IndexState.FRESH, ""
    return IndexState.STALE, unread[0].message


def unread_notices(target: IndexTarget, documents: Iterable[Document]) -> tuple[Notice, ...]:
    """Return a notice for each document, or place of such, that cannot be read now."""
    return tuple(
        Notice(
            UNREADABLE,
            one_line(f"{one.path} cannot be read: {one.unread}"),
            one.path,
            target.agent.id,
        )
        for one in documents
        if one.unread
    )


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
        lacking=sum(one.lacking for one in statuses),
    )


class IndexTarget(NamedTuple):
    """One index with what it needs to be brought up to date.

    Attributes:
        agent: Whose name hits carry.
    """

    scope: IndexScope
    agent: Agent
    settings: SearchSettings
    ports: SearchNeeds
    redact: bool

    def documents(self) -> tuple[Document, ...]:
        """Return what belongs into the index; a session or file is only looked at."""
        if self.scope.source is Source.SESSIONS:
            from memconsole.engine.search.sessions import session_documents  # noqa: PLC0415  # heavy

            return session_documents(self.ports.sessions, self.agent)
        return self.ports.search().documents.documents(self.agent.workspace, self._extra())

    def left_out(self) -> tuple[Notice, ...]:
        """Return a notice for each file that belongs into the index and cannot be named in it."""
        if self.scope.source is Source.SESSIONS:
            return ()
        return self.ports.search().documents.left_out(self.agent.workspace, self._extra())

    def _extra(self) -> tuple[Path, ...]:
        return tuple(Path(path).expanduser() for path in self.settings.extra_paths)

    def changed(self, paths: Iterable[Path]) -> tuple[Document, ...] | None:
        """Return files of the memory as documents; None when all of them must be looked at."""
        if self.scope.source is Source.SESSIONS:
            return None
        return self.ports.search().documents.changed(self.agent.workspace, paths)

    def read(self, document: Document) -> DocumentText:
        """Return the text of one of the documents, masked."""
        if self.scope.source is Source.SESSIONS:
            from memconsole.engine.search.sessions import message_lines  # noqa: PLC0415

            return message_lines(self.ports.sessions, document, redact=self.redact)
        return self.ports.search().documents.read(document)


def targets(
    ports: SearchNeeds,
    settings: Settings,
    home: Home,
    agents: Iterable[Agent],
    sources: Sequence[Source] | None = None,
) -> tuple[IndexTarget, ...]:
    """Return the indexes of agents, each once: agents of one workspace share its index.

    Args:
        ports: The engine's ports.
        settings: Those of each agent decide about sessions when `sources` does not.
        home: All agents; the first one of a workspace gives the index its name.
        agents: Whose indexes.
        sources: What is wanted; None as configured.
    """
    found: dict[IndexScope, IndexTarget] = {}
    owners = {_real(one.workspace): one for one in reversed(home.agents)}
    for agent in agents:
        search = settings.for_agent(agent.id).search
        wanted = sources
        if wanted is None:
            wanted = (Source.MEMORY, Source.SESSIONS) if search.sessions else (Source.MEMORY,)
        for source in wanted:
            root = _real(agent.workspace) if source is Source.MEMORY else str(agent.folder)
            owner = owners.get(root, agent) if source is Source.MEMORY else agent
            scope = IndexScope(owner.ref, source, Path(root))
            found.setdefault(scope, IndexTarget(scope, agent, search, ports, settings.redact))
    return tuple(found.values())


def _real(path: Path) -> str:
    return os.path.realpath(path)
