"""A look at what consolidation would do, as JSON (mission §20)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memconsole.cli.encode import Row
    from memconsole.domain.consolidation import ConsolidationPreview
    from memconsole.domain.decay import Decayed
    from memconsole.domain.promotion import Proposal


def preview(one: ConsolidationPreview) -> Row:
    """Return what is shown of one memory."""
    return {
        "agent": one.agent.id,
        "tokens_before": one.tokens_before,
        "tokens_after": one.tokens_after,
        "token_target": one.token_target,
        "hook": one.hook or None,
        "archive": [_line(it, is_high=False) for it in one.archived],
        "archive_high": [_line(it, is_high=True) for it in one.high],
        "proposals": [_proposal(it) for it in one.proposals],
        "notes": list(one.notes),
    }


def _line(one: Decayed, *, is_high: bool) -> Row:
    said = one.observation
    return {
        "id": one.id,
        "line": one.line,
        "date": None if said.day is None else said.day.isoformat(),
        "text": said.text,
        "type": said.kind.value,
        "high": is_high,
        "importance": said.importance,
        "score": one.score,
        "age_days": one.age_days,
    }


def _proposal(one: Proposal) -> Row:
    parts = one.parts
    return {
        "id": one.id,
        "path": Path(one.path),
        "line": one.line,
        "date": one.day,
        "text": one.text,
        "score": one.score,
        "parts": {
            "relevance": round(parts.relevance, 4),
            "frequency": round(parts.frequency, 4),
            "diversity": round(parts.diversity, 4),
            "recency": round(parts.recency, 4),
            "recurrence": round(parts.recurrence, 4),
            "richness": round(parts.richness, 4),
        },
        "recalls": one.finds,
        "queries": one.queries,
        "days": one.days,
        "last_at": one.last_at,
    }
