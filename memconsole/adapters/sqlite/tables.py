"""Reads what a database is made of, whoever made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.read_only import read_platform
from memconsole.domain.report import Schema, TableSchema

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.adapters.sqlite.ways import Copies


def read_schema(path: Path, copies: Copies) -> Schema:
    """Return the tables and views of a database, by name.

    Raises:
        StoreError: It cannot be read, and why.
    """

    def read(database: ReadOnlyDatabase) -> Schema:
        found = database.rows(
            "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')"
            " ORDER BY name"
        )
        tables = (
            TableSchema(str(name), str(kind), _columns(database, str(name), str(sql)))
            for name, kind, sql in found
        )
        return Schema(database.user_version, tuple(tables))

    return read_platform(path, read, copies)


def _columns(database: ReadOnlyDatabase, table: str, sql: str) -> tuple[tuple[str, str], ...]:
    if sql.upper().startswith(("CREATE VIRTUAL", "CREATE VIEW")):
        return ()
    found = database.rows("SELECT name, lower(type) FROM pragma_table_info(?)", (table,))
    return tuple((str(name), str(kind)) for name, kind in found)
