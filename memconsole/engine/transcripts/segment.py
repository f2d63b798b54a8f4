"""Reads one session back from its end: to the reset that began it, or to enough messages.

A reset in place keeps the session id and the transcript: what is said before it is another session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.transcripts.messages import FilterReason, message_of
from memconsole.domain.transcripts.path import active_flags
from memconsole.domain.transcripts.records import EntryKind, TranscriptCounts
from memconsole.engine.transcripts.tail import LIMIT_BYTES
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.sessions.stored import TranscriptRef
    from memconsole.domain.transcripts.records import Entry, Message, ToolUse
    from memconsole.ports.platform import SessionStore


@dataclass(frozen=True, slots=True)
class Segment:
    """The end of one session.

    Attributes:
        messages: Eligible ones on the active path, oldest first.
        tools: Tool calls among them, oldest first, results left out.
        is_whole: The session's beginning was reached.
        is_known: The session reaches back to the moment that was asked about.
        counts: What was passed over.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolUse, ...]
    is_whole: bool
    is_known: bool
    counts: TranscriptCounts

    @property
    def until(self) -> datetime | None:
        """Time of the last message that has one."""
        return next((one.at for one in reversed(self.messages) if one.at is not None), None)


def read_segment(
    store: SessionStore,
    ref: TranscriptRef,
    *,
    wanted: int,
    after: datetime | None = None,
    is_previous: bool = False,
    limit_bytes: int = LIMIT_BYTES,
) -> Segment:
    """Read the last session of a transcript; a session that is empty since its reset is passed.

    Args:
        store: The store of the transcript.
        ref: The transcript.
        wanted: Eligible messages at most.
        after: Where an earlier look ended: told apart are a session that goes on from there
            (`is_known`) and one that began behind a reset since.
        is_previous: The session before the last reset instead; without one there are no messages.
        limit_bytes: Bytes to pass at most.

    Raises:
        StoreError: The transcript cannot be opened or unpacked.
    """
    entries: list[Entry] = []
    found, passed = 0, 0
    is_known, is_whole = False, True
    is_passed = not is_previous
    for entry in store.backward(ref, limit_bytes=limit_bytes):
        passed += entry.size_bytes
        if not is_passed:
            is_passed = entry.kind is EntryKind.RESET
            continue
        if entry.kind is EntryKind.RESET and found:
            break
        if after is not None and _is_message(entry) and entry.at is not None and entry.at <= after:
            is_known = True
            break
        if found < wanted:
            entries.append(entry)
            found += _is_message(entry)
        else:
            is_whole = False
            if after is None:
                break
    else:
        is_whole = is_whole and passed < limit_bytes
    entries.reverse()
    return _judged(entries, is_whole=is_whole, is_known=is_known)


def _is_message(entry: Entry) -> bool:
    return not isinstance(message_of(entry), FilterReason)


def _judged(entries: list[Entry], *, is_whole: bool, is_known: bool) -> Segment:
    flags, _ = active_flags(entries)
    messages: list[Message] = []
    tools: list[ToolUse] = []
    filtered = 0
    for entry, is_on_path in zip(entries, flags, strict=True):
        if not is_on_path or entry.kind is not EntryKind.MESSAGE:
            continue
        message = message_of(entry)
        if isinstance(message, FilterReason):
            filtered += 1
        else:
            messages.append(message)
        tools += [tool for tool in entry.tools if not tool.is_result]
    counts = TranscriptCounts(
        damaged=sum(entry.kind is EntryKind.DAMAGED for entry in entries),
        in_progress=sum(entry.kind is EntryKind.IN_PROGRESS for entry in entries),
        filtered=filtered,
        off_path=len(flags) - sum(flags),
        unknown=sum(entry.kind is EntryKind.UNKNOWN for entry in entries),
    )
    return Segment(tuple(messages), tuple(tools), is_whole, is_known, counts)
