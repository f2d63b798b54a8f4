"""Plain SQL that brings a database of an older version to the next one.

What was released never changes: somewhere there is a database that went through it. A new table is
made here for those who have the database already, and declared in `tables.py` for all.
"""

from __future__ import annotations

from typing import Final

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
)
"""Item n brings version n + 1 to n + 2; a database of version 0 is empty."""
