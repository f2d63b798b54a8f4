"""Searches the indexes of agents: both legs of each, then one ranking, then hits with text.

Behind the fusion of the legs come the day that a question names, over several agents what each of
them knows of the question, and, where it is switched on, age.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from memconsole.domain.agents import Notice
from memconsole.domain.calendar import local_day, resolve_zone
from memconsole.domain.search.dates import DATE_BONUS, asked_dates, nearness
from memconsole.domain.search.fusion import (
    AGENT_WEIGHT,
    ASKING_SHARE,
    Weights,
    by_age,
    by_agent,
    by_day,
    by_quality,
    chosen,
    diverse,
    faded,
    fuse,
    late_part,
    only_asks,
    quality_weight,
    shortlist,
    trust_in_words,
)
from memconsole.domain.search.indexing import IndexState, Source, Vectors
from memconsole.domain.search.languages import is_foreign, is_out_of_reach
from memconsole.domain.search.near_hits import folded
from memconsole.domain.search.query import parse, snippet
from memconsole.domain.search.values import CANDIDATES, Ranking, SearchHit, SearchResult
from memconsole.engine.home.lookup import agents_of
from memconsole.engine.search.open import (
    OTHER_LANGUAGE,
    QUALITY_OFF,
    OpenIndex,
    SearchRun,
    ages,
    combined,
    open_index,
    targets,
)
from memconsole.errors import EmbeddingError, IndexUnavailableError, SearchCancelledError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date

    from memconsole.domain.agents import Home
    from memconsole.domain.search.dates import AskedDate
    from memconsole.domain.search.fusion import Scored
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import Candidate, ChunkRow, SearchRequest
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import SearchSettings
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import Clock, StopSignal
    from memconsole.ports.search import IndexReader


_CANNOT_COMPARE: Final = (
    "the question seems not to be in English, and few of its words stand in the memory: the"
    " built-in vectors cannot compare other languages, so a right note may be missing here or be"
    ' called weak; ask in the language of the notes, or set search.provider to "quality"'
)

Place: TypeAlias = "tuple[int, int]"
"""Number of an index, and of a chunk in it."""


class Ranked(NamedTuple):
    """All that was found, best first, and what it was ranked by.

    Attributes:
        trust: How much the words of the query say, 0…1.
    """

    scored: Iterable[Scored]
    trust: float
    by: Ranking


def ranked(run: SearchRun, own: SearchSettings) -> Ranked:
    """Ask every open index, and put what they have in order."""
    near = _nearness(run)
    candidates = _candidates(run, near)
    weights = Weights(own.vector_weight, own.text_weight)
    late = _late(run, candidates, weights)
    # An unfinished word is in no chunk, which says nothing about the others.
    trust = trust_in_words(late) if run.query.prefix is None else 1.0
    scored: Iterable[Scored] = fuse(candidates, weights, is_raw=run.is_raw, late=late, trust=trust)
    used = faded(candidates, weights, trust)
    by = Ranking(used.vector, used.text, late_part(trust) if late else 0.0)
    if near:
        weight = 1.0 if is_foreign(run.query.text, run.coverage or 0.0) else quality_weight(trust)
        scored, by = by_quality(list(scored), near, weight), by._replace(quality=weight)
    elif _is_out_of_reach(run):
        run.notices.append(Notice(OTHER_LANGUAGE, _CANNOT_COMPARE))
    if known := _known(run, late):
        scored, by = by_agent(scored, known), by._replace(agents=AGENT_WEIGHT)
    if asked := asked_dates(run.query.text, lambda: _today(run)):
        scored = _by_day(run, list(scored), asked)
        by = by._replace(dates=tuple(map(str, asked)), date_bonus=DATE_BONUS)
    if own.half_life:
        scored = _by_age(run, list(scored), own)
    return Ranked(scored, trust, by)


def _is_out_of_reach(run: SearchRun) -> bool:
    """Whether the built-in vectors cannot compare a question, and the memory lacks its words."""
    if run.is_raw or run.request.text_only or run.query.prefix is not None:
        return False
    if not any(one.reader.status.has_vectors for one in run.opened):
        return False
    known = set[str]().union(*run.known.values())
    return is_out_of_reach(run.query.text, run.query.words, known, run.spoken)


def _nearness(run: SearchRun) -> dict[Place, tuple[float, float]]:
    """Ask the better model, where every index has all of its vectors; else the built-in answer.

    It is not asked at each letter: a word that is being typed says little, and it takes 30 ms.
    """
    is_asked = not run.request.text_only and run.query.prefix is None
    found: dict[Place, tuple[float, float]] = {}
    for number, one in enumerate(run.opened if is_asked else ()):
        try:
            near = one.reader.nearness(run.query)
        except IndexUnavailableError as error:
            run.notices.append(Notice(QUALITY_OFF, str(error), agent=one.agent))
            return {}
        if not near and one.reader.status.chunks:
            if one.settings.provider == "quality" and (why := one.reader.status.because):
                run.notices.append(Notice(QUALITY_OFF, why, agent=one.agent))
            return {}
        found |= {(number, at): pair for at, pair in near.items()}
    return found


def _nearest(near: Mapping[Place, tuple[float, float]], scope: int) -> list[int]:
    """Return the chunks of one index that the better model calls nearest."""
    own = [(-sum(pair), at) for (number, at), pair in near.items() if number == scope]
    return [at for _, at in sorted(own)[:CANDIDATES]]


def _candidates(run: SearchRun, near: Mapping[Place, tuple[float, float]]) -> list[Candidate]:
    """Ask every index; one whose provider fails answers with its words alone."""
    found: list[Candidate] = []
    narrowing = run.request.narrowing
    for number, one in enumerate(run.opened):
        is_text_only = run.request.text_only
        try:
            legs = one.reader.legs(
                run.query,
                narrowing,
                scope=number,
                text_only=is_text_only,
                also=_nearest(near, number),
            )
        except EmbeddingError as error:
            place = (one.agent, one.source)
            run.statuses[place] = replace(
                run.statuses[place], has_vectors=False, way=Vectors.NONE, because=str(error)
            )
            run.notices.append(Notice("embedding-failed", str(error), agent=one.agent))
            legs = one.reader.legs(run.query, narrowing, scope=number, text_only=True)
        found += legs.candidates
        run.known.setdefault(one.agent, set()).update(legs.known_words)
        run.is_raw = run.is_raw or legs.is_raw
        run.spoken = max(run.spoken, legs.spoken)
    return found


def _late(run: SearchRun, candidates: list[Candidate], weights: Weights) -> dict[Place, float]:
    if run.is_raw or all(one.cosine is None for one in candidates):
        return {}
    short = shortlist(candidates, weights)
    found: dict[Place, float] = {}
    for number, one in enumerate(run.opened):
        ids = [candidate.id for candidate in short if candidate.scope == number]
        if ids:
            late = one.reader.late(run.query, ids)
            found |= {(number, at): value for at, value in late.items()}
    return found


def _known(run: SearchRun, late: Mapping[Place, float]) -> dict[int, float]:
    """Return by scope how much of the query its agent knows; nothing over one agent."""
    agents = [one.agent for one in run.opened]
    if len(set(agents)) < 2 or not late:
        return {}
    best = dict.fromkeys(agents, 0.0)
    for (scope, _), share in late.items():
        best[agents[scope]] = max(share, best[agents[scope]])
    count = len(run.query.words) or 1
    return {
        scope: len(run.known[agent]) / count * best[agent] for scope, agent in enumerate(agents)
    }


def _today(run: SearchRun) -> date:
    return local_day(run.clock.now(), run.zone())


def _by_day(run: SearchRun, scored: list[Scored], asked: tuple[AskedDate, ...]) -> list[Scored]:
    days = {
        (number, at): day
        for number, one in enumerate(run.opened)
        for at, day in one.reader.days(
            [found.candidate.id for found in scored if found.candidate.scope == number],
            run.zone(),
        ).items()
    }
    return by_day(scored, lambda one: nearness(asked, days.get((one.scope, one.id))))


def _by_age(run: SearchRun, scored: list[Scored], own: SearchSettings) -> list[Scored]:
    now = run.clock.now().timestamp()
    known = ages(run, [one.candidate for one in scored], now)
    days = own.half_life.total_seconds() / 86_400
    return by_age(scored, lambda one: known.get((one.scope, one.id), 0.0) / 86_400, days)


_LARGE: Final = 20_000
"""Chunks from which a beginning of a word needs three letters."""

_SPARE: Final = 6
"""Read at once beside those wanted: a question may go behind them, a note lead a session."""


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
    agents = agents_of(home, request.agent_id)
    sources = None
    if request.with_sessions is not None:
        sources = (Source.MEMORY, Source.SESSIONS) if request.with_sessions else (Source.MEMORY,)
    run = SearchRun(
        ports.clock,
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
        return _searched(run)


def search_copy(
    clock: Clock, settings: Settings, request: SearchRequest, reader: IndexReader
) -> SearchResult:
    """Search what is of many agents in one index, such as the copy of a fleet.

    Args:
        clock: The time, for words such as yesterday.
        settings: Weights and limits.
        request: What is asked.
        reader: Its rows say whose they are.
    """
    run = SearchRun(
        clock,
        request,
        parse(request.text),
        lambda: resolve_zone(settings.timezone, None).zone,
    )
    run.opened.append(OpenIndex("", Source.MEMORY, settings.search, reader))
    run.statuses["", Source.MEMORY] = reader.status
    return _searched(run)


def _searched(run: SearchRun) -> SearchResult:
    """Search what is open."""
    run.query = _query(run)
    if run.query.is_empty:
        run.notices.append(Notice("empty-query", "the query is empty; nothing was looked for"))
        return _result(run, ())
    try:
        hits = _hits(run, run.request)
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
    own = run.opened[0].settings
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
    for place in range(0, len(pool), most + _SPARE):
        if len(hits) >= most:
            break
        found += with_texts(run, pool[place : place + most + _SPARE])
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
            replace(notice, agent=one.agent)
            for notice in one.reader.notices({row.path for row in texts.values()})
        ]
    places = [(scored, (scored.candidate.scope, scored.candidate.id)) for scored in found]
    return [_hit(run, scored, rows[place]) for scored, place in places if place in rows]


def _hit(run: SearchRun, scored: Scored, row: ChunkRow) -> tuple[SearchHit, str]:
    opened = run.opened[scored.candidate.scope]
    text, marks = snippet(row.text, run.query)
    hit = SearchHit(
        agent=row.agent or opened.agent,
        source=row.source or opened.source,
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
