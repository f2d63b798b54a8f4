"""Rows of the session tables as values, whatever the schema left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.sessions.entry_fields import EntryFields, decode_entry
from memconsole.adapters.sessions.sqlite.schema import (
    ARCHIVES,
    COLD,
    CONTRACT,
    EVENTS,
    MAX_ENTRY_BYTES,
)
from memconsole.lazy_dataclass import dataclass
from memconsole.text.timestamps import NO_TIME, moment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.adapters.sessions.sqlite.schema import Schema
    from memconsole.adapters.sqlite.choice import SqlValue
    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase


@dataclass(slots=True)  # not frozen, for rows are made by the thousand
class Node:
    """One live entry.

    Attributes:
        fields: None when `entry_json` cannot be decoded.
    """

    key: str
    session_id: str | None
    fields: EntryFields | None
    updated_at: datetime | None
    status: str | None
    label: str | None
    archived_at: datetime | None
    last_interaction_at: datetime | None
    parent_key: str | None


@dataclass(slots=True)
class Window:
    """One transcript of a session key; `previous_id` and `reason` tell how it began."""

    session_id: str = ""
    key: str = ""
    previous_id: str | None = None
    reason: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    transcript_at: datetime | None = None
    status: str | None = None
    chat_type: str | None = None
    channel: str | None = None
    model_provider: str | None = None
    model: str | None = None
    label: str | None = None
    parent_key: str | None = None


@dataclass(frozen=True, slots=True)
class Archive:
    """One archived transcript inside the database."""

    session_id: str
    generation: str
    key: str | None
    reason: str | None
    is_packed: bool
    size_bytes: int | None
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class ColdArchive:
    """One transcript in cold storage.

    Attributes:
        name: File name in `sessions/cold/`, when it is stored there; None inside the database.
        size_bytes: Bytes of its events.
    """

    session_id: str
    generation: str | None
    name: str | None
    size_bytes: int | None
    archived_at: datetime | None


def read_nodes(database: ReadOnlyDatabase, schema: Schema) -> Iterator[Node]:
    """Yield the live entries."""
    table = schema.nodes
    if table is None:
        return
    entry = schema.bounded(table, "entry_json", MAX_ENTRY_BYTES)
    names = schema.list_of(
        table,
        "session_key",
        schema.node_id,
        "updated_at",
        "status",
        "label",
        "display_name",
        "archived_at",
        "last_interaction_at",
        "parent_session_key",
        "spawned_by",
    )
    for row in database.rows(f'SELECT {entry}, {names} FROM "{table}"'):
        raw, key, session_id, updated_at, status, label, name, archived, last, parent, spawner = row
        if isinstance(key, str):
            yield Node(
                key,
                text(session_id),
                decode_entry(raw) if isinstance(raw, bytes) else None,
                moment(updated_at),
                text(status),
                text(label) or text(name),
                moment(archived),
                moment(last),
                text(parent) or text(spawner),
            )


def read_entry(database: ReadOnlyDatabase, schema: Schema, key: str) -> bytes | None:
    """Return the undecoded entry of one live session; None when there is none."""
    table = schema.nodes
    if table is None:
        return None
    entry = schema.bounded(table, "entry_json", MAX_ENTRY_BYTES)
    found = database.rows(f'SELECT {entry} FROM "{table}" WHERE session_key = ?', (key,))
    raw = next((row[0] for row in found), None)
    return raw if isinstance(raw, bytes) else None


def read_windows(database: ReadOnlyDatabase, schema: Schema) -> Iterator[Window]:
    """Yield the transcripts of all session keys."""
    table = schema.windows
    if table is None:
        return
    names = schema.list_of(
        table,
        "session_id",
        "session_key",
        "previous_session_id",
        "reason",
        "created_at",
        "updated_at",
        "transcript_updated_at",
        "status",
        "chat_type",
        "channel",
        "model_provider",
        "model",
        "display_name",
        "parent_session_key",
        "spawned_by",
    )
    for row in database.rows(f'SELECT {names} FROM "{table}"'):
        session_id, key, previous, reason, created, updated, changed, *rest = row
        status, chat_type, channel, provider, model, name, parent, spawner = map(text, rest)
        if isinstance(session_id, str) and isinstance(key, str):
            yield Window(
                session_id,
                key,
                text(previous),
                text(reason),
                moment(created),
                moment(updated),
                _change(changed),
                status,
                chat_type,
                channel,
                provider,
                model,
                name,
                parent or spawner,
            )


def read_archives(database: ReadOnlyDatabase, schema: Schema) -> Iterator[Archive]:
    """Yield the archived transcripts, oldest first; their content stays where it is."""
    if not schema.has(ARCHIVES):
        return
    names = schema.list_of(
        ARCHIVES, "session_id", "generation", "session_key", "reason", "encoding", "created_at"
    )
    size = schema.size(ARCHIVES, "archive_blob")
    for row in database.rows(f"SELECT {size}, {names} FROM {ARCHIVES} ORDER BY created_at"):
        octets, session_id, generation, key, reason, encoding, created = row
        if isinstance(session_id, str) and isinstance(generation, str):
            is_packed = encoding != "identity"
            known = octets if isinstance(octets, int) and not is_packed else None
            yield Archive(
                session_id,
                generation,
                text(key),
                text(reason),
                is_packed,
                known,
                moment(created),
            )


def read_cold(database: ReadOnlyDatabase, schema: Schema) -> Iterator[ColdArchive]:
    """Yield the transcripts in cold storage."""
    if not schema.has(COLD):
        return
    names = schema.list_of(
        COLD, "session_id", "generation", "archive_name", "storage", "raw_bytes", "archived_at"
    )
    for row in database.rows(f"SELECT {names} FROM {COLD}"):
        session_id, generation, name, storage, size, archived = row
        if isinstance(session_id, str):
            yield ColdArchive(
                session_id,
                text(generation),
                text(name) if storage == "file" else None,
                size if isinstance(size, int) else None,
                moment(archived),
            )


def read_ids_with_events(database: ReadOnlyDatabase, schema: Schema) -> frozenset[str]:
    """Return the ids that have events, by one step of the index for each id."""
    if not schema.has(EVENTS):
        return frozenset()
    rows = database.rows(
        f"""
        WITH RECURSIVE ids(id) AS (
          SELECT min(session_id) FROM {EVENTS}
          UNION ALL
          SELECT (SELECT min(session_id) FROM {EVENTS} WHERE session_id > ids.id)
          FROM ids WHERE ids.id IS NOT NULL
        ) SELECT id FROM ids
        """
    )
    return frozenset(found for (found,) in rows if isinstance(found, str))


def read_last_event_at(
    database: ReadOnlyDatabase, schema: Schema, session_id: str
) -> datetime | None:
    """Return when the newest event of a transcript was written."""
    at = schema.column(EVENTS, "created_at")
    row = database.first(
        f"SELECT {at} FROM {EVENTS} WHERE session_id = ? ORDER BY seq DESC LIMIT 1", (session_id,)
    )
    return None if row is None else _change(row[0])


def _change(value: object) -> datetime | None:
    """Return when something changed; what cannot be read tells nothing of it."""
    at = moment(value)
    return None if at == NO_TIME else at


def read_main_key(database: ReadOnlyDatabase, schema: Schema) -> str | None:
    """Return the word that stands for the main session in keys; None when it is not said."""
    if "main_key" in schema.columns[CONTRACT]:
        row = database.first(f"SELECT main_key FROM {CONTRACT} WHERE id = 1")
        if row is not None and (found := text(row[0])) is not None:
            return found
    return None


def text(value: SqlValue) -> str | None:
    """Return text; None for what is none or empty."""
    return value or None if isinstance(value, str) else None
