"""Decides which messages a checkpoint takes, whether it writes, and what differs between two.

The lines above the first section say when, of which session and how many messages; they differ each
time, so they are shown, and do not count as a change.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.domain.agents import Storage
from memconsole.domain.calendar import clock
from memconsole.domain.sessions.keys import SessionClass, classify
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.errors import UsageError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import size_words
from memconsole.text.graphemes import cut
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.calendar import Zone
    from memconsole.domain.commands.outcomes import Written
    from memconsole.domain.sessions.stored import StoredSession, StoreListing
    from memconsole.domain.transcripts.excerpts import Spoken
    from memconsole.domain.transcripts.records import TranscriptCounts


SHORTEST_ID = 6
"""Characters of a session id that may stand for the whole of it."""

_NEVER = datetime.min.replace(tzinfo=UTC)


def class_of(stored: StoredSession) -> SessionClass:
    """Return the class of a session; one without a key is `other`."""
    if stored.key is None:
        return SessionClass.OTHER
    return classify(stored.key, stored.chat_type)


def is_capturable(stored: StoredSession) -> bool:
    """Whether captures may read a session: talk with one person, and of groups where wanted."""
    return class_of(stored).may_be_captured(groups=stored.captures_groups)


def touched_at(stored: StoredSession) -> datetime | None:
    """Return how old a session is: the time of its newest message, else what its entry says.

    The time of a file or of a row says nothing: a copy, a restore or a move has a new one.
    """
    return stored.spoke_at or stored.updated_at


def candidates(listing: StoreListing) -> tuple[StoredSession, ...]:
    """Return the sessions that a checkpoint may take by itself, in no order (`newest_first`).

    Main and direct sessions that live and have a transcript. Without any of these the orphans, as a
    home that holds nothing but transcripts still holds the agent's work. But an orphan may be
    anything: beside a group or a job, or a store that could not be read, it may be theirs, and
    talk of groups must not leak into private memory.
    """
    live = [one for one in listing.sessions if one.state is SessionState.LIVE]
    sessions = [one for one in live if is_capturable(one) and has_text(one)]
    if not sessions and is_readable(listing) and all(map(is_capturable, live)):
        orphans = (one for one in listing.sessions if one.state is SessionState.ORPHAN)
        sessions = [one for one in orphans if has_text(one)]
    return tuple(sessions)


def newest_first(sessions: Iterable[StoredSession]) -> tuple[StoredSession, ...]:
    """Return sessions with the newest words first; of equals a main session."""
    return tuple(sorted(sessions, key=newness, reverse=True))


def is_readable(listing: StoreListing) -> bool:
    """Tell whether the stores could be read, all of them and whole."""
    return listing.storage is not Storage.UNREADABLE and not listing.left_out.get("unreadable")


def has_text(stored: StoredSession) -> bool:
    """Whether a session has a transcript to read."""
    is_there = stored.transcript_state is TranscriptState.PRESENT and stored.transcript is not None
    return is_there and stored.session_id is not None


def newness(stored: StoredSession) -> tuple[datetime, bool, str]:
    """Return what orders sessions by their newest words; of equals a main session is newer."""
    is_main = stored.key is not None and stored.key.kind is SessionClass.MAIN
    return touched_at(stored) or _NEVER, is_main, stored.session_id or ""


def named(sessions: Sequence[StoredSession], name: str) -> StoredSession | None:
    """Return the session with this key, live ones first, or with this id; None when there is none.

    Args:
        sessions: What the agent's stores hold.
        name: A session key, a session id, or the beginning of an id, of six characters or more.

    Raises:
        UsageError: The beginning of an id fits several sessions.
    """
    ranked = sorted(sessions, key=lambda one: one.state is not SessionState.LIVE)
    by_key = (one for one in ranked if one.key is not None and one.key.text == name)
    by_id = (one for one in ranked if one.session_id == name)
    return next(by_key, None) or next(by_id, None) or _begun(ranked, name)


def _begun(ranked: Iterable[StoredSession], name: str) -> StoredSession | None:
    if len(name) < SHORTEST_ID:
        return None
    begun = [one for one in ranked if one.session_id and one.session_id.startswith(name)]
    require_one_id(name, {one.session_id or "" for one in begun})
    return begun[0] if begun else None


def require_one_id(name: str, ids: Collection[str]) -> None:
    """Refuse the beginning of an id that fits several sessions.

    Raises:
        UsageError: It does; names them.
    """
    if len(ids) > 1:
        listed = ", ".join(sorted(ids)[:5])
        raise UsageError(f"{name!r} begins several session ids", hint=f"They are: {listed}.")


def content_hash(spoken: Iterable[Spoken]) -> str:
    """Return a hash of what was said: role and words of every message, in order.

    Times stay out: a store that moves to another format may keep them differently.
    """
    digest = hashlib.sha256()
    for one in spoken:
        for part in (one.role, one.text):
            data = part.encode("utf-8", errors="replace")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Capture:
    """One checkpoint, as our own database remembers it.

    Attributes:
        content_hash: Hash of the eligible messages that were saved.
        block: ACTIVE_CONTEXT.md of this agent as rendered alone, for shared workspaces.
        is_logged: A daily entry was added.
        day_file: Relative path of the daily log that got the entry.
        workspace: Real path of the workspace.
    """

    agent: AgentRef
    session_id: str
    session_key: str | None
    at: datetime
    content_hash: str
    block: str
    is_logged: bool
    day_file: str | None
    workspace: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What our own database remembers of earlier checkpoints in this workspace.

    Attributes:
        last: Newest capture of the agent.
        logged: Newest one of the agent with a daily entry.
        logged_session: The same for the session at hand.
    """

    last: Capture | None = None
    logged: Capture | None = None
    logged_session: Capture | None = None


@dataclass(frozen=True, slots=True)
class Due:
    """Which of the two files a checkpoint writes.

    Attributes:
        context: ACTIVE_CONTEXT.md.
        entry: The daily log.
        window_ends_at: When the next daily entry may come, if only its window keeps it back.
    """

    context: bool
    entry: bool
    window_ends_at: datetime | None = None


def decide(
    *,
    session_id: str,
    content: str,
    memory: Memory,
    is_forced: bool,
    is_urgent: bool,
    is_newest: bool,
    has_context: bool,
    now: datetime,
    window: timedelta,
) -> Due:
    """Say what is due; each file is judged by what was last written to it.

    ACTIVE_CONTEXT.md is written when it would say something else than last time, or is gone. The
    daily log gets an entry when the session has changed since the last entry of this session and
    the agent's last entry is at least `window` old. `is_urgent` passes the second rule, `is_forced`
    both.

    Args:
        session_id: The session at hand.
        content: Hash of its messages.
        memory: Earlier checkpoints.
        is_forced: The operator wants it now.
        is_urgent: A rotation, a flush or a compaction wants it now.
        is_newest: No other session of the agent is newer; only then is its work the agent's
            current work.
        has_context: ACTIVE_CONTEXT.md exists.
        now: The time of writing.
        window: `checkpoint.dedup_window`.
    """
    last = memory.last
    is_same = last is not None and (last.session_id, last.content_hash) == (session_id, content)
    context = is_newest and (is_forced or not has_context or not is_same)
    logged = memory.logged_session
    is_news = logged is None or logged.content_hash != content
    ends_at = None if memory.logged is None else memory.logged.at + window
    is_early = memory.logged is not None and timedelta(0) <= now - memory.logged.at < window
    is_kept_back = is_early and not (is_forced or is_urgent)
    return Due(
        context=context,
        entry=is_forced or (is_news and not is_kept_back),
        window_ends_at=ends_at if is_news and is_kept_back else None,
    )


_LABEL_CHARS = 120


def label_of(stored: StoredSession) -> str:
    """Return what to call a session: its key, else its id."""
    name = stored.key.text if stored.key is not None else stored.session_id or "a session"
    return cut(let_out(one_line(name)), _LABEL_CHARS)


def left_out(counts: TranscriptCounts) -> str:
    """Say what of a transcript could not be read; empty when there was nothing."""
    parts = []
    if counts.damaged:
        lines = "line was" if counts.damaged == 1 else "lines were"
        parts.append(f"; {counts.damaged} damaged {lines} left out")
    if counts.in_progress:
        parts.append("; the last line is still being written")
    if counts.unknown_newest:
        parts.append(
            f"; {counts.unknown_newest} newer records were not understood: this may not be the"
            " latest"
        )
    if counts.unknown - counts.unknown_newest:
        parts.append(f"; {counts.unknown - counts.unknown_newest} records were not understood")
    return "".join(parts)


def saved(count: int, label: str, wrote: Sequence[Written], *, is_plan: bool = False) -> str:
    """Say what was written, or would be."""
    verb = "would save" if is_plan else "saved"
    messages = "1 message" if count == 1 else f"{count} messages"
    files = " and ".join(f"{one.path} ({size_words(one.size_bytes)})" for one in wrote)
    return f"{verb} {messages} of {label}: {files}"


def nothing_new(label: str, last: Capture | None, due: Due, zone: Zone) -> str:
    """Say why nothing was written."""
    since = "" if last is None else f" since the checkpoint of {clock(last.at, zone)}"
    if due.window_ends_at is not None:
        return f"nothing new of {label} to write{kept_back(due, zone)}"
    return f"nothing new in {label}{since}"


def kept_back(due: Due, zone: Zone) -> str:
    """Say why there is no daily entry; empty when there is one."""
    if due.entry:
        return ""
    if due.window_ends_at is None:
        return "; the daily log has this already"
    return f"; no daily entry before {clock(due.window_ends_at, zone)}, the last one is too young"


class Side(StrEnum):
    """In which of two checkpoints a line stands, by the sign that shows it."""

    BOTH = " "
    OLDER = "-"
    NEWER = "+"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of two checkpoints beside each other."""

    side: Side
    text: str

    @property
    def counts(self) -> bool:
        """Whether it is a change of what was saved, not of when or how."""
        return self.side is not Side.BOTH and bool(self.text) and self.text[0] not in "#>"


@dataclass(frozen=True, slots=True)
class CheckpointDiff:
    """Two checkpoints as one text; in its order, what is gone stands before what came."""

    lines: tuple[DiffLine, ...]

    @property
    def added(self) -> int:
        """Lines that only the newer one has."""
        return sum(line.counts and line.side is Side.NEWER for line in self.lines)

    @property
    def removed(self) -> int:
        """Lines that only the older one has."""
        return sum(line.counts and line.side is Side.OLDER for line in self.lines)


def compare(older: str, newer: str) -> CheckpointDiff:
    """Return what changed between two rendered checkpoints."""
    return CheckpointDiff(tuple(_compared(older.splitlines(), newer.splitlines())))


def _compared(older: Sequence[str], newer: Sequence[str]) -> Iterator[DiffLine]:
    matcher = SequenceMatcher(None, older, newer, autojunk=False)
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if kind == "equal":
            yield from (DiffLine(Side.BOTH, line) for line in older[old_from:old_to])
            continue
        yield from (DiffLine(Side.OLDER, line) for line in older[old_from:old_to])
        yield from (DiffLine(Side.NEWER, line) for line in newer[new_from:new_to])
