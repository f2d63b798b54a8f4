"""Writes the agent database of the SQLite era (agent schema 23), with the tables we read.

Format: `docs/formats.md`, "The agent database". This runs in a process of its own, so the standard
library's SQLite meets no other one here.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from memconsole.demo.records import milliseconds
from memconsole.demo.stores import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from benchmarks.records import Session


def write_database(path: Path, agent: str, sessions: Iterable[Session]) -> None:
    """Write one agent's database as a clean stop leaves it: WAL mode, no `-wal`, no `-shm`."""
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for statement in SCHEMA:
            connection.execute(statement)
        meta = ("primary", "agent", 23, agent, "2026.9.6", 0, 0)
        connection.execute("INSERT INTO schema_meta VALUES (?, ?, ?, ?, ?, ?, ?)", meta)
        for session in sessions:
            _write_session(connection, session)
        connection.commit()


def _write_session(connection: sqlite3.Connection, session: Session) -> None:
    at = milliseconds(session.updated_at)
    entry = json.dumps(session.entry(is_versioned=True))
    connection.execute(
        "INSERT INTO session_nodes (session_key, current_session_id, entry_json, entry_valid,"
        " updated_at, status, created_at, created_via, label, last_interaction_at)"
        " VALUES (?, ?, ?, 1, ?, 'done', ?, 'operator', ?, ?)",
        (session.key, session.id, entry, at, at, f"Conversation {session.number}", at),
    )
    connection.execute(
        "INSERT INTO session_windows (session_id, session_key, reason, created_at, updated_at,"
        " transcript_updated_at, started_at, status, chat_type, model_provider, model)"
        " VALUES (?, ?, 'initial', ?, ?, ?, ?, 'done', 'direct', 'stub', 'stub-large')",
        (session.id, session.key, at, at, at, at),
    )
    connection.executemany(
        "INSERT INTO transcript_events (session_id, seq, event_json, created_at,"
        " event_utf8_bytes) VALUES (?, ?, ?, ?, ?)",
        _rows(session, at),
    )


def _rows(session: Session, at: int) -> Iterator[tuple[str, int, str, int, int]]:
    last = 4 * session.shape.turns
    for seq, event in enumerate(session.events(4)):
        text = json.dumps(event)
        yield session.id, seq, text, at - (last - seq) * 20_000, len(text)
