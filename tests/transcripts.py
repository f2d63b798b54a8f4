"""Transcripts made for tests: records as the bytes of their line, without its end.

What a test wants damaged it hands over damaged.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from memconsole.demo import records
from memconsole.demo.records import encode as line
from memconsole.demo.records import milliseconds, stamp

__all__ = ["START", "header", "line", "message", "milliseconds", "navigation", "stamp", "talk"]

START = datetime(2026, 11, 27, 21, 48, 20, tzinfo=UTC)


def header(session_id: str, at: datetime = START) -> bytes:
    """Return the first record of a transcript."""
    return line({"type": "session", "version": 3, "id": session_id, "timestamp": stamp(at)})


def message(
    number: int,
    text: str,
    role: str = "user",
    parent: int | None = -1,
    at: datetime | None = None,
    **more: object,
) -> bytes:
    """Return one message, a minute after the one before it and hanging on it.

    Args:
        number: Its id, and the minutes since the start.
        text: Its only text block.
        role: Who said it.
        parent: Number of the record it hangs on; -1 for the one before, None for a root.
        at: Another time.
        more: Other fields of the message, such as `usage`.
    """
    before = number - 1 if parent == -1 else parent
    when = at or START + timedelta(minutes=number)
    return line(
        {
            "type": "message",
            "id": f"{number:08x}",
            "parentId": None if before is None or before < 1 else f"{before:08x}",
            "timestamp": stamp(when),
            "message": {
                "role": role,
                "content": [{"type": "text", "text": text}],
                "timestamp": milliseconds(when),
                **more,
            },
        }
    )


def talk(session_id: str, *texts: str) -> list[bytes]:
    """Return a transcript: its header, and messages in turn of user and assistant."""
    usage = {"input": 100, "output": 20, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 120}
    records = [header(session_id)]
    for number, text in enumerate(texts, 1):
        if number % 2:
            records.append(message(number, text))
        else:
            records.append(message(number, text, "assistant", usage=usage, model="stub-large"))
    return records


def navigation(record: bytes) -> str:
    """Return the frame that the platform keeps in plain text beside a packed event."""
    return json.dumps(records.navigation(json.loads(record)))
