"""Finds what an agent's index has of a note of ours, and what its search says of that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.platform_search.candidates import Placed, PlatformChunk, Rules, weight_of
from memconsole.domain.platform_search.explanation import Evidence
from memconsole.domain.platform_search.profile import SecondChance
from memconsole.domain.search.agent_view import AgentView, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memconsole.domain.platform_search.explanation import Searched
    from memconsole.domain.platform_search.index import Contents, IndexedChunk
    from memconsole.domain.search.agent_view import AgentHit
    from memconsole.domain.search.values import SearchHit


_ROUNDING: Final = 1e-3
"""Less than this is what is left of the Gateway's rounding, and no words."""


def evidence(
    hit: SearchHit,
    contents: Contents,
    placed: Sequence[Placed],
    hashes: Mapping[str, str],
    search: Searched,
) -> Evidence:
    """Return what is known of one note.

    Args:
        hit: The note.
        contents: Of the agent's index.
        placed: What its search makes of the query, in its order.
        hashes: Of the files as they are now.
        search: What it goes by.
    """
    indexed = next((one.hash for one in contents.files if one.path == hit.path), None)
    now = hashes.get(hit.path)
    chunks = tuple(one for one in contents.chunks if _overlaps(one, hit))
    return Evidence(
        hit=hit,
        is_indexed=indexed is not None,
        is_current=None if now is None or indexed is None else now == indexed,
        chunks=chunks,
        placed=_best(chunks, placed, search),
        text_rank=_text_rank({one.id for one in chunks}, placed),
    )


def _overlaps(chunk: IndexedChunk | AgentHit, hit: SearchHit) -> bool:
    return (
        chunk.path == hit.path
        and chunk.start_line <= hit.end_line
        and hit.start_line <= chunk.end_line
    )


def _best(
    chunks: Iterable[IndexedChunk], placed: Sequence[Placed], search: Searched
) -> Placed | None:
    """Return the chunk that its search likes best; one that is no candidate has nothing."""
    known = {one.chunk.id: one for one in placed}
    found = [known.get(one.id) or _no_candidate(one, search) for one in chunks]
    return min(
        found,
        key=lambda one: (one.rank is None, one.rank or 0, -(one.score or 0), -one.words),
        default=None,
    )


def _no_candidate(chunk: IndexedChunk, search: Searched) -> Placed:
    bare = PlatformChunk(
        chunk.id, chunk.path, "memory", chunk.start_line, chunk.end_line, chunk.text
    )
    rules = Rules(search.facts.profile, search.limits, search.query.text, search.now)
    score = 0.0 if search.is_settled else None
    return Placed(bare, None, score, score, 0.0, 0.0, weight_of(bare, rules))


def _text_rank(ids: set[str], placed: Sequence[Placed]) -> int | None:
    """Return the place of the first of some chunks among all that have words, from 1."""
    worded = sorted((one for one in placed if one.words > 0), key=lambda one: -one.words)
    return next((at for at, one in enumerate(worded, 1) if one.chunk.id in ids), None)


def asked_view(hit: SearchHit, answers: Sequence[AgentHit]) -> AgentView:
    """Return where the Gateway has a note, for want of an index to look into."""
    for place, one in enumerate(answers, 1):
        if _overlaps(one, hit):
            return AgentView(place, round(one.score, 4), Reason.FOUND, "it finds it")
    because = f"it is not among its first {len(answers)} results"
    return AgentView(None, None, Reason.BELOW, because)


def as_placed(
    answers: Sequence[AgentHit], contents: Contents, rules: Rules, computed: Sequence[Placed]
) -> tuple[Placed, ...]:
    """Return what the Gateway answered as places in the agent's search, then what it did not.

    It is asked for what lies below the least score as well, so that low is told from not at all;
    what the agent is shown are those that reach it, or all when none does.
    """
    least = rules.limits.min_score
    shown = [one for one in answers if one.score >= least]
    if not shown and rules.profile.second_chance is SecondChance.ANY:
        shown = [one for one in answers if one.text_score]
    places = {one: place for place, one in enumerate(shown, 1)}
    ids = {(one.path, one.start_line, one.end_line): one for one in contents.chunks}
    found = [
        _answered(one, ids.get((one.path, one.start_line, one.end_line)), places.get(one), rules)
        for one in answers
    ]
    known = {one.chunk.id for one in found}
    return (*found, *(one._replace(rank=None) for one in computed if one.chunk.id not in known))


def _answered(one: AgentHit, known: IndexedChunk | None, place: int | None, rules: Rules) -> Placed:
    name = f"{one.path}:{one.start_line}-{one.end_line}" if known is None else known.id
    text = "" if known is None else known.text
    chunk = PlatformChunk(name, one.path, "memory", one.start_line, one.end_line, text)
    fade, limits = weight_of(chunk, rules), rules.limits
    vector = one.vector_score or 0.0
    words = (one.score / (fade or 1.0) - limits.vector_weight * vector) / limits.text_weight
    return Placed(
        chunk,
        place,
        one.score,
        one.vector_score,
        one.text_score or 0.0,
        min(1.0, words) if words > _ROUNDING else 0.0,
        fade,
    )
