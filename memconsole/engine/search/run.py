"""Searches the indexes of agents: both legs of each, then one ranking, then hits with text."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import Notice
from memconsole.domain.search.fusion import Weights, by_age, chosen, fuse, shortlist, trust_in_words
from memconsole.domain.search.indexing import IndexState, Source, Vectors
from memconsole.domain.search.query import parse
from memconsole.domain.search.snippet import snippet
from memconsole.domain.search.values import CANDIDATES, SearchHit, SearchResult
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.search.open import SearchRun, ages, combined, open_index, targets
from memconsole.errors import EmbeddingError, IndexUnavailableError, SearchCancelledError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memconsole.domain.agents import Home
    from memconsole.domain.search.fusion import Scored
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import Candidate, ChunkRow, Narrowing, SearchRequest
    from memconsole.domain.settings import SearchSettings, Settings
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import StopSignal


_LARGE: Final = 20_000
"""Chunks from which a beginning of a word needs three letters."""


def search(
    ports: SearchNeeds,
    settings: Settings,
    home: Home,
    request: SearchRequest,
    *,
    cancel: StopSignal | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SearchResult:
    """Answer one search; no text is an error.

    Args:
        ports: The engine's ports.
        settings: Weights and limits of each agent.
        home: The agents.
        request: What is asked.
        cancel: Ends the search early; what it returns then is `is_cancelled`.
        progress: Told about an index that has to be built first.

    Raises:
        UnknownAgentError: There is no such agent.
    """
    result = _answer(ports, settings, home, request, cancel=cancel, progress=progress)
    if not request.is_explained:
        return result
    from memconsole.engine.platform_search.explain import explained  # noqa: PLC0415  # for few searches

    return explained(ports, settings, home, result)


def _answer(
    ports: SearchNeeds,
    settings: Settings,
    home: Home,
    request: SearchRequest,
    *,
    cancel: StopSignal | None,
    progress: Callable[[int, int], None] | None,
) -> SearchResult:
    """Open what has to be searched, and search it."""
    agents = home.agents if request.agent_id is None else (find_agent(home, request.agent_id),)
    sources = None
    if request.with_sessions is not None:
        sources = (Source.MEMORY, Source.SESSIONS) if request.with_sessions else (Source.MEMORY,)
    run = SearchRun(ports, request, parse(request.text))
    chosen_shelves = targets(ports, settings, home, agents, sources)
    with ExitStack() as stack:
        for target in chosen_shelves:
            open_index(
                run,
                target,
                stack,
                is_read_only=settings.ui.read_only,
                cancel=cancel,
                progress=progress,
            )
        run.query = _query(run)
        if run.query.is_empty:
            run.notices.append(Notice("empty-query", "the query is empty; nothing was looked for"))
            return _result(run, ())
        try:
            hits = _hits(run, request)
        except SearchCancelledError:
            return replace(_result(run, ()), is_cancelled=True)
        except IndexUnavailableError as error:
            return _broken(run, error)
    return _result(run, hits)


def _broken(run: SearchRun, error: IndexUnavailableError) -> SearchResult:
    """Return the answer of a search that met damage on its way: nobody looked."""
    for place, status in run.statuses.items():
        run.statuses[place] = replace(
            status, state=IndexState.UNAVAILABLE, has_vectors=False, because=str(error)
        )
    return _result(run, ())


def _query(run: SearchRun) -> Query:
    """Read the query; how short a beginning may be depends on the size of what is searched."""
    if not run.request.is_typing:
        return run.query
    size = sum(one.reader.status.chunks for one in run.opened)
    return parse(run.request.text, is_typing=True, prefix_least=3 if size > _LARGE else 2)


def _hits(run: SearchRun, request: SearchRequest) -> tuple[SearchHit, ...]:
    if not run.opened:
        return ()
    own = run.opened[0].target.settings
    candidates = _candidates(run, request.narrowing)
    weights = Weights(own.vector_weight, own.text_weight)
    late = _late(run, candidates, weights)
    # An unfinished word is in no chunk, which says nothing about the others.
    trust = trust_in_words(late) if run.query.prefix is None else 1.0
    ranked: Iterable[Scored] = fuse(candidates, weights, is_raw=run.is_raw, late=late, trust=trust)
    if own.half_life:
        ranked = _faded(run, list(ranked), own)
    words = run.query.words
    most = own.max_results if request.max_results is None else request.max_results
    found = chosen(
        ranked,
        coverage=len(run.known) / len(words) if words and run.known else None,
        min_score=own.min_score if request.min_score is None else request.min_score,
        max_results=CANDIDATES if own.mmr < 1 else most,
        words=len(words),
        trust=trust,
        least_cosine=request.min_score or 0.0,
    )
    hits = with_texts(run, found)
    if own.mmr == 1:
        return hits
    from memconsole.domain.search.fusion import diverse  # noqa: PLC0415  # off by default

    return diverse(hits, most, own.mmr)


def _candidates(run: SearchRun, narrowing: Narrowing) -> list[Candidate]:
    """Ask every index; one whose provider fails answers with its words alone."""
    found: list[Candidate] = []
    for number, one in enumerate(run.opened):
        is_text_only = run.request.text_only
        try:
            legs = one.reader.legs(run.query, narrowing, scope=number, text_only=is_text_only)
        except EmbeddingError as error:
            place = (one.target.agent.id, one.target.scope.source)
            run.statuses[place] = replace(
                run.statuses[place], has_vectors=False, way=Vectors.NONE, because=str(error)
            )
            run.notices.append(Notice("embedding-failed", str(error), agent=one.target.agent.id))
            legs = one.reader.legs(run.query, narrowing, scope=number, text_only=True)
        found += legs.candidates
        run.known |= legs.known_words
        run.is_raw = run.is_raw or legs.is_raw
    return found


def _late(
    run: SearchRun, candidates: list[Candidate], weights: Weights
) -> dict[tuple[int, int], float]:
    if run.is_raw or all(one.cosine is None for one in candidates):
        return {}
    short = shortlist(candidates, weights)
    found: dict[tuple[int, int], float] = {}
    for number, one in enumerate(run.opened):
        ids = [candidate.id for candidate in short if candidate.scope == number]
        if ids:
            late = one.reader.late(run.query, ids)
            found |= {(number, at): value for at, value in late.items()}
    return found


def _faded(run: SearchRun, ranked: Sequence[Scored], own: SearchSettings) -> list[Scored]:
    now = run.ports.clock.now().timestamp()
    known = ages(run, [one.candidate for one in ranked], now)
    days = own.half_life.total_seconds() / 86_400
    return by_age(ranked, lambda one: known.get((one.scope, one.id), 0.0) / 86_400, days)


def _result(run: SearchRun, hits: tuple[SearchHit, ...]) -> SearchResult:
    words = run.query.words
    return SearchResult(
        query=run.query,
        hits=hits,
        index=combined(tuple(run.statuses.values())),
        indexes=run.statuses,
        coverage=len(run.known) / len(words) if words and run.opened else None,
        notices=tuple(dict.fromkeys(run.notices)),
    )


def with_texts(run: SearchRun, found: Sequence[Scored]) -> tuple[SearchHit, ...]:
    """Return the results with their texts, best first."""
    rows: dict[tuple[int, int], ChunkRow] = {}
    for number, one in enumerate(run.opened):
        ids = [scored.candidate.id for scored in found if scored.candidate.scope == number]
        if not ids:
            continue
        texts = one.reader.rows(ids)
        rows |= {(number, at): row for at, row in texts.items()}
        run.notices += [
            replace(notice, agent=one.target.agent.id)
            for notice in one.reader.notices({row.path for row in texts.values()})
        ]
    hits = [
        _hit(run, scored, rows[scored.candidate.scope, scored.candidate.id])
        for scored in found
        if (scored.candidate.scope, scored.candidate.id) in rows
    ]
    if run.request.by_date:
        return tuple(sorted(hits, key=_newest_first))
    return tuple(sorted(hits, key=_best_first))


def _hit(run: SearchRun, scored: Scored, row: ChunkRow) -> SearchHit:
    target = run.opened[scored.candidate.scope].target
    text, marks = snippet(row.text, run.query)
    return SearchHit(
        agent=target.agent.id,
        source=target.scope.source,
        path=row.path,
        start_line=row.start_line,
        end_line=row.end_line,
        score=round(scored.score, 4),
        vector_score=None if scored.vector is None else round(scored.vector, 4),
        text_score=None if scored.text is None else round(scored.text, 4),
        is_weak=scored.is_weak,
        snippet=text,
        marks=marks,
        heading=row.heading,
        is_archived=row.is_archived,
        on_path=row.on_path,
        modified_at=row.modified_at,
        tags=row.tags,
    )


def _newest_first(hit: SearchHit) -> tuple[float, float, str, int]:
    at = hit.modified_at or datetime.fromtimestamp(0, UTC)
    return -at.timestamp(), -hit.score, hit.path, hit.start_line


def _best_first(hit: SearchHit) -> tuple[float, str, str, int]:
    return -hit.score, hit.agent, hit.path, hit.start_line
