"""Makes hits out of scored candidates: their texts and snippets."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.domain.search import SearchHit
from memconsole.domain.snippet import snippet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.fusion import Scored
    from memconsole.domain.search import ChunkRow
    from memconsole.engine.opening import SearchRun


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
            replace(notice, agent=one.shelf.agent.id)
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
    shelf = run.opened[scored.candidate.scope].shelf
    text, marks = snippet(row.text, run.query)
    return SearchHit(
        agent=shelf.agent.id,
        source=shelf.scope.source,
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
