"""Talk in a recorded home, and a reset by hand, as the platform of its release writes both."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from memconsole.adapters.sqlite.own import open_own, transaction
from memconsole.demo.records import milliseconds, stamp

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

KEY = "agent:main:main"


class Platform(Protocol):
    """What a person makes the platform write."""

    def say(self, texts: Sequence[str], at: datetime) -> None:
        """Let user and assistant say texts in turn, all at one time."""

    def reset(self, at: datetime) -> None:
        """Reset the session by hand."""


@dataclass
class FilesPlatform:
    """The file era.

    Attributes:
        state: The platform's state folder.
        archives: A reset renames the transcript; 2026.1 leaves it where it was.
    """

    state: Path
    archives: bool

    @property
    def _folder(self) -> Path:
        return self.state / "agents" / "main" / "sessions"

    def _store(self) -> dict[str, dict[str, Any]]:
        store: dict[str, dict[str, Any]] = json.loads((self._folder / "sessions.json").read_bytes())
        return store

    def _key(self) -> str:
        return KEY if KEY in self._store() else "main"

    def _keep(self, entry: dict[str, Any]) -> None:
        store = self._store() | {self._key(): entry}
        (self._folder / "sessions.json").write_text(json.dumps(store), "utf-8")

    def _transcript(self) -> Path:
        return self._folder / f"{self._store()[self._key()]['sessionId']}.jsonl"

    def say(self, texts: Sequence[str], at: datetime) -> None:
        path = self._transcript()
        lines = path.read_bytes().splitlines()
        parent = json.loads(lines[-1])["id"]
        with path.open("ab") as file:
            for number, text in enumerate(texts):
                record = _message(number, text, parent, at)
                parent = record["id"]
                file.write(json.dumps(record).encode() + b"\n")
        os.utime(path, (at.timestamp(), at.timestamp()))
        self._keep(self._store()[self._key()] | {"updatedAt": milliseconds(at)})

    def reset(self, at: datetime) -> None:
        path = self._transcript()
        if self.archives:
            ending = stamp(at).replace(":", "-")
            path.rename(path.with_name(f"{path.name}.reset.{ending}"))
        entry = self._store()[self._key()]
        entry.pop("sessionFile", None)
        fresh = {"sessionId": str(uuid.uuid4()), "updatedAt": milliseconds(at), "totalTokens": 0}
        self._keep(entry | fresh)


@dataclass
class SqlitePlatform:
    """2026.9: a reset stays in the same transcript."""

    state: Path

    def _run(self, statement: str, *values: object) -> list[Any]:
        path = self.state / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
        with open_own(path) as connection, transaction(connection):
            return list(connection.execute(statement, values))  # type: ignore[arg-type]

    def _session(self) -> str:
        [[session_id]] = self._run(
            "SELECT current_session_id FROM session_nodes WHERE session_key = ?", KEY
        )
        return str(session_id)

    def _add(self, record: dict[str, Any], at: datetime) -> None:
        session_id = self._session()
        [[seq]] = self._run(
            "SELECT max(seq) + 1 FROM transcript_events WHERE session_id = ?", session_id
        )
        self._run(
            "INSERT INTO transcript_events (session_id, seq, event_json, created_at)"
            " VALUES (?, ?, ?, ?)",
            *(session_id, seq, json.dumps(record), milliseconds(at)),
        )

    def _last(self) -> str:
        [[last]] = self._run(
            "SELECT coalesce(json_extract(event_json, '$.id'), json_extract(navigation_json,"
            " '$.navigation.id')) FROM transcript_events WHERE session_id = ?"
            " ORDER BY seq DESC LIMIT 1",
            self._session(),
        )
        return str(last)

    def say(self, texts: Sequence[str], at: datetime) -> None:
        for number, text in enumerate(texts):
            self._add(_message(number, text, self._last(), at), at)
        self._touch(at)

    def reset(self, at: datetime) -> None:
        record = {"type": "reset", "id": uuid.uuid4().hex[:8], "parentId": self._last()}
        self._add(record | {"reason": "reset", "timestamp": stamp(at)}, at)
        self._touch(at, lifecycleRevision=str(uuid.uuid4()), totalTokens=0)

    def _touch(self, at: datetime, **changes: object) -> None:
        [[entry]] = self._run("SELECT entry_json FROM session_nodes WHERE session_key = ?", KEY)
        changed = json.loads(entry) | {"updatedAt": milliseconds(at)} | changes
        if "lifecycleRevision" in changes:
            changed["sessionStartedAt"] = milliseconds(at)
        self._run(
            "UPDATE session_nodes SET entry_json = ?, updated_at = ? WHERE session_key = ?",
            *(json.dumps(changed), milliseconds(at), KEY),
        )


def platform_of(release: str, state: Path) -> Platform:
    """Return what writes as that release does."""
    if release == "openclaw-2026.9":
        return SqlitePlatform(state)
    return FilesPlatform(state, archives=release != "clawdbot-2026.1")


def _message(number: int, text: str, parent: str, at: datetime) -> dict[str, Any]:
    role = "user" if number % 2 == 0 else "assistant"
    return {
        "type": "message",
        "id": uuid.uuid4().hex[:8],
        "parentId": parent,
        "timestamp": stamp(at),
        "message": {
            "role": role,
            "content": [{"type": "text", "text": text}],
            "timestamp": milliseconds(at),
        },
    }
