"""Files left beside a database, as after the move of a home to SQLite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memconsole.domain.transcripts.records import EntryKind
from tests.homes import entry_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memconsole.domain.transcripts.records import Entry
    from tests.homes import SqliteHome


def put(home: SqliteHome, name: str, records: Sequence[bytes], folder: str = "sessions") -> Path:
    """Leave a file beside the database."""
    path = home.agent.folder / folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(record + b"\n" for record in records))
    return path


def put_store(home: SqliteHome, **ids: object) -> None:
    """Leave a `sessions.json`: session key without `agent:main:`, and its id."""
    entries = {
        f"agent:main:{key}": entry_of(str(session_id), {"totalTokens": 158_000})
        for key, session_id in ids.items()
    }
    home.agent.store_file.write_text(json.dumps(entries))


def said(entries: Sequence[Entry]) -> list[str]:
    return [entry.text for entry in entries if entry.kind is EntryKind.MESSAGE]
