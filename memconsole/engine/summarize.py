"""Writes the summary of one session into memory, once for each talk (mission §9).

From every trigger: the platform's hooks, a rotation's prologue, a session that changed its id, an
operator. Needs neither the Gateway nor a language model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.captures import SummaryRecord
from memconsole.domain.checkpoint import class_of, named
from memconsole.domain.checkpoint_words import label_of
from memconsole.domain.days import resolve_zone
from memconsole.domain.keys import classify, parse_key
from memconsole.domain.outcomes import Planned, Skipped, SkipReason, Summarized, Written
from memconsole.domain.planted import is_quoted
from memconsole.domain.session_summary import SummaryReason, divided, file_name, render_summary
from memconsole.domain.transcript_notices import planted_notice
from memconsole.engine.fingerprints import note_keys
from memconsole.engine.lookup import find_agent, require_own_words
from memconsole.engine.segment import read_segment
from memconsole.engine.summary_gather import Occasion, gather
from memconsole.engine.turn import in_turn, no_workspace
from memconsole.errors import SessionNotFoundError
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.agents import Agent, Home, Notice
    from memconsole.domain.captures import WorkspaceText
    from memconsole.domain.commands import Summarize
    from memconsole.domain.outcomes import Detail, Outcome
    from memconsole.domain.session_summary import SessionSummary
    from memconsole.domain.sessions import StoredSession, TranscriptRef
    from memconsole.domain.settings import Settings
    from memconsole.engine.ports_bundle import Ports
    from memconsole.engine.reader import Reader


@dataclass(frozen=True, slots=True)
class _Scene:
    """What one run works with."""

    command: Summarize
    home: Home
    agent: Agent
    stored: StoredSession
    ref: TranscriptRef
    ports: Ports
    settings: Settings

    @property
    def label(self) -> str:
        return label_of(self.stored)

    @property
    def key(self) -> str | None:
        return self.command.key if self.stored.key is None else self.stored.key.text

    @property
    def details(self) -> dict[str, Detail]:
        return {"session_id": self.ref.session_id, "session_key": self.key}


def summarize(command: Summarize, *, ports: Ports, reader: Reader, settings: Settings) -> Outcome:
    """Summarise one session, unless it has its summary already.

    Raises:
        UnknownAgentError: There is no such agent.
        SessionNotFoundError: The command names a session that is not there.
        StoreError: The transcript cannot be read.
        LockedError: Another run works in the workspace.
        ConcurrentEditError: Somebody edits the file at the same time, twice in a row.
        WorkspaceError: The file cannot be written; its old text is whole.
        StateError: Our own database cannot be written.
    """
    home = reader.home()
    agent = find_agent(home, command.agent.id)
    stored = _find(command, agent, ports)
    if (refused := _refused(command, agent, stored)) is not None:
        return refused
    assert stored.transcript is not None  # refused otherwise
    scene = _Scene(command, home, agent, stored, stored.transcript, ports, settings)
    if command.dry_run:
        return _attempt(scene)
    if scene.key is not None:
        note_keys(ports, agent, {scene.ref.session_id: scene.key})
    return in_turn(agent, lambda: _attempt(scene), ports=ports, reader=reader, settings=settings)


def _find(command: Summarize, agent: Agent, ports: Ports) -> StoredSession:
    name = command.session_id or command.key or ""
    stored = named(ports.sessions.sessions(agent).sessions, name)
    if stored is None:
        raise SessionNotFoundError(name)
    return stored


def _refused(command: Summarize, agent: Agent, stored: StoredSession) -> Skipped | None:
    label = label_of(stored)
    if (missing := no_workspace(command, agent)) is not None:
        return missing
    kind = class_of(stored)
    if stored.key is None and command.key is not None:
        kind = classify(parse_key(command.key, owner=agent.id), stored.chat_type)
    if not kind.may_be_captured(groups=stored.captures_groups):
        return Skipped(
            command,
            SkipReason.NOT_CAPTURED,
            f"{label} is a {kind.value} session, and those are never copied into memory",
            hint="Name its key as well as its id." if stored.key is None else "",
        )
    require_own_words(stored)
    if stored.transcript is None:
        return Skipped(command, SkipReason.NO_SESSION, f"{label} has no transcript to read")
    return None


def _attempt(scene: _Scene) -> Outcome:
    """Gather, decide, apply, once."""
    rules = scene.settings.summary
    last = scene.ports.summaries.last(scene.agent.ref, scene.ref.session_id)
    segment = read_segment(
        scene.ports.sessions,
        scene.ref,
        wanted=rules.tail_messages,
        after=None if last is None else last.until,
        is_previous=scene.command.is_previous,
    )
    if last is not None and segment.is_known:
        return Skipped(
            scene.command,
            SkipReason.NOTHING_NEW,
            f"{scene.label} has its summary already: {last.path}",
            details={**scene.details, "path": last.path},
        )
    if sum(len(one.text) for one in segment.messages) < rules.min_chars:
        return Skipped(
            scene.command,
            SkipReason.TOO_SMALL,
            f"{scene.label} holds less text than summary.min_chars ({rules.min_chars})",
            details=scene.details,
        )
    summary = gather(
        segment,
        Occasion(
            agent=scene.agent,
            stored=scene.stored,
            key=scene.key,
            reason=SummaryReason(scene.command.reason),
            zone=resolve_zone(scene.settings.timezone, scene.home.config.user_timezone).zone,
            redacts=scene.settings.redact,
            most_per_tag=rules.max_per_tag,
            settings=None if scene.command.dry_run else scene.settings,
        ),
        ports=scene.ports,
    )
    path = file_name(summary)
    seen = scene.ports.workspace.read(scene.agent.workspace, path)
    if scene.command.dry_run:
        return _plan(scene, summary, path, seen)
    return _apply(scene, summary, path, seen)


def _text(summary: SessionSummary, seen: WorkspaceText | None) -> str:
    text = render_summary(summary)
    return text if seen is None else divided(text)


def _plan(scene: _Scene, summary: SessionSummary, path: str, seen: WorkspaceText | None) -> Planned:
    wrote = Written(path, len(_text(summary, seen).encode()))
    return Planned(
        scene.command,
        f"would summarise {len(summary.said)} messages of {scene.label} in {path}",
        (wrote,),
        _details(scene, summary, path),
    )


def _apply(
    scene: _Scene, summary: SessionSummary, path: str, seen: WorkspaceText | None
) -> Summarized:
    """Write the file, then remember it (A12)."""
    workspace, root = scene.ports.workspace, scene.agent.workspace
    text = _text(summary, seen)
    if seen is None:
        wrote = workspace.replace(root, path, text, seen=None)
    else:
        wrote = workspace.append(root, path, text, header="")
    record = SummaryRecord(
        agent=scene.agent.ref,
        session_id=scene.ref.session_id,
        session_key=scene.key,
        at=scene.ports.clock.now(),
        until=summary.ended_at,
        path=path,
        reason=scene.command.reason,
    )
    scene.ports.summaries.add(record)
    return Summarized(
        scene.command,
        f"{len(summary.said)} messages of {scene.label} summarised in {path}",
        wrote=(wrote,),
        details=_details(scene, summary, path),
        notices=tuple(_notices(scene, summary)),
    )


def _notices(scene: _Scene, summary: SessionSummary) -> Iterator[Notice]:
    planted = sum(is_quoted(one.text) for one in summary.said)
    if planted:
        path, agent = str(scene.ref.path), scene.agent.id
        yield planted_notice(scene.label, planted, path=path, agent=agent)


def _details(scene: _Scene, summary: SessionSummary, path: str) -> dict[str, Detail]:
    return {
        **scene.details,
        "path": path,
        "messages": len(summary.said),
        "observations": len(summary.observations),
        **summary.notes,
    }
