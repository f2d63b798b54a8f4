"""Records of a transcript, and the text messages in them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime


class EntryKind(StrEnum):
    """What one record of a transcript is."""

    SESSION = "session"
    MESSAGE = "message"
    COMPACTION = "compaction"
    RESET = "reset"
    LEAF = "leaf"
    OTHER = "other"
    UNKNOWN = "unknown"
    DAMAGED = "damaged"
    IN_PROGRESS = "in-progress"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call as the provider reported them.

    Attributes:
        total: Context after the call: the provider's total, else the sum of the parts.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture or file inside a message; its bytes are never kept.

    Attributes:
        media_type: Such as `image/png`.
        size_bytes: Bytes of the inline base64 text.
    """

    media_type: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool call, or one tool result, of a message.

    Attributes:
        name: Tool name as recorded.
        chars: Characters of its arguments or result text.
        is_result: True for a result.
        path: A file path among its arguments, when there is one.
    """

    name: str
    chars: int
    is_result: bool
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Compaction:
    """What the platform noted about one compaction."""

    summary: str
    tokens_before: int | None = None
    tokens_after: int | None = None
    first_kept_id: str | None = None
    is_from_hook: bool | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One record, decoded but not yet judged.

    Attributes:
        has_parent: The record carries `parentId`, even a null one; False is an old release's gap.
        at: Aware UTC; None when the record has no usable time.
        role: `user`, `assistant`, `toolResult`, … for messages.
        text: Text blocks joined by line feeds, as recorded; empty for others.
        thinking_chars: Characters of thinking blocks.
        position: Byte offset of the line, or `seq` of the event.
        size_bytes: Bytes of the record.
        is_injected: Written by the gateway itself or a mirror of a delivery: no words of the
            session.
        stop_reason: Why the model ended its message, such as `stop` or `toolUse`.
        target_id: The entry that a `leaf` record makes the tip.
        reason: Reason of a `reset` record.
        odd_time: What is wrong with its time: a code of `text.timestamps`, else empty.
    """

    kind: EntryKind
    id: str | None = None
    parent_id: str | None = None
    has_parent: bool = False
    at: datetime | None = None
    role: str | None = None
    text: str = ""
    thinking_chars: int = 0
    attachments: tuple[Attachment, ...] = ()
    tools: tuple[ToolUse, ...] = ()
    usage: Usage | None = None
    model: str | None = None
    compaction: Compaction | None = None
    target_id: str | None = None
    reason: str | None = None
    is_injected: bool = False
    stop_reason: str | None = None
    position: int = 0
    size_bytes: int = 0
    odd_time: str = ""


class MessageKind(StrEnum):
    """`kind` of a message in `--json`."""

    MESSAGE = "message"
    COMPACTION = "compaction"
    RESET = "reset"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Message:
    """What a person reads of one record.

    Attributes:
        text: Envelope and control characters removed; whole, not cut; secrets not yet masked.
        attachments: Notes such as `image/png, 717 KB`.
        on_path: Part of the active branch.
        position: Byte offset or seq, for cursors.
    """

    kind: MessageKind
    text: str
    id: str | None = None
    at: datetime | None = None
    role: str | None = None
    attachments: tuple[str, ...] = ()
    on_path: bool = True
    position: int = 0


@dataclass(frozen=True, slots=True)
class TranscriptCounts:
    """What a reading left out, and why (`left_out` of `transcript --json`).

    Attributes:
        unknown: Records of a kind that this version does not know.
        unknown_newest: Those of them that are newer than the newest message.
        future: Records with a time ahead of the clock; likewise `skewed`, of before the platform.
    """

    damaged: int = 0
    in_progress: int = 0
    filtered: int = 0
    off_path: int = 0
    unknown: int = 0
    unknown_newest: int = 0
    future: int = 0
    skewed: int = 0


class Turn(StrEnum):
    """Whose a message is, and whether it asks for a tool or brings what one gave."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL_CALL = "tool-call"
    TOOL_RESULT = "tool-result"


@dataclass(frozen=True, slots=True)
class Tail:
    """The end of a transcript.

    Attributes:
        messages: Eligible messages, oldest first.
        counts: What was passed over on the way.
        is_whole: The session's beginning was reached.
        has_gap: An entry without `parentId` was met (1.24 chain break); a finding.
        read_bytes: Bytes passed, newest first.
        usage_tokens: Context by the last assistant usage above 0 on the active path after the last
            compaction or reset; None when there is none.
        usage_points: (time, tokens) of assistant messages since that point, oldest first.
        last_compaction_at: Time of the newest compaction passed.
        tokens_before_compaction: Context before it, as the platform noted; None when it did not.
        last_compaction: What the platform noted about it.
        spoke_at: Time of the newest message on the active path that has one.
        spoke_before_at: Time of the newest message before the newest compaction, where it was read.
        turn: Whose the newest message on the active path is; None when it is nobody's.
    """

    messages: tuple[Message, ...] = ()
    counts: TranscriptCounts = TranscriptCounts()
    is_whole: bool = False
    has_gap: bool = False
    read_bytes: int = 0
    usage_tokens: int | None = None
    usage_points: tuple[tuple[datetime, int], ...] = ()
    last_compaction_at: datetime | None = None
    tokens_before_compaction: int | None = None
    last_compaction: Compaction | None = None
    spoke_at: datetime | None = None
    spoke_before_at: datetime | None = None
    turn: Turn | None = None


UsageMark: TypeAlias = tuple[str, str, int, tuple[int, ...]]
"""What an end of a transcript is known by: path, session id, usages wanted, stamp of its file."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A transcript read from end to end (`engine.transcripts.tail.read_whole`).

    Attributes:
        messages: In stored order: what people said (filtered ones left out unless asked for),
            compactions and resets as rows of their own; `on_path` marks the active branch.
        events: Stored records, damaged ones included.
        counts: What was left out of `messages`, and why.
        user_chars: Characters of user text that is in the context now; likewise the others.
        tool_chars: Characters in the context now by tool name, calls and results together.
        usage_points: (time, tokens) of every assistant usage above 0, oldest first.
        has_gap: An entry without `parentId` was met.
    """

    messages: tuple[Message, ...] = ()
    events: int = 0
    counts: TranscriptCounts = TranscriptCounts()
    user_chars: int = 0
    assistant_chars: int = 0
    thinking_chars: int = 0
    tool_result_chars: int = 0
    tool_chars: tuple[tuple[str, int], ...] = ()
    usage_points: tuple[tuple[datetime, int], ...] = ()
    has_gap: bool = False
