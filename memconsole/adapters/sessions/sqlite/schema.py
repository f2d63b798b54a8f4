"""Which session tables an agent database has, and the SQL to read them.

Schemas 4 to 13 have `session_entries` and `sessions`, later ones `session_nodes` and
`session_windows`; what else there is depends on the schema, so a column that is missing is read
as NULL. The tables: `docs/formats.md`, "The agent database".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.choice import library
from memconsole.errors import StoreError, StoreNewerError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase

KNOWN_SCHEMA = 23
FIRST_WITH_SESSIONS = 4
FIRST_WITH_COUNT_VERSION = 23
"""From here on a fresh count also carries `totalTokensVersion`."""

EVENTS = "transcript_events"
ARCHIVES = "session_transcript_archives"
COLD = "session_transcript_cold_archives"
IDENTITIES = "transcript_event_identities"
CONTRACT = "session_key_contract"
_META = "schema_meta"

MAX_ENTRY_BYTES = 8 * 1024 * 1024
"""Larger session entries are not read; real ones have 15 to 40 KB."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The session tables of one database.

    Attributes:
        version: The higher of `user_version` and the table of metadata.
        nodes: Table of live entries by session key; None when there is none.
        node_id: Its column with the session id.
        windows: Table with one row a transcript; None when there is none.
        columns: Columns of every table that is used, by table.
    """

    version: int
    nodes: str | None
    node_id: str
    windows: str | None
    columns: Mapping[str, frozenset[str]]

    @property
    def has_sessions(self) -> bool:
        """Whether sessions are kept here at all; a hybrid release keeps only its index here."""
        return self.has_entries or self.has(EVENTS) or self.has(ARCHIVES)

    @property
    def has_entries(self) -> bool:
        """Whether it says which session a transcript is of."""
        return self.nodes is not None or self.windows is not None

    @property
    def is_count_versioned(self) -> bool:
        """Whether a fresh count must carry its version."""
        return self.version >= FIRST_WITH_COUNT_VERSION

    def has(self, table: str) -> bool:
        """Whether the table exists."""
        return bool(self.columns.get(table))

    def column(self, table: str, name: str) -> str:
        """Return SQL for one column, NULL when this schema lacks it."""
        return f'"{name}"' if name in self.columns.get(table, ()) else "NULL"

    def list_of(self, table: str, *names: str) -> str:
        """Return SQL for several columns."""
        return ", ".join(self.column(table, name) for name in names)

    def size(self, table: str, name: str) -> str:
        """Return SQL for the bytes of a column."""
        return library().octets(self.column(table, name))

    def bounded(self, table: str, name: str, limit: int) -> str:
        """Return SQL for the bytes of a column, NULL when they are more than `limit`."""
        column = self.column(table, name)
        return f"CASE WHEN {library().octets(column)} <= {limit} THEN CAST({column} AS BLOB) END"


def read_schema(database: ReadOnlyDatabase) -> Schema:
    """Look which tables a database has; once for all readings of one connection.

    Raises:
        StoreNewerError: Its schema is newer than we know.
        StoreError: It has none of the tables that its schema should have.
    """
    cookie = database.schema_cookie
    known = database.memo.get(__name__)
    if isinstance(known, tuple) and known[0] == cookie and isinstance(known[1], Schema):
        return known[1]
    schema = _look(database)
    database.memo[__name__] = (cookie, schema)
    return schema


def _look(database: ReadOnlyDatabase) -> Schema:
    columns = database.columns(
        "session_nodes",
        "session_entries",
        "session_windows",
        "sessions",
        EVENTS,
        ARCHIVES,
        COLD,
        IDENTITIES,
        CONTRACT,
        _META,
    )
    version = _version(database, columns[_META])
    if version > KNOWN_SCHEMA:
        raise StoreNewerError(one_line(str(database.path)), version, KNOWN_SCHEMA)
    has_nodes = {"session_key", "current_session_id"} <= columns["session_nodes"]
    has_entries = {"session_key", "session_id"} <= columns["session_entries"]
    schema = Schema(
        version=version,
        nodes="session_nodes" if has_nodes else "session_entries" if has_entries else None,
        node_id="current_session_id" if has_nodes else "session_id",
        windows=_first_with(columns, {"session_id", "session_key"}, "session_windows", "sessions"),
        columns={
            **columns,
            EVENTS: _usable(columns[EVENTS], "session_id", "seq", "event_json"),
            ARCHIVES: _usable(columns[ARCHIVES], "session_id", "generation", "archive_blob"),
            COLD: _usable(columns[COLD], "session_id"),
            IDENTITIES: _usable(columns[IDENTITIES], "session_id", "event_id", "seq"),
        },
    )
    _require_tables(database, schema, is_platform=bool(columns[_META]))
    return schema


def _version(database: ReadOnlyDatabase, meta: frozenset[str]) -> int:
    written = 0
    if "schema_version" in meta:
        row = database.first(f"SELECT max(schema_version) FROM {_META}")
        written = row[0] if row is not None and isinstance(row[0], int) else 0
    return max(database.user_version, written)


def _first_with(
    columns: Mapping[str, frozenset[str]], needed: set[str], *tables: str
) -> str | None:
    return next((table for table in tables if needed <= columns[table]), None)


def _usable(columns: frozenset[str], *needed: str) -> frozenset[str]:
    return columns if columns.issuperset(needed) else frozenset()


def _require_tables(database: ReadOnlyDatabase, schema: Schema, *, is_platform: bool) -> None:
    """Tell a database without sessions from one whose sessions we do not recognise."""
    should_have = schema.version >= FIRST_WITH_SESSIONS or not is_platform
    if should_have and not schema.has_sessions:
        raise no_tables(database, schema)


def no_tables(database: ReadOnlyDatabase, schema: Schema) -> StoreError:
    """Return the error of a database in which no session can be recognised."""
    return StoreError(
        one_line(f"{database.path} has no session tables that are known (schema {schema.version})"),
        hint="Update memconsole, or start the Gateway: it can still be asked.",
    )
