"""Reads what the next request of a session would hold, and previews its pruning."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import part
from memconsole.domain.pruning import (
    IMAGE_CHARS,
    PRUNING,
    ContextPart,
    PruningPlan,
    preview,
    rules_of,
)
from memconsole.domain.sessions.tokens import DEFAULT_WINDOW
from memconsole.domain.transcripts.path import active_flags
from memconsole.domain.transcripts.records import EntryKind
from memconsole.engine.home.lookup import require_own_words
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime, timedelta

    from memconsole.domain.agents import Home
    from memconsole.domain.pruning import PruningMode
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.domain.transcripts.records import Entry
    from memconsole.ports.platform import Clock, SessionStore


@dataclass(frozen=True, slots=True)
class PruningRequest:
    """What the preview is asked for; None takes what the platform is configured to do.

    Attributes:
        at: When the request is sent; None means now.
    """

    mode: PruningMode | None = None
    ttl: timedelta | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PruningPreview:
    """What would be pruned of one session."""

    session: SessionView
    plan: PruningPlan


def prune_preview(
    home: Home,
    view: SessionView,
    request: PruningRequest,
    *,
    sessions: SessionStore,
    clock: Clock,
) -> PruningPreview:
    """Preview one session; its transcript is only read.

    Raises:
        StoreError: The transcript cannot be read.
    """
    rules = rules_of(part(home.config.checked, *PRUNING), view.window or DEFAULT_WINDOW)
    if request.mode is not None:
        rules = replace(rules, mode=request.mode)
    if request.ttl is not None:
        rules = replace(rules, ttl=request.ttl)
    require_own_words(view.stored)
    entries: list[Entry] = []
    if view.transcript is not None:
        entries = [_without_text(one) for one in sessions.forward(view.transcript)]
    flags, _ = active_flags(entries)
    on_path = [one for one, flag in zip(entries, flags, strict=True) if flag]
    parts = tuple(_parts(_in_context(on_path)))
    return PruningPreview(view, preview(parts, rules, request.at or clock.now()))


def _without_text(entry: Entry) -> Entry:
    """Keep the length of a text, not the text: a transcript may be of any size."""
    summary = entry.compaction
    chars = len(entry.text) if summary is None else len(summary.summary)
    return replace(
        entry, text="", size_bytes=chars, compaction=summary and replace(summary, summary="")
    )


def _in_context(on_path: Sequence[Entry]) -> Sequence[Entry]:
    """Return what the model is sent now: since the last reset, or the last compaction and on."""
    for index in range(len(on_path) - 1, -1, -1):
        entry = on_path[index]
        if entry.kind is EntryKind.RESET:
            return on_path[index + 1 :]
        if entry.kind is EntryKind.COMPACTION:
            kept = None if entry.compaction is None else entry.compaction.first_kept_id
            known = [one.id for one in on_path[:index]]
            first = known.index(kept) if kept is not None and kept in known else index
            return [entry, *on_path[first:index], *on_path[index + 1 :]]
    return on_path


def _parts(entries: Sequence[Entry]) -> Iterator[ContextPart]:
    spoken = (EntryKind.MESSAGE, EntryKind.COMPACTION)
    said = (one for one in entries if one.kind in spoken and not one.is_injected)
    for index, entry in enumerate(said):
        results = [tool for tool in entry.tools if tool.is_result]
        is_result = entry.role == "toolResult"
        chars = entry.size_bytes + entry.thinking_chars + IMAGE_CHARS * len(entry.attachments)
        yield ContextPart(
            index=index,
            role=entry.role or "summary",
            chars=chars + sum(tool.chars for tool in entry.tools),
            tool=results[0].name if is_result and results else "",
            has_image=is_result
            and any(one.media_type.startswith("image/") for one in entry.attachments),
            at=entry.at,
        )
