"""Memory pools, marked lines and consolidation as the JSON objects of `docs/contract.md`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.cli.json.encode import markers_by_tag, notice
from memconsole.cli.json.search import index

if TYPE_CHECKING:
    from memconsole.cli.json.encode import Row
    from memconsole.domain.consolidate.decay import Decayed
    from memconsole.domain.consolidate.promotion import Proposal
    from memconsole.domain.consolidate.text import ConsolidationPreview
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import Marker, Pool, PoolItem
    from memconsole.domain.search.indexing import Indexes


def pool(one: Pool, agent_id: str | None, indexes: Indexes) -> Row:
    """Return one workspace's memory.

    Args:
        one: The memory.
        agent_id: The agent that was asked for; None for all.
        indexes: By agent and source, those of its agents among them.
    """
    return {
        "agent": agent_id or (one.agents[0] if one.agents else None),
        "agents": list(one.agents),
        "root": one.root if one.doubt is None else None,
        "files": one.files if one.is_known else None,
        "bytes": one.size_bytes if one.is_known else None,
        "tokens": one.tokens if one.is_known else None,
        "markers": markers_by_tag(one.markers if one.is_known else None),
        "items": [_item(item) for item in one.items],
        "by_category": [
            {"name": kind.name, "files": kind.files, "bytes": kind.size_bytes}
            for kind in one.by_category
        ],
        "limits": [
            {"path": Path(limit.path), "chars": limit.chars, "limit": limit.limit}
            for limit in one.limits
        ],
        "warnings": [
            notice(warning) for warning in (one.doubt, *one.notices) if warning is not None
        ],
        "trend": [
            {
                "day": day.day.isoformat(),
                "bytes": day.size_bytes,
                "tokens": day.tokens,
                "markers": markers_by_tag(day.markers),
            }
            for day in one.trend
        ],
        "indexes": [
            {"agent": agent, "source": source.value, **index(status)}
            for (agent, source), status in indexes.items()
            if agent in one.agents
        ],
    }


def _item(one: PoolItem) -> Row:
    return {
        "path": Path(one.path),
        "bytes": one.size_bytes,
        "tokens": one.tokens,
        "generated": one.is_generated,
        "counted": one.is_counted,
        "because": one.because,
    }


def file(agent_id: str, one: PoolItem) -> Row:
    """Return one file of a memory."""
    return {
        "agent": agent_id,
        "path": Path(one.path),
        "bytes": one.size_bytes,
        "tokens": one.tokens,
        "modified_at": one.modified_at,
        "generated": one.is_generated,
        "counted": one.is_counted,
        "because": one.because,
    }


def entry(one: MemoryEntry) -> Row:
    """Return one entry of a file."""
    return {
        "id": one.id,
        "path": Path(one.path),
        "line": one.line,
        "text": one.text,
        "tags": list(one.tags),
        "date": one.date,
    }


def marker(agent_id: str, one: Marker) -> Row:
    """Return one marked line."""
    return {
        "tag": one.tag,
        "agent": agent_id,
        "path": Path(one.path),
        "line": one.line,
        "text": one.text,
    }


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
        "recalls": one.hits,
        "queries": one.queries,
        "days": one.days,
        "last_at": one.last_at,
    }
