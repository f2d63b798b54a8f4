"""One line or event of a transcript as an `Entry` (mission §2, formats §4)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from memconsole.domain.transcript import Attachment, Compaction, Entry, EntryKind, ToolUse, Usage

_KINDS = {
    "session": EntryKind.SESSION,
    "message": EntryKind.MESSAGE,
    "compaction": EntryKind.COMPACTION,
    "reset": EntryKind.RESET,
    "leaf": EntryKind.LEAF,
}


def parse_line(line: bytes, *, position: int = 0) -> Entry | None:
    """Decode one line.

    Args:
        line: The bytes of one line or event.
        position: Byte offset or `seq`, handed on.

    Returns:
        The entry, or None when the line is no JSON object.
    """
    try:
        record = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    kind = record.get("type")
    if kind is None and isinstance(record.get("role"), str):
        kind, message = "message", record
    else:
        message = record.get("message") if isinstance(record.get("message"), dict) else {}
    parts = _parts(message.get("content"))
    role = _text(message.get("role"))
    return Entry(
        _KINDS.get(kind, EntryKind.OTHER) if isinstance(kind, str) else EntryKind.OTHER,
        id=_text(record.get("id")),
        parent_id=_text(record.get("parentId")),
        has_parent="parentId" in record,
        at=_time(record.get("timestamp")) or _time(message.get("timestamp")),
        role=role,
        text="\n".join(parts["text"]) if role != "toolResult" else "",
        thinking_chars=parts["thinking"],
        attachments=tuple(parts["attachments"]),
        tools=tuple(parts["tools"]),
        usage=_usage(message.get("usage")),
        model=_text(message.get("model")),
        compaction=_compaction(record) if kind == "compaction" else None,
        target_id=_text(record.get("targetId")),
        reason=_text(record.get("reason")),
        is_injected=message.get("stopReason") == "injected"
        or message.get("model") == "gateway-injected",
        position=position,
        size_bytes=len(line),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _time(value: Any) -> datetime | None:
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value)
            return at if at.tzinfo else at.replace(tzinfo=UTC)
        if isinstance(value, int | float) and value > 0:
            return datetime.fromtimestamp(value / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _parts(content: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"text": [], "thinking": 0, "attachments": [], "tools": []}
    if isinstance(content, str):
        found["text"].append(content)
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        if isinstance(block.get("text"), str):
            found["text"].append(block["text"])
        elif isinstance(block.get("thinking"), str):
            found["thinking"] += len(block["thinking"])
        elif isinstance(block.get("data"), str):
            kind = _text(block.get("mimeType")) or "application/octet-stream"
            found["attachments"].append(Attachment(kind, len(block["data"])))
        elif block.get("type") == "toolCall":
            arguments = msgspec.json.encode(block.get("arguments")).decode()
            found["tools"].append(ToolUse(_text(block.get("name")) or "", len(arguments), False))
    return found


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    parts = [
        count if isinstance(count := value.get(name), int) else 0
        for name in ("input", "output", "cacheRead", "cacheWrite", "totalTokens")
    ]
    return Usage(*parts[:4], total=parts[4] or sum(parts[:4]))


def _compaction(record: dict[str, Any]) -> Compaction:
    before, after = record.get("tokensBefore"), record.get("tokensAfter")
    return Compaction(
        _text(record.get("summary")) or "",
        before if isinstance(before, int) else None,
        after if isinstance(after, int) else None,
        _text(record.get("firstKeptEntryId")),
    )
