"""An engine that only searches: hits, indexes and a watch that say what they are told."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.commands.reindex import Reindexed
from memconsole.domain.platform_search.index import PlatformIndexHealth
from memconsole.domain.search.agent_view import AgentView, Reason
from memconsole.domain.search.indexing import IndexState, IndexStatus, Source, Vectors
from memconsole.domain.search.query import match_spans, parse
from memconsole.domain.search.values import SearchHit, SearchResult
from memconsole.engine.engine import Engine
from memconsole.engine.platform_search.explain import PlatformSearchService
from memconsole.engine.search.service import SearchService
from memconsole.engine.search.watch import IndexWatch
from memconsole.engine.watches import Watches
from memconsole.errors import MemconsoleError
from tests.ui import sample

OLD = AgentView(
    rank=None,
    score=0.12,
    reason=Reason.TOO_OLD,
    because="older than its limit",
    help="Write what must last into MEMORY.md.",
)
"""How the agent's own search has every hit, when somebody asks."""

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from memconsole.domain.agents import Notice
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.search.agent_view import AgentSearch
    from memconsole.domain.search.values import SearchRequest
    from memconsole.ports.platform import StopSignal

SCORES = (0.91, 0.74, 0.4)
TEXTS = (
    (
        "memory/2026-01-20.md",
        12,
        "## Inventory\n\n- DECISION: the database stays SQLite; we keep it in WAL mode for the "
        "inventory,\n  because the thing that waits is the lock, not the disk",
    ),
    ("MEMORY.md", 7, "- the shop chose PostgreSQL as its database for orders\n- GOTCHA: digest"),
    ("memory/archive/2025-11-02.md", 33, "- somebody asked about a database of birds"),
)
"""Path, first line and text of what there is to find."""


def status(state: IndexState = IndexState.FRESH, **changes: object) -> IndexStatus:
    """Return the state of an index that was brought up to date a moment ago."""
    values: dict[str, object] = {
        "chunks": 1_204,
        "provider": "static",
        "has_vectors": True,
        "updated_at": sample.ago(minutes=12),
        "way": Vectors.NUMPY,
        "files": 47,
        "size_bytes": 3_600_000,
        **changes,
    }
    if state in (IndexState.MISSING, IndexState.UNAVAILABLE):
        values = {"because": "it was never built", **changes}
    return IndexStatus(state, **values)  # type: ignore[arg-type]  # checked by the dataclass


@dataclass
class FakeWatch(IndexWatch):
    """A watch: what was noted, and what it will index when it is asked."""

    noted: list[frozenset[Path]] = field(default_factory=list)
    due: float | None = None
    outcomes: tuple[Outcome, ...] = ()

    def note(self, paths: frozenset[Path]) -> None:
        self.noted.append(paths)

    def due_in_s(self) -> float | None:
        return self.due

    def run_due(self, cancel: StopSignal | None = None) -> tuple[Outcome, ...]:
        self.due = None
        return self.outcomes


class FakeSearching(Engine):
    """An engine whose search says what it is told to say.

    Attributes:
        statuses: State of each agent's index; usual for agents that are not named.
        requests: Every search.
        notices: What every answer says beside its hits.
        scans: Every look into the files themselves.
        answer: Hits for a request; an error is raised instead.
        gate: A search waits for it, or for being given up.
        build_gate: Building an index waits for it.
        agent_searches: What explained hits are compared with.
        answers: What the agents' own search makes of a result; an error is raised instead.
        asked_agents: Queries that it was asked.
        platform_health: Of the agents' own indexes, by agent.
    """

    def __init__(self) -> None:
        self.statuses: dict[str, IndexStatus] = {}
        self.requests: list[SearchRequest] = []
        self.notices: tuple[Notice, ...] = ()
        self.scans: list[SearchRequest] = []
        self.given_up: list[str] = []
        self.answer: Callable[[SearchRequest], tuple[SearchHit, ...]] | MemconsoleError = found
        self.watch = FakeWatch()
        self.gate = threading.Event()
        self.gate.set()
        self.build_gate = threading.Event()
        self.build_gate.set()
        self.steps: tuple[tuple[int, int], ...] = ((12, 47),)
        self.agent_searches: tuple[AgentSearch, ...] = ()
        self.answers: Callable[[SearchResult], SearchResult] | MemconsoleError = lambda one: one
        self.asked_agents: list[str] = []
        self.platform_health: dict[str, PlatformIndexHealth] = {}
        self.search = FakeSearch(self)
        self.platform_search = FakePlatformSearch(self)
        self.watches = FakeWatches(self)

    def build(
        self, command: Command, progress: Callable[[int, int], None] | None, cancel: object
    ) -> Outcome:
        """Do what `Reindex` does."""
        for done, total in self.steps:
            if progress is not None:
                progress(done, total)
        self.build_gate.wait(10)
        self.statuses[command.agent.id] = status()
        return Reindexed(command, "47 documents taken in, 0 taken out; 1204 chunks in 3.6 MB")


class FakeSearch(SearchService):
    """Finds what the engine is told."""

    def __init__(self, fake: FakeSearching) -> None:
        self._fake = fake

    def find(
        self, request: SearchRequest, cancel: StopSignal | None = None, progress: object = None
    ) -> SearchResult:
        self._fake.requests.append(request)
        while not self._fake.gate.wait(0.005):
            if cancel is not None and cancel.is_set():
                self._fake.given_up.append(request.text)
                break
        if isinstance(self._fake.answer, MemconsoleError):
            raise self._fake.answer
        indexes = self.indexes(request.agent_id)
        is_there = any(one.state is IndexState.FRESH for one in indexes.values())
        hits = self._fake.answer(request) if is_there else ()
        return self._result(request, hits, indexes)

    def scan(self, request: SearchRequest, cancel: StopSignal | None = None) -> SearchResult:
        self._fake.scans.append(request)
        assert not isinstance(self._fake.answer, MemconsoleError)
        return self._result(request, self._fake.answer(request)[:1], self.indexes(request.agent_id))

    def _result(
        self,
        request: SearchRequest,
        hits: tuple[SearchHit, ...],
        indexes: Mapping[tuple[str, Source], IndexStatus],
    ) -> SearchResult:
        query = parse(request.text, is_typing=request.is_typing)
        known = [word for word in query.words if any(word in one[2].casefold() for one in TEXTS)]
        worst = max(indexes.values(), key=lambda one: one.state is not IndexState.FRESH)
        return SearchResult(
            query=query,
            hits=hits,
            index=worst,
            indexes=indexes,
            coverage=len(known) / len(query.words) if query.words else None,
            agent_searches=self._fake.agent_searches if request.is_explained else (),
            notices=self._fake.notices,
        )

    def indexes(
        self, agent_id: str | None = None, *, compared_within_s: float = 0.0
    ) -> dict[tuple[str, Source], IndexStatus]:
        agents = ("main", "work", "research") if agent_id is None else (agent_id,)
        return {(one, Source.MEMORY): self._fake.statuses.get(one, status()) for one in agents}

    def lines(self, agent_id: str, path: str) -> tuple[str, ...]:
        return ()


class FakePlatformSearch(PlatformSearchService):
    """Finds what the engine is told."""

    def __init__(self, fake: FakeSearching) -> None:
        self._fake = fake

    def ask(self, result: SearchResult) -> SearchResult:
        self._fake.asked_agents.append(result.query.text)
        if isinstance(self._fake.answers, MemconsoleError):
            raise self._fake.answers
        return self._fake.answers(result)

    def indexes(self, agent_id: str | None = None) -> tuple[PlatformIndexHealth, ...]:
        names = tuple(self._fake.platform_health) if agent_id is None else (agent_id,)
        return tuple(
            self._fake.platform_health.get(one, PlatformIndexHealth(one, is_absent=True))
            for one in names
        )


class FakeWatches(Watches):
    """Gives the watch of the engine."""

    def __init__(self, fake: FakeSearching) -> None:
        self._fake = fake

    def index(self, *, may_build: bool = False) -> FakeWatch:
        return self._fake.watch


def found(request: SearchRequest) -> tuple[SearchHit, ...]:
    """Return what holds one of the words, the best first."""
    query = parse(request.text, is_typing=request.is_typing)
    hits = []
    for (path, line, text), score in zip(TEXTS, SCORES, strict=True):
        marks = match_spans(text, query)
        if marks:
            hits.append(
                SearchHit(
                    agent=request.agent_id or "main",
                    source=Source.MEMORY,
                    path=path,
                    start_line=line,
                    end_line=line + text.count("\n"),
                    score=score,
                    vector_score=score,
                    text_score=None if score < 0.5 else round(1.6 - score, 2),
                    is_weak=score < 0.5,
                    snippet=text,
                    marks=marks,
                    heading="2026-01-20 > Inventory" if line == 12 else "",
                    modified_at=sample.NOW - timedelta(days=line),
                    tags=("DECISION",) if line == 12 else (),
                    agent_view=OLD if request.is_explained else None,
                )
            )
    return tuple(hits)
