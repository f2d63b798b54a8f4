"""What a checkpoint saved, and the text versions it saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.memory.edits import FileEdit


@dataclass(frozen=True, slots=True)
class Capture:
    """One checkpoint, as our own database remembers it.

    Attributes:
        content_hash: Hash of the eligible messages that were saved.
        block: ACTIVE_CONTEXT.md of this agent as rendered alone, for shared workspaces.
        is_logged: A daily entry was added.
        day_file: Relative path of the daily log that got the entry.
        workspace: Real path of the workspace.
    """

    agent: AgentRef
    session_id: str
    session_key: str | None
    at: datetime
    content_hash: str
    block: str
    is_logged: bool
    day_file: str | None
    workspace: str


@dataclass(frozen=True, slots=True)
class WorkspaceText:
    """A text file as it was read, with the version to compare before replacing it.

    Attributes:
        version: (mtime_ns, size, sha256 of the bytes).
    """

    text: str
    version: tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class SummaryRecord:
    """One session summary that was written.

    Attributes:
        until: Time of the last message it covers: a reset in place keeps the session id, and what
            is said behind it is another session.
        path: Relative to the workspace.
    """

    agent: AgentRef
    session_id: str
    session_key: str | None
    at: datetime
    until: datetime
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReflectionRecord:
    """One consolidation of `observations.md`.

    Attributes:
        id: Number in the database; 0 before it is stored.
        workspace: Real path.
        backup: The file as it was before, relative to the workspace.
        result_chars: Characters of the file as it was written; more were added behind them since.
        result_hash: SHA-256 of those.
        edits: What was done, file by file; empty where it was not kept.
    """

    id: int
    workspace: str
    at: datetime
    words_before: int
    words_after: int
    backup: str
    result_chars: int
    result_hash: str
    edits: tuple[FileEdit, ...] = ()
