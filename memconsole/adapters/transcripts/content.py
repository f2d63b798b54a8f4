"""Reads what a message's content holds: text, thinking, tool traffic, pictures."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeVar

import msgspec

from memconsole.adapters.transcripts.reduce import unmarked, unmarked_size
from memconsole.domain.transcripts.records import Attachment, ToolUse
from memconsole.lazy_dataclass import dataclass
from memconsole.text.graphemes import ELLIPSIS

if TYPE_CHECKING:
    from memconsole.adapters.transcripts.records import BlockJson, MessageJson

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
