"""The tables of our own database, and how an older one becomes today's (A24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.errors import StateNewerError
from memconsole.sqlite import make_file, transaction
from memconsole.stores.state_steps import (
    add_captured_to_rotations,
    add_edits_to_reflections,
    create_alert_mutes,
    create_alerts,
    create_consolidation,
    create_flushes,
    create_intents,
    create_jobs,
    create_memory_actions,
    create_model_use,
    create_observer,
    create_recovery,
    create_reflections,
    create_summaries,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlite_utils import Database

    from memconsole.sqlite import Connection


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
    """Run the missing steps; another process may have been faster."""
    if version >= KNOWN_VERSION:
        return
    from sqlite_utils import Database  # noqa: PLC0415 - 160 ms, and once in a lifetime

    # Every library's connection does; the annotation knows the standard one only.
    database = Database(connection, recursive_triggers=False)  # type: ignore[arg-type]
    for step in STEPS[version:]:
        step(database)
    connection.execute(f"PRAGMA user_version = {KNOWN_VERSION}")


def _create_runs_samples_captures(database: Database) -> None:
    """Version 1."""
    database.table("run").create(
        {
            "id": int,
            "job": str,
            "command": str,
            "command_line": str,
            "origin": str,
            "agent": str,
            "key": str,
            "started_at": str,
            "ended_at": str,
            "status": str,
            "reason": str,
            "message": str,
            "duration_ms": int,
            "home": str,
        },
        pk="id",
        not_null={"command", "command_line", "origin", "started_at", "status", "message"},
        strict=True,
    )
    database.table("run").create_index(["started_at"])
    database.table("sample").create(
        {"id": int, "agent": str, "session_id": str, "at": str, "tokens": int},
        pk="id",
        not_null={"agent", "session_id", "at", "tokens"},
        strict=True,
    )
    database.table("sample").create_index(["session_id", "at"])
    database.table("sample").create_index(["at"])
    _create_captures(database)


def _create_captures(database: Database) -> None:
    database.table("capture").create(
        {
            "id": int,
            "home": str,
            "agent": str,
            "session_id": str,
            "session_key": str,
            "at": str,
            "content_hash": str,
            "block": str,
            "is_logged": int,
            "day_file": str,
            "workspace": str,
        },
        pk="id",
        not_null={
            "home",
            "agent",
            "session_id",
            "at",
            "content_hash",
            "block",
            "is_logged",
            "workspace",
        },
        strict=True,
    )
    database.table("capture").create_index(["home", "agent", "session_id", "at"])


def _create_rotations(database: Database) -> None:
    """Version 2: the journal of resets (A13)."""
    identity = {"id": str, "revision": str, "started_at": str, "tokens": int}
    database.table("rotation").create(
        {
            "id": int,
            "home": str,
            "agent": str,
            "key": str,
            "state": str,
            "started_at": str,
            "ended_at": str,
            "threshold": int,
            **{f"before_{name}": kind for name, kind in identity.items()},
            **{f"after_{name}": kind for name, kind in identity.items()},
        },
        pk="id",
        not_null={"home", "agent", "key", "state", "started_at"},
        strict=True,
    )
    database.table("rotation").create_index(["home", "agent", "key", "id"])


STEPS: tuple[Callable[[Database], None], ...] = (
    _create_runs_samples_captures,
    _create_rotations,
    create_jobs,
    create_summaries,
    create_recovery,
    create_observer,
    create_reflections,
    create_flushes,
    add_captured_to_rotations,
    create_model_use,
    create_alerts,
    create_memory_actions,
    create_consolidation,
    create_alert_mutes,
    create_intents,
    add_edits_to_reflections,
)
"""Step n brings version n to n + 1; a step that was released never changes."""

KNOWN_VERSION = len(STEPS)
