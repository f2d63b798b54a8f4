"""Saves an agent's current work: ACTIVE_CONTEXT.md and the daily log.

Needs neither the Gateway nor a language model. The workspace's lock is held from the first look to
the last write, so that two runs at once write one entry. Our own database must be writable first:
without it a checkpoint would repeat itself for ever, and a failure that is said is better than
that. The daily entry and the record of it stand together or not at all (`in_turn`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import decide, kept_back, left_out, nothing_new, saved
from memconsole.domain.checkpoint.text import (
    ACTIVE_CONTEXT,
    day_file,
    render_context,
    render_entry,
    render_header,
    render_shared,
)
from memconsole.domain.commands.checkpoint import Checkpointed
from memconsole.domain.commands.outcomes import Planned, Skipped, SkipReason, Written
from memconsole.domain.memory.records import Capture
from memconsole.engine.checkpoint.read import Scene, gather
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.turn import in_turn, no_workspace
from memconsole.text.markdown import addition

if TYPE_CHECKING:
    from memconsole.domain.checkpoint.rules import Due
    from memconsole.domain.commands.checkpoint import Checkpoint
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.checkpoint.read import Findings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports


def checkpoint(command: Checkpoint, *, ports: Ports, reader: Reader, settings: Settings) -> Outcome:
    """Save what the agent is doing, unless there is nothing new.

    Raises:
        UnknownAgentError: There is no such agent.
        SessionNotFoundError: The command names a session that is not there.
        StoreError: The store or the transcript cannot be read.
        LockedError: Another run works in the workspace.
        ConcurrentEditError: Somebody edits the file at the same time, twice in a row.
        WorkspaceError: A file cannot be written; its old text is whole.
        StateError: Our own database cannot be written.
    """
    home = reader.home()
    agent = find_agent(home, command.agent.id)
    if (missing := no_workspace(command, agent)) is not None:
        return missing
    scene = Scene(command, home, agent, ports, settings)
    if command.dry_run:
        return _attempt(scene)
    return in_turn(agent, lambda: _attempt(scene), ports=ports, reader=reader, settings=settings)


def _attempt(scene: Scene) -> Outcome:
    """Gather, decide, apply, once."""
    found = gather(scene)
    if isinstance(found, Skipped):
        return found
    due = _due(scene, found)
    if not (due.context or due.entry):
        return _nothing_new(scene, found, due)
    return _plan(scene, found, due) if scene.command.dry_run else _apply(scene, found, due)


def _nothing_new(scene: Scene, found: Findings, due: Due) -> Skipped:
    """Leave the files, and remember that they are up to date.

    Heartbeats move a session on without a word; who looks at the age of the last checkpoint must
    not take that for talk that was never saved.
    """
    last = found.memory.last
    if last is not None and not scene.command.dry_run and found.source.is_newest:
        _store(scene, found, due, last.block)
    return Skipped(
        scene.command,
        SkipReason.NOTHING_NEW,
        nothing_new(found.source.label, last, due, found.work.zone),
        details=found.details,
        notices=found.notices,
    )


def _due(scene: Scene, found: Findings) -> Due:
    return decide(
        session_id=found.source.ref.session_id,
        content=found.content,
        memory=found.memory,
        is_forced=scene.command.is_forced,
        is_urgent=scene.command.is_urgent,
        is_newest=found.source.is_newest,
        has_context=found.seen is not None,
        now=found.work.at,
        window=scene.settings.for_agent(scene.agent.id).checkpoint.dedup_window,
    )


def _plan(scene: Scene, found: Findings, due: Due) -> Planned:
    """Say what `_apply` would write, with sizes."""
    wrote = []
    if due.context:
        text = _context(scene, render_context(found.work))
        wrote.append(Written(ACTIVE_CONTEXT, len(text.encode())))
    if due.entry:
        path = day_file(found.work)
        old = scene.ports.workspace.read(scene.agent.workspace, path)
        added = addition(
            None if old is None else old.text, render_entry(found.work), render_header(found.work)
        )
        wrote.append(Written(path, len(added.encode())))
    return Planned(
        scene.command,
        saved(len(found.tail.messages), found.source.label, wrote, is_plan=True)
        + kept_back(due, found.work.zone)
        + left_out(found.tail.counts),
        tuple(wrote),
        found.details,
        notices=found.notices,
    )


def _apply(scene: Scene, found: Findings, due: Due) -> Checkpointed:
    """Write what is due, then remember it."""
    workspace, root, work = scene.ports.workspace, scene.agent.workspace, found.work
    last = found.memory.last
    block = render_context(work) if due.context else (last.block if last else "")
    wrote = []
    if due.context:
        text = _context(scene, block)
        wrote.append(workspace.replace(root, ACTIVE_CONTEXT, text, seen=found.seen, is_final=True))
    if due.entry:
        entry, header = render_entry(work), render_header(work)
        wrote.append(workspace.append(root, day_file(work), entry, header=header))
    message = saved(len(found.tail.messages), found.source.label, wrote)
    _store(scene, found, due, block)
    return Checkpointed(
        scene.command,
        message + kept_back(due, work.zone) + left_out(found.tail.counts),
        session_id=work.session_id,
        is_logged=due.entry,
        wrote=tuple(wrote),
        details=found.details,
        notices=found.notices,
    )


def _context(scene: Scene, block: str) -> str:
    """Return the whole file: this agent's block, or those of all agents of the workspace."""
    root = scene.root
    sharing = [one for one in scene.home.agents if str(one.workspace.resolve()) == root]
    if len(sharing) < 2:
        return block
    captures = scene.ports.captures.latest_by_agent(scene.agent.ref.home)
    blocks = {one.agent.id: one.block for one in captures.values() if one.workspace == root}
    blocks[scene.agent.id] = block
    return render_shared((one.id, blocks[one.id]) for one in sharing if blocks.get(one.id))


def _store(scene: Scene, found: Findings, due: Due, block: str) -> None:
    work = found.work
    capture = Capture(
        agent=scene.agent.ref,
        session_id=work.session_id,
        session_key=work.session_key,
        at=work.at,
        content_hash=found.content,
        block=block,
        is_logged=due.entry,
        day_file=day_file(work) if due.entry else None,
        workspace=scene.root,
    )
    scene.ports.captures.add(capture)
