"""Session entries and transcript events as the platform writes them, from nothing but numbers.

Formats: `docs/formats.md`, "Session entries" and "Transcripts".
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memconsole.demo.records import milliseconds, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = datetime(2026, 4, 12, 9, 0, tzinfo=UTC)
"""The moment at which every generated home plays."""

WINDOW = 200_000
_NAMESPACE = uuid.UUID("8f6f2f5e-7d0f-4b55-9d2a-5a4a3a0c7d11")
_SENTENCE = (
    "the inventory service scans barcodes and stores stock levels while the replica in the second "
    "rack waits for its backup drill and the plumber comes on Tuesday with a new valve "
)


@dataclass(frozen=True, slots=True)
class Shape:
    """How big a generated home is.

    Attributes:
        agents: Number of agents; `main` is the first.
        sessions: Sessions of each agent.
        entry_bytes: Size of one session entry (real ones are 15 to 40 KB).
        turns: Pairs of a user and an assistant message in each transcript.
        tool_bytes: Size of the tool result between the two.
        sqlite_every: Each n-th agent keeps its sessions in SQLite; 0 for none.
        stale_every: Each n-th session has no fresh count; 0 for none.
    """

    agents: int = 3
    sessions: int = 4
    entry_bytes: int = 15 * 1024
    turns: int = 6
    tool_bytes: int = 200
    sqlite_every: int = 2
    stale_every: int = 3


@dataclass(frozen=True, slots=True)
class Session:
    """One generated session; `number` counts within its agent."""

    shape: Shape
    agent: str
    number: int

    @property
    def key(self) -> str:
        """`main` first, then people one by one."""
        return f"agent:{self.agent}:" + (
            "main" if self.number == 0 else f"telegram:direct:{1000 + self.number}"
        )

    @property
    def id(self) -> str:
        """The same in every run."""
        return str(uuid.uuid5(_NAMESPACE, self.key))

    @property
    def updated_at(self) -> datetime:
        """The main session is the newest one."""
        return NOW - timedelta(minutes=4 + 7 * self.number)

    @property
    def tokens(self) -> int:
        """From a few thousand up to beyond the threshold of 150,000."""
        return 152_000 if self.number == 0 else 3_000 + (self.number * 7_919) % 140_000

    @property
    def is_stale(self) -> bool:
        """Whether the platform could not count after the last run."""
        return bool(self.shape.stale_every) and self.number % self.shape.stale_every == 1

    def entry(self, *, is_versioned: bool) -> dict[str, object]:
        """Return the session entry; most of a real one is a snapshot of skills."""
        at = milliseconds(self.updated_at)
        entry: dict[str, object] = {
            "sessionId": self.id,
            "updatedAt": at,
            "sessionStartedAt": at - 86_400_000,
            "lastInteractionAt": at,
            "chatType": "direct",
            "compactionCount": 0,
            "totalTokens": self.tokens,
            "totalTokensFresh": not self.is_stale,
            "contextTokens": WINDOW,
            "modelProvider": "stub",
            "model": "stub-large",
            "label": f"Conversation {self.number}",
        }
        if is_versioned and not self.is_stale:
            entry["totalTokensVersion"] = 1
        room = self.shape.entry_bytes - len(json.dumps(entry))
        entry["skillsSnapshot"] = {"prompt": prose(max(room, 0), self.number), "version": at}
        return entry

    def events(self, version: int) -> Iterator[dict[str, object]]:
        """Yield the transcript, its header first; `version` is the header's."""
        started = self.updated_at - timedelta(minutes=2 * self.shape.turns)
        yield {"type": "session", "version": version, "id": self.id, "timestamp": stamp(started)}
        parent: str | None = None
        for turn in range(self.shape.turns):
            for part, message in enumerate(self._turn(turn)):
                at = started + timedelta(minutes=2 * turn, seconds=20 * part)
                event_id = f"{turn:06x}{part:02x}"
                message["timestamp"] = milliseconds(at)
                yield {
                    "type": "message",
                    "id": event_id,
                    "parentId": parent,
                    "timestamp": stamp(at),
                    "message": message,
                }
                parent = event_id

    def _turn(self, turn: int) -> Iterator[dict[str, object]]:
        share = (turn + 1) / self.shape.turns
        prompt = int(self.tokens * share)
        usage = {"input": prompt, "output": 40, "cacheRead": 0, "cacheWrite": 0}
        call = {"type": "toolCall", "id": f"call_{turn}", "name": "read", "arguments": {}}
        result = {"type": "text", "text": prose(self.shape.tool_bytes, turn)}
        answer = {"type": "text", "text": f"Step {turn} is done. {prose(120, turn)}"}
        speaker = {"role": "assistant", "provider": "stub", "model": "stub-large"}
        yield {"role": "user", "content": f"Please do step {turn} of {self.key}. {prose(90, turn)}"}
        yield {**speaker, "content": [call], "usage": usage, "stopReason": "toolUse"}
        yield {"role": "toolResult", "toolCallId": call["id"], "content": [result]}
        yield {**speaker, "content": [answer], "usage": usage, "stopReason": "stop"}


def prose(size: int, seed: int) -> str:
    """Return `size` characters of words; equal seeds give equal text."""
    start = seed % len(_SENTENCE)
    once = _SENTENCE[start:] + _SENTENCE[:start]
    return (once * (size // len(once) + 1))[:size]
