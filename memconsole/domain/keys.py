"""Session keys, parsed by position (A6): `agent:<agent id>:<rest>`.

A segment decides by its place, never by a substring: an agent called `micron` and a channel
called `cron-alerts` are ordinary conversations.
Formats: `formats/clawdbot-file-era.md` §3 and `formats/openclaw-2026.9.md` §3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SessionClass(StrEnum):
    """What kind of talk a session holds; decides capture and rotation."""

    MAIN = "main"
    DIRECT = "direct"
    GROUP = "group"
    THREAD = "thread"
    CRON = "cron"
    SUBAGENT = "subagent"
    HOOK = "hook"
    INCOGNITO = "incognito"
    OTHER = "other"

    @property
    def is_captured(self) -> bool:
        """Whether checkpoints may read it: main and direct only (mission §3)."""
        return self in _CAPTURED

    @property
    def is_rotated(self) -> bool:
        """Whether rotation may ever reset it (A13)."""
        return self in _ROTATED

    @property
    def is_conversation(self) -> bool:
        """Whether people talk in it, as opposed to jobs and helpers."""
        return self in _ROTATED or self in (SessionClass.INCOGNITO, SessionClass.OTHER)


_CAPTURED = frozenset({SessionClass.MAIN, SessionClass.DIRECT})
_ROTATED = _CAPTURED | {SessionClass.GROUP, SessionClass.THREAD}


@dataclass(frozen=True, slots=True, order=True)
class SessionKey:
    """A session key and what its positions say.

    Attributes:
        text: The key as stored.
        agent_id: Second segment, or the owner of the store for a bare key.
        rest: Everything behind the agent id; may hold colons.
        kind: Class by position alone; `other` when the key does not decide.
        is_cron_run: True for `cron:<job>:run:<id>`, one past run of a job.
        job_id: Cron job id, for cron keys.
        parent: Key of the conversation that a thread belongs to.
    """

    text: str
    agent_id: str
    rest: str
    kind: SessionClass
    is_cron_run: bool = False
    job_id: str | None = None
    parent: str | None = None

    @property
    def short(self) -> str:
        """The key without `agent:<id>:`, for narrow columns."""
        return self.rest or self.text
