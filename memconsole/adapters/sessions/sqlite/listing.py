"""The sessions of one agent database, from its rows."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from memconsole.adapters.sessions.entry_fields import EntryFields, run_began, whole
from memconsole.adapters.sessions.names import FileKind, read_name
from memconsole.adapters.sessions.sqlite import rows
from memconsole.adapters.sessions.sqlite.rows import Window
from memconsole.adapters.sessions.sqlite.schema import no_tables, read_schema
from memconsole.domain.agents import Storage
from memconsole.domain.sessions.keys import key_of
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.lazy_dataclass import dataclass
from memconsole.text.timestamps import moment, sound

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from memconsole.adapters.sessions.sqlite.rows import Archive, ColdArchive, Node
    from memconsole.adapters.sessions.sqlite.schema import Schema
    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions.keys import SessionKey

_ENDINGS = frozenset({"reset", "rollover"})
"""Reasons of a transcript that say that its predecessor was reset."""

_NO_WINDOW = Window()


@dataclass(frozen=True, slots=True)
class DatabaseListing:
    """What one database holds.

    Attributes:
        has_tables: False when this release keeps its sessions elsewhere.
        undecodable: Live entries whose JSON cannot be read; they are listed without it.
        is_nameless: There are transcripts, and no table that says whose they are.
    """

    sessions: tuple[StoredSession, ...] = ()
    has_tables: bool = False
    undecodable: int = 0
    is_nameless: bool = False


def list_database(
    database: ReadOnlyDatabase, agent: Agent, stamp: tuple[int, ...] | None = None
) -> DatabaseListing:
    """List the sessions of an agent's database: live entries, older transcripts, archives.

    Args:
        database: The database.
        agent: Whose it is.
        stamp: What the system said of its files before it was opened.

    Raises:
        StoreError: The database cannot be read, or is newer than we know.
    """
    schema = read_schema(database)
    if not schema.has_sessions:
        return DatabaseListing()
    shelf = _SessionBuilder(agent, _read_contents(database, schema), stamp)
    sessions = (*shelf.live(), *shelf.older(), *shelf.archived(), *shelf.orphans())
    if not sessions and not schema.has_entries:
        raise no_tables(database, schema)
    return DatabaseListing(
        sessions=sessions,
        has_tables=True,
        is_nameless=not schema.has_entries,
        undecodable=sum(node.fields is None for node in shelf.contents.nodes),
    )


@dataclass(frozen=True, slots=True)
class _Contents:
    """All rows.

    Attributes:
        ids: Session ids that have events.
        changed: Time of the newest event, where no other column tells it.
    """

    nodes: tuple[Node, ...]
    windows: Mapping[str, Window]
    archives: Mapping[str, Archive]
    cold: Mapping[str, ColdArchive]
    ids: frozenset[str]
    changed: Mapping[str, datetime | None]
    main_key: str | None
    is_count_versioned: bool


def _read_contents(database: ReadOnlyDatabase, schema: Schema) -> _Contents:
    windows = {one.session_id: one for one in rows.read_windows(database, schema)}
    ids = rows.read_ids_with_events(database, schema)
    untold = [one for one in ids if one not in windows or windows[one].transcript_at is None]
    return _Contents(
        nodes=tuple(rows.read_nodes(database, schema)),
        windows=windows,
        archives={one.session_id: one for one in rows.read_archives(database, schema)},
        cold={one.session_id: one for one in rows.read_cold(database, schema)},
        ids=ids,
        changed={one: rows.read_last_event_at(database, schema, one) for one in untold},
        main_key=rows.read_main_key(database, schema),
        is_count_versioned=schema.is_count_versioned,
    )


class _SessionBuilder:
    """Makes sessions of the rows of one database."""

    def __init__(
        self, agent: Agent, contents: _Contents, stamp: tuple[int, ...] | None = None
    ) -> None:
        self.agent = agent
        self.stamp = stamp
        self.contents = contents

    @cached_property
    def _current(self) -> frozenset[str | None]:
        return frozenset(node.session_id for node in self.contents.nodes)

    @cached_property
    def _endings(self) -> Mapping[str | None, str | None]:
        return {one.previous_id: one.reason for one in self.contents.windows.values()}

    def live(self) -> Iterator[StoredSession]:
        """Yield the entries by key; one that was put away is archived."""
        counts = Counter(window.key for window in self.contents.windows.values())
        for node in self.contents.nodes:
            yield self._entry(node, counts[node.key] or None)

    def older(self) -> Iterator[StoredSession]:
        """Yield earlier transcripts of the keys."""
        for window in self.contents.windows.values():
            if window.session_id not in self._current:
                yield self._earlier(window)

    def archived(self) -> Iterator[StoredSession]:
        """Yield archives; what is also live is no session of its own."""
        for archive in self.contents.archives.values():
            is_known = archive.session_id in self._current or archive.session_id in (
                self.contents.windows
            )
            if not is_known:
                yield self._archive(archive)

    def orphans(self) -> Iterator[StoredSession]:
        """Yield transcripts that neither entry nor window names."""
        named = {*self._current, *self.contents.windows, *self.contents.archives}
        for session_id in sorted(self.contents.ids - named):
            transcript = self._transcript(session_id)
            yield StoredSession(
                agent=self.agent.ref,
                key=None,
                session_id=session_id,
                state=SessionState.ORPHAN,
                transcript_state=TranscriptState.PRESENT,
                transcript=transcript,
                updated_at=None if transcript is None else transcript.modified_at,
                source=Storage.SQLITE,
            )

    def _entry(self, node: Node, window_count: int | None) -> StoredSession:
        fields = node.fields or EntryFields()
        window = self.contents.windows.get(node.session_id or "", _NO_WINDOW)
        transcript = None if node.session_id is None else self._transcript(node.session_id)
        state = SessionState.LIVE if node.archived_at is None else SessionState.ARCHIVED
        status = fields.status or node.status or window.status
        label = fields.label or node.label or fields.display_name or fields.subject
        return StoredSession(
            agent=self.agent.ref,
            key=self._key(node.key),
            session_id=node.session_id,
            state=state,
            transcript_state=self._state(node.session_id, transcript, fields),
            transcript=transcript,
            label=label,
            channel=fields.channel or window.channel or fields.last_channel,
            chat_type=fields.chat_type or window.chat_type,
            model=fields.model or window.model,
            model_provider=fields.model_provider or window.model_provider,
            next_model=fields.next_model,
            thinking=fields.thinking_level,
            tokens_reported=whole(fields.total_tokens),
            tokens_fresh=fields.total_tokens_fresh,
            tokens_version=whole(fields.total_tokens_version),
            is_count_versioned=self.contents.is_count_versioned,
            window=whole(fields.context_tokens),
            compactions=whole(fields.compaction_count),
            status=status,
            is_active=_is_active(fields, status),
            started_at=sound(moment(fields.session_started_at), window.created_at),
            run_started_at=run_began(fields, status),
            revision=fields.lifecycle_revision,
            updated_at=sound(node.updated_at, moment(fields.updated_at)),
            last_interaction_at=sound(moment(fields.last_interaction_at), node.last_interaction_at),
            parent_key=fields.parent_session_key or fields.spawned_by or node.parent_key,
            source=Storage.SQLITE,
            window_count=window_count,
            other_names=tuple(name for name in fields.names if name != label),
            points=fields.points,
        )

    def _earlier(self, window: Window) -> StoredSession:
        transcript = self._transcript(window.session_id)
        ending = self._endings.get(window.session_id)
        changed_at = None if transcript is None else transcript.modified_at
        return StoredSession(
            agent=self.agent.ref,
            key=self._key(window.key),
            session_id=window.session_id,
            state=SessionState.ARCHIVED,
            transcript_state=self._state(window.session_id, transcript, EntryFields()),
            transcript=transcript,
            label=window.label,
            channel=window.channel,
            chat_type=window.chat_type,
            model=window.model,
            model_provider=window.model_provider,
            is_count_versioned=self.contents.is_count_versioned,
            status=window.status,
            started_at=window.created_at,
            updated_at=changed_at or window.updated_at,
            archive_reason=ending if ending in _ENDINGS else None,
            parent_key=window.parent_key,
            source=Storage.SQLITE,
        )

    def _archive(self, archive: Archive) -> StoredSession:
        return StoredSession(
            agent=self.agent.ref,
            key=None if archive.key is None else self._key(archive.key),
            session_id=archive.session_id,
            state=SessionState.ARCHIVED,
            transcript_state=TranscriptState.PRESENT,
            transcript=TranscriptRef(
                agent=self.agent.ref,
                session_id=archive.session_id,
                kind=TranscriptKind.DATABASE_ARCHIVE,
                path=self.agent.database,
                size_bytes=archive.size_bytes,
                modified_at=archive.created_at,
                generation=archive.generation,
            ),
            updated_at=archive.created_at,
            archive_reason=archive.reason,
            source=Storage.SQLITE,
        )

    def _state(
        self, session_id: str | None, transcript: TranscriptRef | None, fields: EntryFields
    ) -> TranscriptState:
        if transcript is not None:
            return TranscriptState.PRESENT
        is_lost = session_id in self.contents.cold
        return TranscriptState.MISSING if is_lost else fields.absent_transcript

    def _transcript(self, session_id: str) -> TranscriptRef | None:
        if session_id in self.contents.ids:
            window = self.contents.windows.get(session_id)
            told = None if window is None else window.transcript_at
            return TranscriptRef(
                agent=self.agent.ref,
                session_id=session_id,
                kind=TranscriptKind.DATABASE,
                path=self.agent.database,
                modified_at=told or self.contents.changed.get(session_id),
                stamp=self.stamp,
            )
        cold = self.contents.cold.get(session_id)
        return None if cold is None else self._cold(cold)

    def _cold(self, cold: ColdArchive) -> TranscriptRef | None:
        """Return where a cold transcript is; a file of an odd name is nowhere."""
        path = self.agent.database
        if cold.name is not None:
            path = self.agent.sessions_dir / "cold" / cold.name
            if read_name(cold.name).kind is not FileKind.COLD or not path.is_file():
                return None
        return TranscriptRef(
            agent=self.agent.ref,
            session_id=cold.session_id,
            kind=TranscriptKind.COLD_ARCHIVE,
            path=path,
            size_bytes=cold.size_bytes,
            modified_at=cold.archived_at,
            generation=cold.generation if cold.name is None else None,
        )

    def _key(self, text: str) -> SessionKey:
        return key_of(self.agent, text, main_key=self.contents.main_key)


def _is_active(fields: EntryFields, status: str | None) -> bool | None:
    """Tell whether a run is going on; None when neither entry nor row says."""
    if fields.is_active is not None:
        return fields.is_active
    return None if status is None else status == "running"
