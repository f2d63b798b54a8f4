-- The schema of our own database in each version that was released, as that release made it: a
-- database of version n is everything down to the end of its part. Nothing here ever changes; a
-- new version is a new part.

-- version 1
CREATE TABLE "run" (
   "id" INTEGER PRIMARY KEY,
   "job" TEXT,
   "command" TEXT NOT NULL,
   "command_line" TEXT NOT NULL,
   "origin" TEXT NOT NULL,
   "agent" TEXT,
   "key" TEXT,
   "started_at" TEXT NOT NULL,
   "ended_at" TEXT,
   "status" TEXT NOT NULL,
   "reason" TEXT,
   "message" TEXT NOT NULL,
   "duration_ms" INTEGER,
   "home" TEXT
) STRICT;
CREATE INDEX "idx_run_started_at"
    ON "run" ("started_at");
CREATE TABLE "sample" (
   "id" INTEGER PRIMARY KEY,
   "agent" TEXT NOT NULL,
   "session_id" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   "tokens" INTEGER NOT NULL
) STRICT;
CREATE INDEX "idx_sample_session_id_at"
    ON "sample" ("session_id", "at");
CREATE INDEX "idx_sample_at"
    ON "sample" ("at");
CREATE TABLE "capture" (
   "id" INTEGER PRIMARY KEY,
   "home" TEXT NOT NULL,
   "agent" TEXT NOT NULL,
   "session_id" TEXT NOT NULL,
   "session_key" TEXT,
   "at" TEXT NOT NULL,
   "content_hash" TEXT NOT NULL,
   "block" TEXT NOT NULL,
   "is_logged" INTEGER NOT NULL,
   "day_file" TEXT,
   "workspace" TEXT NOT NULL
) STRICT;
CREATE INDEX "idx_capture_home_agent_session_id_at"
    ON "capture" ("home", "agent", "session_id", "at");

-- version 2
CREATE TABLE "rotation" (
   "id" INTEGER PRIMARY KEY,
   "home" TEXT NOT NULL,
   "agent" TEXT NOT NULL,
   "key" TEXT NOT NULL,
   "state" TEXT NOT NULL,
   "started_at" TEXT NOT NULL,
   "ended_at" TEXT,
   "threshold" INTEGER,
   "before_id" TEXT,
   "before_revision" TEXT,
   "before_started_at" TEXT,
   "before_tokens" INTEGER,
   "after_id" TEXT,
   "after_revision" TEXT,
   "after_started_at" TEXT,
   "after_tokens" INTEGER
) STRICT;
CREATE INDEX "idx_rotation_home_agent_key_id"
    ON "rotation" ("home", "agent", "key", "id");

-- version 3
CREATE TABLE "job" (
   "id" TEXT PRIMARY KEY NOT NULL,
   "started_at" TEXT,
   "ended_at" TEXT,
   "status" TEXT,
   "reason" TEXT,
   "message" TEXT,
   "duration_ms" INTEGER,
   "is_running" INTEGER NOT NULL DEFAULT 0,
   "is_paused" INTEGER NOT NULL DEFAULT 0,
   "done_at" TEXT,
   "next_at" TEXT,
   "missed" INTEGER NOT NULL DEFAULT 0,
   "failures" INTEGER NOT NULL DEFAULT 0
) STRICT;

-- version 4
CREATE TABLE "summary" (
   "id" INTEGER PRIMARY KEY,
   "home" TEXT NOT NULL,
   "agent" TEXT NOT NULL,
   "session_id" TEXT NOT NULL,
   "session_key" TEXT,
   "at" TEXT NOT NULL,
   "until" TEXT NOT NULL,
   "path" TEXT NOT NULL,
   "reason" TEXT NOT NULL
) STRICT;
CREATE INDEX "idx_summary_home_agent_session_id_id"
    ON "summary" ("home", "agent", "session_id", "id");

-- version 5
CREATE TABLE "fingerprint" (
   "id" INTEGER PRIMARY KEY,
   "home" TEXT NOT NULL,
   "agent" TEXT NOT NULL,
   "session_id" TEXT NOT NULL,
   "hash" TEXT NOT NULL,
   "at" TEXT NOT NULL
) STRICT;
CREATE INDEX "idx_fingerprint_home_agent_session_id"
    ON "fingerprint" ("home", "agent", "session_id");
CREATE TABLE "known_session" (
   "home" TEXT,
   "agent" TEXT,
   "session_id" TEXT,
   "session_key" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("home", "agent", "session_id")
) STRICT;

-- version 6
CREATE TABLE "observed" (
   "home" TEXT,
   "agent" TEXT,
   "session_id" TEXT,
   "message_id" TEXT,
   "position" INTEGER NOT NULL,
   "at" TEXT,
   "observed_at" TEXT NOT NULL,
   PRIMARY KEY ("home", "agent", "session_id")
) STRICT;
CREATE TABLE "observer_run" (
   "home" TEXT,
   "agent" TEXT,
   "hash" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("home", "agent")
) STRICT;

-- version 7
CREATE TABLE "reflection" (
   "id" INTEGER PRIMARY KEY,
   "workspace" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   "words_before" INTEGER,
   "words_after" INTEGER,
   "backup" TEXT NOT NULL,
   "result_chars" INTEGER NOT NULL,
   "result_hash" TEXT NOT NULL,
   "undone_at" TEXT
) STRICT;
CREATE INDEX "idx_reflection_workspace_id"
    ON "reflection" ("workspace", "id");

-- version 8
CREATE TABLE "flush" (
   "home" TEXT,
   "agent" TEXT,
   "session_key" TEXT,
   "session_id" TEXT,
   "compactions" INTEGER,
   "started_at" TEXT,
   "stages" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("home", "agent", "session_key")
) STRICT;

-- version 9
ALTER TABLE "rotation" ADD COLUMN "captured" TEXT;

-- version 10
CREATE TABLE "model_use" (
   "id" INTEGER PRIMARY KEY,
   "at" TEXT NOT NULL,
   "purpose" TEXT NOT NULL,
   "model" TEXT NOT NULL,
   "tokens" INTEGER NOT NULL
) STRICT;
CREATE INDEX "idx_model_use_at"
    ON "model_use" ("at");

-- version 11
CREATE TABLE "alert" (
   "home" TEXT,
   "issue" TEXT,
   "status" TEXT NOT NULL,
   "message" TEXT NOT NULL,
   "hint" TEXT NOT NULL,
   "since" TEXT NOT NULL,
   "seen_at" TEXT NOT NULL,
   PRIMARY KEY ("home", "issue")
) STRICT;
CREATE TABLE "alert_told" (
   "home" TEXT,
   "channel" TEXT,
   "issue" TEXT,
   "status" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   "since" TEXT NOT NULL,
   PRIMARY KEY ("home", "channel", "issue")
) STRICT;

-- version 12
CREATE TABLE "memory_action" (
   "id" INTEGER PRIMARY KEY,
   "workspace" TEXT NOT NULL,
   "kind" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   "entries" TEXT NOT NULL,
   "edits" TEXT NOT NULL,
   "undone_at" TEXT
) STRICT;
CREATE INDEX "idx_memory_action_workspace_id"
    ON "memory_action" ("workspace", "id");

-- version 13
CREATE TABLE "found_note" (
   "workspace" TEXT,
   "entry" TEXT,
   "query" TEXT,
   "day" TEXT,
   "path" TEXT NOT NULL,
   "score" REAL NOT NULL,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("workspace", "entry", "query", "day")
) STRICT;
CREATE TABLE "declined_note" (
   "workspace" TEXT,
   "entry" TEXT,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("workspace", "entry")
) STRICT;
CREATE TABLE "proposed" (
   "workspace" TEXT PRIMARY KEY,
   "input" TEXT NOT NULL,
   "at" TEXT NOT NULL
) STRICT;

-- version 14
CREATE TABLE "alert_mute" (
   "home" TEXT,
   "issue" TEXT,
   "status" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   "until" TEXT NOT NULL,
   PRIMARY KEY ("home", "issue")
) STRICT;

-- version 15
CREATE TABLE "intent" (
   "id" INTEGER PRIMARY KEY,
   "turn" TEXT NOT NULL,
   "workspace" TEXT NOT NULL,
   "path" TEXT NOT NULL,
   "kind" TEXT NOT NULL,
   "before" BLOB,
   "after" BLOB,
   "start" INTEGER,
   "mode" INTEGER,
   "folders" TEXT,
   "temporary" TEXT
) STRICT;
CREATE INDEX "idx_intent_workspace_id"
    ON "intent" ("workspace", "id");
CREATE INDEX "idx_intent_turn"
    ON "intent" ("turn");

-- version 16
ALTER TABLE "reflection" ADD COLUMN "edits" TEXT;


-- version 17
ALTER TABLE "run" ADD COLUMN "account" TEXT;

-- version 18
CREATE TABLE "event" (
   "id" INTEGER PRIMARY KEY,
   "home" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   "since" TEXT NOT NULL,
   "kind" TEXT NOT NULL,
   "agent" TEXT,
   "key" TEXT,
   "message" TEXT NOT NULL
) STRICT;
CREATE INDEX "idx_event_home_at"
    ON "event" ("home", "at");
CREATE TABLE "noted" (
   "home" TEXT PRIMARY KEY,
   "at" TEXT NOT NULL,
   "value" TEXT NOT NULL
) STRICT;

-- version 19
CREATE TABLE "look" (
   "home" TEXT,
   "what" TEXT,
   "since" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   PRIMARY KEY ("home", "what")
) STRICT;

-- version 20
CREATE TABLE "pool_day" (
   "home" TEXT,
   "agent" TEXT,
   "day" TEXT,
   "size_bytes" INTEGER NOT NULL,
   "tokens" INTEGER NOT NULL,
   "markers" TEXT NOT NULL,
   PRIMARY KEY ("home", "agent", "day")
) STRICT;

-- version 21
CREATE TABLE "handover" (
   "id" INTEGER PRIMARY KEY,
   "home" TEXT NOT NULL,
   "agent" TEXT NOT NULL,
   "session_key" TEXT NOT NULL,
   "path" TEXT NOT NULL,
   "window" TEXT NOT NULL,
   "at" TEXT NOT NULL,
   "given_at" TEXT
) STRICT;
CREATE INDEX "idx_handover_home_agent_session_key_id" ON "handover" ("home", "agent", "session_key", "id");

-- version 22
CREATE TABLE "branch" (
   "id" INTEGER PRIMARY KEY,
   "home" TEXT NOT NULL,
   "agent" TEXT NOT NULL,
   "key" TEXT NOT NULL,
   "window" TEXT NOT NULL,
   "entry" TEXT NOT NULL,
   "state" TEXT NOT NULL,
   "started_at" TEXT NOT NULL,
   "ended_at" TEXT,
   "made" TEXT
) STRICT;
CREATE INDEX "idx_branch_home_agent_key_id" ON "branch" ("home", "agent", "key", "id");

-- version 23
CREATE TABLE taken (
      id INTEGER PRIMARY KEY, home TEXT NOT NULL, agent TEXT NOT NULL, at TEXT NOT NULL,
      path BLOB NOT NULL, kind TEXT NOT NULL, step TEXT NOT NULL, kept TEXT NOT NULL,
      size_bytes INTEGER NOT NULL, mode INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
      is_done INTEGER NOT NULL
    ) STRICT;
CREATE INDEX idx_taken_home_agent_id ON taken (home, agent, id);

-- version 24
ALTER TABLE taken ADD COLUMN waited_s REAL;
ALTER TABLE taken ADD COLUMN looked_at TEXT;
ALTER TABLE taken ADD COLUMN passed_s REAL;

-- version 25
ALTER TABLE observed ADD COLUMN is_whole INTEGER;
