"""Session keys, parsed by position: `agent:<agent id>:<rest>`.

A segment decides by its place, never by a substring: an agent called `micron` and a channel
called `cron-alerts` are ordinary conversations.
All kinds of keys: `docs/formats.md`, "Session keys".
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent


class SessionClass(StrEnum):
    """What kind of session a session holds; decides capture and rotation."""

    MAIN = "main"
    DIRECT = "direct"
    GROUP = "group"
    THREAD = "thread"
    CRON = "cron"
    SUBAGENT = "subagent"
    HOOK = "hook"
    HEARTBEAT = "heartbeat"
    INCOGNITO = "incognito"
    OTHER = "other"

    @property
    def phrase(self) -> str:
        """One session of the class in words, such as `a cron session`."""
        return _PHRASES.get(self, f"a {self.value} session")

    @property
    def is_captured(self) -> bool:
        """Whether checkpoints may read it: main and direct only."""
        return self in _CAPTURED

    def may_be_captured(self, *, groups: bool) -> bool:
        """Whether captures may read it, those of groups when an operator wants that."""
        return self.is_captured or (groups and self in _OF_GROUPS)

    @property
    def is_rotated(self) -> bool:
        """Whether rotation may ever reset it."""
        return self in _ROTATED

    @property
    def is_conversation(self) -> bool:
        """Whether people talk in it, as opposed to jobs and helpers."""
        return self in _ROTATED or self in (SessionClass.INCOGNITO, SessionClass.OTHER)


_PHRASES = {
    SessionClass.INCOGNITO: "an incognito session",
    SessionClass.OTHER: "a session of another kind",
}
"""Classes whose word alone makes no right sentence of `a ... session`."""

_CAPTURED = frozenset({SessionClass.MAIN, SessionClass.DIRECT})
_OF_GROUPS = frozenset({SessionClass.GROUP, SessionClass.THREAD})
_ROTATED = _CAPTURED | _OF_GROUPS


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


GLOBAL = "global"
"""A `session.scope` of the platform, and the bare key of the one session that it makes."""

_DIRECT_WORDS = frozenset({"direct", "dm"})
_PEER_WORDS = _DIRECT_WORDS | {"group", "channel"}
_THREAD_WORDS = frozenset({"thread", "topic"})
_PERSON_HEADS = frozenset({"dashboard", "explicit"})
_JOB_HEADS = {
    "cron": SessionClass.CRON,
    "subagent": SessionClass.SUBAGENT,
    "hook": SessionClass.HOOK,
}
_HEARTBEAT = "heartbeat"
_FOREIGN_HEADS = frozenset({"acp", "openai", "openresponses", "unknown"})
_CHAT_TYPES = {
    "direct": SessionClass.DIRECT,
    "dm": SessionClass.DIRECT,
    "group": SessionClass.GROUP,
    "channel": SessionClass.GROUP,
    "thread": SessionClass.THREAD,
    "topic": SessionClass.THREAD,
}


def key_of(agent: Agent, text: str, *, main_key: str | None = None) -> SessionKey:
    """Read a session key of an agent, by the words that its platform configuration gives keys.

    Args:
        agent: Whose store holds it, or would hold it.
        text: The key as stored.
        main_key: The word for the main session that the store itself names, which wins.
    """
    return parse_key(
        text,
        owner=agent.id,
        main_key=main_key or agent.main_key,
        is_global=agent.session_scope == GLOBAL,
    )


def parse_key(
    text: str, *, owner: str, main_key: str = "main", is_global: bool = False
) -> SessionKey:
    """Read a session key by position; any text is a key, and is kept as it is.

    Args:
        text: The key as stored, with or without `agent:<id>:`.
        owner: Agent whose store holds it; owns bare keys.
        main_key: `session.mainKey` of the platform configuration.
        is_global: Whether its `session.scope` is `global`: all talk is one session, `global`.
    """
    prefix, agent_id, rest = _split_agent(text, owner)
    parts = rest.split(":")
    words = [part.lower() for part in parts]
    if not prefix and words == [GLOBAL]:
        kind = SessionClass.MAIN if is_global else SessionClass.OTHER
        return SessionKey(text, agent_id, rest, kind)
    kind, end = _conversation(words, main_key.lower().split(":"))
    cut = _thread_cut(words, end) if end else None
    if cut is not None:
        parent = prefix + ":".join(parts[:cut])
        return SessionKey(text, agent_id, rest, SessionClass.THREAD, parent=parent)
    job_id, is_run = _cron_job(rest) if kind is SessionClass.CRON else (None, False)
    return SessionKey(text, agent_id, rest, kind, is_cron_run=is_run, job_id=job_id)


def is_per_peer(key: SessionKey) -> bool:
    """Whether a key is of one person among several, `<channel>:direct:<peer>`: not the operator."""
    words = key.rest.lower().split(":")[:3]
    return key.kind is SessionClass.DIRECT and not _DIRECT_WORDS.isdisjoint(words)


def classify(key: SessionKey, chat_type: str | None) -> SessionClass:
    """Return the class of a session: its key decides, else its chat type, else `other`.

    Args:
        key: The parsed key.
        chat_type: `direct`, `group` or `channel` from the store; None when it says nothing.
    """
    is_decided = key.kind is not SessionClass.OTHER or key.text.lower() == GLOBAL
    if is_decided or chat_type is None or _is_helper(key.rest):
        return key.kind
    return _CHAT_TYPES.get(chat_type.lower(), SessionClass.OTHER)


def _split_agent(text: str, owner: str) -> tuple[str, str, str]:
    """Return (`agent:<id>:` as written or "", agent id, rest); only two colons are cut."""
    parts = text.split(":", 2)
    if len(parts) == 3 and parts[0].lower() == "agent" and parts[1] and parts[2]:
        return f"{parts[0]}:{parts[1]}:", parts[1].lower(), parts[2]
    return "", owner, text


def _conversation(words: list[str], main: list[str]) -> tuple[SessionClass, int]:
    """Return the class by position, and how many segments name the session.

    A thread marker counts only behind those segments; 0 segments take no thread at all.
    """
    if _is_incognito(words):
        return SessionClass.INCOGNITO, 0
    if len(words) > 1 and words[0] in _JOB_HEADS:
        return _JOB_HEADS[words[0]], 0
    if _HEARTBEAT in (words[0], words[-1]):
        return SessionClass.HEARTBEAT, 0
    for key in (main, ["main"]):
        if words[: len(key)] == key:
            return _main(words, len(key))
    if not words[0] or words[0] in _FOREIGN_HEADS:
        return SessionClass.OTHER, 0
    return _session(words)


def _is_incognito(words: list[str]) -> bool:
    """`incognito-<id>`, or `<kind>:incognito-<id>` where the kind is not a peer or a job."""
    if words[0].startswith("incognito-"):
        return True
    is_second = len(words) == 2 and words[1].startswith("incognito-")
    return is_second and words[0] not in _PEER_WORDS and words[0] not in ("cron", "hook")


def _main(words: list[str], length: int) -> tuple[SessionClass, int]:
    """The main session alone or a thread of it; anything else behind it is a helper of its own."""
    if len(words) == length or (words[length] in _THREAD_WORDS and any(words[length + 1 :])):
        return SessionClass.MAIN, length
    return SessionClass.OTHER, 0


def _session(words: list[str]) -> tuple[SessionClass, int]:
    """`dashboard:<id>`, `<channel>:[<account>:]<peer word>:<id>`, or what does not decide."""
    if words[0] in _PERSON_HEADS:
        return (SessionClass.DIRECT, 2) if any(words[1:]) else (SessionClass.OTHER, 0)
    for place, word in enumerate(words[:3]):
        if word in _PEER_WORDS and any(words[place + 1 :]):
            is_direct = word in _DIRECT_WORDS
            return (SessionClass.DIRECT if is_direct else SessionClass.GROUP), place + 2
    return SessionClass.OTHER, 1


def _thread_cut(words: list[str], end: int) -> int | None:
    """Return the segment of the last thread marker behind the session's own, if there is one."""
    for place in range(len(words) - 2, end - 1, -1):
        if words[place] in _THREAD_WORDS and any(words[place + 1 :]):
            return place
    return None


def _cron_job(rest: str) -> tuple[str | None, bool]:
    """Return job id and whether this is one past run: `cron:<job>[:run:<session id>]`."""
    job = rest.partition(":")[2]
    base, _, run = job.rpartition(":run:")
    return (base, True) if base and run else (job or None, False)


def _is_helper(rest: str) -> bool:
    """Whether the key names no session with people, whatever its chat type says."""
    words = rest.lower().split(":")
    return words[0] in _FOREIGN_HEADS or words[0].startswith("node-")
