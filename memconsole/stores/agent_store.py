"""All sessions of one agent, whatever stores they are in: one session id is one session (A1)."""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.domain.agents import Storage
from memconsole.domain.sessions import TranscriptKind
from memconsole.errors import TranscriptRefusedError
from memconsole.sqlite import keep_open
from memconsole.stores.belonging import own_words
from memconsole.stores.entries import entries_backward, entries_forward, in_time
from memconsole.stores.files import FileSessionStore
from memconsole.stores.join import joined, without_database
from memconsole.stores.lines import (
    lines_backward,
    lines_forward,
    packed_lines_backward,
    packed_lines_forward,
)
from memconsole.stores.merge import Known, known_of, merged
from memconsole.stores.sqlite_era import SqliteSessionStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions import StoreListing, TranscriptRef
    from memconsole.domain.transcript import Entry
    from memconsole.stores.lines import RawLine
    from memconsole.stores.private_copy import PrivateCopies


logger = logging.getLogger(__name__)

_COUNTED_BLOCK = 8 * 1024
"""The last count is nearly always in the last record."""


class AgentSessionStore:
    """Answers `ports.SessionStore`: the database where there is one, and the files beside it.

    Args:
        copies: Private copies of databases that cannot be read in place.
        decode_json5: Reads a `sessions.json` that is no plain JSON; see `FileSessionStore`.
        now: The clock, against which records with a time ahead of it are told.
        captures_groups: Whether talk of an agent's groups may be captured, by the agent's id.
    """

    def __init__(
        self,
        copies: PrivateCopies,
        decode_json5: Callable[[bytes], object] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        captures_groups: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._captures_groups = captures_groups
        self._now = now
        self._copies = copies
        self._database = SqliteSessionStore(copies)
        self._files = FileSessionStore(decode_json5)
        self._lock = threading.Lock()
        self._is_swept = False

    def sessions(self, agent: Agent) -> StoreListing:
        """List what the agent's stores hold; a store that fails becomes a notice."""
        found = self._sessions(agent)
        if not self._captures_groups(agent.id):
            return found
        marked = tuple(replace(one, captures_groups=True) for one in found.sessions)
        return replace(found, sessions=marked)

    def _sessions(self, agent: Agent) -> StoreListing:
        self._sweep()
        database = self._database.sessions(agent)
        files = self._files.sessions(agent)
        mark = (database.fingerprint, files.fingerprint)
        if database.storage is Storage.NONE:
            return replace(files, fingerprint=mark)
        if database.sessions:
            return replace(joined(agent, database, files), fingerprint=mark)
        if database.storage is Storage.UNREADABLE:
            return replace(without_database(database, files), fingerprint=mark)
        # Nothing was moved into the database yet: the files are all there is.
        is_answer = bool(files.sessions) or files.storage is Storage.UNREADABLE
        return replace(files if is_answer else database, fingerprint=mark)

    def fingerprint(self, agent: Agent) -> object:
        """Return a cheap value that changes when a new listing may differ; opens nothing."""
        return self._database.fingerprint(agent), self._files.fingerprint(agent)

    def keep_open(self) -> AbstractContextManager[None]:
        """Let many readings of this thread share their connections, for a short block."""
        return keep_open()

    def backward(self, ref: TranscriptRef, *, limit_bytes: int) -> Iterator[Entry]:
        """Yield entries newest first until `limit_bytes` bytes were passed.

        A last line without its end comes as IN_PROGRESS, an undecodable one as DAMAGED.

        Raises:
            StoreError: The transcript cannot be opened or unpacked.
        """
        match ref.kind:
            case TranscriptKind.FILE:
                return entries_backward(lines_backward(ref.path, limit_bytes, check=own_words(ref)))
            case TranscriptKind.PACKED_FILE:
                return entries_backward(
                    packed_lines_backward(ref.path, limit_bytes, check=own_words(ref))
                )
            case _ if ref.extra is None:
                return self._database.backward(ref, limit_bytes=limit_bytes)
            case _:
                return self._both_backward(ref, ref.extra, limit_bytes)

    def counted(
        self, refs: Sequence[TranscriptRef], *, limit_bytes: int, expected: int
    ) -> Iterator[tuple[TranscriptRef, Iterator[Entry]]]:
        """Yield many transcripts with their entries as `backward` gives them, but without words.

        Args:
            refs: The transcripts.
            limit_bytes: Bytes of each to pass at most.
            expected: How many of the newest entries are likely to be enough.
        """
        rows: defaultdict[Path, list[TranscriptRef]] = defaultdict(list)
        for ref in refs:
            if ref.kind is TranscriptKind.DATABASE and ref.extra is None:
                rows[ref.path].append(ref)
            elif ref.kind is TranscriptKind.FILE:
                lines = lines_backward(
                    ref.path, limit_bytes, first_block=_COUNTED_BLOCK, check=own_words(ref)
                )
                yield ref, in_time(entries_backward(lines, is_counted=True), self._now)
            else:
                yield ref, self.backward(ref, limit_bytes=limit_bytes)
        for path, wanted in rows.items():
            for ref, entries in self._database.counted(
                path, wanted, limit_bytes=limit_bytes, expected=expected
            ):
                yield ref, in_time(entries, self._now)

    def forward(self, ref: TranscriptRef) -> Iterator[Entry]:
        """Yield all entries in stored order; same kinds and errors as `backward`."""
        return in_time(self._forward(ref), self._now)

    def _forward(self, ref: TranscriptRef) -> Iterator[Entry]:
        match ref.kind:
            case TranscriptKind.FILE:
                return entries_forward(lines_forward(ref.path, check=own_words(ref)))
            case TranscriptKind.PACKED_FILE:
                return entries_forward(packed_lines_forward(ref.path, check=own_words(ref)))
            case _ if ref.extra is None:
                return self._database.forward(ref)
            case _:
                stored = self._database.forward(ref)
                check = own_words(ref, ref.extra)
                filed = entries_forward(_ours(_ended(lines_forward(ref.extra, check=check))))
                return merged(stored, filed, lambda: self._known(ref), is_backward=False)

    def _both_backward(self, ref: TranscriptRef, extra: Path, limit_bytes: int) -> Iterator[Entry]:
        stored = self._database.backward(ref, limit_bytes=limit_bytes)
        lines = lines_backward(extra, limit_bytes, check=own_words(ref, extra))
        filed = entries_backward(_ours(_ended(lines)))
        passed = 0
        for entry in merged(stored, filed, lambda: self._known(ref), is_backward=True):
            yield entry
            passed += entry.size_bytes
            if passed >= limit_bytes:
                return

    def _known(self, ref: TranscriptRef) -> Known:
        """Return what the database has of a transcript."""
        if ref.kind is not TranscriptKind.DATABASE:
            return known_of((), self._database.forward(ref))
        from memconsole.stores.sqlite_events import event_ids, nameless_events  # noqa: PLC0415

        return known_of(
            event_ids(ref.path, ref.session_id, copies=self._copies),
            nameless_events(ref.path, ref.session_id, copies=self._copies),
        )

    def _sweep(self) -> None:
        with self._lock:
            if not self._is_swept:
                self._is_swept = True
                self._copies.sweep()


def _ours(lines: Iterable[RawLine]) -> Iterator[RawLine]:
    """Leave out a file beside a database that is another session's: the database has the words."""
    try:
        yield from lines
    except TranscriptRefusedError as error:
        logger.warning("%s", error)


def _ended(lines: Iterable[RawLine]) -> Iterator[RawLine]:
    """Take a last line without its end as it is: nobody writes a file beside a database."""
    for line in lines:
        yield line if line.is_complete else replace(line, is_complete=True)
