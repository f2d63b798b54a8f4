"""Databases of our own as earlier releases made them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.own import open_own

if TYPE_CHECKING:
    from memconsole.adapters.sqlite.choice import Connection

_PARTS = re.split(
    r"^-- version \d+\n",
    (Path(__file__).parent / "state_versions.sql").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)[1:]

VERSIONS = range(1, len(_PARTS) + 1)

_SAMPLES = {"TEXT": "'kept'", "INTEGER": "7", "REAL": "0.5", "BLOB": "x'00'"}


def make_older(path: Path, version: int) -> dict[str, int]:
    """Make a database of an earlier version with a row in each table; return rows by table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_own(path) as connection:
        for statement in "".join(_PARTS[:version]).split(";"):
            connection.execute(statement)
        for table in tables_of(connection):
            columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
            values = ", ".join(_SAMPLES[str(column[2])] for column in columns)
            connection.execute(f"INSERT INTO {table} VALUES ({values})")
        connection.execute(f"PRAGMA user_version = {version}")
        return counted(connection)


def tables_of(connection: Connection) -> list[str]:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return [str(name) for (name,) in found]


def counted(connection: Connection) -> dict[str, int]:
    found = {}
    for table in tables_of(connection):
        row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        assert row is not None
        found[table] = int(row[0] or 0)
    return found
