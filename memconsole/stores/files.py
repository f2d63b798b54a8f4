"""The file-era session store of one agent: `sessions.json` and the files beside it."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice, Storage, few
from memconsole.domain.keys import SessionClass, SessionKey, parse_key
from memconsole.domain.plain import one_line
from memconsole.domain.sessions import (
    SessionState,
    StoredSession,
    StoreListing,
    TranscriptState,
)
from memconsole.errors import StoreError
from memconsole.stores.belonging import transcript_of
from memconsole.stores.entry_fields import instant, whole
from memconsole.stores.loose import Claims, loose_sessions
from memconsole.stores.session_folder import SessionFolder
from memconsole.stores.session_map import SessionMap, read_session_map
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.agents import Agent
    from memconsole.stores.belonging import Found
    from memconsole.stores.entry_fields import EntryFields


@dataclass(frozen=True, slots=True)
class _Store:
    """What came of reading `sessions.json`.

    Attributes:
        exists: There is such a file.
        is_read: It could be read.
    """

    map: SessionMap = field(default_factory=SessionMap)
    exists: bool = False
    is_read: bool = False
    notices: tuple[Notice, ...] = ()


class FileSessionStore:
    """Lists what the file era left of an agent; reads only.

    Args:
        decode_json5: Reads a `sessions.json` that is no plain JSON, raising ValueError when it
            cannot; None when nothing does.
    """

    def __init__(self, decode_json5: Callable[[bytes], object] | None = None) -> None:
        self._decode_json5 = decode_json5

    def sessions(self, agent: Agent) -> StoreListing:
        """List live entries, archives and orphans; what cannot be read becomes a notice."""
        mark = _store_stamp(agent)
        folder = SessionFolder(agent)
        store = self._store(agent)
        live, claims, told = [], Claims(), []
        for text, fields in store.map.entries.items():
            key = _key(text, agent)
            found = transcript_of(agent, folder, key, fields, _topic(key))
            claims.add(fields.session_id, found.file)
            if _is_ours(key, agent):
                is_held = folder.is_held(fields.session_id, found.file)
                live.append(_session(agent, key, fields, found, is_held=is_held))
                told += [one for one in (found.refusal, found.notice) if one is not None]
        for session_id, text in store.map.earlier.items():
            claims.add_earlier(session_id, _key(text, agent))
        loose = loose_sessions(agent, folder, claims)
        sessions = (*live, *loose.sessions)
        is_part_unread = (store.exists and not store.is_read) or bool(folder.notices)
        return StoreListing(
            sessions=sessions,
            storage=_storage(store, folder, has_sessions=bool(sessions)),
            left_out={**loose.left_out, "unreadable": len(store.map.damaged) + is_part_unread},
            notices=(
                *store.notices,
                *loose.notices,
                *few(dict.fromkeys((*folder.strays, *told))),
                *_missing_notices(live, agent),
            ),
            fingerprint=(mark, folder.stamp),
        )

    def fingerprint(self, agent: Agent) -> object:
        """Return a value that changes when a new listing may differ; opens no file."""
        return _store_stamp(agent), SessionFolder(agent).stamp

    def _store(self, agent: Agent) -> _Store:
        path = agent.store_file
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return _Store()
        except OSError:
            pass  # opening it says why
        try:
            found = read_session_map(path, self._decode_json5)
        except StoreError as error:
            notice = Notice("store-unreadable", str(error), str(path), agent.id)
            return _Store(exists=True, notices=(notice,))
        return _Store(found, exists=True, is_read=True, notices=_damage(found, agent))


def _store_stamp(agent: Agent) -> object:
    try:
        info = agent.store_file.stat()
    except OSError as error:
        return error.errno
    return info.st_ino, info.st_size, info.st_mtime_ns


def _key(text: str, agent: Agent) -> SessionKey:
    return parse_key(text, owner=agent.id, main_key=agent.main_key)


def _damage(found: SessionMap, agent: Agent) -> tuple[Notice, ...]:
    if not found.damaged:
        return ()
    first, more = found.damaged[0], len(found.damaged) - 1
    others = f" and {more} more" if more else ""
    path = one_line(str(agent.store_file))
    message = f"the entry {one_line(first)}{others} of {path} cannot be read"
    return (Notice("store-unreadable", message, str(agent.store_file), agent.id),)


def _is_ours(key: SessionKey, agent: Agent) -> bool:
    """In a store that several agents share, a key belongs to the agent that it names.

    The first of them has the bare keys, and those of agents that nobody knows.
    """
    if not agent.store_agents:
        return True
    is_bare = key.rest == key.text
    owner = key.agent_id if key.agent_id in agent.store_agents and not is_bare else None
    return (owner or agent.store_agents[0]) == agent.id


def _topic(key: SessionKey) -> str | None:
    """Return the topic or thread id of a key, as it stands in the file's name."""
    if key.kind is not SessionClass.THREAD or key.parent is None:
        return None
    return key.text[len(key.parent) + 1 :].partition(":")[2]


def _session(
    agent: Agent,
    key: SessionKey,
    fields: EntryFields,
    found: Found,
    *,
    is_held: bool,
) -> StoredSession:
    file = found.file
    session_id = fields.session_id or (None if file is None else file.session_id)
    return StoredSession(
        agent=agent.ref,
        key=key,
        session_id=session_id,
        state=SessionState.LIVE if fields.archived_at is None else SessionState.ARCHIVED,
        transcript_state=_state(fields, found),
        transcript=None if file is None else file.ref(agent.ref, session_id),
        label=fields.label or fields.display_name or fields.subject,
        channel=fields.channel or fields.last_channel,
        chat_type=fields.chat_type,
        model=fields.model,
        model_provider=fields.model_provider,
        next_model=fields.next_model,
        tokens_reported=whole(fields.total_tokens),
        tokens_fresh=fields.total_tokens_fresh,
        tokens_version=whole(fields.total_tokens_version),
        window=whole(fields.context_tokens),
        compactions=whole(fields.compaction_count),
        status=fields.status,
        is_active=is_held or None if fields.is_active is None else fields.is_active,
        started_at=instant(fields.session_started_at),
        revision=fields.lifecycle_revision,
        updated_at=instant(fields.updated_at),
        last_interaction_at=instant(fields.last_interaction_at),
        parent_key=fields.parent_session_key or fields.spawned_by,
        other_names=fields.names[1:],
        refusal=found.refusal,
    )


def _state(fields: EntryFields, found: Found) -> TranscriptState:
    if found.file is not None:
        return TranscriptState.PRESENT
    return fields.absent_transcript if found.refusal is None else TranscriptState.MISSING


def _storage(store: _Store, folder: SessionFolder, *, has_sessions: bool) -> Storage:
    """Tell which store answered; transcripts alone are an answer, an unreadable store is none."""
    if store.is_read or has_sessions or not folder.is_empty:
        return Storage.FILES
    return Storage.UNREADABLE if store.exists or folder.notices else Storage.NONE


def _missing_notices(live: list[StoredSession], agent: Agent) -> list[Notice]:
    lost = [
        one.key
        for one in live
        if one.transcript_state is TranscriptState.MISSING and one.refusal is None
    ]
    if not lost or lost[0] is None:
        return []
    if len(lost) == 1:
        key = one_line(lost[0].text)
        message = f"the session {key} had content, but its transcript is gone"
    else:
        owner = one_line(agent.id)
        message = (
            f"{len(lost)} sessions of agent {owner} had content, but their transcripts are gone"
        )
    return [Notice("missing-transcript", message, str(agent.store_file), agent.id)]
