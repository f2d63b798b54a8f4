"""Lines and events of a transcript as entries (`docs/formats.md`, "Transcripts").

A damaged line is counted, and what can be read of it is still used: its id holds the chain
together, and a whole record that a restart glued to its end is recovered.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import msgspec

from memconsole.adapters.transcripts.records import (
    MessageJson,
    decode_counted,
    decode_record,
    is_regular,
)
from memconsole.adapters.transcripts.reduce import unmarked, unmarked_size
from memconsole.domain.transcripts.records import (
    Attachment,
    Compaction,
    Entry,
    EntryKind,
    ToolUse,
    Usage,
)
from memconsole.lazy_dataclass import dataclass
from memconsole.text.graphemes import ELLIPSIS
from memconsole.text.timestamps import AHEAD, EARLIEST, FUTURE, SKEWED, moment, sound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from memconsole.adapters.transcripts.lines import RawLine
    from memconsole.adapters.transcripts.records import (
        BlockJson,
        CountedJson,
        Number,
        RecordJson,
        SpeakerJson,
        UsageJson,
    )


_Value = TypeVar("_Value")

_CALLS = frozenset({"toolCall", "tool_call", "tool_use", "functionCall"})
_RESULTS = frozenset({"toolResult", "tool_result"})
_DEFERRED_TOOL = "tool_call"
_LONGEST_ARGUMENTS = 64 * 1024
_UNKNOWN_MEDIA = "application/octet-stream"


class _Arguments(msgspec.Struct):
    """The arguments of a tool call that name a file, or the tool behind a deferred call."""

    path: str | None = None
    file_path: str | None = None
    filePath: str | None = None
    file: str | None = None
    id: str | None = None
    args: msgspec.Raw = msgspec.Raw()


class _Source(msgspec.Struct):
    media_type: str | None = None
    data: msgspec.Raw = msgspec.Raw()


class _Link(msgspec.Struct):
    url: str | None = None


class _Call(msgspec.Struct):
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()


_arguments = msgspec.json.Decoder(_Arguments)
_source = msgspec.json.Decoder(_Source)
_link = msgspec.json.Decoder(_Link | str)
_call = msgspec.json.Decoder(_Call)


@dataclass(slots=True)
class Content:
    """The parts of one message.

    Attributes:
        texts: Text blocks in order; one that a giant line lost the end of ends in `…`.
        text_chars: Characters as recorded, lost ends included.
    """

    texts: list[str] = field(default_factory=list)
    text_chars: int = 0
    thinking_chars: int = 0
    attachments: list[Attachment] = field(default_factory=list)
    tools: list[ToolUse] = field(default_factory=list)


def read_content(message: MessageJson) -> Content:
    """Take a message's content apart."""
    content = Content()
    if isinstance(message.content, str):
        _add_text(content, message.content)
    elif message.content is not None:
        for block in message.content:
            _add_block(content, block)
    if message.tool_call:
        call = _decoded(_call, message.tool_call) or _Call()
        _add_call(content, call.name or message.name, call.arguments)
    if message.tool_result:
        size = _value_size(message.tool_result)
        content.tools.append(ToolUse(message.tool_name or message.name or "", size, is_result=True))
    return content


def _add_text(content: Content, text: str) -> None:
    kept, lost = unmarked(text)
    content.texts.append(kept + ELLIPSIS if lost else kept)
    content.text_chars += len(kept) + lost


def _add_block(content: Content, block: BlockJson) -> None:
    if block.type in _CALLS:
        _add_call(content, block.name, block.arguments or block.input)
    elif block.type in _RESULTS:
        size = _value_size(block.content)
        content.tools.append(ToolUse(block.name or "", size, is_result=True))
    elif block.text is not None:
        _add_text(content, block.text)
    elif block.thinking is not None:
        kept, lost = unmarked(block.thinking)
        content.thinking_chars += len(kept) + lost
    else:
        _add_attachment(content, block)


def _add_call(content: Content, name: str | None, raw: msgspec.Raw) -> None:
    """Note a call; a deferred tool hides behind `tool_call` (openclaw-2026.9.md)."""
    arguments = _decoded(_arguments, raw) if len(raw) <= _LONGEST_ARGUMENTS else None
    if name == _DEFERRED_TOOL and arguments is not None and arguments.id:
        name = arguments.id
        arguments = _decoded(_arguments, arguments.args)
    path = None
    if arguments is not None:
        path = arguments.path or arguments.file_path or arguments.filePath or arguments.file
    content.tools.append(ToolUse(name or "", _value_size(raw), is_result=False, path=path))


def _add_attachment(content: Content, block: BlockJson) -> None:
    media, data = block.mime_type, block.data
    if not data and block.source:
        source = _decoded(_source, block.source) or _Source()
        media, data = media or source.media_type, source.data
    size = _value_size(data)
    if not data and block.image_url:
        media, size = _linked(block.image_url)
    if data or size:
        content.attachments.append(Attachment(media or block.type or _UNKNOWN_MEDIA, size))


def _linked(raw: msgspec.Raw) -> tuple[str | None, int]:
    """Return media type and base64 size of a data URL; a link to elsewhere has no bytes here."""
    link = _decoded(_link, raw)
    url = link.url if isinstance(link, _Link) else link
    head, comma, data = (url or "").partition(",")
    if not comma or not head.startswith("data:"):
        return None, 0
    kept, lost = unmarked(data)
    return head.removeprefix("data:").partition(";")[0] or None, len(kept) + lost


def _value_size(raw: msgspec.Raw) -> int:
    """Return the size of a JSON value as it was; a string counts without its quotes."""
    data = bytes(raw)
    return max(0, unmarked_size(data) - 2 * data.startswith(b'"'))


def _decoded(decoder: msgspec.json.Decoder[_Value], raw: msgspec.Raw) -> _Value | None:
    try:
        return decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


_KINDS = {
    "session": EntryKind.SESSION,
    "message": EntryKind.MESSAGE,
    "compaction": EntryKind.COMPACTION,
    "reset": EntryKind.RESET,
    "leaf": EntryKind.LEAF,
    **dict.fromkeys(
        (
            "model_change",
            "thinking_level_change",
            "branch_summary",
            "custom",
            "custom_message",
            "label",
            "session_info",
        ),
        EntryKind.OTHER,
    ),
}
_SPOKEN = ("user", "assistant")
_RESULT_ROLES = {"toolResult": "toolResult", "tool": "toolResult", "tool_result": "toolResult"}
_SHELL_ROLE = "bashExecution"

_NO_CONTENT = Content()

_INJECTED_MODELS = ("gateway-injected", "delivery-mirror")
_A_PERSON = "external_user"

_LARGEST_COUNT = 2**53

_GLUED = re.compile(
    rb'\{\s*"type"\s*:\s*"(?:message|session|compaction|reset|leaf|custom|custom_message'
    rb'|model_change|thinking_level_change|branch_summary|label|session_info)"'
)
_MOST_GLUED = 8
_HEAD = re.compile(
    rb'\{\s*"type"\s*:\s*"[^"\\]{1,64}"\s*,\s*"id"\s*:\s*"([^"\\]{1,64})"'
    rb'(?:\s*,\s*"parentId"\s*:\s*(?:"([^"\\]{1,64})"|(null)))?'
)


def entries_backward(lines: Iterable[RawLine], *, is_counted: bool = False) -> Iterator[Entry]:
    """Yield the entries of lines that come newest first, newest first; see `parse_line`."""
    for line in lines:
        entries = read_line(line, is_counted=is_counted)
        yield from entries if len(entries) == 1 else reversed(entries)


def entries_forward(lines: Iterable[RawLine]) -> Iterator[Entry]:
    """Yield the entries of lines in stored order."""
    for line in lines:
        yield from read_line(line)


def read_line(line: RawLine, *, is_counted: bool = False) -> tuple[Entry, ...]:
    """Return the entries of one line: one, or a DAMAGED one and what was glued to it."""
    if not line.is_complete:
        return (Entry(EntryKind.IN_PROGRESS, position=line.offset, size_bytes=line.size),)
    entry = parse_line(line.data, position=line.offset, size=line.size, is_counted=is_counted)
    return _damaged(line) if entry is None else (entry,)


def parse_line(
    line: bytes, *, position: int = 0, size: int | None = None, is_counted: bool = False
) -> Entry | None:
    """Decode one line or event.

    Args:
        line: The bytes; those of a reduced line too.
        position: Byte offset or `seq`, handed on.
        size: Bytes of the record, when `line` does not say.
        is_counted: Only counts are wanted: the entry has neither text nor tools.

    Returns:
        The entry, or None when the line is no JSON object.
    """
    record = decode_counted(line) if is_counted else decode_record(line)
    if record is None:
        return None
    message = _message(record)
    spoken = message if isinstance(message, MessageJson) and not is_counted else None
    content = _NO_CONTENT if spoken is None else read_content(spoken)
    role = None if message is None or message.role is None else message.role
    role = _RESULT_ROLES.get(role or "", role)
    has_parent = record.parent_id is not msgspec.UNSET
    at = _when(record, message)
    is_skewed = at is not None and at < EARLIEST
    return Entry(
        kind=_kind(record, message),
        id=record.id or None,
        parent_id=record.parent_id if isinstance(record.parent_id, str) else None,
        has_parent=has_parent,
        at=None if is_skewed else at,
        role=role,
        text="\n".join(content.texts) if role in _SPOKEN else "",
        thinking_chars=content.thinking_chars,
        attachments=tuple(content.attachments),
        tools=() if spoken is None else _tools(spoken, role, content),
        usage=None if message is None or message.usage is None else _usage(message.usage),
        model=None if message is None else message.model,
        compaction=_compaction(record) if record.type == "compaction" else None,
        target_id=record.target_id,
        reason=record.reason,
        is_injected=message is not None and _is_injected(message),
        stop_reason=None if message is None else message.stop_reason,
        position=position,
        size_bytes=len(line) if size is None else size,
        odd_time=SKEWED if is_skewed else "",
    )


def in_time(entries: Iterable[Entry], now: Callable[[], datetime]) -> Iterator[Entry]:
    """Yield entries, those with a time ahead of the clock as if they were of this moment."""
    at = now()
    latest = at + AHEAD
    for entry in entries:
        if entry.at is not None and entry.at > latest:
            yield replace(entry, at=at, odd_time=FUTURE)
        else:
            yield entry


def _message(record: RecordJson | CountedJson) -> SpeakerJson | None:
    """Return the message of a record, which may be the record itself (flat format)."""
    if record.type not in (None, "message"):
        return None
    if record.message is not None:
        return record.message
    return record if record.role is not None else None


def _kind(record: RecordJson | CountedJson, message: SpeakerJson | None) -> EntryKind:
    if record.type is None:
        return EntryKind.UNKNOWN if message is None else EntryKind.MESSAGE
    return _KINDS.get(record.type, EntryKind.UNKNOWN)


def _tools(message: MessageJson, role: str | None, content: Content) -> tuple[ToolUse, ...]:
    if role == "toolResult" and not message.tool_result:
        name = message.tool_name or message.name or ""
        return (*content.tools, ToolUse(name, content.text_chars, is_result=True))
    if role == _SHELL_ROLE:
        chars = len(message.command or "") + len(message.output or "")
        return (ToolUse(_SHELL_ROLE, chars, is_result=True),)
    return tuple(content.tools)


def _usage(usage: UsageJson) -> Usage:
    parts = (
        _count(usage.input) or 0,
        _count(usage.output) or 0,
        _count(usage.cache_read) or 0,
        _count(usage.cache_write) or 0,
    )
    return Usage(*parts, total=_count(usage.total_tokens) or sum(parts))


def _compaction(record: RecordJson | CountedJson) -> Compaction:
    return Compaction(
        summary=record.summary or "",
        tokens_before=_count(record.tokens_before),
        tokens_after=_count(record.tokens_after),
        first_kept_id=record.first_kept_entry_id,
        is_from_hook=record.from_hook,
        duration_ms=_count(record.duration_ms),
    )


def _is_injected(message: SpeakerJson) -> bool:
    """Tell replies of the gateway itself, mirrors of deliveries and routed messages from talk.

    1.24 marks its replies by `stopReason`, later releases by the model name; what no person sent
    carries its provenance from 3.13 on.
    """
    if message.stop_reason == "injected" or message.model in _INJECTED_MODELS:
        return True
    kind = None if message.provenance is None else message.provenance.kind
    return kind is not None and kind != _A_PERSON


def _count(value: Number | None) -> int | None:
    """Return a count as a whole number; None for what can be none."""
    if value is None or not 0 <= value <= _LARGEST_COUNT:
        return None
    return int(value)


def _when(record: RecordJson | CountedJson, message: SpeakerJson | None) -> datetime | None:
    at = moment(record.timestamp)
    return at if message is None else sound(at, moment(message.timestamp))


def _damaged(line: RawLine) -> tuple[Entry, ...]:
    spans = _whole_spans(line.data)
    starts_whole = bool(spans) and spans[0][0] == 0
    damaged = Entry(EntryKind.DAMAGED, position=line.offset, size_bytes=line.size)
    if not starts_whole and (head := _HEAD.match(line.data)):
        damaged = replace(
            damaged,
            id=head[1].decode("utf-8", "replace"),
            parent_id=head[2].decode("utf-8", "replace") if head[2] else None,
            has_parent=bool(head[2] or head[3]),
        )
    recovered = (
        parse_line(line.data[start:end], position=line.offset + start, size=0)
        for start, end in spans
    )
    return (damaged, *(entry for entry in recovered if entry is not None))


def _whole_spans(data: bytes) -> list[tuple[int, int]]:
    """Return where whole records lie in a line that is none, first to last."""
    starts = [match.start() for match in islice(_GLUED.finditer(data), _MOST_GLUED)]
    bounds = [*starts, len(data)]
    spans: list[tuple[int, int]] = []
    for number, start in enumerate(starts):
        if spans and start < spans[-1][1]:
            continue  # inside of the record before
        for end in bounds[number + 1 :]:
            if is_regular(data[start:end]):
                spans.append((start, end))
                break
    return spans
