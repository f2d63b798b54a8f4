"""Gathers what a checkpoint decides on: the talk, and what is written of it already."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.active_context import ACTIVE_CONTEXT, Work
from memconsole.domain.checkpoint import Memory, content_hash
from memconsole.domain.days import resolve_zone
from memconsole.domain.excerpts import take
from memconsole.domain.judgement import count_tokens, window_of
from memconsole.domain.outcomes import Skipped
from memconsole.domain.outgoing import way_out
from memconsole.domain.transcript_notices import (
    masked_notice,
    planted_notice,
    transcript_notices,
)
from memconsole.engine.checkpoint_source import find_source, too_little, too_old
from memconsole.engine.fingerprints import keys_of, note_keys
from memconsole.engine.tail import read_tail
from memconsole.values import dataclass

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent, Home, Notice
    from memconsole.domain.captures import Capture, WorkspaceText
    from memconsole.domain.commands import Checkpoint
    from memconsole.domain.days import Zone
    from memconsole.domain.outcomes import Detail
    from memconsole.domain.settings import Settings
    from memconsole.domain.transcript import Tail
    from memconsole.engine.checkpoint_source import Source
    from memconsole.engine.ports_bundle import Ports


@dataclass(frozen=True, slots=True)
class Scene:
    """What one run works with."""

    command: Checkpoint
    home: Home
    agent: Agent
    ports: Ports
    settings: Settings

    @property
    def root(self) -> str:
        """The workspace's real path: what tells one workspace from another."""
        return str(self.agent.workspace.resolve())


@dataclass(frozen=True, slots=True)
class Findings:
    """What was gathered: the session, its words, and what is already written.

    Attributes:
        seen: ACTIVE_CONTEXT.md as it is now.
        memory: Earlier checkpoints in this workspace.
        zone_notices: What is wrong with the names of the time zone.
    """

    source: Source
    tail: Tail
    work: Work
    content: str
    seen: WorkspaceText | None
    memory: Memory
    zone_notices: tuple[Notice, ...]

    @property
    def details(self) -> dict[str, Detail]:
        """What `details` of every outcome says (`cli.md`)."""
        return {**_details(self.source, self.tail), "secrets_masked": self.work.talk.masked}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is odd about the transcript, and what was kept out of memory."""
        odd = (*_notices(self.source, self.tail), *self.zone_notices)
        talk, ref = self.work.talk, self.source.ref
        label, path, agent = self.source.label, str(ref.path), ref.agent.id
        if talk.masked:
            odd = (*odd, masked_notice(label, talk.masked, path=path, agent=agent))
        if talk.planted:
            odd = (*odd, planted_notice(label, talk.planted, path=path, agent=agent))
        return odd


def gather(scene: Scene) -> Findings | Skipped:
    """Read the newest talk and what was saved of it before."""
    command, ports = scene.command, scene.ports
    settings = scene.settings.for_agent(scene.agent.id).checkpoint
    listing = ports.sessions.sessions(scene.agent)
    if not command.dry_run:
        note_keys(ports, scene.agent, keys_of(listing.sessions))
    source = find_source(command, listing, ports.sessions)
    if isinstance(source, Skipped):
        return source
    if (reason := too_old(command, source, settings, ports.clock.now())) is not None:
        return reason
    tail = read_tail(ports.sessions, source.ref, wanted=settings.tail_messages)
    if (reason := too_little(command, source, settings, tail)) is not None:
        return replace(reason, details=_details(source, tail), notices=_notices(source, tail))
    zone = resolve_zone(
        scene.settings.timezone, scene.home.config.user_timezone, scene.settings.unknown_zone
    )
    work = _work(scene, source, tail, zone.zone)
    return Findings(
        source=source,
        tail=tail,
        work=work,
        content=content_hash(work.talk.spoken),
        seen=ports.workspace.read(scene.agent.workspace, ACTIVE_CONTEXT),
        memory=_remember(scene, source.ref.session_id),
        zone_notices=zone.notices,
    )


def _work(scene: Scene, source: Source, tail: Tail, zone: Zone) -> Work:
    config = scene.home.config
    stored, mask = source.stored, way_out(redacts=scene.settings.redact)
    return Work(
        agent_id=mask(scene.agent.id),
        session_id=mask(source.ref.session_id),
        session_key=None if source.key is None else mask(source.key),
        talk=take(tail.messages, mask),
        tokens=count_tokens(stored, window_of(stored, config), tail),
        compactions=stored.compactions,
        at=scene.ports.clock.now(),  # behind the reading: the day is that of the writing
        zone=zone,
    )


def _remember(scene: Scene, session_id: str) -> Memory:
    """Return earlier captures, those into another workspace left out."""
    log, ref, root = scene.ports.captures, scene.agent.ref, scene.root

    def here(capture: Capture | None) -> Capture | None:
        return capture if capture is not None and capture.workspace == root else None

    return Memory(
        last=here(log.last(ref)),
        logged=here(log.last_logged(ref)),
        logged_session=here(log.last_logged(ref, session_id)),
    )


def _details(source: Source, tail: Tail) -> dict[str, Detail]:
    return {
        **source.details,
        "read": len(tail.messages),
        "damaged": tail.counts.damaged,
        "in_progress": tail.counts.in_progress,
        "filtered": tail.counts.filtered,
        "unknown": tail.counts.unknown,
    }


def _notices(source: Source, tail: Tail) -> tuple[Notice, ...]:
    path, agent = str(source.ref.path), source.ref.agent.id
    found = transcript_notices(
        source.label, tail.counts, has_gap=tail.has_gap, path=path, agent=agent
    )
    return (*found, *source.refused)
