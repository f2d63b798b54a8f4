"""Gathers what a session summary says: words, what was done, a name (mission §9)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.excerpts import open_items, spoken_of, ticked_items
from memconsole.domain.files_touched import files_touched
from memconsole.domain.llm import read_summary, summary_prompt
from memconsole.domain.memory import MARKER_TAGS
from memconsole.domain.messages import captured_text, let_out_of
from memconsole.domain.outgoing import let_out, way_out
from memconsole.domain.planted import holds_planted, is_planted
from memconsole.domain.session_summary import SessionSummary
from memconsole.domain.slug import slug, words_of
from memconsole.domain.tag_cues import observations
from memconsole.engine.assist import ask, is_on
from memconsole.errors import WorkspaceError
from memconsole.values import dataclass

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import Agent
    from memconsole.domain.days import Zone
    from memconsole.domain.indexing import Document
    from memconsole.domain.outcomes import Detail
    from memconsole.domain.session_summary import SummaryReason
    from memconsole.domain.sessions import StoredSession
    from memconsole.domain.settings import Settings
    from memconsole.domain.tag_cues import Tagged
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
        settings: Where a model may be asked; None never asks one.
    """

    agent: Agent
    stored: StoredSession
    key: str | None
    reason: SummaryReason
    zone: Zone
    redacts: bool
    most_per_tag: int
    settings: Settings | None = None


def gather(segment: Segment, occasion: Occasion, *, ports: Ports) -> SessionSummary:
    """Return the summary of what was read; every text is masked before it is cut (A11)."""
    mask = way_out(redacts=occasion.redacts, keeps_lines=True)
    masked = [let_out_of(one, mask) for one in segment.messages]
    texts = [one.text for one in masked]
    stored = occasion.stored
    times = [one.at for one in masked if one.at is not None]
    title, tagged, notes = _named(masked, occasion, ports)
    return SessionSummary(
        agent_id=mask(occasion.agent.id),
        session_id=mask(stored.session_id or ""),
        session_key=None if occasion.key is None else mask(occasion.key),
        source=None if stored.channel is None else mask(stored.channel),
        title=title,
        reason=occasion.reason,
        started_at=min(times, default=None),
        ended_at=max(times, default=ports.clock.now()),
        zone=occasion.zone,
        is_whole=segment.is_whole,
        tokens=None if stored.tokens_fresh is False else stored.tokens_reported,
        said=tuple(spoken_of(one, SAID_CHARS) for one in masked),
        completed=ticked_items(texts),
        observations=tagged,
        files=files_touched(
            (replace(tool, path=mask(tool.path or "")) for tool in segment.tools), texts
        ),
        next_steps=open_items(texts),
        notes=notes,
    )


def _named(
    masked: list[Message], occasion: Occasion, ports: Ports
) -> tuple[str | None, tuple[Tagged, ...], dict[str, Detail]]:
    """Return title and observations: the model's where one is asked and answers, else our own."""
    notes: dict[str, Detail] = {}
    if occasion.settings is not None and is_on(occasion.settings):
        said = "\n".join(f"{one.role}: {captured_text(one, str, SAID_CHARS)}" for one in masked)
        answer = ask(summary_prompt(let_out(said)), ports=ports, settings=occasion.settings)
        found = None if answer.completion is None else read_summary(answer.completion.text)
        if found is not None:
            kept = tuple(one for one in found[1] if not is_planted(one.text))
            return found[0], _few(kept, occasion.most_per_tag), answer.details()
        missing = "" if answer.completion is None else "its answer cannot be read"
        notes = answer.details(because=missing)
    honest = [one for one in masked if not holds_planted(one.text)]
    tagged = observations(((one.role or "", one.text) for one in honest), occasion.most_per_tag)
    return _title(masked, occasion.agent.workspace, ports), tagged, notes


def _few(tagged: tuple[Tagged, ...], most: int) -> tuple[Tagged, ...]:
    """Return at most so many of each tag, in the order of the tags."""
    return tuple(
        one for tag in MARKER_TAGS for one in [found for found in tagged if found.tag == tag][:most]
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
