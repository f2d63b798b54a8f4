"""Gathers what a session summary says: words, what was done, a name (mission §9)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memconsole.domain.excerpts import Spoken, open_items, ticked_items
from memconsole.domain.files_touched import files_touched
from memconsole.domain.messages import captured_text
from memconsole.domain.session_summary import SessionSummary
from memconsole.domain.slug import slug, words_of
from memconsole.domain.tag_cues import observations
from memconsole.errors import WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import Agent
    from memconsole.domain.days import Zone
    from memconsole.domain.indexing import Document
    from memconsole.domain.session_summary import SummaryReason
    from memconsole.domain.sessions import StoredSession
    from memconsole.domain.transcript import Message
    from memconsole.engine.ports_bundle import Ports
    from memconsole.engine.segment import Segment

SAID_CHARS = 500
"""Characters of one message in a summary (mission §9)."""

_COMPARED_FILES = 200
"""Newest files of the pool that tell common words from telling ones; more change no name."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Whose session is summarised, and why.

    Attributes:
        key: Its session key; None when unknown.
        redacts: Secrets are masked.
        most_per_tag: Observations of one kind.
    """

    agent: Agent
    stored: StoredSession
    key: str | None
    reason: SummaryReason
    zone: Zone
    redacts: bool
    most_per_tag: int


def gather(segment: Segment, occasion: Occasion, *, ports: Ports) -> SessionSummary:
    """Return the summary of what was read; every text is masked before it is cut (A11)."""
    mask = _mask(redacts=occasion.redacts)
    masked = [replace(one, text=mask(one.text)) for one in segment.messages]
    texts = [one.text for one in masked]
    stored = occasion.stored
    times = [one.at for one in masked if one.at is not None]
    return SessionSummary(
        agent_id=occasion.agent.id,
        session_id=stored.session_id or "",
        session_key=None if occasion.key is None else mask(occasion.key),
        source=stored.channel,
        title=_title(masked, occasion.agent.workspace, ports),
        reason=occasion.reason,
        started_at=min(times, default=None),
        ended_at=max(times, default=ports.clock.now()),
        zone=occasion.zone,
        is_whole=segment.is_whole,
        tokens=None if stored.tokens_fresh is False else stored.tokens_reported,
        said=tuple(
            Spoken(one.role or "", one.at, captured_text(one, str, SAID_CHARS)) for one in masked
        ),
        completed=ticked_items(texts),
        observations=observations(
            ((one.role or "", one.text) for one in masked), occasion.most_per_tag
        ),
        files=files_touched(
            (replace(tool, path=mask(tool.path or "")) for tool in segment.tools), texts
        ),
        next_steps=open_items(texts),
    )


def _title(messages: list[Message], workspace: Path, ports: Ports) -> str | None:
    """Return the telling words of what the user said, as the title of the file."""
    documents, total = _frequencies(workspace, ports)
    name = slug((one.text for one in messages if one.role == "user"), documents, total)
    return None if name is None else name.replace("-", " ")


def _frequencies(workspace: Path, ports: Ports) -> tuple[Counter[str], int]:
    """Return in how many of the newest memory files each word occurs."""
    reader = ports.search().documents
    found = sorted(reader.documents(workspace), key=_age, reverse=True)
    newest = found[:_COMPARED_FILES]
    counts: Counter[str] = Counter()
    for document in newest:
        try:
            counts.update(set(words_of(reader.read(document).text)))
        except (OSError, WorkspaceError):
            continue  # one file less to compare with
    return counts, len(newest)


def _age(document: Document) -> tuple[bool, datetime | None]:
    return document.modified_at is not None, document.modified_at


def _mask(*, redacts: bool) -> Callable[[str], str]:
    if not redacts:
        return str
    from memconsole.domain.redaction import mask  # noqa: PLC0415 - reading commands need it not

    return lambda text: mask(text, keeps_lines=True)
