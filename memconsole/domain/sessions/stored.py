"""Sessions as the stores know them, before any judgement."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.agents import Storage
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import AgentRef, Notice
    from memconsole.domain.sessions.keys import SessionKey


class SessionState(StrEnum):
    """`live` = the store has an entry for it now."""

    LIVE = "live"
    ARCHIVED = "archived"
    ORPHAN = "orphan"


class TranscriptState(StrEnum):
    """What is known of a session's transcript.

    `missing` = it had content and cannot be found; `none` = it never ran; `refused` = its file is
    another session's, or lies outside of the agent's folders, and is not read.
    """

    PRESENT = "present"
    NONE = "none"
    MISSING = "missing"
    REFUSED = "refused"


class TranscriptKind(StrEnum):
    """How the records of a transcript are kept."""

    FILE = "file"
    PACKED_FILE = "packed-file"
    DATABASE = "database"
    DATABASE_ARCHIVE = "database-archive"
    COLD_ARCHIVE = "cold-archive"


@dataclass(frozen=True, slots=True)
class TranscriptRef:
    """Where the records of one session are; only its store opens it.

    Attributes:
        path: The JSONL file, the packed file, or the agent's database.
        size_bytes: Bytes of the records; None when not counted.
        modified_at: File time, or time of the newest event; aware UTC. Tells that something
            changed, and never how old a session is: copies and restores have a new one.
        extra: A JSONL file of the same session id beside a database: it may hold events that the
            database lacks.
        generation: Archive generation inside a database.
        stamp: What the system says of the file that it lies in: device, inode, size, times of
            change. Equal only while nothing was written; None where that cannot be told.
    """

    agent: AgentRef
    session_id: str
    kind: TranscriptKind
    path: Path
    size_bytes: int | None = None
    modified_at: datetime | None = None
    extra: Path | None = None
    generation: str | None = None
    stamp: tuple[int, ...] | None = field(default=None, compare=False, repr=False)


class CompactionPoint(NamedTuple):
    """A place before a compaction from which the platform can make a session (2026.7, 2026.8).

    Attributes:
        tokens: The count at which it was compacted.
    """

    id: str
    at: datetime | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class StoredSession:
    """One session of one store.

    Attributes:
        key: None for orphans and for archives whose key is unknown.
        session_id: None when the entry names none.
        next_model: `provider/model` that the operator chose for the next runs, where it is said.
        thinking: Thinking level that was chosen for it; None where the usual one holds.
        tokens_reported: `totalTokens` as stored; None when absent or null.
        tokens_fresh: `totalTokensFresh`; None when the store does not write it.
        is_count_versioned: True when the store must also carry `totalTokensVersion` (schema ≥ 23).
        tokens_version: `totalTokensVersion`.
        window: `contextTokens`, the model's window.
        compactions: `compactionCount`.
        is_active: A run is going on; None when the store cannot say.
        run_started_at: When the run that is going on began; None when nobody says.
        chat_type: `direct`, `group` or `channel`, for keys that do not decide.
        revision: `lifecycleRevision`, which a reset changes where it keeps the id.
        archive_reason: `reset` (nobody wrote down by whom), `rollover` (the platform's own daily or
            idle reset), `deleted` or `imported`.
        source: Which store it was read from.
        window_count: How many transcripts this key has had (SQLite windows), when known.
        other_names: What the platform calls it beside its label.
        is_loose: A file that no entry of a store names; its key is one that a session once had.
        spoke_at: Time of its newest message, which alone says how old a session is; None when
            nobody looked or no message has a time.
        captures_groups: What is said in groups of its agent may be copied into memory.
        refusal: Why the file that its entry names is not read; None when there is no such file.
        points: Places before its compactions, the newest first.
    """

    agent: AgentRef
    key: SessionKey | None
    session_id: str | None
    state: SessionState
    transcript_state: TranscriptState
    transcript: TranscriptRef | None = None
    label: str | None = None
    channel: str | None = None
    chat_type: str | None = None
    model: str | None = None
    model_provider: str | None = None
    tokens_reported: int | None = None
    tokens_fresh: bool | None = None
    tokens_version: int | None = None
    is_count_versioned: bool = False
    window: int | None = None
    compactions: int | None = None
    status: str | None = None
    is_active: bool | None = None
    started_at: datetime | None = None
    revision: str | None = None
    updated_at: datetime | None = None
    last_interaction_at: datetime | None = None
    archive_reason: str | None = None
    parent_key: str | None = None
    source: Storage = Storage.FILES
    window_count: int | None = None
    other_names: tuple[str, ...] = ()
    is_loose: bool = False
    spoke_at: datetime | None = None
    refusal: Notice | None = None
    next_model: str | None = None
    thinking: str | None = None
    captures_groups: bool = False
    run_started_at: datetime | None = None
    points: tuple[CompactionPoint, ...] = ()

    @property
    def overrides(self) -> dict[str, str]:
        """What was chosen for this session alone, by name: `model`, `thinking`."""
        chosen = {"model": self.next_model, "thinking": self.thinking}
        return {name: value for name, value in chosen.items() if value}


@dataclass(frozen=True, slots=True)
class StoreListing:
    """Everything one agent's stores hold.

    Attributes:
        sessions: Live first, then archives, then orphans; no order inside.
        left_out: Counts of what is not listed: `backup`, `unreadable`.
        storage: Which store answered; `unreadable` when there is one and it cannot be read.
        notices: What could not be read, and why.
        fingerprint: Equal for two listings only when nothing changed between them.
        newest_ns: Newest change of the files that it was read from, since the epoch; None where
            something beside those files decided, so that another process has to list anew.
        names: What each is called wherever it is shown; empty where nobody named them yet. Who
            adds a session leaves them out.
    """

    sessions: tuple[StoredSession, ...]
    storage: Storage
    left_out: Mapping[str, int] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    fingerprint: object = None
    newest_ns: int | None = None
    names: tuple[str, ...] = ()
