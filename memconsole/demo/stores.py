"""Writes the session store of a demo agent, of either era.

Of the SQLite era a database with the tables of agent schema 23 that we read: the platform's own
checks and triggers are left out, because they need a newer SQLite than some hosts have. Of the file
era `sessions.json` and a file a transcript. Formats: `docs/formats.md`.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.own import open_own, transaction
from memconsole.adapters.transcripts.packing import zstd
from memconsole.demo.cast import Fate
from memconsole.demo.records import encode, milliseconds, navigation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.demo.records import Fields, Transcript
    from memconsole.demo.sessions import Session


PACKED_FROM = 1024
"""Bytes of a record from which the platform packs it, when that saves a tenth."""

SCHEMA = (
    """CREATE TABLE schema_meta (
  meta_key TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL, schema_version INTEGER NOT NULL,
  agent_id TEXT, app_version TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT""",
    """CREATE TABLE session_nodes (
  session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL,
  entry_json TEXT NOT NULL, entry_valid INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL,
  status TEXT, created_at INTEGER, created_via TEXT, parent_session_key TEXT, spawned_by TEXT,
  label TEXT, display_name TEXT, pinned_at INTEGER, archived_at INTEGER, last_read_at INTEGER,
  last_interaction_at INTEGER, last_activity_at INTEGER
) STRICT""",
    """CREATE INDEX idx_agent_session_nodes_updated_at
  ON session_nodes(updated_at DESC, session_key)""",
    """CREATE TABLE session_windows (
  session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, previous_session_id TEXT,
  reason TEXT, session_scope TEXT NOT NULL DEFAULT 'conversation', created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, transcript_updated_at INTEGER DEFAULT NULL, started_at INTEGER,
  ended_at INTEGER, status TEXT, chat_type TEXT, channel TEXT, account_id TEXT,
  model_provider TEXT, model TEXT, agent_harness_id TEXT, parent_session_key TEXT,
  spawned_by TEXT, display_name TEXT
) STRICT""",
    """CREATE INDEX idx_agent_session_windows_session_key
  ON session_windows(session_key, updated_at DESC, session_id)""",
    """CREATE TABLE transcript_events (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL,
  event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT,
  PRIMARY KEY (session_id, seq)
) STRICT""",
    """CREATE TABLE session_transcript_archives (
  session_id TEXT NOT NULL, generation TEXT NOT NULL, session_key TEXT NOT NULL,
  reason TEXT NOT NULL, encoding TEXT NOT NULL, archive_blob BLOB NOT NULL,
  archive_sha256 TEXT NOT NULL, archive_name TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL,
  published_at INTEGER, PRIMARY KEY (session_id, generation)
) STRICT""",
    "PRAGMA user_version = 23",
)


def write_database(
    path: Path, agent_id: str, sessions: Iterable[Session], made_at: datetime
) -> None:
    """Write an agent's database as a clean stop leaves it: WAL mode, without a `-wal`."""
    path.parent.mkdir(parents=True, mode=0o700)
    at = milliseconds(made_at)
    with open_own(path) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # it need not survive a power cut
        with transaction(connection):
            for statement in SCHEMA:
                connection.execute(statement)
            meta = ("primary", "agent", 23, agent_id, "2026.9.6", at, at)
            connection.execute("INSERT INTO schema_meta VALUES (?, ?, ?, ?, ?, ?, ?)", meta)
            for session in sessions:
                if session.plan.fate is Fate.LIVE:
                    _write_live(connection, session)
                else:
                    _write_archive(connection, session)


def _write_live(connection: Connection, session: Session) -> None:
    plan, at = session.plan, milliseconds(session.at)
    started = milliseconds(session.at - plan.span)
    spawned_by = session.entry.get("spawnedBy")
    spawner = spawned_by if isinstance(spawned_by, str) else None
    via = "spawn" if spawner else "channel" if plan.channel else "operator"
    connection.execute(
        "INSERT INTO session_nodes (session_key, current_session_id, entry_json, entry_valid,"
        " updated_at, status, created_at, created_via, label, last_interaction_at, spawned_by)"
        " VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)",
        (
            session.key,
            session.id,
            json.dumps(session.entry, ensure_ascii=False),
            at,
            plan.status,
            started,
            via,
            plan.label,
            at,
            spawner,
        ),
    )
    connection.execute(
        "INSERT INTO session_windows (session_id, session_key, reason, created_at, updated_at,"
        " transcript_updated_at, started_at, status, chat_type, channel)"
        " VALUES (?, ?, 'initial', ?, ?, ?, ?, ?, ?, ?)",
        (
            session.id,
            session.key,
            started,
            at,
            at,
            started,
            plan.status,
            plan.chat_type,
            plan.channel,
        ),
    )
    if session.transcript is not None:
        _write_events(connection, session.transcript)


def _write_events(connection: Connection, transcript: Transcript) -> None:
    for seq, (at, record) in enumerate(transcript.records):
        text, packed, size, frame = event(record)
        connection.execute(
            "INSERT INTO transcript_events (session_id, seq, event_json, created_at, event_zstd,"
            " event_utf8_bytes, navigation_json) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (transcript.session_id, seq, text, milliseconds(at), packed, size, frame),
        )


def event(record: Fields) -> tuple[str | None, bytes | None, int | None, str | None]:
    """Return (`event_json`, `event_zstd`, `event_utf8_bytes`, `navigation_json`) of a record."""
    data = encode(record)
    packed = zstd.compress(data) if len(data) >= PACKED_FROM else data
    if len(packed) > 0.9 * len(data):
        return data.decode(), None, None, None
    return None, packed, len(data), json.dumps(navigation(record))


def _write_archive(connection: Connection, session: Session) -> None:
    if session.transcript is None:
        return
    lines = b"".join(encode(record) + b"\n" for _, record in session.transcript.records)
    blob = zstd.compress(lines)
    digest = sha256(blob).hexdigest()
    reason = session.plan.fate.name.lower()
    generation = digest[:8]
    name = f"{session.id}.jsonl.{reason}.{session.at:%Y-%m-%dT%H-%M-%S.000Z}.{generation}.zst"
    at = milliseconds(session.at)
    connection.execute(
        "INSERT INTO session_transcript_archives VALUES (?, ?, ?, ?, 'zstd', ?, ?, ?, ?, NULL)",
        (session.id, generation, session.key, reason, blob, digest, name, at),
    )


STORE = "sessions.json"


def write_files(folder: Path, sessions: Iterable[Session]) -> None:
    """Write the store of an agent and all transcripts."""
    folder.mkdir(parents=True, mode=0o700)
    store = {}
    for session in sessions:
        if session.plan.fate is Fate.LIVE:
            store[session.key] = session.entry
        if session.transcript is not None:
            name = f"{session.id}.jsonl{_ending(session)}"
            write_transcript(folder / name, session.transcript)
    write_store(folder, store)


def _ending(session: Session) -> str:
    """Return what an archive's name ends in: why and when it was put away."""
    if session.plan.fate not in (Fate.RESET, Fate.DELETED):
        return ""
    at = f"{session.at:%Y-%m-%dT%H-%M-%S}.{session.at.microsecond // 1000:03}Z"
    return f".{session.plan.fate.name.lower()}.{at}"


def write_transcript(path: Path, transcript: Transcript) -> None:
    """Write a transcript; the file is as old as its last record."""
    lines = b"".join(encode(record) + b"\n" for _, record in transcript.records)
    write_file(path, lines, transcript.last[0])


def write_store(folder: Path, store: Mapping[str, Fields]) -> None:
    """Replace the store as the platform does: a file beside it, then a rename."""
    part = folder / f"{STORE}.{os.getpid()}.tmp"
    part.write_text(json.dumps(store, indent=2, ensure_ascii=False), encoding="utf-8")
    part.chmod(0o600)
    part.replace(folder / STORE)


def write_file(path: Path, data: bytes, at: datetime) -> None:
    """Write a file that was last written at a given moment."""
    path.write_bytes(data)
    path.chmod(0o600)
    os.utime(path, (at.timestamp(), at.timestamp()))
