"""Hits and index states as the JSON objects of `docs/contract.md`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memconsole.cli.json.encode import Json, Row
    from memconsole.domain.search.agent_view import AgentSearch, AgentView
    from memconsole.domain.search.indexing import IndexStatus
    from memconsole.domain.search.values import SearchHit, SearchResult


def result(found: SearchResult, *, is_explained: bool = False) -> Row:
    """Return the data of `search`; explained, also what its hits were ranked by."""
    data: dict[str, Json] = {
        "hits": [hit(one) for one in found.hits],
        "index": index(found.index),
        "coverage": None if found.coverage is None else round(found.coverage, 4),
    }
    if found.ranking is not None and is_explained:
        data["ranking"] = found.ranking._asdict() | {"dates": list(found.ranking.dates)}
    if found.agent_searches:
        data["agent_searches"] = [_agent_search(one) for one in found.agent_searches]
    return data


def hit(one: SearchHit) -> Row:
    """Return one hit, with the agent's own view of it when somebody asked."""
    row: dict[str, Json] = {
        "archived": one.is_archived,
        "on_path": one.on_path,
        "path": Path(one.path),
        "start_line": one.start_line,
        "end_line": one.end_line,
        "score": one.score,
        "vector_score": one.vector_score,
        "text_score": one.text_score,
        "weak": one.is_weak,
        "snippet": one.snippet,
        "source": one.source.value,
        "agent": one.agent,
        "modified_at": one.modified_at,
        "heading": one.heading,
        "tags": list(one.tags),
        "date_score": one.date_score,
        "quality_score": one.quality_score,
        "same": [
            {"path": Path(other.path), "start_line": other.start_line, "end_line": other.end_line}
            for other in one.same
        ],
    }
    return row if one.agent_view is None else {**row, **_view(one.agent_view)}


def _view(view: AgentView) -> Row:
    return {
        "agent_rank": view.rank,
        "agent_score": view.score,
        "agent_because": view.because,
        "agent_reason": view.reason.value,
        "agent_help": view.help or None,
        "agent_facts": view.facts._asdict(),
    }


def _agent_search(one: AgentSearch) -> Row:
    return {
        "agent": one.agent,
        "release": one.release or None,
        "provider": one.provider or None,
        "vectors": one.vectors.value,
        "min_score": one.min_score,
        "max_results": one.max_results,
        "because": one.because or None,
    }


def index(one: IndexStatus) -> Row:
    """Return the state of an index."""
    return {
        "state": one.state.value,
        "chunks": one.chunks,
        "provider": one.provider,
        "vector": one.has_vectors,
        "updated_at": one.updated_at,
        "because": one.because or None,
        "compares": one.way.value,
        "files": one.files,
        "bytes": one.size_bytes,
        "waiting": one.waiting,
        "changed": one.changed,
    }
