"""Transcript records as the platform writes them.

Formats: `docs/formats.md`, "Transcripts".
"""

from __future__ import annotations

import base64
import json
import random
import struct
import uuid
import zlib
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

Fields: TypeAlias = "dict[str, object]"

_NAMESPACE = uuid.UUID("2f8f5d0a-3f56-4f0e-9a5c-5b4a1d7e6c21")
_MODEL = {"provider": "anthropic", "model": "claude-sonnet-4-5"}


def milliseconds(at: datetime) -> int:
    """Return the platform's kind of instant: milliseconds since the epoch."""
    return int(at.timestamp() * 1000)


def stamp(at: datetime) -> str:
    """Return an aware UTC instant as transcripts write it."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def encode(record: Mapping[str, object]) -> bytes:
    """Return one record as it is stored, without a line end."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def uuid_of(*names: object) -> str:
    """Return the uuid of a name: the same in every run."""
    return str(uuid.uuid5(_NAMESPACE, "/".join(map(str, names))))


class Transcript:
    """Writes the records of one session, each hanging on the one before it.

    Attributes:
        session_id: Whose they are.
        records: Time and fields of each so far, the header first.
    """

    def __init__(self, session_id: str, at: datetime, *, version: int) -> None:
        self.session_id = session_id
        self.records: list[tuple[datetime, Fields]] = []
        self._parent: str | None = None
        header = {"version": version, "id": session_id, "timestamp": stamp(at)}
        self.records.append((at, {"type": "session", **header}))

    @property
    def last(self) -> tuple[datetime, Fields]:
        """The newest record."""
        return self.records[-1]

    def user(self, at: datetime, text: str, *, has_picture: bool = False) -> None:
        """Add what a person said."""
        content: list[Fields] = [{"type": "text", "text": text}]
        if has_picture:
            data = base64.b64encode(picture(len(self.records))).decode()
            content.append({"type": "image", "data": data, "mimeType": "image/png"})
        self._message(at, {"role": "user", "content": content})

    def assistant(self, at: datetime, text: str, tokens: int) -> None:
        """Add an answer; `tokens` is the size of the prompt that led to it."""
        content: list[Fields] = [{"type": "text", "text": text}]
        self._answer(at, content, tokens, "stop")

    def tool(self, at: datetime, name: str, call: str, result: str, tokens: int) -> None:
        """Add a tool call and its result; `call` is a JSON object."""
        call_id = f"call_{len(self.records):05}"
        names = {"id": call_id, "name": name, "arguments": json.loads(call)}
        block: Fields = {"type": "toolCall", **names}
        self._answer(at, [block], tokens, "toolUse")
        message = {
            "role": "toolResult",
            "toolCallId": call_id,
            "toolName": name,
            "content": [{"type": "text", "text": result}],
            "isError": result.startswith("error"),
        }
        self._message(at, message)

    def compaction(self, at: datetime, summary: str, before: int, after: int) -> None:
        """Add a compaction; its own id as the first kept one keeps nothing."""
        counts = {"tokensBefore": before, "tokensAfter": after}
        kept = {"firstKeptEntryId": self._next_id(), "fromHook": False}
        self._add(at, {"type": "compaction", "summary": summary, **kept, **counts})

    def reset(self, at: datetime) -> None:
        """Add an in-place reset, as releases of the SQLite era write it."""
        self._add(at, {"type": "reset", "reason": "new"})

    def _answer(self, at: datetime, content: list[Fields], tokens: int, stop: str) -> None:
        cached = tokens * 3 // 4
        usage = {
            "input": tokens - cached,
            "output": 180,
            "cacheRead": cached,
            "cacheWrite": 0,
            "totalTokens": tokens + 180,
        }
        speaker = {"role": "assistant", **_MODEL}
        self._message(at, {**speaker, "content": content, "usage": usage, "stopReason": stop})

    def _message(self, at: datetime, message: Fields) -> None:
        self._add(at, {"type": "message", "message": {**message, "timestamp": milliseconds(at)}})

    def _add(self, at: datetime, fields: Fields) -> None:
        event_id = self._next_id()
        frame = {"id": event_id, "parentId": self._parent, "timestamp": stamp(at)}
        self.records.append((at, {"type": fields["type"], **frame, **fields}))
        self._parent = event_id

    def _next_id(self) -> str:
        return uuid_of(self.session_id, len(self.records))[:8]


def picture(seed: int) -> bytes:
    """Return a small PNG that no packing makes smaller, as photos are: about 12 KB."""
    size = 64
    noise = random.Random(seed)  # only has to look like a photo
    rows = b"".join(b"\0" + noise.randbytes(size * 3) for _ in range(size))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def navigation(record: Mapping[str, object]) -> Fields:
    """Return the frame that the platform keeps in plain text beside a packed record."""
    names = ("type", "id", "parentId", "timestamp")
    frame: Fields = {name: record[name] for name in names if name in record}
    message = record.get("message")
    role = message.get("role") if isinstance(message, dict) else None
    spoken = {**frame, "message": {"role": role}}
    sizes = ("modelBytes", "modelWithoutCheckpointBytes", "withoutCustomDataBytes")
    return {
        "version": 1,
        "report": {"kind": "canonical", "entry": frame},
        "navigation": spoken,
        "reset": spoken,
        "model": spoken,
        **dict.fromkeys(sizes, len(encode(record))),
    }
