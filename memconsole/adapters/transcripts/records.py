"""The JSON of transcript records, typed: fast for what is regular, lenient for what is not.

msgspec decodes straight into these structs and skips what is not used. A line that does not fit (a
wrong type, a lone surrogate, a bad byte) is decoded again without types, and every field of a
usable type is taken; only a line that is no JSON object at all counts as damaged.
Shapes: `docs/formats.md`, "Transcripts".
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping

Number: TypeAlias = int | float
Json: TypeAlias = Any

_Message = TypeVar("_Message", bound="MessageJson")

_NOTHING = msgspec.Raw()
_HALF = "[\ud800-\udfff]"


class UsageJson(msgspec.Struct, rename="camel"):
    """`usage` of a message; keys may be missing."""

    input: Number | None = None
    output: Number | None = None
    cache_read: Number | None = None
    cache_write: Number | None = None
    total_tokens: Number | None = None


class ProvenanceJson(msgspec.Struct):
    """Where a user message came from, when no person wrote it."""

    kind: str | None = None


class BlockJson(msgspec.Struct, rename="camel"):
    """One block of a content list, of whatever type; what is only measured stays raw."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    name: str | None = None
    arguments: msgspec.Raw = _NOTHING
    input: msgspec.Raw = _NOTHING
    content: msgspec.Raw = _NOTHING
    data: msgspec.Raw = _NOTHING
    mime_type: str | None = None
    source: msgspec.Raw = _NOTHING
    image_url: msgspec.Raw = msgspec.field(default=_NOTHING, name="image_url")


class SpeakerJson(msgspec.Struct, rename="camel"):
    """What a message is, without what it says."""

    role: str | None = None
    timestamp: object = None
    usage: UsageJson | None = None
    model: str | None = None
    stop_reason: str | None = None
    provenance: ProvenanceJson | None = None


class MessageJson(SpeakerJson, rename="camel"):
    """The message inside a record, or a whole flat record (`role` at the top)."""

    content: str | list[BlockJson] | None = None
    provider: str | None = None
    tool_name: str | None = None
    name: str | None = None
    command: str | None = None
    output: str | None = None
    tool_call: msgspec.Raw = msgspec.field(default=_NOTHING, name="tool_call")
    tool_result: msgspec.Raw = msgspec.field(default=_NOTHING, name="tool_result")


class RecordJson(MessageJson, rename="camel"):
    """One line of a transcript, one event of a database."""

    type: str | None = None
    id: str | None = None
    parent_id: str | msgspec.UnsetType | None = msgspec.UNSET
    message: MessageJson | None = None
    summary: str | None = None
    tokens_before: Number | None = None
    tokens_after: Number | None = None
    first_kept_entry_id: str | None = None
    from_hook: bool | None = None
    duration_ms: Number | None = None
    target_id: str | None = None
    reason: str | None = None


class CountedJson(SpeakerJson, rename="camel"):
    """A record of which only counts are wanted: its words are passed over, not decoded."""

    type: str | None = None
    id: str | None = None
    parent_id: str | msgspec.UnsetType | None = msgspec.UNSET
    message: SpeakerJson | None = None
    summary: str | None = None
    tokens_before: Number | None = None
    tokens_after: Number | None = None
    first_kept_entry_id: str | None = None
    from_hook: bool | None = None
    duration_ms: Number | None = None
    target_id: str | None = None
    reason: str | None = None


_DECODER = msgspec.json.Decoder(RecordJson)
_COUNTED = msgspec.json.Decoder(CountedJson)


def decode_record(line: bytes) -> RecordJson | None:
    """Decode one line.

    Returns:
        The record, or None when the line is no JSON object.
    """
    try:
        return _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        value = json.loads(line.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    return _record(value) if isinstance(value, dict) else None


def decode_counted(line: bytes) -> CountedJson | RecordJson | None:
    """Decode one line without its words, where it is regular; None as `decode_record`."""
    try:
        return _COUNTED.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return decode_record(line)


def is_regular(line: bytes) -> bool:
    """Whether `line` is one whole record of the usual shape; cheaper than decoding leniently."""
    try:
        _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _record(value: Mapping[str, Json]) -> RecordJson:
    message = value.get("message")
    record = RecordJson(
        type=_text(value.get("type")),
        id=_text(value.get("id")),
        message=_message(message, MessageJson()) if isinstance(message, dict) else None,
        summary=_text(value.get("summary")),
        tokens_before=_number(value.get("tokensBefore")),
        tokens_after=_number(value.get("tokensAfter")),
        first_kept_entry_id=_text(value.get("firstKeptEntryId")),
        from_hook=_flag(value.get("fromHook")),
        duration_ms=_number(value.get("durationMs")),
        target_id=_text(value.get("targetId")),
        reason=_text(value.get("reason")),
    )
    if "parentId" in value:
        record.parent_id = _text(value["parentId"])
    return _message(value, record)


def _message(value: Mapping[str, Json], message: _Message) -> _Message:
    """Fill a message with what of `value` has a usable type."""
    usage, provenance = value.get("usage"), value.get("provenance")
    message.role = _text(value.get("role"))
    message.content = _content(value.get("content"))
    message.timestamp = value.get("timestamp")
    message.usage = _usage(usage) if isinstance(usage, dict) else None
    message.provider = _text(value.get("provider"))
    message.model = _text(value.get("model"))
    message.stop_reason = _text(value.get("stopReason"))
    message.tool_name = _text(value.get("toolName"))
    message.name = _text(value.get("name"))
    if isinstance(provenance, dict):
        message.provenance = ProvenanceJson(_text(provenance.get("kind")))
    message.command = _text(value.get("command"))
    message.output = _text(value.get("output"))
    message.tool_call = _raw(value, "tool_call")
    message.tool_result = _raw(value, "tool_result")
    return message


def _content(value: Json) -> str | list[BlockJson] | None:
    if isinstance(value, list):
        return [_block(block) for block in value if isinstance(block, dict)]
    return _text(value)


def _block(value: Mapping[str, Json]) -> BlockJson:
    return BlockJson(
        type=_text(value.get("type")),
        text=_text(value.get("text")),
        thinking=_text(value.get("thinking")),
        name=_text(value.get("name")),
        arguments=_raw(value, "arguments"),
        input=_raw(value, "input"),
        content=_raw(value, "content"),
        data=_raw(value, "data"),
        mime_type=_text(value.get("mimeType")),
        source=_raw(value, "source"),
        image_url=_raw(value, "image_url"),
    )


def _usage(value: Mapping[str, Json]) -> UsageJson:
    return UsageJson(
        input=_number(value.get("input")),
        output=_number(value.get("output")),
        cache_read=_number(value.get("cacheRead")),
        cache_write=_number(value.get("cacheWrite")),
        total_tokens=_number(value.get("totalTokens")),
    )


def _text(value: Json) -> str | None:
    """Return a text; half a surrogate pair in it, which no text can hold, is marked."""
    return compiled(_HALF).sub("\ufffd", value) if isinstance(value, str) else None


def _number(value: Json) -> Number | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _flag(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


def _raw(value: Mapping[str, Json], name: str) -> msgspec.Raw:
    if name not in value:
        return _NOTHING
    return msgspec.Raw(json.dumps(value[name], ensure_ascii=False).encode("utf-8", "replace"))
