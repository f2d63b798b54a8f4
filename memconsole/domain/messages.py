"""Which records are words of people, and which of those are worth keeping (mission §3, A5).

Two questions are answered apart: what a reader of a transcript is shown (`shown`), and what a
capture may take (`message_of`); the second is stricter.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.domain.envelopes import open_assistant_text, open_user_text, without_own_lines
from memconsole.domain.plain import clean, cut, one_line
from memconsole.domain.sizes import size_words
from memconsole.domain.transcript import EntryKind, Message, MessageKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.transcript import Entry

CAPTURE_CHARS = 1_000
"""Characters of one message that a capture keeps (mission §3)."""

_SPEAKERS = ("user", "assistant")
_SHORTEST = 5
_LONGEST_ACK = 300
"""A heartbeat answer with at most this much beside its token was never delivered to anyone."""


class FilterReason(StrEnum):
    """Why a record is no message, or no message to keep."""

    NOT_A_MESSAGE = "not-a-message"
    ROLE = "role"
    INJECTED = "injected"
    INTERNAL = "internal"
    HEARTBEAT = "heartbeat"
    SILENT = "silent"
    EMPTY = "empty"
    SHORT = "short"
    COMMAND = "command"
    OWN = "own"


_INTERNAL_STARTS = (
    "A new session was started via /new or /reset.",
    "Pre-compaction memory flush",
    "OpenClaw runtime context",
    "OpenClaw runtime event.",
    "Clawdbot runtime context",
    "[Internal task completion event]",
    "[Subagent Context]",
    "[Inter-session message]",
    "[OpenClaw heartbeat poll]",
    "[System] Your previous turn was interrupted",
    "[cron:",
)
_BACKGROUND_TASK = re.compile(r'A (?:background task|subagent task|cron job) "[^"\n]*" just ')
_HEARTBEAT_PROMPT = re.compile(
    r"Read HEARTBEAT\.md\b|Run the following periodic tasks \(only those due"
    r"|\[OpenClaw heartbeat poll\]"
)
_TOKEN = "HEARTBEAT_OK"
_ASKS_FOR_TOKEN = re.compile(r"\breply (?:with )?HEARTBEAT_OK\b")
_HEARTBEAT_TOKEN = re.compile(r"\A[\s*`~_]*HEARTBEAT_OK\b|\bHEARTBEAT_OK[^\w]{0,6}\Z")
_HEARTBEAT_ALONE = re.compile(r"[\s*`~_\"']*HEARTBEAT_OK[\s*`~_\"'.!]*", re.IGNORECASE)
_SILENT = re.compile(
    r"[\s*`~_\"']*(?:NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)[\s*`~_\"'.!]*", re.IGNORECASE
)


def shown(entry: Entry) -> Message | FilterReason:
    """Return what a reader sees of a record: everything people said, whole.

    Heartbeats, silent answers, injected replies and internal context are filtered: nobody said
    them. Compactions and resets come as rows of their own kind.
    """
    if entry.kind is EntryKind.COMPACTION:
        summary = "" if entry.compaction is None else entry.compaction.summary
        return _row(entry, MessageKind.COMPACTION, clean(summary).strip())
    if entry.kind is EntryKind.RESET:
        return _row(entry, MessageKind.RESET, clean(entry.reason or "").strip())
    if entry.kind is not EntryKind.MESSAGE:
        return FilterReason.NOT_A_MESSAGE
    if entry.role not in _SPEAKERS:
        return FilterReason.ROLE
    if entry.is_injected:
        return FilterReason.INJECTED
    return _user(entry) if entry.role == "user" else _assistant(entry)


def message_of(entry: Entry) -> Message | FilterReason:
    """Return the message that a capture may keep, or why there is none (mission §3).

    A message that is only a picture has an empty text and a note.
    """
    message = shown(entry)
    if isinstance(message, FilterReason):
        return message
    if message.kind is not MessageKind.MESSAGE:
        return FilterReason.NOT_A_MESSAGE
    if message.text.startswith("/"):
        return FilterReason.COMMAND
    if len(message.text) < _SHORTEST and not message.attachments:
        return FilterReason.SHORT
    return message


def unfiltered(entry: Entry) -> Message | None:
    """Return a message record as recorded, for `--all`; None for records without words or files.

    Control characters are removed, wrapping stays: this is the look behind the filters.
    """
    if entry.kind is not EntryKind.MESSAGE or entry.role not in _SPEAKERS:
        return None
    text, notes = clean(entry.text).strip(), _notes(entry)
    return _row(entry, MessageKind.NOTE, text, notes) if text or notes else None


def let_out_of(message: Message, mask: Callable[[str], str]) -> Message:
    """Return a message of which every text may leave: its words, its role, what hangs on it."""
    return replace(
        message,
        text=mask(message.text),
        role=None if message.role is None else mask(message.role),
        attachments=tuple(map(mask, message.attachments)),
    )


def captured_text(message: Message, mask: Callable[[str], str], cap: int = CAPTURE_CHARS) -> str:
    """Return a message on one line: masked first, then collapsed, then cut (A11).

    Args:
        message: The message.
        mask: Replaces secrets; sees the whole text.
        cap: Characters of the result, notes of attachments included; they stand in front.
    """
    notes = "".join(f"[{mask(note)}] " for note in message.attachments)
    return cut(f"{notes}{one_line(mask(message.text))}".strip(), cap)


def _user(entry: Entry) -> Message | FilterReason:
    text, media = open_user_text(clean(entry.text))
    if text.startswith(_INTERNAL_STARTS) or _BACKGROUND_TASK.match(text):
        return FilterReason.INTERNAL
    if _SILENT.fullmatch(text):
        return FilterReason.SILENT
    if _HEARTBEAT_ALONE.fullmatch(text) or _HEARTBEAT_PROMPT.match(text):
        return FilterReason.HEARTBEAT
    if _TOKEN in text and _ASKS_FOR_TOKEN.search(text):
        return FilterReason.HEARTBEAT
    notes = (*_notes(entry), *media)
    if not text and not notes:
        return FilterReason.INTERNAL if entry.text.strip() else FilterReason.EMPTY
    return _without_ours(entry, text, notes)


def _assistant(entry: Entry) -> Message | FilterReason:
    text = open_assistant_text(clean(entry.text))
    if _SILENT.fullmatch(text):
        return FilterReason.SILENT
    if _TOKEN in text and _HEARTBEAT_TOKEN.search(text):
        text = _HEARTBEAT_TOKEN.sub("", text).strip()
        if len(text) <= _LONGEST_ACK:
            return FilterReason.HEARTBEAT
    notes = _notes(entry)
    if not text and not notes:
        return FilterReason.EMPTY
    return _without_ours(entry, text, notes)


def _without_ours(entry: Entry, text: str, notes: tuple[str, ...]) -> Message | FilterReason:
    kept = without_own_lines(text)
    if text and not kept and not notes:
        return FilterReason.OWN
    return _row(entry, MessageKind.MESSAGE, kept, notes)


def _notes(entry: Entry) -> tuple[str, ...]:
    return tuple(
        f"{one_line(attachment.media_type)}, {size_words(attachment.size_bytes)}"
        for attachment in entry.attachments
    )


def _row(entry: Entry, kind: MessageKind, text: str, attachments: tuple[str, ...] = ()) -> Message:
    return Message(
        kind=kind,
        text=text,
        id=entry.id,
        at=entry.at,
        role=entry.role if kind in (MessageKind.MESSAGE, MessageKind.NOTE) else None,
        attachments=attachments,
        position=entry.position,
    )
