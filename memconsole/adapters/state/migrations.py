"""Makes our own database, and brings an older one to the present version by plain SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.adapters.sqlite.own import make_file, transaction
from memconsole.adapters.state.tables import TABLES
from memconsole.errors import StateNewerError

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.state.tables import AnyTable


MIGRATIONS: Final = (
    # 2: the journal of resets
    """
    CREATE TABLE rotation (
      id INTEGER PRIMARY KEY, home TEXT NOT NULL, agent TEXT NOT NULL, key TEXT NOT NULL,
      state TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT, threshold INTEGER,
      before_id TEXT, before_revision TEXT, before_started_at TEXT, before_tokens INTEGER,
      after_id TEXT, after_revision TEXT, after_started_at TEXT, after_tokens INTEGER
    ) STRICT;
    CREATE INDEX idx_rotation_home_agent_key_id ON rotation (home, agent, key, id);
    """,
    # 3: what is remembered about the scheduler's jobs
    """
    CREATE TABLE job (
      id TEXT PRIMARY KEY NOT NULL, started_at TEXT, ended_at TEXT, status TEXT,
      reason TEXT, message TEXT, duration_ms INTEGER, is_running INTEGER NOT NULL DEFAULT 0,
      is_paused INTEGER NOT NULL DEFAULT 0, done_at TEXT, next_at TEXT,
      missed INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    """,
    # 4: which sessions have a summary
    """
    CREATE TABLE summary (
      id INTEGER PRIMARY KEY, home TEXT NOT NULL, agent TEXT NOT NULL,
      session_id TEXT NOT NULL, session_key TEXT, at TEXT NOT NULL, until TEXT NOT NULL,
      path TEXT NOT NULL, reason TEXT NOT NULL
    ) STRICT;
    CREATE INDEX idx_summary_home_agent_session_id_id ON summary (home, agent, session_id, id);
    """,
    # 5: fingerprints of captured sessions, and keys of sessions
    """
    CREATE TABLE fingerprint (
      id INTEGER PRIMARY KEY, home TEXT NOT NULL, agent TEXT NOT NULL,
      session_id TEXT NOT NULL, hash TEXT NOT NULL, at TEXT NOT NULL
    ) STRICT;
    CREATE INDEX idx_fingerprint_home_agent_session_id ON fingerprint (home, agent, session_id);
    CREATE TABLE known_session (
      home TEXT, agent TEXT, session_id TEXT, session_key TEXT NOT NULL, at TEXT NOT NULL,
      PRIMARY KEY (home, agent, session_id)
    ) STRICT;
    """,
    # 6: how far the observer has read
    """
    CREATE TABLE observed (
      home TEXT, agent TEXT, session_id TEXT, message_id TEXT, position INTEGER NOT NULL,
      at TEXT, observed_at TEXT NOT NULL, PRIMARY KEY (home, agent, session_id)
    ) STRICT;
    CREATE TABLE observer_run (
      home TEXT, agent TEXT, hash TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (home, agent)
    ) STRICT;
    """,
    # 7: consolidations of observations
    """
    CREATE TABLE reflection (
      id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, at TEXT NOT NULL,
      words_before INTEGER, words_after INTEGER, backup TEXT NOT NULL,
      result_chars INTEGER NOT NULL, result_hash TEXT NOT NULL, undone_at TEXT
    ) STRICT;
    CREATE INDEX idx_reflection_workspace_id ON reflection (workspace, id);
    """,
    # 8: the last flush of each session
    """
    CREATE TABLE flush (
      home TEXT, agent TEXT, session_key TEXT, session_id TEXT, compactions INTEGER,
      started_at TEXT, stages TEXT NOT NULL, at TEXT NOT NULL,
      PRIMARY KEY (home, agent, session_key)
    ) STRICT;
    """,
    # 9: what was saved before each reset
    """
    ALTER TABLE rotation ADD COLUMN captured TEXT;
    """,
    # 10: what the language model was used for
    """
    CREATE TABLE model_use (
      id INTEGER PRIMARY KEY, at TEXT NOT NULL, purpose TEXT NOT NULL, model TEXT NOT NULL,
      tokens INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX idx_model_use_at ON model_use (at);
    """,
    # 11: what is wrong, and what each channel was told
    """
    CREATE TABLE alert (
      home TEXT, issue TEXT, status TEXT NOT NULL, message TEXT NOT NULL,
      hint TEXT NOT NULL, since TEXT NOT NULL, seen_at TEXT NOT NULL,
      PRIMARY KEY (home, issue)
    ) STRICT;
    CREATE TABLE alert_told (
      home TEXT, channel TEXT, issue TEXT, status TEXT NOT NULL, at TEXT NOT NULL,
      since TEXT NOT NULL, PRIMARY KEY (home, channel, issue)
    ) STRICT;
    """,
    # 12: what can be undone in memory
    """
    CREATE TABLE memory_action (
      id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL,
      entries TEXT NOT NULL, edits TEXT NOT NULL, undone_at TEXT
    ) STRICT;
    CREATE INDEX idx_memory_action_workspace_id ON memory_action (workspace, id);
    """,
    # 13: what searches found, what is not proposed any more, the last report
    """
    CREATE TABLE found_note (
      workspace TEXT, entry TEXT, query TEXT, day TEXT, path TEXT NOT NULL,
      score REAL NOT NULL, at TEXT NOT NULL, PRIMARY KEY (workspace, entry, query, day)
    ) STRICT;
    CREATE TABLE declined_note (
      workspace TEXT, entry TEXT, at TEXT NOT NULL, PRIMARY KEY (workspace, entry)
    ) STRICT;
    CREATE TABLE proposed (
      workspace TEXT PRIMARY KEY, input TEXT NOT NULL, at TEXT NOT NULL
    ) STRICT;
    """,
    # 14: what nobody wants to hear of for a while
    """
    CREATE TABLE alert_mute (
      home TEXT, issue TEXT, status TEXT NOT NULL, at TEXT NOT NULL, until TEXT NOT NULL,
      PRIMARY KEY (home, issue)
    ) STRICT;
    """,
    # 15: what is about to be written into a workspace
    """
    CREATE TABLE intent (
      id INTEGER PRIMARY KEY, turn TEXT NOT NULL, workspace TEXT NOT NULL,
      path TEXT NOT NULL, kind TEXT NOT NULL, before BLOB, after BLOB, start INTEGER,
      mode INTEGER, folders TEXT, temporary TEXT
    ) STRICT;
    CREATE INDEX idx_intent_workspace_id ON intent (workspace, id);
    CREATE INDEX idx_intent_turn ON intent (turn);
    """,
    # 16: how a consolidation of observations is taken back
    """
    ALTER TABLE reflection ADD COLUMN edits TEXT;
    """,
    # 17: the steps and the proof of each run
    """
    ALTER TABLE run ADD COLUMN account TEXT;
    """,
    # 18: what the platform did, and what was noted of the last reading
    """
    CREATE TABLE event (
      id INTEGER PRIMARY KEY, home TEXT NOT NULL, at TEXT NOT NULL, since TEXT NOT NULL,
      kind TEXT NOT NULL, agent TEXT, key TEXT, message TEXT NOT NULL
    ) STRICT;
    CREATE INDEX idx_event_home_at ON event (home, at);
    CREATE TABLE noted (
      home TEXT PRIMARY KEY, at TEXT NOT NULL, value TEXT NOT NULL
    ) STRICT;
    """,
    # 19: when each home was looked at first and last
    """
    CREATE TABLE look (
      home TEXT, what TEXT, since TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (home, what)
    ) STRICT;
    """,
    # 20: how large each memory was on each day
    """
    CREATE TABLE pool_day (
      home TEXT, agent TEXT, day TEXT, size_bytes INTEGER NOT NULL, tokens INTEGER NOT NULL,
      markers TEXT NOT NULL, PRIMARY KEY (home, agent, day)
    ) STRICT;
    """,
    # 21: which hand-over waits for the next start of its session
    """
    CREATE TABLE handover (
      id INTEGER PRIMARY KEY, home TEXT NOT NULL, agent TEXT NOT NULL, session_key TEXT NOT NULL,
      path TEXT NOT NULL, window TEXT NOT NULL, at TEXT NOT NULL, given_at TEXT
    ) STRICT;
    CREATE INDEX idx_handover_home_agent_session_key_id ON handover (home, agent, session_key, id);
    """,
    # 22: which branches were asked for, before and after
    """
    CREATE TABLE branch (
      id INTEGER PRIMARY KEY, home TEXT NOT NULL, agent TEXT NOT NULL, key TEXT NOT NULL,
      window TEXT NOT NULL, entry TEXT NOT NULL, state TEXT NOT NULL, started_at TEXT NOT NULL,
      ended_at TEXT, made TEXT
    ) STRICT;
    CREATE INDEX idx_branch_home_agent_key_id ON branch (home, agent, key, id);
    """,
    # 23: which files of ended sessions were packed or taken away, and may still come back
    """
    CREATE TABLE taken (
      id INTEGER PRIMARY KEY, home TEXT NOT NULL, agent TEXT NOT NULL, at TEXT NOT NULL,
      path BLOB NOT NULL, kind TEXT NOT NULL, step TEXT NOT NULL, kept TEXT NOT NULL,
      size_bytes INTEGER NOT NULL, mode INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
      is_done INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX idx_taken_home_agent_id ON taken (home, agent, id);
    """,
    # 24: how long what was taken away waited, by two clocks
    """
    ALTER TABLE taken ADD COLUMN waited_s REAL;
    ALTER TABLE taken ADD COLUMN looked_at TEXT;
    ALTER TABLE taken ADD COLUMN passed_s REAL;
    """,
    # 25: whether everything before the last observed message was observed too
    "ALTER TABLE observed ADD COLUMN is_whole INTEGER;",
)
"""Item n brings version n + 1 to n + 2; a database of version 0 is empty."""

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
    else:
        # Loaded before the lock is taken: on a busy host others would wait for it too long.
        import sqlite_utils  # noqa: F401, PLC0415
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
