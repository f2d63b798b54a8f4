"""Makes our own database, and brings an older one to the present version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.own import make_file, transaction
from memconsole.adapters.state.migrations import MIGRATIONS
from memconsole.adapters.state.tables import TABLES
from memconsole.errors import StateNewerError

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.state.tables import AnyTable

KNOWN_VERSION = len(MIGRATIONS) + 1


def migrate(connection: Connection, path: Path) -> None:
    """Bring a database to the present version, copying it first when it holds anything.

    Raises:
        StateNewerError: It was made by a newer memconsole.
        Exception: `library().error`, or OSError when it cannot be copied or written.
    """
    version = version_of(connection)
    if version == KNOWN_VERSION:
        return
    require_known(version, path)
    if version > 0:
        _copy(connection, path, version)
    with transaction(connection):
        _apply(connection, version_of(connection))


def version_of(connection: Connection) -> int:
    """Return the version of a database; 0 for an empty one."""
    row = connection.execute("PRAGMA user_version").fetchone()
    return row[0] if row is not None and isinstance(row[0], int) else 0


def require_known(version: int, path: Path) -> None:
    """Refuse to write what a newer memconsole made.

    Raises:
        StateNewerError: The version is newer than ours.
    """
    if version > KNOWN_VERSION:
        raise StateNewerError(
            f"{path} was made by a newer memconsole (version {version}, this one knows "
            f"{KNOWN_VERSION}) and is not written",
            hint="Update memconsole, or name another state folder with state.dir.",
        )


def copy_path(path: Path, version: int) -> Path:
    """Return where the copy of a database goes before it is migrated from `version`."""
    return path.with_name(f"{path.name}.v{version}")


def _copy(connection: Connection, path: Path, version: int) -> None:
    copy = copy_path(path, version)
    copy.unlink(missing_ok=True)  # of a migration that was cut off
    make_file(copy)
    connection.execute("VACUUM INTO ?", (str(copy),))


def _apply(connection: Connection, version: int) -> None:
    """Make the tables, or run the missing steps; another process may have been faster."""
    if version >= KNOWN_VERSION:
        return
    if version == 0:
        _create(connection, TABLES)
    else:
        for step in MIGRATIONS[version - 1 :]:
            for statement in step.split(";"):
                connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {KNOWN_VERSION}")


def _create(connection: Connection, tables: tuple[AnyTable, ...]) -> None:
    from sqlite_utils import Database  # noqa: PLC0415 - 160 ms, and once in a lifetime

    # Every library's connection does; the annotation knows the standard one only.
    database = Database(connection, recursive_triggers=False)  # type: ignore[arg-type]
    for table in tables:
        made = database.table(table.name).create(
            {name: column.kind for name, column in table.columns.items()},
            pk=table.key if len(table.key) > 1 else table.key[0],
            not_null=table.required,
            defaults={
                name: column.default
                for name, column in table.columns.items()
                if column.default is not None
            },
            strict=True,
        )
        for columns in table.indexes:
            made.create_index(columns)
