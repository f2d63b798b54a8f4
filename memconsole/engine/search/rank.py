"""Ranks what the indexes of a search have: both legs of each, then one ranking.

Behind the fusion of the legs come the day that a question names, over several agents what each of
them knows of the question, and, where it is switched on, age.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from memconsole.domain.agents import Notice
from memconsole.domain.calendar import local_day
from memconsole.domain.search.dates import DATE_BONUS, asked_dates, nearness
from memconsole.domain.search.fusion import (
    AGENT_WEIGHT,
    Weights,
    by_age,
    by_agent,
    by_day,
    by_quality,
    faded,
    fuse,
    late_part,
    quality_weight,
    shortlist,
    trust_in_words,
)
from memconsole.domain.search.indexing import Vectors
from memconsole.domain.search.language import is_foreign
from memconsole.domain.search.values import CANDIDATES, Ranking
from memconsole.engine.search.open import QUALITY_OFF, ages
from memconsole.errors import EmbeddingError, IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from memconsole.domain.search.dates import AskedDate
    from memconsole.domain.search.fusion import Scored
    from memconsole.domain.search.values import Candidate
    from memconsole.domain.settings import SearchSettings
    from memconsole.engine.search.open import SearchRun


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
    if known := _known(run, late):
        scored, by = by_agent(scored, known), by._replace(agents=AGENT_WEIGHT)
    if asked := asked_dates(run.query.text, lambda: _today(run)):
        scored = _by_day(run, list(scored), asked)
        by = by._replace(dates=tuple(map(str, asked)), date_bonus=DATE_BONUS)
    if own.half_life:
        scored = _by_age(run, list(scored), own)
    return Ranked(scored, trust, by)


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
            run.notices.append(Notice(QUALITY_OFF, str(error), agent=one.target.agent.id))
            return {}
        if not near and one.reader.status.chunks:
            if one.target.settings.provider == "quality" and (why := one.reader.status.because):
                run.notices.append(Notice(QUALITY_OFF, why, agent=one.target.agent.id))
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
            place = (one.target.agent.id, one.target.scope.source)
            run.statuses[place] = replace(
                run.statuses[place], has_vectors=False, way=Vectors.NONE, because=str(error)
            )
            run.notices.append(Notice("embedding-failed", str(error), agent=one.target.agent.id))
            legs = one.reader.legs(run.query, narrowing, scope=number, text_only=True)
        found += legs.candidates
        run.known.setdefault(one.target.agent.id, set()).update(legs.known_words)
        run.is_raw = run.is_raw or legs.is_raw
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
    agents = [one.target.agent.id for one in run.opened]
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
    return local_day(run.ports.clock.now(), run.zone())


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
    now = run.ports.clock.now().timestamp()
    known = ages(run, [one.candidate for one in scored], now)
    days = own.half_life.total_seconds() / 86_400
    return by_age(scored, lambda one: known.get((one.scope, one.id), 0.0) / 86_400, days)
