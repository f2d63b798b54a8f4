"""Searches the indexes of agents: both legs of each, then one ranking, then hits with text."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import Notice
from memconsole.domain.calendar import resolve_zone
from memconsole.domain.search.fusion import chosen, diverse
from memconsole.domain.search.indexing import IndexState, Source
from memconsole.domain.search.near_hits import folded
from memconsole.domain.search.own_questions import ASKING_SHARE, only_asks
from memconsole.domain.search.query import parse
from memconsole.domain.search.snippet import snippet
from memconsole.domain.search.values import CANDIDATES, SearchHit, SearchResult
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.search.open import SearchRun, combined, open_index, targets
from memconsole.engine.search.rank import ranked
from memconsole.errors import IndexUnavailableError, SearchCancelledError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.domain.agents import Home
    from memconsole.domain.search.fusion import Scored
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import ChunkRow, SearchRequest
    from memconsole.domain.settings import Settings
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import StopSignal


_LARGE: Final = 20_000
"""Chunks from which a beginning of a word needs three letters."""

_SPARE: Final = 6
"""Read at once beside those that are wanted: a question may go behind them, a note lead a talk."""


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
    run = SearchRun(
        ports,
        request,
        parse(request.text),
        lambda: resolve_zone(settings.timezone, home.config.user_timezone).zone,
    )
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
    found = ranked(run, own)
    run.ranking = found.by
    most = own.max_results if request.max_results is None else request.max_results
    words = run.query.words
    pool = chosen(
        found.scored,
        coverage=run.coverage or None,
        min_score=own.min_score if request.min_score is None else request.min_score,
        max_results=max(CANDIDATES, most),
        words=len(words),
        trust=found.trust,
        least_cosine=request.min_score or 0.0,
        quality=found.by.quality,
    )
    hits = _without_repeats(run, pool, most=len(pool) if own.mmr < 1 else most)
    if own.mmr < 1:
        hits = diverse(hits, most, own.mmr)
    return tuple(one if one.score <= 1 else replace(one, score=1.0) for one in hits)


def _without_repeats(run: SearchRun, pool: Sequence[Scored], *, most: int) -> tuple[SearchHit, ...]:
    """Return as many results as are wanted, those that repeat better ones folded into them."""
    found: list[tuple[SearchHit, str]] = []
    hits: tuple[SearchHit, ...] = ()
    while len(hits) < most and len(found) < len(pool):
        found += with_texts(run, pool[len(found) : len(found) + most + _SPARE])
        order = _newest_first if run.request.by_date else _best_first
        hits = folded(sorted(found, key=lambda one: order(one[0])))
    return hits[:most]


def _result(run: SearchRun, hits: tuple[SearchHit, ...]) -> SearchResult:
    return SearchResult(
        query=run.query,
        hits=hits,
        index=combined(tuple(run.statuses.values())),
        indexes=run.statuses,
        coverage=run.coverage if run.opened else None,
        notices=tuple(dict.fromkeys(run.notices)),
        ranking=run.ranking,
    )


def with_texts(run: SearchRun, found: Sequence[Scored]) -> list[tuple[SearchHit, str]]:
    """Return results, each with the whole text of its chunk."""
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
    places = [(scored, (scored.candidate.scope, scored.candidate.id)) for scored in found]
    return [_hit(run, scored, rows[place]) for scored, place in places if place in rows]


def _hit(run: SearchRun, scored: Scored, row: ChunkRow) -> tuple[SearchHit, str]:
    target = run.opened[scored.candidate.scope].target
    text, marks = snippet(row.text, run.query)
    hit = SearchHit(
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
        quality_score=None if scored.quality is None else round(scored.quality, 4),
        date_score=None if scored.date is None else round(scored.date, 4),
    )
    if only_asks(hit, row.text):
        hit = replace(hit, score=round(hit.score * ASKING_SHARE, 4))
    return hit, row.text


def _newest_first(hit: SearchHit) -> tuple[float, float, str, int]:
    at = hit.modified_at or datetime.fromtimestamp(0, UTC)
    return -at.timestamp(), -hit.score, hit.path, hit.start_line


def _best_first(hit: SearchHit) -> tuple[float, str, str, int]:
    return -hit.score, hit.agent, hit.path, hit.start_line
