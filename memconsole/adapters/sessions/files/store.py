"""The file-era session store of one agent: `sessions.json` and the files beside it.

Sessions that no entry names are listed as well: archives, and transcripts left behind.
"""

from __future__ import annotations

import errno
from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.adapters.sessions.entry_fields import decode_report, run_began, whole
from memconsole.adapters.sessions.files.belonging import transcript_of
from memconsole.adapters.sessions.files.folder import (
    SessionFolder,
    anothers,
    is_anothers,
    scanned,
    status_of,
)
from memconsole.adapters.sessions.files.map import SessionMap, read_entry, read_session_map
from memconsole.adapters.sessions.names import FileKind
from memconsole.domain.agents import Notice, Storage, few
from memconsole.domain.sessions.keys import SessionClass, SessionKey, key_of
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    StoreListing,
    TranscriptState,
)
from memconsole.errors import StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line
from memconsole.text.timestamps import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from memconsole.adapters.sessions.entry_fields import EntryFields
    from memconsole.adapters.sessions.files.belonging import Found
    from memconsole.adapters.sessions.files.folder import FolderScan, SessionFile, Status
    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions.composition import PromptReport
    from memconsole.domain.sessions.stored import TranscriptRef


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
        scans = scanned(agent)
        folder = SessionFolder(agent, scans)
        store = self._store(agent)
        live, claims, told = [], Claims(), []
        for text, fields in store.map.entries.items():
            key = key_of(agent, text)
            found = transcript_of(agent, folder, key, fields, _topic(key))
            claims.add(fields.session_id, found.file)
            if _is_ours(key, agent):
                held_since = folder.held_since(fields.session_id, found.file)
                live.append(_session(agent, key, fields, found, held_since))
                told += [one for one in (found.refusal, found.notice) if one is not None]
        for session_id, text in store.map.earlier.items():
            claims.add_earlier(session_id, key_of(agent, text))
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
            fingerprint=(mark, tuple(scan.stamp for scan in scans)),
            newest_ns=None if folder.has_looked_elsewhere else _newest_ns(mark, scans),
        )

    def fingerprint(self, agent: Agent) -> object:
        """Return a value that changes when a new listing may differ; opens no file."""
        return _store_stamp(agent), tuple(scan.stamp for scan in scanned(agent))

    def prompt_report(self, agent: Agent, key: str) -> PromptReport | None:
        """Return what was noted with a session about its prompt; None when nothing can be read."""
        if is_anothers(agent, agent.store_file.parent):
            return None
        try:
            raw = read_entry(agent.store_file, key, self._decode_json5)
        except (OSError, StoreError):
            return None
        return None if raw is None else decode_report(raw)

    def _store(self, agent: Agent) -> _Store:
        path = agent.store_file
        if is_anothers(agent, path.parent):
            return _Store(exists=True, notices=(anothers(agent, path.parent),))
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


def _store_stamp(agent: Agent) -> Status | int | None:
    try:
        return status_of(agent.store_file.stat())
    except OSError as error:
        return error.errno


def _newest_ns(mark: Status | int | None, scans: Iterable[FolderScan]) -> int | None:
    """Return the newest change of what a listing was read from; None where more decided."""
    store = max(mark[3:]) if isinstance(mark, tuple) else 0 if mark == errno.ENOENT else None
    found = [store, *(scan.newest_ns for scan in scans)]
    known = [one for one in found if one is not None]
    return max(known) if len(known) == len(found) else None


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
    held_since: datetime | None,
) -> StoredSession:
    file = found.file
    session_id = fields.session_id or (None if file is None else file.session_id)
    is_held = None if held_since is None or fields.is_active is False else True
    return StoredSession(
        agent=agent.ref,
        key=key,
        session_id=session_id,
        state=SessionState.LIVE if moment(fields.archived_at) is None else SessionState.ARCHIVED,
        transcript_state=_state(fields, found),
        transcript=None if file is None else file.ref(agent.ref, session_id),
        label=fields.label or fields.display_name or fields.subject,
        channel=fields.channel or fields.last_channel,
        chat_type=fields.chat_type,
        model=fields.model,
        model_provider=fields.model_provider,
        next_model=fields.next_model,
        thinking=fields.thinking_level,
        tokens_reported=whole(fields.total_tokens),
        tokens_fresh=fields.total_tokens_fresh,
        tokens_version=whole(fields.total_tokens_version),
        window=whole(fields.context_tokens),
        compactions=whole(fields.compaction_count),
        status=fields.status,
        is_active=is_held if fields.is_active is None else fields.is_active,
        started_at=moment(fields.session_started_at),
        run_started_at=run_began(fields, fields.status) or (held_since if is_held else None),
        revision=fields.lifecycle_revision,
        updated_at=moment(fields.updated_at),
        last_interaction_at=moment(fields.last_interaction_at),
        parent_key=fields.parent_session_key or fields.spawned_by,
        other_names=fields.names[1:],
        refusal=found.refusal,
        points=fields.points,
    )


def _state(fields: EntryFields, found: Found) -> TranscriptState:
    if found.file is not None:
        return TranscriptState.PRESENT
    return fields.absent_transcript if found.refusal is None else TranscriptState.REFUSED


def _storage(store: _Store, folder: SessionFolder, *, has_sessions: bool) -> Storage:
    """Tell which store answered; transcripts alone are an answer, an unreadable store is none."""
    if store.is_read or has_sessions or not folder.is_empty:
        return Storage.FILES
    return Storage.UNREADABLE if store.exists or folder.notices else Storage.NONE


def _missing_notices(live: list[StoredSession], agent: Agent) -> list[Notice]:
    lost = [one.key for one in live if one.transcript_state is TranscriptState.MISSING]
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


@dataclass(frozen=True, slots=True)
class UnlistedSessions:
    """What lies in an agent's folders beside what its store names.

    Attributes:
        left_out: `backup`, the files that only repeat a transcript's past.
    """

    sessions: tuple[StoredSession, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


class Claims:
    """What the entries of a file-era store name, so that it is no session a second time."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._files: set[SessionFile] = set()
        self._keys: dict[str, SessionKey] = {}

    def add(self, session_id: str | None, file: SessionFile | None) -> None:
        """Note one entry: its session id, and its transcript when there is one."""
        if session_id is not None:
            self._ids.add(session_id)
        if file is not None:
            self._files.add(file)

    def add_earlier(self, session_id: str, key: SessionKey) -> None:
        """Note an id that a key had before; its files are sessions of their own."""
        self._keys[session_id] = key

    def key_of(self, session_id: str) -> SessionKey | None:
        """Return the key that had this id before, when an entry tells."""
        return self._keys.get(session_id)

    def copies(self, files: Sequence[SessionFile]) -> int | None:
        """Return how many files of a session are copies; None when no entry claims it."""
        named = sum(file in self._files for file in files)
        if not named and files[0].session_id not in self._ids:
            return None
        return len(files) - named


def loose_sessions(agent: Agent, folder: SessionFolder, claims: Claims) -> UnlistedSessions:
    """List archives and orphans of an agent's folders, one row for each session id and topic."""
    backups, sessions = folder.backups, []
    for files in folder.groups():
        best = files[0]
        if not _is_loose_ours(best, agent):
            continue
        copies = claims.copies(files)
        backups += len(files) - 1 if copies is None else copies
        if copies is None:
            sessions.append(_loose(best, agent, claims.key_of(best.session_id)))
    return UnlistedSessions(
        tuple(sorted(sessions, key=_order)),
        {"backup": backups},
        (*folder.notices, *_orphan_notices(sessions, agent)),
    )


def _is_loose_ours(file: SessionFile, agent: Agent) -> bool:
    """In a store that several agents share, the first of them has what names nobody."""
    is_shared = bool(agent.store_agents) and agent.store_agents[0] != agent.id
    return not is_shared or file.folder != agent.store_file.parent


def _loose(file: SessionFile, agent: Agent, key: SessionKey | None) -> StoredSession:
    # A transcript that a key once had is its history, even where its name does not say so.
    is_archive = file.name.kind is FileKind.ARCHIVE or key is not None
    return StoredSession(
        agent=agent.ref,
        key=key,
        session_id=file.session_id,
        state=SessionState.ARCHIVED if is_archive else SessionState.ORPHAN,
        transcript_state=TranscriptState.PRESENT,
        transcript=file.ref(agent.ref),
        updated_at=file.name.archived_at,  # the time of the file tells when it was copied
        archive_reason=file.name.reason,
        is_loose=True,
    )


def _order(session: StoredSession) -> tuple[bool, str, str]:
    """Archives first, then orphans."""
    return session.state is SessionState.ORPHAN, session.session_id or "", _path(session.transcript)


def _path(transcript: TranscriptRef | None) -> str:
    return "" if transcript is None else str(transcript.path)


def _orphan_notices(sessions: list[StoredSession], agent: Agent) -> list[Notice]:
    orphans = [one.transcript for one in sessions if one.state is SessionState.ORPHAN]
    if not orphans:
        return []
    owner = one_line(agent.id)
    if len(orphans) == 1 and orphans[0] is not None:
        path = orphans[0].path
        message = f"the transcript {one_line(path.name)} of agent {owner} belongs to no session"
        return [Notice("orphan-transcript", message, str(path), agent.id)]
    message = f"{len(orphans)} transcripts of agent {owner} belong to no session"
    return [Notice("orphan-transcript", message, str(agent.sessions_dir), agent.id)]
