"""The tables of our own database, and the migrations that make an older one today's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.own import make_file, transaction
from memconsole.errors import StateNewerError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlite_utils import Database

    from memconsole.adapters.sqlite.choice import Connection


def create_jobs(database: Database) -> None:
    """Version 3: what is remembered about the scheduler's jobs."""
    database.table("job").create(
        {
            "id": str,
            "started_at": str,
            "ended_at": str,
            "status": str,
            "reason": str,
            "message": str,
            "duration_ms": int,
            "is_running": int,
            "is_paused": int,
            "done_at": str,
            "next_at": str,
            "missed": int,
            "failures": int,
        },
        pk="id",
        not_null={"id", "is_running", "is_paused", "missed", "failures"},
        defaults={"is_running": 0, "is_paused": 0, "missed": 0, "failures": 0},
        strict=True,
    )


def create_summaries(database: Database) -> None:
    """Version 4: which sessions have a summary."""
    database.table("summary").create(
        {
            "id": int,
            "home": str,
            "agent": str,
            "session_id": str,
            "session_key": str,
            "at": str,
            "until": str,
            "path": str,
            "reason": str,
        },
        pk="id",
        not_null={"home", "agent", "session_id", "at", "until", "path", "reason"},
        strict=True,
    )
    database.table("summary").create_index(["home", "agent", "session_id", "id"])


def create_recovery(database: Database) -> None:
    """Version 5: fingerprints of captured talks, and keys of sessions."""
    database.table("fingerprint").create(
        {"id": int, "home": str, "agent": str, "session_id": str, "hash": str, "at": str},
        pk="id",
        not_null={"home", "agent", "session_id", "hash", "at"},
        strict=True,
    )
    database.table("fingerprint").create_index(["home", "agent", "session_id"])
    database.table("known_session").create(
        {"home": str, "agent": str, "session_id": str, "session_key": str, "at": str},
        pk=("home", "agent", "session_id"),
        not_null={"session_key", "at"},
        strict=True,
    )


def create_observer(database: Database) -> None:
    """Version 6: how far the observer has read."""
    database.table("observed").create(
        {
            "home": str,
            "agent": str,
            "session_id": str,
            "message_id": str,
            "position": int,
            "at": str,
            "observed_at": str,
        },
        pk=("home", "agent", "session_id"),
        not_null={"position", "observed_at"},
        strict=True,
    )
    database.table("observer_run").create(
        {"home": str, "agent": str, "hash": str, "at": str},
        pk=("home", "agent"),
        not_null={"hash", "at"},
        strict=True,
    )


def create_reflections(database: Database) -> None:
    """Consolidations of observations."""
    database.table("reflection").create(
        {
            "id": int,
            "workspace": str,
            "at": str,
            "words_before": int,
            "words_after": int,
            "backup": str,
            "result_chars": int,
            "result_hash": str,
            "undone_at": str,
        },
        pk="id",
        not_null={"workspace", "at", "backup", "result_chars", "result_hash"},
        strict=True,
    )
    database.table("reflection").create_index(["workspace", "id"])


def create_flushes(database: Database) -> None:
    """The last flush of each talk."""
    database.table("flush").create(
        {
            "home": str,
            "agent": str,
            "session_key": str,
            "session_id": str,
            "compactions": int,
            "started_at": str,
            "stages": str,
            "at": str,
        },
        pk=("home", "agent", "session_key"),
        not_null={"stages", "at"},
        strict=True,
    )


def add_captured_to_rotations(database: Database) -> None:
    """What was saved before each reset, such as `checkpoint:done`."""
    database.table("rotation").add_column("captured", str)


def create_memory_actions(database: Database) -> None:
    """What operators added to memory and had it forget, to be undone."""
    database.table("memory_action").create(
        {
            "id": int,
            "workspace": str,
            "kind": str,
            "at": str,
            "entries": str,
            "edits": str,
            "undone_at": str,
        },
        pk="id",
        not_null={"workspace", "kind", "at", "entries", "edits"},
        strict=True,
    )
    database.table("memory_action").create_index(["workspace", "id"])


def create_model_use(database: Database) -> None:
    """What the optional model was used for."""
    database.table("model_use").create(
        {"id": int, "at": str, "purpose": str, "model": str, "tokens": int},
        pk="id",
        not_null={"at", "purpose", "model", "tokens"},
        strict=True,
    )
    database.table("model_use").create_index(["at"])


def create_alerts(database: Database) -> None:
    """What is wrong, and what each channel was told."""
    database.table("alert").create(
        {
            "home": str,
            "issue": str,
            "status": str,
            "message": str,
            "hint": str,
            "since": str,
            "seen_at": str,
        },
        pk=("home", "issue"),
        not_null={"status", "message", "hint", "since", "seen_at"},
        strict=True,
    )
    database.table("alert_told").create(
        {"home": str, "channel": str, "issue": str, "status": str, "at": str, "since": str},
        pk=("home", "channel", "issue"),
        not_null={"status", "at", "since"},
        strict=True,
    )


def create_alert_mutes(database: Database) -> None:
    """What nobody wants to hear of for a while."""
    database.table("alert_mute").create(
        {"home": str, "issue": str, "status": str, "at": str, "until": str},
        pk=("home", "issue"),
        not_null={"status", "at", "until"},
        strict=True,
    )


def create_consolidation(database: Database) -> None:
    """Which notes searches found, what is not proposed any more, the last report."""
    database.table("found_note").create(
        {
            "workspace": str,
            "entry": str,
            "query": str,
            "day": str,
            "path": str,
            "score": float,
            "at": str,
        },
        pk=("workspace", "entry", "query", "day"),
        not_null={"path", "score", "at"},
        strict=True,
    )
    database.table("declined_note").create(
        {"workspace": str, "entry": str, "at": str},
        pk=("workspace", "entry"),
        not_null={"at"},
        strict=True,
    )
    database.table("proposed").create(
        {"workspace": str, "input": str, "at": str},
        pk="workspace",
        not_null={"input", "at"},
        strict=True,
    )


def add_edits_to_reflections(database: Database) -> None:
    """How a consolidation of observations is taken back, file by file."""
    database.table("reflection").add_column("edits", str)


def create_intents(database: Database) -> None:
    """What is about to be written into a workspace, until the record of it stands."""
    database.table("intent").create(
        {
            "id": int,
            "turn": str,
            "workspace": str,
            "path": str,
            "kind": str,
            "before": bytes,
            "after": bytes,
            "start": int,
            "mode": int,
            "folders": str,
            "temporary": str,
        },
        pk="id",
        not_null={"turn", "workspace", "path", "kind"},
        strict=True,
    )
    database.table("intent").create_index(["workspace", "id"])
    database.table("intent").create_index(["turn"])


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
    """Version 2: the journal of resets."""
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
