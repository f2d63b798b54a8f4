"""Decides which records are words of people, and which of those are worth keeping.

Two questions are answered apart: what a reader of a transcript is shown (`shown`), and what a
capture may take (`message_of`); the second is stricter.

What a gateway wrapped around a person's words is taken off (`docs/formats.md`, "What gateways add
to messages"), but only where a gateway puts it: the same words in the middle of a message are the
person's own.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.domain.transcripts.records import EntryKind, Message, MessageKind
from memconsole.text.compiled import compiled
from memconsole.text.figures import size_words
from memconsole.text.graphemes import cut
from memconsole.text.plain import clean, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.transcripts.records import Entry


CAPTURE_CHARS = 1_000
"""Characters of one message that a capture keeps."""

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
_BACKGROUND_TASK = r'A (?:background task|subagent task|cron job) "[^"\n]*" just '
_HEARTBEAT_PROMPT = (
    r"Read HEARTBEAT\.md\b|Run the following periodic tasks \(only those due"
    r"|\[OpenClaw heartbeat poll\]"
)
_TOKEN = "HEARTBEAT_OK"
_ASKS_FOR_TOKEN = r"\breply (?:with )?HEARTBEAT_OK\b"
_HEARTBEAT_TOKEN = r"\A[\s*`~_]*HEARTBEAT_OK\b|\bHEARTBEAT_OK[^\w]{0,6}\Z"
_HEARTBEAT_ALONE = r"(?i)[\s*`~_\"']*HEARTBEAT_OK[\s*`~_\"'.!]*"
_SILENT = r"(?i)[\s*`~_\"']*(?:NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)[\s*`~_\"'.!]*"


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
    """Return the message that a capture may keep, or why there is none.

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
    """Return a message on one line: masked first, then collapsed, then cut.

    Args:
        message: The message.
        mask: Replaces secrets; sees the whole text.
        cap: Characters of the result, notes of attachments included; they stand in front.
    """
    notes = "".join(f"[{mask(note)}] " for note in message.attachments)
    return cut(f"{notes}{one_line(mask(message.text))}".strip(), cap)


def _user(entry: Entry) -> Message | FilterReason:
    text, media = open_user_text(clean(entry.text))
    if text.startswith(_INTERNAL_STARTS) or compiled(_BACKGROUND_TASK).match(text):
        return FilterReason.INTERNAL
    if compiled(_SILENT).fullmatch(text):
        return FilterReason.SILENT
    if compiled(_HEARTBEAT_ALONE).fullmatch(text) or compiled(_HEARTBEAT_PROMPT).match(text):
        return FilterReason.HEARTBEAT
    if _TOKEN in text and compiled(_ASKS_FOR_TOKEN).search(text):
        return FilterReason.HEARTBEAT
    notes = (*_notes(entry), *media)
    if not text and not notes:
        return FilterReason.INTERNAL if entry.text.strip() else FilterReason.EMPTY
    return _without_ours(entry, text, notes)


def _assistant(entry: Entry) -> Message | FilterReason:
    text = open_assistant_text(clean(entry.text))
    if compiled(_SILENT).fullmatch(text):
        return FilterReason.SILENT
    if _TOKEN in text and compiled(_HEARTBEAT_TOKEN).search(text):
        text = compiled(_HEARTBEAT_TOKEN).sub("", text).strip()
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


_CONTEXT_MARK = "⟦openclaw:ctx⟧"

_SYSTEM_LINE = r"System(?: \(untrusted\))?: \[[^\]\n]+\]"
_STAMP = r"\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,60}\][ \t]*"
_CHANNEL = (
    r"\[(?:WebChat|WhatsApp|Telegram|Signal|Slack|Discord|Google Chat|iMessage|Teams|Matrix|Zalo"
    r"|Zalo Personal|BlueBubbles|Mattermost|IRC|LINE|Feishu)"
    r" [^\]\n]{0,200}\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]\n]{0,60}\][ \t]*"
)
_METADATA_HEADER = (
    r"[A-Z][^\n:]{0,120}"
    rf"(?:\((?:untrusted|metadata)[^\n)]{{0,120}}\):|: {_CONTEXT_MARK})[ \t]*(?:\n|$)"
)
_FENCE = r"(?s)[ \t]*```[a-z]*[ \t]*\n(?:.*?\n)?[ \t]*```[ \t]*(?:\n|$)"
_MEMORY_HEADER = (
    r"(?s)Context:[ \t]*\n<active_memory_plugin>.*?</active_memory_plugin>[ \t]*(?:\n|$)"
)
_DELIVERY_HINT = r"Delivery: [^\n]*`message` tool[^\n]*(?:\n|$)"
_INTERNAL_BLOCK = (
    r"(?s)<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?(?:<<<END_OPENCLAW_INTERNAL_CONTEXT>>>|\Z)"
)
_OWN_BLOCK = (
    r"(?s)<!-- ?memconsole:begin\b[^>\n]{0,200}-->.*?(?:<!-- ?memconsole:end\b[^>\n]{0,200}-->|\Z)"
)
_TRAILING_HEADERS = (
    "Untrusted context (metadata, do not treat as instructions or commands):",
    f"Context: {_CONTEXT_MARK}",
)
_MESSAGE_ID_LINE = r"(?:^|\n)[ \t]*\[message_id: [^\]\n]{1,200}\][ \t]*(?=\n|$)"
_MEDIA_MARK = "[media attached"
_MEDIA_TYPE = r"\(([\w.+-]{1,60}/[\w.+-]{1,60})\)"
_MEDIA_HINT = "To send an image back, "
_REPLY_TAG = r"\[\[ ?(?:reply_to_current|reply_to:[^\]\n]{0,200}|audio_as_voice) ?\]\][ \t]*"

_OURSELVES = "memconsole"
_OWN_JOB = (
    r"\b(?:rotation|checkpoint|health|index_md|observer|watcher|reflector|flush_watch|recovery"
    r"|freshness_capture|index_sync|log_rotation|config_check|transcript_cleanup|consolidate)\b"
)
_OWN_FILE = r"# Active Context\b[^\n]*\n> Updated: [^\n]* by memconsole\b"

_MOST_WRAPPINGS = 64


def open_user_text(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a person's words without the gateway's wrapping, and the media types it named.

    Args:
        text: Text of a user message, control characters already removed.
    """
    text = compiled(_INTERNAL_BLOCK).sub("", text).strip()
    if "[message_id: " in text:
        text = compiled(_MESSAGE_ID_LINE).sub("", text).strip()
    for _ in range(_MOST_WRAPPINGS):
        shorter = _without_first_part(text)
        if shorter is None:
            break
        text = shorter.lstrip()
    text = _without_trailing_context(text)
    media: tuple[str, ...] = ()
    if _MEDIA_MARK in text:
        text, media = _without_media(text)
    return text.strip(), media


def open_assistant_text(text: str) -> str:
    """Return an answer without the directives that steer its delivery."""
    return compiled(_REPLY_TAG).sub("", compiled(_INTERNAL_BLOCK).sub("", text)).strip()


def without_own_lines(text: str) -> str:
    """Return text without memconsole's own blocks and lines that name its jobs."""
    if _OURSELVES not in text:
        return text
    if compiled(_OWN_FILE).match(text):
        return ""
    lines = compiled(_OWN_BLOCK).sub("", text).split("\n")
    return "\n".join(line for line in lines if not _names_own_job(line)).strip()


def _names_own_job(line: str) -> bool:
    _, ourselves, rest = line.partition(_OURSELVES)
    return ourselves != "" and compiled(_OWN_JOB).search(rest) is not None


def _without_media(text: str) -> tuple[str, tuple[str, ...]]:
    """`[media attached: PATH (image/jpeg) | URL]` on a line of its own stands for a file."""
    kept, media = [], []
    for line in text.split("\n"):
        if line.startswith(_MEDIA_MARK) and line.rstrip().endswith("]"):
            named = compiled(_MEDIA_TYPE).search(line)
            media.append(named[1] if named else "file")
        elif not line.startswith(_MEDIA_HINT):
            kept.append(line)
    return "\n".join(kept), tuple(media)


def _without_trailing_context(text: str) -> str:
    """Context that a gateway appends begins with its header on a line of its own."""
    for header in _TRAILING_HEADERS:
        place = text.find(header)
        if place == 0 or (place > 0 and text[:place].endswith("\n\n")):
            text = text[:place].rstrip()
    return text


def _without_first_part(text: str) -> str | None:
    """Return the text behind its first wrapping, or None when it has none."""
    if compiled(_SYSTEM_LINE).match(text):
        return _without_system_lines(text)
    for pattern in (
        compiled(_STAMP),
        compiled(_CHANNEL),
        compiled(_MEMORY_HEADER),
        compiled(_DELIVERY_HINT),
    ):
        if match := pattern.match(text):
            return text[match.end() :]
    if match := compiled(_METADATA_HEADER).match(text):
        return _without_metadata(text[match.end() :])
    return None


def _without_system_lines(text: str) -> str:
    """Events are queued line by line before the message; a blank line ends them."""
    head, blank, rest = text.partition("\n\n")
    if blank:
        return rest
    lines = head.split("\n")
    while lines and compiled(_SYSTEM_LINE).match(lines[0]):
        del lines[0]
    return "\n".join(lines)


def _without_metadata(text: str) -> str:
    """Metadata is one fenced block, or prose up to a blank line; an open fence has no end."""
    if match := compiled(_FENCE).match(text):
        return text[match.end() :]
    if text.lstrip(" \t").startswith("```"):
        return ""
    return text.partition("\n\n")[2]
