"""Gathers what a checkpoint decides on: the talk, and what is written of it already."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memconsole.domain.active_context import ACTIVE_CONTEXT, Work
from memconsole.domain.checkpoint import Memory, content_hash
from memconsole.domain.checkpoint_words import left_out
from memconsole.domain.days import resolve_zone
from memconsole.domain.excerpts import take
from memconsole.domain.judgement import count_tokens, window_of
from memconsole.domain.outcomes import Skipped, SkipReason
from memconsole.engine.checkpoint_source import find_source, too_old_or_small
from memconsole.engine.tail import read_tail

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.captures import Capture, WorkspaceText
    from memconsole.domain.commands import Checkpoint
    from memconsole.domain.outcomes import Detail
    from memconsole.domain.settings import Settings
    from memconsole.domain.transcript import Tail
    from memconsole.engine.checkpoint_source import Source
    from memconsole.engine.ports_bundle import Ports

logger = logging.getLogger(__name__)


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
    """

    source: Source
    tail: Tail
    work: Work
    content: str
    seen: WorkspaceText | None
    memory: Memory

    @property
    def details(self) -> dict[str, Detail]:
        """What `details` of every outcome says (`cli.md`)."""
        return {**self.source.details, **_counts(self.tail)}


def gather(scene: Scene) -> Findings | Skipped:
    """Read the newest talk and what was saved of it before."""
    command, ports = scene.command, scene.ports
    settings = scene.settings.for_agent(scene.agent.id).checkpoint
    source = find_source(command, ports.sessions.sessions(scene.agent))
    if isinstance(source, Skipped):
        return source
    reason = too_old_or_small(command, source, settings, ports.clock.now())
    if reason is not None:
        return reason
    tail = read_tail(ports.sessions, source.ref, wanted=settings.tail_messages)
    if len(tail.messages) < settings.min_messages:
        return Skipped(
            command,
            SkipReason.TOO_FEW_MESSAGES,
            f"{source.label} holds {len(tail.messages)} messages worth keeping, and"
            f" checkpoint.min_messages is {settings.min_messages}{left_out(tail.counts)}",
            details={**source.details, **_counts(tail)},
        )
    work = _work(scene, source, tail)
    return Findings(
        source=source,
        tail=tail,
        work=work,
        content=content_hash(work.talk.spoken),
        seen=ports.workspace.read(scene.agent.workspace, ACTIVE_CONTEXT),
        memory=_remember(scene, source.ref.session_id),
    )


def _work(scene: Scene, source: Source, tail: Tail) -> Work:
    config = scene.home.config
    resolved = resolve_zone(scene.settings.timezone, config.user_timezone)
    for notice in resolved.notices:
        logger.warning("%s", notice.message)
    stored, mask = source.stored, _mask(scene.settings)
    return Work(
        agent_id=scene.agent.id,
        session_id=source.ref.session_id,
        session_key=None if source.key is None else mask(source.key),
        talk=take(tail.messages, mask),
        tokens=count_tokens(stored, window_of(stored, config), tail),
        compactions=stored.compactions,
        at=scene.ports.clock.now(),  # behind the reading: the day is that of the writing
        zone=resolved.zone,
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


def _mask(settings: Settings) -> Callable[[str], str]:
    if not settings.redact:
        return str
    from memconsole.domain.redaction import mask  # noqa: PLC0415 - reading commands need it not

    return mask


def _counts(tail: Tail) -> dict[str, Detail]:
    return {
        "read": len(tail.messages),
        "damaged": tail.counts.damaged,
        "in_progress": tail.counts.in_progress,
        "filtered": tail.counts.filtered,
    }
