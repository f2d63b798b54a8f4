"""Writes the summary of one session into memory, once a session.

From every trigger: the platform's hooks, a rotation's prologue, a session that changed its id, an
operator. Needs neither the Gateway nor a language model.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.calendar import resolve_zone
from memconsole.domain.checkpoint.rules import class_of, label_of, named
from memconsole.domain.commands.outcomes import Planned, Skipped, SkipReason, Written
from memconsole.domain.commands.summarize import Summarized
from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.domain.memory.slug import slug, words_of
from memconsole.domain.model import read_summary, summary_prompt
from memconsole.domain.planted import holds_planted, is_planted, is_quoted
from memconsole.domain.sessions.keys import classify, key_of
from memconsole.domain.summarize.markers import observations
from memconsole.domain.summarize.text import (
    SessionSummary,
    SummaryReason,
    SummaryRecord,
    divided,
    file_name,
    files_touched,
    render_summary,
)
from memconsole.domain.transcripts.excerpts import open_items, spoken_of, ticked_items
from memconsole.domain.transcripts.messages import captured_text, let_out_of
from memconsole.domain.transcripts.notices import planted_notice
from memconsole.engine.home.lookup import find_agent, require_own_words
from memconsole.engine.transcripts.segment import read_segment
from memconsole.engine.turn import require_workspace
from memconsole.errors import SessionNotFoundError, WorkspaceError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import plural
from memconsole.text.outgoing import let_out, way_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import Agent, Home, Notice
    from memconsole.domain.calendar import Zone
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.commands.summarize import Summarize
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.domain.search.indexing import Document
    from memconsole.domain.sessions.stored import StoredSession, TranscriptRef
    from memconsole.domain.settings import Settings
    from memconsole.domain.summarize.markers import Tagged
    from memconsole.domain.transcripts.records import Message
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.model import BudgetedModel
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.engine.transcripts.segment import Segment
    from memconsole.engine.turn import Turns
    from memconsole.ports.platform import Clock, SessionStore, Workspace
    from memconsole.ports.search import SearchPorts
    from memconsole.ports.state import SummaryLog


@dataclass(frozen=True, slots=True)
class _Run:
    """One summary on its way."""

    command: Summarize
    home: Home
    agent: Agent
    stored: StoredSession
    ref: TranscriptRef
    settings: Settings
    sessions: SessionStore
    workspace: Workspace
    summaries: SummaryLog
    search: Callable[[], SearchPorts]
    model: BudgetedModel
    clock: Clock

    @property
    def label(self) -> str:
        return label_of(self.stored)

    @property
    def key(self) -> str | None:
        return self.command.key if self.stored.key is None else self.stored.key.text

    @property
    def details(self) -> dict[str, Detail]:
        return {"session_id": self.ref.session_id, "session_key": self.key}


def summarize(
    command: Summarize,
    *,
    turns: Turns,
    reader: Reader,
    settings: Settings,
    sessions: SessionStore,
    workspace: Workspace,
    summaries: SummaryLog,
    search: Callable[[], SearchPorts],
    fingerprints: Fingerprints,
    model: BudgetedModel,
    clock: Clock,
) -> Outcome:
    """Summarise one session, unless it has its summary already.

    Raises:
        SessionNotFoundError: The command names a session that is not there.
        StoreError: The transcript cannot be read.
        WorkspaceError: The file cannot be written; its old text is whole.
    """
    home = reader.home()
    agent = find_agent(home, command.agent.id)
    stored = _find(command, agent, sessions)
    require_workspace(agent)
    if (refused := _refused(command, agent, stored)) is not None:
        return refused
    assert stored.transcript is not None  # refused otherwise
    run = _Run(
        command=command,
        home=home,
        agent=agent,
        stored=stored,
        ref=stored.transcript,
        settings=settings,
        sessions=sessions,
        workspace=workspace,
        summaries=summaries,
        search=search,
        model=model,
        clock=clock,
    )
    if command.dry_run:
        return _attempt(run)
    if run.key is not None:
        fingerprints.note_keys(agent, {run.ref.session_id: run.key})
    return turns.hold(agent, lambda: _attempt(run))


def _find(command: Summarize, agent: Agent, sessions: SessionStore) -> StoredSession:
    name = command.session_id or command.key or ""
    stored = named(sessions.sessions(agent).sessions, name)
    if stored is None:
        raise SessionNotFoundError(name)
    return stored


def _refused(command: Summarize, agent: Agent, stored: StoredSession) -> Skipped | None:
    label = label_of(stored)
    kind = class_of(stored)
    if stored.key is None and command.key is not None:
        kind = classify(key_of(agent, command.key), stored.chat_type)
    if not kind.may_be_captured(groups=stored.captures_groups):
        return Skipped(
            command,
            SkipReason.NOT_CAPTURED,
            f"{label} is {kind.phrase}, and those are never copied into memory",
            hint="Name its key as well as its id." if stored.key is None else "",
        )
    require_own_words(stored)
    if stored.transcript is None:
        return Skipped(command, SkipReason.NO_SESSION, f"{label} has no transcript to read")
    return None


def _attempt(run: _Run) -> Outcome:
    """Gather, decide, apply, once."""
    rules = run.settings.summary
    last = run.summaries.last(run.agent.ref, run.ref.session_id)
    segment = read_segment(
        run.sessions,
        run.ref,
        wanted=rules.tail_messages,
        after=None if last is None else last.until,
        is_previous=run.command.is_previous,
    )
    if last is not None and segment.is_known:
        return Skipped(
            run.command,
            SkipReason.NOTHING_NEW,
            f"{run.label} has its summary already: {last.path}",
            details={**run.details, "path": last.path},
        )
    if sum(len(one.text) for one in segment.messages) < rules.min_chars:
        return Skipped(
            run.command,
            SkipReason.TOO_SMALL,
            f"{run.label} holds less text than summary.min_chars ({rules.min_chars})",
            details=run.details,
        )
    summary = gather(
        segment,
        Occasion(
            agent=run.agent,
            stored=run.stored,
            key=run.key,
            reason=SummaryReason(run.command.reason),
            zone=resolve_zone(run.settings.timezone, run.home.config.user_timezone).zone,
            redacts=run.settings.redact,
            most_per_tag=rules.max_per_tag,
            model=None if run.command.dry_run else run.model,
        ),
        documents=run.search,
        now=run.clock.now(),
    )
    path = file_name(summary)
    seen = run.workspace.read(run.agent.workspace, path)
    if run.command.dry_run:
        return _plan(run, summary, path, seen)
    return _apply(run, summary, path, seen)


def _text(summary: SessionSummary, seen: WorkspaceText | None) -> str:
    text = render_summary(summary)
    return text if seen is None else divided(text)


def _plan(run: _Run, summary: SessionSummary, path: str, seen: WorkspaceText | None) -> Planned:
    wrote = Written(path, len(_text(summary, seen).encode()))
    return Planned(
        run.command,
        f"would summarise {plural(len(summary.said), 'message')} of {run.label} in {path}",
        (wrote,),
        _details(run, summary, path),
    )


def _apply(run: _Run, summary: SessionSummary, path: str, seen: WorkspaceText | None) -> Summarized:
    """Write the file, then remember it."""
    workspace, root = run.workspace, run.agent.workspace
    text = _text(summary, seen)
    if seen is None:
        wrote = workspace.replace(root, path, text, seen=None)
    else:
        wrote = workspace.append(root, path, text, header="")
    record = SummaryRecord(
        agent=run.agent.ref,
        session_id=run.ref.session_id,
        session_key=run.key,
        at=run.clock.now(),
        until=summary.ended_at,
        path=path,
        reason=run.command.reason,
    )
    run.summaries.add(record)
    return Summarized(
        run.command,
        f"{plural(len(summary.said), 'message')} of {run.label} summarised in {path}",
        wrote=(wrote,),
        details=_details(run, summary, path),
        notices=tuple(_notices(run, summary)),
    )


def _notices(run: _Run, summary: SessionSummary) -> Iterator[Notice]:
    planted = sum(is_quoted(one.text) for one in summary.said)
    if planted:
        path, agent = str(run.ref.path), run.agent.id
        yield planted_notice(run.label, planted, path=path, agent=agent)


def _details(run: _Run, summary: SessionSummary, path: str) -> dict[str, Detail]:
    return {
        **run.details,
        "path": path,
        "messages": len(summary.said),
        "observations": len(summary.observations),
        **summary.notes,
    }


SAID_CHARS = 500
"""Characters of one message in a summary."""

_COMPARED_FILES = 200
"""Newest files of the pool that tell common words from telling ones; more change no name."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Whose session is summarised, and why.

    Attributes:
        key: Its session key; None when unknown.
        redacts: Secrets are masked.
        most_per_tag: Observations of one kind.
        model: May be asked; None asks none.
    """

    agent: Agent
    stored: StoredSession
    key: str | None
    reason: SummaryReason
    zone: Zone
    redacts: bool
    most_per_tag: int
    model: BudgetedModel | None = None


def gather(
    segment: Segment,
    occasion: Occasion,
    *,
    documents: Callable[[], SearchPorts],
    now: datetime,
) -> SessionSummary:
    """Return the summary of what was read; every text is masked before it is cut."""
    mask = way_out(redacts=occasion.redacts, keeps_lines=True)
    masked = [let_out_of(one, mask) for one in segment.messages]
    texts = [one.text for one in masked]
    stored = occasion.stored
    times = [one.at for one in masked if one.at is not None]
    title, tagged, notes = _named(masked, occasion, documents)
    return SessionSummary(
        agent_id=mask(occasion.agent.id),
        session_id=mask(stored.session_id or ""),
        session_key=None if occasion.key is None else mask(occasion.key),
        source=None if stored.channel is None else mask(stored.channel),
        title=title,
        reason=occasion.reason,
        started_at=min(times, default=None),
        ended_at=max(times, default=now),
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
    masked: list[Message], occasion: Occasion, documents: Callable[[], SearchPorts]
) -> tuple[str | None, tuple[Tagged, ...], dict[str, Detail]]:
    """Return title and observations: the model's where one is asked and answers, else our own."""
    notes: dict[str, Detail] = {}
    if occasion.model is not None and occasion.model.is_on:
        said = "\n".join(f"{one.role}: {captured_text(one, str, SAID_CHARS)}" for one in masked)
        answer = occasion.model.ask(summary_prompt(let_out(said)))
        found = None if answer.completion is None else read_summary(answer.completion.text)
        if found is not None:
            kept = tuple(one for one in found[1] if not is_planted(one.text))
            return found[0], _few(kept, occasion.most_per_tag), answer.details()
        missing = "" if answer.completion is None else "its answer cannot be read"
        notes = answer.details(because=missing)
    honest = [one for one in masked if not holds_planted(one.text)]
    tagged = observations(((one.role or "", one.text) for one in honest), occasion.most_per_tag)
    return _title(masked, occasion.agent.workspace, documents), tagged, notes


def _few(tagged: tuple[Tagged, ...], most: int) -> tuple[Tagged, ...]:
    """Return at most so many of each tag, in the order of the tags."""
    return tuple(
        one for tag in MARKER_TAGS for one in [found for found in tagged if found.tag == tag][:most]
    )


def _title(
    messages: list[Message], workspace: Path, search: Callable[[], SearchPorts]
) -> str | None:
    """Return the telling words of what the user said, as the title of the file."""
    documents, total = _frequencies(workspace, search)
    name = slug((one.text for one in messages if one.role == "user"), documents, total)
    return None if name is None else name.replace("-", " ")


def _frequencies(workspace: Path, search: Callable[[], SearchPorts]) -> tuple[Counter[str], int]:
    """Return in how many of the newest memory files each word occurs."""
    reader = search().documents
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
