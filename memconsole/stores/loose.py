"""Sessions that no entry names: archives, and transcripts left behind (`cli.md`, case c07)."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.plain import one_line
from memconsole.domain.sessions import SessionState, StoredSession, TranscriptState
from memconsole.stores.names import FileKind
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memconsole.domain.agents import Agent
    from memconsole.domain.keys import SessionKey
    from memconsole.domain.sessions import TranscriptRef
    from memconsole.stores.session_folder import SessionFile, SessionFolder


@dataclass(frozen=True, slots=True)
class LooseSessions:
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


def loose_sessions(agent: Agent, folder: SessionFolder, claims: Claims) -> LooseSessions:
    """List archives and orphans of an agent's folders, one row for each session id and topic."""
    backups, sessions = folder.backups, []
    for files in folder.groups():
        best = files[0]
        if not _is_ours(best, agent):
            continue
        copies = claims.copies(files)
        backups += len(files) - 1 if copies is None else copies
        if copies is None:
            sessions.append(_loose(best, agent, claims.key_of(best.session_id)))
    return LooseSessions(
        tuple(sorted(sessions, key=_order)),
        {"backup": backups},
        (*folder.notices, *_orphan_notices(sessions, agent)),
    )


def _is_ours(file: SessionFile, agent: Agent) -> bool:
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
