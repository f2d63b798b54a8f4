"""Memory pools and marked lines as the JSON objects of `cli.md`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.cli.encode import markers_by_tag, notice

if TYPE_CHECKING:
    from memconsole.cli.encode import Row
    from memconsole.domain.entries import MemoryEntry
    from memconsole.domain.memory import Marker, Pool, PoolItem


def pool(one: Pool, agent_id: str | None = None) -> Row:
    """Return one workspace's memory; `agent_id` is the agent that was asked for."""
    return {
        "agent": agent_id or (one.agents[0] if one.agents else None),
        "agents": list(one.agents),
        "root": one.root,
        "files": one.files,
        "bytes": one.size_bytes,
        "tokens": one.tokens,
        "markers": markers_by_tag(one.markers),
        "items": [
            {
                "path": Path(item.path),
                "bytes": item.size_bytes,
                "tokens": item.tokens,
                "generated": item.is_generated,
                "counted": item.is_counted,
                "because": item.because,
            }
            for item in one.items
        ],
        "by_category": [
            {"name": kind.name, "files": kind.files, "bytes": kind.size_bytes}
            for kind in one.by_category
        ],
        "limits": [
            {"path": Path(limit.path), "chars": limit.chars, "limit": limit.limit}
            for limit in one.limits
        ],
        "warnings": [notice(warning) for warning in one.notices],
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
