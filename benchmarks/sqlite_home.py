"""Writes the agent database of the SQLite era (agent schema 23), with the tables we read.

Format: `formats/openclaw-2026.9.md` §3.1. This runs in a process of its own, so the standard
library's SQLite meets no other one here.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from benchmarks.records import milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from benchmarks.records import Session

_SCHEMA = """
PRAGMA page_size = 4096;
CREATE TABLE schema_meta (
  meta_key TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL, schema_version INTEGER NOT NULL,
  agent_id TEXT, app_version TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE session_nodes (
  session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL,
  entry_json TEXT NOT NULL, entry_valid INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL,
  status TEXT, created_at INTEGER, created_via TEXT, parent_session_key TEXT, spawned_by TEXT,
  label TEXT, display_name TEXT, pinned_at INTEGER, archived_at INTEGER, last_read_at INTEGER,
  last_interaction_at INTEGER, last_activity_at INTEGER
) STRICT;
CREATE INDEX idx_agent_session_nodes_updated_at ON session_nodes(updated_at DESC, session_key);
CREATE TABLE session_windows (
  session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, previous_session_id TEXT,
  reason TEXT, session_scope TEXT NOT NULL DEFAULT 'conversation', created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, transcript_updated_at INTEGER DEFAULT NULL, started_at INTEGER,
  ended_at INTEGER, status TEXT, chat_type TEXT, channel TEXT, account_id TEXT,
  model_provider TEXT, model TEXT, agent_harness_id TEXT, parent_session_key TEXT,
  spawned_by TEXT, display_name TEXT
) STRICT;
CREATE INDEX idx_agent_session_windows_session_key
  ON session_windows(session_key, updated_at DESC, session_id);
CREATE TABLE transcript_events (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL,
  event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT,
  PRIMARY KEY (session_id, seq)
) STRICT;
CREATE TABLE session_transcript_archives (
  session_id TEXT NOT NULL, generation TEXT NOT NULL, session_key TEXT NOT NULL,
  reason TEXT NOT NULL, encoding TEXT NOT NULL, archive_blob BLOB NOT NULL,
  archive_sha256 TEXT NOT NULL, archive_name TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL,
  published_at INTEGER, PRIMARY KEY (session_id, generation)
) STRICT;
PRAGMA user_version = 23;
"""


def write_database(path: Path, agent: str, sessions: Iterable[Session]) -> None:
    """Write one agent's database as a clean stop leaves it: WAL mode, no `-wal`, no `-shm`."""
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_SCHEMA)
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
