"""Chooses the session that a checkpoint reads, or says why there is none (mission §6, A13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.checkpoint import class_of, is_capturable, is_readable, named, touched_at
from memconsole.domain.checkpoint_words import label_of, left_out, span
from memconsole.domain.outcomes import Skipped, SkipReason
from memconsole.domain.sessions import SessionState, TranscriptState
from memconsole.domain.sizes import size_words
from memconsole.engine.ages import current_talks, dated
from memconsole.engine.lookup import require_own_words, unreadable
from memconsole.errors import SessionNotFoundError, TranscriptRefusedError
from memconsole.values import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.agents import Notice
    from memconsole.domain.commands import Checkpoint
    from memconsole.domain.outcomes import Detail
    from memconsole.domain.sessions import StoredSession, StoreListing, TranscriptRef
    from memconsole.domain.settings import CheckpointSettings
    from memconsole.domain.transcript import Tail
    from memconsole.ports import SessionStore


@dataclass(frozen=True, slots=True)
class Source:
    """The session whose work is saved.

    Attributes:
        is_newest: No other talk of the agent is newer, so its work is the current work.
        refused: Transcripts of the agent's talks that are not their own.
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
    """Return the named session, else the talk with the newest words.

    Raises:
        SessionNotFoundError: The command names a session that is not there.
        StoreError: There is no talk, and the store could not be read (A1); or what there is lies
            in transcripts that are not the sessions' own.
    """
    talks = current_talks(store, listing)
    if command.session_key is not None:
        return _named_source(command, command.session_key, listing, talks.sessions, store)
    if talks.sessions and talks.sessions[0].transcript is not None:
        newest = talks.sessions[0]
        return Source(newest, talks.sessions[0].transcript, is_newest=True, refused=talks.refused)
    if not is_readable(listing):
        raise unreadable(command.agent.id, listing)
    if talks.refused:
        raise TranscriptRefusedError(talks.refused[0].code, talks.refused[0].message)
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
        f"{source.label} has been quiet for {span(now - touched)}; the files stay as they are",
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
            f"{source.label} holds {len(tail.messages)} messages worth keeping, and"
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
            f"{label} is a {session_class.value} session, and those are never copied into memory",
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
        return f"{agent_id} has no talk with one person, only sessions of the kind {kinds}"
    return f"{agent_id} has sessions, but none with a transcript yet"
