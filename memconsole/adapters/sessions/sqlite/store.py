"""The session store of the SQLite era: one database an agent, read-only.

How databases are read is loaded when there is one: file-era homes hold none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.sessions.entry_fields import decode_report
from memconsole.adapters.sessions.sqlite.schema import read_schema
from memconsole.adapters.sqlite.read_only import read_platform
from memconsole.adapters.sqlite.stamp import stamp_of
from memconsole.domain.agents import Notice, Storage
from memconsole.domain.sessions.stored import StoreListing, TranscriptKind, TranscriptState
from memconsole.errors import StoreError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memconsole.adapters.sessions.sqlite.archive import Form
    from memconsole.adapters.sqlite.ways import Copies
    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions.composition import PromptReport
    from memconsole.domain.sessions.stored import TranscriptRef
    from memconsole.domain.transcripts.records import Entry


class SqliteSessionStore:
    """Answers `ports.SessionStore` for agents whose sessions are in a database."""

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    def sessions(self, agent: Agent) -> StoreListing:
        """List what the agent's database holds; one that fails becomes one notice."""
        mark = self.fingerprint(agent)
        if not is_there(agent.database):
            return StoreListing((), Storage.NONE, fingerprint=mark, newest_ns=0)
        from memconsole.adapters.sessions.sqlite.listing import list_database  # noqa: PLC0415

        try:
            found = read_platform(
                agent.database,
                lambda database: list_database(database, agent, _flat(mark)),
                self._copies,
            )
        except StoreError as error:
            notice = Notice(error.code, str(error), str(agent.database), agent.id)
            return StoreListing(
                (), Storage.UNREADABLE, {"unreadable": 1}, (notice,), fingerprint=mark
            )
        notices = (_undecodable(agent, found.undecodable),) if found.undecodable else ()
        left_out = {}
        if found.is_nameless and found.has_tables:
            notices = (*notices, _nameless(agent, len(found.sessions)))
            left_out = {"unreadable": 1}
        storage = Storage.SQLITE if found.has_tables else Storage.NONE
        # A transcript in the cold folder, or one that is not there yet, is in no stamp.
        is_cold = any(one.transcript_state is TranscriptState.MISSING for one in found.sessions)
        is_cold |= any(
            one.transcript is not None and one.transcript.kind is TranscriptKind.COLD_ARCHIVE
            for one in found.sessions
        )
        newest = (
            None if is_cold or (flat := _flat(mark)) is None else max(flat)
        )  # no inode is so large
        return StoreListing(found.sessions, storage, left_out, notices, mark, newest)

    def prompt_report(self, agent: Agent, key: str) -> PromptReport | None:
        """Return what was noted with a session about its prompt; None when nothing can be read."""
        if not is_there(agent.database):
            return None
        from memconsole.adapters.sessions.sqlite.rows import read_entry  # noqa: PLC0415 - as above

        try:
            raw = read_platform(
                agent.database,
                lambda database: read_entry(database, read_schema(database), key),
                self._copies,
            )
        except StoreError:
            return None
        return None if raw is None else decode_report(raw)

    def fingerprint(self, agent: Agent) -> object:
        """Return the state of the database's files; nothing is opened."""
        try:
            stamp = stamp_of(agent.database)
        except StoreError as error:
            return str(error)
        return (stamp.main, stamp.wal, stamp.journal)

    def backward(self, ref: TranscriptRef, *, limit_bytes: int) -> Iterator[Entry]:
        """Yield entries newest first until `limit_bytes` bytes were passed.

        Raises:
            StoreError: The database cannot be read, or an archive cannot be unpacked.
        """
        return _form_of(ref).backward(ref, limit_bytes=limit_bytes, copies=self._copies)

    def counted(
        self, path: Path, refs: Sequence[TranscriptRef], *, limit_bytes: int, expected: int
    ) -> Iterator[tuple[TranscriptRef, Iterator[Entry]]]:
        """Yield transcripts of one database with their entries; see `AgentSessionStore.counted`."""
        from memconsole.adapters.sessions.sqlite.events import counted_backward  # noqa: PLC0415

        ids = [ref.session_id for ref in refs]
        found = counted_backward(
            path, ids, limit_bytes=limit_bytes, expected=expected, copies=self._copies
        )
        yield from zip(refs, found, strict=True)

    def forward(self, ref: TranscriptRef) -> Iterator[Entry]:
        """Yield all entries in stored order; same kinds and errors as `backward`."""
        return _form_of(ref).forward(ref, copies=self._copies)

    def texts(self, ref: TranscriptRef) -> Iterator[tuple[int, str]]:
        """Yield the records as they are stored, each with its `seq` or line.

        Raises:
            StoreError: The database cannot be read, or a record is too large.
        """
        return _form_of(ref).texts(ref, copies=self._copies)


def _form_of(ref: TranscriptRef) -> Form:
    """Return how a transcript of a database is read; loaded when one is."""
    from memconsole.adapters.sessions.sqlite.archive import EVENTS, FORMS  # noqa: PLC0415

    return FORMS.get(ref.kind, EVENTS)


def is_there(path: Path) -> bool:
    """Tell whether there is something of that name, readable or not."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _flat(mark: object) -> tuple[int, ...] | None:
    """Return the stamps of a database's files as one; None when they could not be looked at."""
    if not isinstance(mark, tuple):
        return None
    return tuple(number for one in mark for number in (one or (0,)))


def _nameless(agent: Agent, count: int) -> Notice:
    what = "1 transcript" if count == 1 else f"{count} transcripts"
    message = one_line(
        f"{agent.database} holds {what} and no table that is known which says whose they are;"
        " they are listed without keys"
    )
    return Notice("store-unreadable", message, str(agent.database), agent.id)


def _undecodable(agent: Agent, count: int) -> Notice:
    entries = "1 session entry" if count == 1 else f"{count} session entries"
    message = one_line(
        f"{entries} in {agent.database} cannot be decoded; shown without tokens and model"
    )
    return Notice("store-unreadable", message, str(agent.database), agent.id)
