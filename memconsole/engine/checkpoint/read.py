"""Gathers what a checkpoint decides on: the session it reads, and what is written of it already."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.calendar import resolve_zone
from memconsole.domain.checkpoint.rules import (
    Memory,
    class_of,
    content_hash,
    is_capturable,
    is_readable,
    label_of,
    left_out,
    named,
    touched_at,
)
from memconsole.domain.checkpoint.text import ACTIVE_CONTEXT, CurrentWork
from memconsole.domain.commands.outcomes import Skipped, SkipReason
from memconsole.domain.sessions.judgement import count_tokens, window_of
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.domain.transcripts.excerpts import take
from memconsole.domain.transcripts.notices import masked_notice, planted_notice, transcript_notices
from memconsole.engine.home.lookup import require_own_words, unreadable
from memconsole.engine.transcripts.ages import current_sessions, dated
from memconsole.engine.transcripts.fingerprint import keys_of
from memconsole.engine.transcripts.tail import read_tail
from memconsole.errors import SessionNotFoundError, TranscriptRefusedError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import long_span, plural, size_words
from memconsole.text.outgoing import way_out

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.agents import Agent, Home, Notice
    from memconsole.domain.calendar import Zone
    from memconsole.domain.checkpoint.rules import Capture
    from memconsole.domain.commands.checkpoint import Checkpoint
    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.domain.sessions.stored import StoredSession, StoreListing, TranscriptRef
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import CheckpointSettings
    from memconsole.domain.transcripts.records import Tail
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.ports.platform import Clock, SessionStore, Workspace
    from memconsole.ports.state import CaptureLog


@dataclass(frozen=True, slots=True)
class Source:
    """The session whose work is saved.

    Attributes:
        is_newest: No other session of the agent is newer, so its work is the current work.
        refused: Transcripts of the agent's sessions that are not their own.
    """

    stored: StoredSession
    ref: TranscriptRef
    is_newest: bool
    refused: tuple[Notice, ...] = ()

    @property
    def label(self) -> str:
        """The session's name in sentences."""
        return label_of(self.stored)

    @property
    def key(self) -> str | None:
        """The session's key; None for an orphan."""
        return None if self.stored.key is None else self.stored.key.text

    @property
    def details(self) -> dict[str, Detail]:
        """What `details` of every outcome says about it."""
        return {"session_id": self.ref.session_id, "key": self.key}


def find_source(
    command: Checkpoint, listing: StoreListing, store: SessionStore
) -> Source | Skipped:
    """Return the named session, else the session with the newest words.

    Raises:
        SessionNotFoundError: The command names a session that is not there.
        StoreError: There is no session, and the store could not be read; or what there is lies
            in transcripts that are not the sessions' own.
    """
    sessions = current_sessions(store, listing)
    if command.session_key is not None:
        return _named_source(command, command.session_key, listing, sessions.sessions, store)
    newest = next(iter(sessions.sessions), None)
    if newest is not None and newest.transcript is not None:
        return Source(newest, newest.transcript, is_newest=True, refused=sessions.refused)
    if not is_readable(listing):
        raise unreadable(command.agent.id, listing)
    if sessions.refused:
        raise TranscriptRefusedError(sessions.refused[0].code, sessions.refused[0].message)
    return Skipped(command, SkipReason.NO_SESSION, _why_none(command.agent.id, listing))


def too_old(
    command: Checkpoint, source: Source, settings: CheckpointSettings, now: datetime
) -> Skipped | None:
    """Return the skip of a session that has been quiet for long, or None."""
    touched = touched_at(source.stored)
    is_asked_for = command.is_forced or command.is_urgent
    if touched is None or is_asked_for or now - touched <= settings.stale_after:
        return None
    return Skipped(
        command,
        SkipReason.STALE,
        f"{source.label} has been quiet for {long_span(now - touched)}; the files stay as they are",
        hint="`--force` saves it anyway; checkpoint.stale_after sets the limit.",
        details=source.details,
    )


def too_little(
    command: Checkpoint, source: Source, settings: CheckpointSettings, tail: Tail
) -> Skipped | None:
    """Return the skip of a session that holds too little to be worth a checkpoint, or None."""
    size = source.ref.size_bytes
    if size is None and tail.is_whole:
        size = tail.read_bytes
    if size is not None and size < settings.min_bytes:
        message = (
            f"{source.label} holds {size_words(size)}, and checkpoint.min_bytes is"
            f" {size_words(settings.min_bytes)}"
        )
        return Skipped(command, SkipReason.TOO_SMALL, message)
    if len(tail.messages) < settings.min_messages:
        message = (
            f"{source.label} holds {plural(len(tail.messages), 'message')} worth keeping, and"
            f" checkpoint.min_messages is {settings.min_messages}{left_out(tail.counts)}"
        )
        return Skipped(command, SkipReason.TOO_FEW_MESSAGES, message)
    return None


def _named_source(
    command: Checkpoint,
    name: str,
    listing: StoreListing,
    newest: tuple[StoredSession, ...],
    store: SessionStore,
) -> Source | Skipped:
    stored = named(listing.sessions, name)
    if stored is None:
        raise SessionNotFoundError(name)
    require_own_words(stored)
    label = label_of(stored)
    session_class = class_of(stored)
    if stored.key is not None and not is_capturable(stored):
        return Skipped(
            command,
            SkipReason.NOT_CAPTURED,
            f"{label} is {session_class.phrase}, and those are never copied into memory",
        )
    ref = stored.transcript
    if ref is None or stored.transcript_state is not TranscriptState.PRESENT:
        message = f"{label} has no transcript to read"
        return Skipped(command, SkipReason.NO_SESSION, message)
    if stored.state is SessionState.ARCHIVED:
        message = f"{label} has ended; checkpoints save what is going on"
        return Skipped(command, SkipReason.NO_SESSION, message)
    [stored] = dated(store, (stored,))
    touched = touched_at(stored)
    is_newest = not any(
        one.session_id != stored.session_id
        and (later := touched_at(one)) is not None
        and (touched is None or later > touched)
        for one in newest
    )
    return Source(stored, ref, is_newest)


def _why_none(agent_id: str, listing: StoreListing) -> str:
    live = [one for one in listing.sessions if one.state is SessionState.LIVE]
    if not live:
        return f"{agent_id} has no session that is going on"
    if not any(is_capturable(one) for one in live):
        kinds = ", ".join(sorted({class_of(one).value for one in live}))
        return f"{agent_id} has no session with one person, only sessions of the kind {kinds}"
    return f"{agent_id} has sessions, but none with a transcript yet"


@dataclass(frozen=True, slots=True)
class CheckpointRun:
    """One checkpoint on its way."""

    command: Checkpoint
    home: Home
    agent: Agent
    settings: Settings
    sessions: SessionStore
    workspace: Workspace
    captures: CaptureLog
    fingerprints: Fingerprints
    clock: Clock

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
    work: CurrentWork
    content: str
    seen: WorkspaceText | None
    memory: Memory
    zone_notices: tuple[Notice, ...]

    @property
    def details(self) -> dict[str, Detail]:
        """What `details` of every outcome says."""
        return {**_details(self.source, self.tail), "secrets_masked": self.work.session.masked}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is odd about the transcript, and what was kept out of memory."""
        odd = (*_notices(self.source, self.tail), *self.zone_notices)
        session, ref = self.work.session, self.source.ref
        label, path, agent = self.source.label, str(ref.path), ref.agent.id
        if session.masked:
            odd = (*odd, masked_notice(label, session.masked, path=path, agent=agent))
        if session.planted:
            odd = (*odd, planted_notice(label, session.planted, path=path, agent=agent))
        return odd


def gather(run: CheckpointRun) -> Findings | Skipped:
    """Read the newest session and what was saved of it before."""
    command = run.command
    settings = run.settings.for_agent(run.agent.id).checkpoint
    listing = run.sessions.sessions(run.agent)
    if not command.dry_run:
        run.fingerprints.note_keys(run.agent, keys_of(listing.sessions))
    source = find_source(command, listing, run.sessions)
    if isinstance(source, Skipped):
        return source
    if (reason := too_old(command, source, settings, run.clock.now())) is not None:
        return reason
    tail = read_tail(run.sessions, source.ref, wanted=settings.tail_messages)
    if (reason := too_little(command, source, settings, tail)) is not None:
        return replace(reason, details=_details(source, tail), notices=_notices(source, tail))
    zone = resolve_zone(
        run.settings.timezone, run.home.config.user_timezone, run.settings.unknown_zone
    )
    work = _work(run, source, tail, zone.zone)
    return Findings(
        source=source,
        tail=tail,
        work=work,
        content=content_hash(work.session.spoken),
        seen=run.workspace.read(run.agent.workspace, ACTIVE_CONTEXT),
        memory=_remember(run, source.ref.session_id),
        zone_notices=zone.notices,
    )


def _work(run: CheckpointRun, source: Source, tail: Tail, zone: Zone) -> CurrentWork:
    config = run.home.config
    stored, mask = source.stored, way_out(redacts=run.settings.redact)
    return CurrentWork(
        agent_id=mask(run.agent.id),
        session_id=mask(source.ref.session_id),
        session_key=None if source.key is None else mask(source.key),
        session=take(tail.messages, mask),
        tokens=count_tokens(stored, window_of(stored, config), tail),
        compactions=stored.compactions,
        at=run.clock.now(),  # behind the reading: the day is that of the writing
        zone=zone,
    )


def _remember(run: CheckpointRun, session_id: str) -> Memory:
    """Return earlier captures, those into another workspace left out."""
    log, ref, root = run.captures, run.agent.ref, run.root

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
