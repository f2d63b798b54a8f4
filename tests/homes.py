"""Platform homes made for tests, with equal content in either storage era.

Both builders take the same calls, so that one suite can run over both stores.
"""

from __future__ import annotations

import json
import os
import tarfile
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memconsole.adapters.sqlite.own import open_own, transaction
from memconsole.adapters.transcripts.packing import zstd
from memconsole.domain.agents import Agent, AgentRef, HomeRef
from tests.transcripts import START, milliseconds, navigation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.adapters.sqlite.choice import Connection

SCHEMA = Path(__file__).parent / "schema_23.sql"
_PACKED_FROM, _PACKED_TO = 1024, 4 * 1024 * 1024


def lay_log_over(home: Path, shared: Path) -> None:
    """Make a fixture home of 2026.9 that of a running gateway: rows that are only in the log."""
    with tarfile.open(shared / "fixtures" / "openclaw-2026.9" / "wal-overlay.tar.gz") as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)  # not before 3.11.4
        packed.extractall(home)


def make_agent(home: Path, agent_id: str = "main") -> Agent:
    """Return an agent of a home with the usual places; nothing is made."""
    folder = home / "agents" / agent_id
    return Agent(
        ref=AgentRef(HomeRef(str(home)), agent_id),
        name=None,
        workspace=home / "workspace",
        workspace_exists=False,
        folder=folder,
        sessions_dir=folder / "sessions",
        store_file=folder / "sessions" / "sessions.json",
        database=folder / "agent" / "openclaw-agent.sqlite",
        is_configured=True,
    )


class HomeBuilder(Protocol):
    """Writes one agent's sessions.

    Attributes:
        agent: The agent whose sessions they are.
        store: The file that is the store.
    """

    agent: Agent
    store: Path

    def live(
        self, key: str, session_id: str, records: Sequence[bytes] | None, **entry: object
    ) -> None:
        """Add an entry, and its transcript unless `records` is None."""

    def deleted(self, session_id: str, records: Sequence[bytes]) -> None:
        """Add an archive of a deleted session."""

    def orphan(self, session_id: str, records: Sequence[bytes]) -> None:
        """Add a transcript that nothing names."""

    def append(self, session_id: str, *records: bytes) -> None:
        """Add records to a transcript."""

    def empty_store(self) -> None:
        """Make the store without any session."""


def entry_of(session_id: str, changes: Mapping[str, object]) -> dict[str, object]:
    """Return a session entry as both stores hold it; a change to None leaves the field out."""
    at = milliseconds(START + timedelta(hours=1))
    entry: dict[str, object] = {
        "sessionId": session_id,
        "updatedAt": at,
        "sessionStartedAt": milliseconds(START),
        "lastInteractionAt": at,
        "skillsSnapshot": {"prompt": "bulk " * 200, "version": at},
        **changes,
    }
    return {name: value for name, value in entry.items() if value is not None}


class FileHome:
    """The file era: `sessions.json` and one file a transcript."""

    def __init__(self, home: Path, agent_id: str = "main") -> None:
        self.agent = make_agent(home, agent_id)
        self.store = self.agent.store_file
        self._entries: dict[str, object] = {}
        self.agent.sessions_dir.mkdir(parents=True)

    def live(
        self, key: str, session_id: str, records: Sequence[bytes] | None, **entry: object
    ) -> None:
        self._entries[key] = entry_of(session_id, entry)
        self.empty_store()
        if records is not None:
            self._write(f"{session_id}.jsonl", records)

    def deleted(self, session_id: str, records: Sequence[bytes]) -> None:
        self._write(f"{session_id}.jsonl.deleted.2026-11-27T22-04-03.809Z", records)

    def orphan(self, session_id: str, records: Sequence[bytes]) -> None:
        self._write(f"{session_id}.jsonl", records)

    def append(self, session_id: str, *records: bytes) -> None:
        with (self.agent.sessions_dir / f"{session_id}.jsonl").open("ab") as file:
            file.writelines(record + b"\n" for record in records)

    def empty_store(self) -> None:
        self.store.write_text(json.dumps(self._entries, indent=2))

    def _write(self, name: str, records: Sequence[bytes]) -> None:
        path = self.agent.sessions_dir / name
        path.write_bytes(b"".join(record + b"\n" for record in records))
        at = (START + timedelta(hours=1)).timestamp()
        os.utime(path, (at, at))


class SqliteHome:
    """The SQLite era: one database with the platform's own tables.

    Args:
        home: The state folder.
        agent_id: Whose database.
        schema: Its tables, as SQL.
        version: Its `user_version`.
        is_packing: Pack long events with zstd, as the platform does.
    """

    def __init__(
        self,
        home: Path,
        agent_id: str = "main",
        *,
        schema: str | None = None,
        version: int = 23,
        is_packing: bool = True,
    ) -> None:
        self.agent = make_agent(home, agent_id)
        self.store = self.agent.database
        self._is_packing = is_packing
        self.store.parent.mkdir(parents=True)
        with open_own(self.store) as connection, transaction(connection):
            for statement in statements(SCHEMA.read_text() if schema is None else schema):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version}")

    def live(
        self, key: str, session_id: str, records: Sequence[bytes] | None, **entry: object
    ) -> None:
        fields = entry_of(session_id, entry)
        at = milliseconds(START + timedelta(hours=1))
        with open_own(self.store) as connection, transaction(connection):
            connection.execute(
                "INSERT INTO session_nodes (session_key, current_session_id, entry_json,"
                " updated_at, archived_at) VALUES (?, ?, ?, ?, ?)",
                (key, session_id, json.dumps(fields), at, _number(fields.get("archivedAt"))),
            )
            self.window(connection, key, session_id)
            self._events(connection, session_id, records or ())

    def deleted(self, session_id: str, records: Sequence[bytes]) -> None:
        at = datetime(2026, 11, 27, 22, 4, 3, 809000, tzinfo=UTC)
        blob = zstd.compress(b"".join(record + b"\n" for record in records))
        name = f"{session_id}.jsonl.deleted.2026-11-27T22-04-03.809Z.64ca846b.zst"
        with open_own(self.store) as connection:
            connection.execute(
                "INSERT INTO session_transcript_archives (session_id, generation, session_key,"
                " reason, encoding, archive_blob, archive_sha256, archive_name, created_at)"
                " VALUES (?, '64ca846b', 'agent:main:gone', 'deleted', 'zstd', ?, ?, ?, ?)",
                (session_id, blob, sha256(blob).hexdigest(), name, milliseconds(at)),
            )

    def orphan(self, session_id: str, records: Sequence[bytes]) -> None:
        with open_own(self.store) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            self._events(connection, session_id, records)

    def append(self, session_id: str, *records: bytes) -> None:
        with open_own(self.store) as connection, transaction(connection):
            self._events(connection, session_id, records)

    def empty_store(self) -> None:
        """It is there already."""

    def window(
        self,
        connection: Connection,
        key: str,
        session_id: str,
        previous: str | None = None,
        reason: str = "initial",
    ) -> None:
        """Add a transcript of a key, current or older."""
        at = milliseconds(START + timedelta(hours=1))
        connection.execute(
            "INSERT INTO session_windows (session_id, session_key, previous_session_id, reason,"
            " created_at, updated_at, transcript_updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (session_id, key, previous, reason, milliseconds(START), at, at),
        )

    def _events(self, connection: Connection, session_id: str, records: Sequence[bytes]) -> None:
        row = connection.execute(
            "SELECT count(*) FROM transcript_events WHERE session_id = ?", (session_id,)
        ).fetchone()
        first = row[0] if row is not None and isinstance(row[0], int) else 0
        for seq, record in enumerate(records, first):
            self._event(connection, session_id, seq, record)

    def _event(self, connection: Connection, session_id: str, seq: int, record: bytes) -> None:
        at = milliseconds(START + timedelta(minutes=seq))
        packed = zstd.compress(record) if self._is_packing else record
        is_worth_it = len(packed) < 0.9 * len(record)
        if is_worth_it and _PACKED_FROM <= len(record) <= _PACKED_TO:
            connection.execute(
                "INSERT INTO transcript_events (session_id, seq, event_zstd, event_utf8_bytes,"
                " navigation_json, created_at) VALUES (?, ?, ?, ?, ?, ?)",
                (session_id, seq, packed, len(record), navigation(record), at),
            )
        else:
            connection.execute(
                "INSERT INTO transcript_events (session_id, seq, event_json, created_at)"
                " VALUES (?, ?, ?, ?)",
                (session_id, seq, record.decode("utf-8", "replace"), at),
            )
        event_id = _field(record, "id")
        if event_id is not None and _field(record, "type") != "session":
            connection.execute(
                "INSERT OR IGNORE INTO transcript_event_identities (session_id, event_id, seq,"
                " event_type, created_at) VALUES (?, ?, ?, ?, ?)",
                (session_id, event_id, seq, _field(record, "type"), at),
            )


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; a trigger holds semicolons of its own."""
    pending: list[str] = []
    for text in script.splitlines():
        if text.startswith("--"):
            continue
        pending.append(text)
        whole = "\n".join(pending)
        is_trigger = whole.lstrip().startswith("CREATE TRIGGER")
        if text.endswith("END;" if is_trigger else ";"):
            yield whole
            pending = []


def _field(record: bytes, name: str) -> str | None:
    try:
        value = json.loads(record).get(name)
    except (ValueError, AttributeError):
        return None
    return value if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
