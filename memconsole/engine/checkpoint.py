"""Saves an agent's current work to its workspace: no model, no Gateway, no key (mission §6).

Gather, decide, apply. When nothing was said since the last checkpoint, the earlier
ACTIVE_CONTEXT.md stays as it is and only our own records learn that it was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memconsole.domain.captures import Capture
from memconsole.domain.checkpoint import (
    ACTIVE_CONTEXT,
    Work,
    active_context,
    content_hash,
    daily_entry,
    shared_context,
)
from memconsole.domain.days import resolve_zone
from memconsole.domain.outcomes import Checkpointed, Planned, Skipped, SkipReason, Written
from memconsole.engine.eligible import (
    choose,
    details_of,
    name_of_session,
    skip,
    too_old,
    too_small,
)
from memconsole.engine.lookup import find_agent
from memconsole.engine.tail import read_tail
from memconsole.errors import ConcurrentEditError, WorkspaceError

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.commands import Checkpoint
    from memconsole.domain.outcomes import Detail, Outcome
    from memconsole.domain.settings import CheckpointSettings, Settings
    from memconsole.domain.snapshot import SessionView
    from memconsole.domain.transcript import Tail
    from memconsole.engine.ports_bundle import Ports
    from memconsole.engine.reader import Reader


def checkpoint(command: Checkpoint, *, ports: Ports, reader: Reader, settings: Settings) -> Outcome:
    """Save what the newest eligible session of the agent, or a named one, is about.

    Raises:
        UnknownAgentError: There is no such agent.
        SessionNotFoundError: The agent has no session of that name.
        LockedError: Another run works in the same workspace.
        StoreError: The transcript cannot be read.
        WorkspaceError: A write was refused or failed; the old files are whole.
        StateError: Our own records cannot be written; nothing was written anywhere.
    """
    home = reader.home()
    agent = find_agent(home, command.agent.id)
    if not agent.workspace_exists:
        return skip(
            command,
            SkipReason.WORKSPACE_MISSING,
            f"the workspace {agent.workspace} of {agent.id} does not exist",
            hint="memconsole never creates a workspace; create it or correct the configuration.",
        )
    scene = _Scene(command, home, agent, ports, reader, settings)
    if command.dry_run:
        return _run(scene)
    with ports.locks.workspace(agent.workspace):
        return _run(scene)


@dataclass(frozen=True, slots=True)
class _Scene:
    """Who asks for what, and everything to do it with."""

    command: Checkpoint
    home: Home
    agent: Agent
    ports: Ports
    reader: Reader
    settings: Settings

    @property
    def limits(self) -> CheckpointSettings:
        """The checkpoint settings of this agent."""
        return self.settings.for_agent(self.agent.id).checkpoint


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one checkpoint would write.

    Attributes:
        text: ACTIVE_CONTEXT.md whole; None when it stays as it is.
        entry: The daily entry; None when it would repeat the last one.
    """

    work: Work
    capture: Capture
    text: str | None
    entry: str | None
    details: dict[str, Detail]


def _run(scene: _Scene) -> Outcome:
    gathered = _gather(scene)
    if isinstance(gathered, Skipped):
        return gathered
    view, tail = gathered
    plan = _plan(scene, view, tail)
    if plan.text is None and plan.entry is None:
        return _nothing_new(scene, view, plan)
    return _planned(scene, plan) if scene.command.dry_run else _apply(scene, plan)


def _gather(scene: _Scene) -> tuple[SessionView, Tail] | Skipped:
    command, limits = scene.command, scene.limits
    reading = scene.reader.sessions(scene.home, scene.agent)
    view = choose(command, scene.reader.views(scene.home, reading, {}))
    if isinstance(view, Skipped):
        return view
    if (stale := too_old(command, view, limits, scene.ports.clock.now())) is not None:
        return stale
    if view.transcript is None:
        text = f"{name_of_session(view)} has no transcript"
        return skip(command, SkipReason.NO_SESSION, text)
    tail = read_tail(scene.ports.sessions, view.transcript, wanted=limits.tail_messages)
    return too_small(command, view, tail, limits) or (view, tail)


def _plan(scene: _Scene, view: SessionView, tail: Tail) -> _Plan:
    agent, captures = scene.agent, scene.ports.captures
    session_id = view.session_id or ""
    work = Work(
        agent_id=agent.id,
        session_id=session_id,
        session_key=view.key_text,
        tokens=view.count.basis,
        compactions=view.stored.compactions,
        messages=tail.messages,
        at=scene.ports.clock.now(),
        zone=resolve_zone(scene.settings.timezone, scene.home.config.user_timezone).zone,
    )
    said = content_hash(tail.messages)
    last = captures.last(agent.ref, session_id)
    block = active_context(work)
    is_news = scene.command.is_forced or last is None or last.content_hash != said
    if not is_news:
        is_news = scene.ports.workspace.read(agent.workspace, ACTIVE_CONTEXT) is None
    logs = _is_worth_an_entry(scene, work, said)
    capture = Capture(
        agent=agent.ref,
        session_id=session_id,
        session_key=view.key_text,
        at=work.at,
        content_hash=said,
        block=block if is_news or last is None else last.block,
        is_logged=logs,
        day_file=work.day_file if logs else None,
        workspace=str(agent.workspace),
    )
    return _Plan(
        work,
        capture,
        text=_whole_context(scene, block) if is_news else None,
        entry=daily_entry(work) if logs else None,
        details=details_of(view, tail),
    )


def _is_worth_an_entry(scene: _Scene, work: Work, said: str) -> bool:
    """Decide from our own records, never from the prose of the file (A10, case c23)."""
    if scene.command.is_forced:
        return True
    captures, agent = scene.ports.captures, scene.agent
    same = captures.last_logged(agent.ref, work.session_id)
    if same is not None and same.content_hash == said:
        return False
    newest = captures.last_logged(agent.ref)
    return newest is None or not newest.at <= work.at < newest.at + scene.limits.dedup_window


def _whole_context(scene: _Scene, block: str) -> str:
    """Return the file's text: one agent's block, or all agents' of a shared workspace (A7)."""
    agent = scene.agent
    sharing = {one.id for one in scene.home.agents if one.workspace == agent.workspace}
    if len(sharing) == 1:
        return block
    latest = scene.ports.captures.latest_by_agent(agent.ref.home)
    blocks = {
        agent_id: capture.block
        for agent_id, capture in latest.items()
        if agent_id in sharing and capture.workspace == str(agent.workspace)
    }
    return shared_context({**blocks, agent.id: block})


def _planned(scene: _Scene, plan: _Plan) -> Planned:
    wrote = []
    if plan.text is not None:
        wrote.append(Written(ACTIVE_CONTEXT, len(plan.text.encode())))
    if plan.entry is not None:
        wrote.append(Written(plan.work.day_file, len(plan.entry.encode())))
    message = f"would save {_what(plan, wrote)}"
    return Planned(scene.command, message, tuple(wrote), plan.details)


def _apply(scene: _Scene, plan: _Plan) -> Checkpointed:
    wrote = []
    if plan.text is not None:
        wrote.append(_replace(scene, plan.text))
    if plan.entry is not None:
        work = plan.work
        wrote.append(
            scene.ports.workspace.append(
                scene.agent.workspace, work.day_file, plan.entry, header=work.day_header
            )
        )
    scene.ports.captures.add(plan.capture)  # Only now: progress follows the write (A12).
    return Checkpointed(
        scene.command,
        plan.work.session_id,
        f"saved {_what(plan, wrote)}",
        is_logged=plan.entry is not None,
        wrote=tuple(wrote),
        details=plan.details,
    )


def _replace(scene: _Scene, text: str) -> Written:
    """Replace ACTIVE_CONTEXT.md and look whether it is there; one edit beside ours is survived."""
    workspace, root = scene.ports.workspace, scene.agent.workspace
    seen = workspace.read(root, ACTIVE_CONTEXT)
    try:
        written = workspace.replace(root, ACTIVE_CONTEXT, text, seen=seen)
    except ConcurrentEditError:
        seen = workspace.read(root, ACTIVE_CONTEXT)
        written = workspace.replace(root, ACTIVE_CONTEXT, text, seen=seen)
    found = workspace.read(root, ACTIVE_CONTEXT)
    if found is None or found.text != text:
        raise WorkspaceError(
            f"{ACTIVE_CONTEXT} of {scene.agent.id} does not hold what was written to it",
            hint="Look who else writes it; the next checkpoint writes it again.",
        )
    return written


def _nothing_new(scene: _Scene, view: SessionView, plan: _Plan) -> Skipped:
    if not scene.command.dry_run:
        scene.ports.captures.add(plan.capture)  # Seen: what is saved is what was said.
    name = name_of_session(view)
    text = f"nothing new was said in {name}; the earlier checkpoint is up to date"
    return skip(scene.command, SkipReason.NOTHING_NEW, text, details=plan.details)


def _what(plan: _Plan, wrote: list[Written]) -> str:
    files = " and ".join(one.path for one in wrote)
    return f"{len(plan.work.messages)} messages of {plan.work.agent_id} to {files}"
