"""Hits and index states as the JSON objects of `cli.md`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memconsole.cli.encode import Json, Row
    from memconsole.domain.indexing import IndexStatus
    from memconsole.domain.search import SearchHit, SearchResult


def result(found: SearchResult, *, is_explained: bool) -> Row:
    """Return the data of `search`."""
    return {
        "hits": [hit(one, is_explained=is_explained) for one in found.hits],
        "index": index(found.index),
        "coverage": None if found.coverage is None else round(found.coverage, 4),
    }


def hit(one: SearchHit, *, is_explained: bool = False) -> Row:
    """Return one hit."""
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
    }
    if is_explained:
        row["agent_rank"] = one.agent_rank
        row["agent_score"] = one.agent_score
        row["agent_because"] = one.agent_because
    return row


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
    }
