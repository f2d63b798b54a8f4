"""Saves an agent's current work: ACTIVE_CONTEXT.md and the daily log.

Needs neither the Gateway nor a language model. The workspace's lock is held from the first look to
the last write, so that two runs at once write one entry. Our own database must be writable first:
without it a checkpoint would repeat itself for ever, and a failure that is said is better than
that. The daily entry and the record of it stand together or not at all (`Turns.hold`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import (
    Capture,
    decide,
    kept_back,
    left_out,
    nothing_new,
    saved,
)
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
from memconsole.engine.checkpoint.read import CheckpointRun, gather
from memconsole.text.markdown import addition

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.checkpoint.rules import Due
    from memconsole.domain.commands.checkpoint import Checkpoint
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.checkpoint.read import Findings
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.engine.turn import Turns
    from memconsole.ports.platform import Clock, SessionStore, Workspace
    from memconsole.ports.state import CaptureLog


def checkpoint(
    command: Checkpoint,
    *,
    turns: Turns,
    settings: Settings,
    sessions: SessionStore,
    workspace: Workspace,
    captures: CaptureLog,
    fingerprints: Fingerprints,
    clock: Clock,
) -> Outcome:
    """Save what the agent is doing, unless there is nothing new.

    Raises:
        SessionNotFoundError: The command names a session that is not there.
        StoreError: The store or the transcript cannot be read.
        WorkspaceError: A file cannot be written; its old text is whole.
    """

    def attempt(home: Home, agent: Agent) -> Outcome:
        return _attempt(
            CheckpointRun(
                command, home, agent, settings, sessions, workspace, captures, fingerprints, clock
            )
        )

    return turns.take(command, attempt)


def _attempt(run: CheckpointRun) -> Outcome:
    """Gather, decide, apply, once."""
    found = gather(run)
    if isinstance(found, Skipped):
        return found
    due = _due(run, found)
    if not (due.context or due.entry):
        return _nothing_new(run, found, due)
    return _plan(run, found, due) if run.command.dry_run else _apply(run, found, due)


def _nothing_new(run: CheckpointRun, found: Findings, due: Due) -> Skipped:
    """Leave the files, and remember that they are up to date.

    Heartbeats move a session on without a word; who looks at the age of the last checkpoint must
    not take that for session that was never saved.
    """
    last = found.memory.last
    if last is not None and not run.command.dry_run and found.source.is_newest:
        _store(run, found, due, last.block)
    return Skipped(
        run.command,
        SkipReason.NOTHING_NEW,
        nothing_new(found.source.label, last, due, found.work.zone),
        details=found.details,
        notices=found.notices,
    )


def _due(run: CheckpointRun, found: Findings) -> Due:
    return decide(
        session_id=found.source.ref.session_id,
        content=found.content,
        memory=found.memory,
        is_forced=run.command.is_forced,
        is_urgent=run.command.is_urgent,
        is_newest=found.source.is_newest,
        has_context=found.seen is not None,
        now=found.work.at,
        window=run.settings.for_agent(run.agent.id).checkpoint.dedup_window,
    )


def _plan(run: CheckpointRun, found: Findings, due: Due) -> Planned:
    """Say what `_apply` would write, with sizes."""
    wrote = []
    if due.context:
        text = _context(run, render_context(found.work))
        wrote.append(Written(ACTIVE_CONTEXT, len(text.encode())))
    if due.entry:
        path = day_file(found.work)
        old = run.workspace.read(run.agent.workspace, path)
        added = addition(
            None if old is None else old.text, render_entry(found.work), render_header(found.work)
        )
        wrote.append(Written(path, len(added.encode())))
    return Planned(
        run.command,
        saved(len(found.tail.messages), found.source.label, wrote, is_plan=True)
        + kept_back(due, found.work.zone)
        + left_out(found.tail.counts),
        tuple(wrote),
        found.details,
        notices=found.notices,
    )


def _apply(run: CheckpointRun, found: Findings, due: Due) -> Checkpointed:
    """Write what is due, then remember it."""
    workspace, root, work = run.workspace, run.agent.workspace, found.work
    last = found.memory.last
    block = render_context(work) if due.context else (last.block if last else "")
    wrote = []
    if due.context:
        text = _context(run, block)
        wrote.append(workspace.replace(root, ACTIVE_CONTEXT, text, seen=found.seen, is_final=True))
    if due.entry:
        entry, header = render_entry(work), render_header(work)
        wrote.append(workspace.append(root, day_file(work), entry, header=header))
    message = saved(len(found.tail.messages), found.source.label, wrote)
    _store(run, found, due, block)
    return Checkpointed(
        run.command,
        message + kept_back(due, work.zone) + left_out(found.tail.counts),
        session_id=work.session_id,
        is_logged=due.entry,
        wrote=tuple(wrote),
        details=found.details,
        notices=found.notices,
    )


def _context(run: CheckpointRun, block: str) -> str:
    """Return the whole file: this agent's block, or those of all agents of the workspace."""
    root = run.root
    sharing = [one for one in run.home.agents if str(one.workspace.resolve()) == root]
    if len(sharing) < 2:
        return block
    captures = run.captures.latest_by_agent(run.agent.ref.home.path)
    blocks = {one.agent.id: one.block for one in captures.values() if one.workspace == root}
    blocks[run.agent.id] = block
    return render_shared((one.id, blocks[one.id]) for one in sharing if blocks.get(one.id))


def _store(run: CheckpointRun, found: Findings, due: Due, block: str) -> None:
    work = found.work
    capture = Capture(
        agent=run.agent.ref,
        session_id=work.session_id,
        session_key=work.session_key,
        at=work.at,
        content_hash=found.content,
        block=block,
        is_logged=due.entry,
        day_file=day_file(work) if due.entry else None,
        workspace=run.root,
    )
    run.captures.add(capture)
