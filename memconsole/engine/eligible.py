"""Which session a checkpoint saves, and what makes it leave everything as it is (mission §6)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.domain.checkpoint import secrets_in
from memconsole.domain.outcomes import Skipped, SkipReason
from memconsole.domain.sessions import SessionState
from memconsole.engine.lookup import find_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.commands import Checkpoint
    from memconsole.domain.outcomes import Detail
    from memconsole.domain.settings import CheckpointSettings
    from memconsole.domain.snapshot import SessionView
    from memconsole.domain.transcript import Tail

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def choose(command: Checkpoint, rows: Sequence[SessionView]) -> SessionView | Skipped:
    """Return the named session, or the newest one that may be captured.

    Args:
        command: Names a session, or none.
        rows: All sessions of the agent.

    Raises:
        SessionNotFoundError: The agent has no session of that name.
    """
    if command.session_key is not None:
        return _named(command, find_session(rows, command.session_key))
    live = [row for row in rows if row.state is SessionState.LIVE]
    candidates = [row for row in live if row.session_class.is_captured and row.transcript]
    if not live:
        # A folder with transcripts and no store entry at all: the newest is the agent's last work.
        candidates = [row for row in rows if row.state is SessionState.ORPHAN and row.transcript]
    if candidates:
        return max(candidates, key=lambda row: touched_at(row) or _LONG_AGO)
    return skip(
        command,
        SkipReason.NO_SESSION,
        f"{command.agent.id} has no main or direct session with a transcript",
    )


def _named(command: Checkpoint, view: SessionView) -> SessionView | Skipped:
    if view.key is not None and not view.session_class.is_captured:
        return skip(
            command,
            SkipReason.NOT_CAPTURED,
            f"{name_of_session(view)} is a {view.session_class.value} session; "
            "only main and direct talk goes into private memory",
        )
    return view


def touched_at(view: SessionView) -> datetime | None:
    """Return when the transcript last grew: the file's own time before the entry's (mission §6)."""
    own = None if view.transcript is None else view.transcript.modified_at
    return own or view.stored.updated_at


def too_old(
    command: Checkpoint, view: SessionView, limits: CheckpointSettings, now: datetime
) -> Skipped | None:
    """Return the skip when nobody spoke for longer than `checkpoint.stale_after`."""
    touched = touched_at(view)
    if command.is_forced or touched is None or now - touched <= limits.stale_after:
        return None
    hours = (now - touched).total_seconds() / 3600
    return skip(
        command,
        SkipReason.STALE,
        f"nobody spoke in {name_of_session(view)} for {hours:.0f} h; the earlier checkpoint stays",
        hint="--force takes it all the same.",
    )


def too_small(
    command: Checkpoint, view: SessionView, tail: Tail, limits: CheckpointSettings
) -> Skipped | None:
    """Return the skip when there is too little to be worth a checkpoint."""
    size = None if view.transcript is None else view.transcript.size_bytes
    if size is None and tail.is_whole:
        size = tail.read_bytes
    name, facts = name_of_session(view), details_of(view, tail)
    if size is not None and size < limits.min_bytes:
        text = f"{name} holds {size} bytes, fewer than {limits.min_bytes}"
        return skip(command, SkipReason.TOO_SMALL, text, details=facts)
    if len(tail.messages) < limits.min_messages:
        text = (
            f"{name} holds {len(tail.messages)} messages worth keeping, "
            f"fewer than {limits.min_messages}"
        )
        return skip(command, SkipReason.TOO_FEW_MESSAGES, text, details=facts)
    return None


def details_of(view: SessionView, tail: Tail) -> dict[str, Detail]:
    """Return what was read, for `details` of the outcome."""
    return {
        "session_id": view.session_id,
        "key": view.key_text,
        "read": len(tail.messages),
        "damaged": tail.counts.damaged,
        "in_progress": tail.counts.in_progress,
        "filtered": tail.counts.filtered,
        "secrets_masked": secrets_in(tail.messages),
    }


def skip(
    command: Checkpoint,
    reason: SkipReason,
    message: str,
    *,
    hint: str = "",
    details: dict[str, Detail] | None = None,
) -> Skipped:
    """Return the outcome of a checkpoint that leaves everything as it is."""
    return Skipped(command, reason, message, hint, details or {})


def name_of_session(view: SessionView) -> str:
    """Return what a person calls the session: its key, else its id."""
    return view.key_text or view.session_id or "a session without a name"
