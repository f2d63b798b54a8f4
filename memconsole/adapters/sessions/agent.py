"""Lists and reads all sessions of one agent, whatever stores they are in.

One session id is one session. Where two stores have it the database is the source, and the file
only adds what the database lacks, as after an import that passed over some lines. Each keeps its
own order; between the two, time decides.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, defaultdict
from dataclasses import field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from memconsole.adapters.sessions.files.belonging import own_words
from memconsole.adapters.sessions.files.store import FileSessionStore
from memconsole.adapters.sessions.sqlite.store import SqliteSessionStore
from memconsole.adapters.sqlite.read_only import keep_open
from memconsole.adapters.transcripts.entries import entries_backward, entries_forward, in_time
from memconsole.adapters.transcripts.lines import (
    file_texts,
    lines_backward,
    lines_forward,
    packed_lines_backward,
    packed_lines_forward,
)
from memconsole.domain.agents import Notice, Storage
from memconsole.domain.sessions.stored import (
    SessionState,
    StoreListing,
    TranscriptKind,
    TranscriptState,
)
from memconsole.domain.transcripts.records import EntryKind
from memconsole.errors import TranscriptRefusedError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from memconsole.adapters.sqlite.private_copy import PrivateCopies
    from memconsole.adapters.transcripts.lines import RawLine
    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions.composition import PromptReport
    from memconsole.domain.sessions.stored import StoredSession, TranscriptRef
    from memconsole.domain.transcripts.records import Entry


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
        self._sweep()
        database, files = self._database.sessions(agent), self._files.sessions(agent)
        times = [one.newest_ns for one in (database, files) if one.newest_ns is not None]
        takes_groups = self._captures_groups(agent.id)
        found = replace(
            _both(agent, database, files),
            fingerprint=(database.fingerprint, files.fingerprint, takes_groups),
            newest_ns=max(times) if len(times) == 2 else None,
        )
        if not takes_groups:
            return found
        marked = tuple(replace(one, captures_groups=True) for one in found.sessions)
        return replace(found, sessions=marked)

    def prompt_report(self, agent: Agent, key: str) -> PromptReport | None:
        """Return what was noted with a session about its prompt; None when nothing can be read."""
        found = self._database.prompt_report(agent, key)
        return self._files.prompt_report(agent, key) if found is None else found

    def fingerprint(self, agent: Agent) -> object:
        """Return a cheap value that changes when a new listing may differ; opens nothing."""
        database, files = self._database.fingerprint(agent), self._files.fingerprint(agent)
        return database, files, self._captures_groups(agent.id)

    def keep_open(self) -> AbstractContextManager[None]:
        """Let many readings of this thread share their connections, for a short block."""
        return keep_open()

    def backward(self, ref: TranscriptRef, *, limit_bytes: int) -> Iterator[Entry]:
        """Yield entries newest first until `limit_bytes` bytes were passed."""
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

    def texts(self, ref: TranscriptRef) -> Iterator[tuple[int, str]]:
        """Yield the records as they are stored, each piece with its line, or `seq` of its event.

        Raises:
            StoreError: The transcript cannot be read, or a record of it is too large.
        """
        if ref.kind not in (TranscriptKind.FILE, TranscriptKind.PACKED_FILE):
            return self._database.texts(ref)
        is_packed = ref.kind is TranscriptKind.PACKED_FILE
        return file_texts(ref.path, is_packed=is_packed, check=own_words(ref))

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
        from memconsole.adapters.sessions.sqlite.events import event_ids, nameless_events  # noqa: PLC0415

        return known_of(
            event_ids(ref.path, ref.session_id, copies=self._copies),
            nameless_events(ref.path, ref.session_id, copies=self._copies),
        )

    def _sweep(self) -> None:
        with self._lock:
            if not self._is_swept:
                self._is_swept = True
                self._copies.sweep()


def _both(agent: Agent, database: StoreListing, files: StoreListing) -> StoreListing:
    if database.storage is Storage.NONE:
        return files
    if database.sessions:
        return joined(agent, database, files)
    if database.storage is Storage.UNREADABLE:
        return without_database(database, files)
    # Nothing was moved into the database yet: the files are all there is.
    is_answer = bool(files.sessions) or files.storage is Storage.UNREADABLE
    return files if is_answer else database


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


_ORDER = (SessionState.LIVE, SessionState.ARCHIVED, SessionState.ORPHAN)
_ORPHAN, _MISSING = "orphan-transcript", "missing-transcript"


def joined(agent: Agent, database: StoreListing, files: StoreListing) -> StoreListing:
    """Put both listings together.

    A session id is listed once. A file of an id that the database knows only completes its
    transcript; an entry of a key that the database knows under another id is its history.

    Args:
        agent: Whose sessions.
        database: Has at least one session.
        files: Read without knowing of the database.
    """
    by_id = _by_id(files.sessions)
    known = tuple(_completed(one, by_id.get(one.session_id, ())) for one in database.sessions)
    others = tuple(_beside(database.sessions, files.sessions))
    return StoreListing(
        sessions=tuple(sorted((*known, *others), key=lambda one: _ORDER.index(one.state))),
        storage=database.storage,
        left_out=Counter(database.left_out) + Counter(files.left_out),
        notices=(
            *database.notices,
            *_notices_beside(files.notices, others),
            *_orphan_notices(agent, others),
        ),
    )


def without_database(database: StoreListing, files: StoreListing) -> StoreListing:
    """Return what the files hold of an agent whose database cannot be read.

    Its counts may be from before the move, so none of them is fresh. Archives alone do not make
    the store readable: what lives is in the database.
    """
    is_partly_readable = any(one.state is not SessionState.ARCHIVED for one in files.sessions)
    return StoreListing(
        sessions=tuple(
            one if one.tokens_reported is None else replace(one, tokens_fresh=False)
            for one in files.sessions
        ),
        storage=files.storage if is_partly_readable else database.storage,
        left_out=Counter(database.left_out) + Counter(files.left_out),
        notices=(*database.notices, *files.notices),
    )


def _beside(
    known: Sequence[StoredSession], filed: Sequence[StoredSession]
) -> Iterator[StoredSession]:
    """Yield what lies in the files and the database does not know."""
    ids = {one.session_id for one in known if one.session_id is not None}
    keys = {one.key.text for one in known if one.key is not None}
    for one in filed:
        if one.session_id in ids:
            continue
        is_outdated = one.key is not None and one.key.text in keys
        if not is_outdated or one.state is not SessionState.LIVE:
            yield one
        elif one.transcript is not None:
            yield replace(one, state=SessionState.ARCHIVED)


def _by_id(filed: Sequence[StoredSession]) -> Mapping[str | None, Sequence[StoredSession]]:
    found: defaultdict[str | None, list[StoredSession]] = defaultdict(list)
    for one in filed:
        if one.session_id is not None and one.transcript is not None:
            found[one.session_id].append(one)
    return found


def _completed(one: StoredSession, filed: Sequence[StoredSession]) -> StoredSession:
    """Give a session of the database the file of the same id, to read what it lacks."""
    same_key = [other for other in filed if other.key == one.key]
    nobodys = [other for other in filed if other.key is None]
    best = next(iter((*same_key, *nobodys, *filed)), None)
    if best is None or best.transcript is None:
        return one
    if one.transcript is None:
        return replace(one, transcript=best.transcript, transcript_state=TranscriptState.PRESENT)
    is_plain = best.transcript.kind is TranscriptKind.FILE
    if not is_plain or one.transcript.kind is TranscriptKind.DATABASE_ARCHIVE:
        return one
    return replace(one, transcript=replace(one.transcript, extra=best.transcript.path))


def _notices_beside(notices: Sequence[Notice], others: Sequence[StoredSession]) -> Iterator[Notice]:
    """Yield what the file store noticed and what still holds beside a database."""
    is_missing = any(one.transcript_state is TranscriptState.MISSING for one in others)
    for notice in notices:
        if notice.code != _ORPHAN and (is_missing or notice.code != _MISSING):
            yield notice


def _orphan_notices(agent: Agent, others: Sequence[StoredSession]) -> Iterator[Notice]:
    count = sum(one.state is SessionState.ORPHAN for one in others)
    if count:
        what = "1 transcript belongs" if count == 1 else f"{count} transcripts belong"
        message = f"{what} to no session of agent {agent.id}, in its database or beside it"
        yield Notice(_ORPHAN, one_line(message), str(agent.sessions_dir), agent.id)


Signature: TypeAlias = tuple[EntryKind, str | None, datetime | None, str]
"""What tells an entry without an id from others: kind, role, time, text."""


@dataclass(slots=True)
class Known:
    """What the database has.

    Attributes:
        ids: Ids of its entries.
        nameless: How many it has of each that carries no id; used up by what is passed over.
    """

    ids: frozenset[str] = frozenset()
    nameless: Counter[Signature] = field(default_factory=Counter)

    def take(self, entry: Entry) -> bool:
        """Tell whether the database has this entry of the file, counting it off."""
        if entry.kind is EntryKind.SESSION:
            return True
        if entry.id is not None:
            return entry.id in self.ids
        mark = signature(entry)
        if self.nameless[mark] <= 0:
            return False
        self.nameless[mark] -= 1
        return True


def known_of(ids: Iterable[str], others: Iterable[Entry]) -> Known:
    """Gather what a database has.

    Args:
        ids: Ids that it has in a table.
        others: All its other entries, with or without an id.
    """
    found = set(ids)
    nameless: Counter[Signature] = Counter()
    for entry in others:
        if entry.id is None:
            nameless[signature(entry)] += 1
        else:
            found.add(entry.id)
    return Known(frozenset(found), nameless)


def signature(entry: Entry) -> Signature:
    """Return what identifies an entry that carries no id."""
    return entry.kind, entry.role, entry.at, entry.text


def merged(
    stored: Iterable[Entry],
    filed: Iterable[Entry],
    known: Callable[[], Known],
    *,
    is_backward: bool,
) -> Iterator[Entry]:
    """Yield the entries of the database, and those of the file that it lacks in between.

    Args:
        stored: Entries of the database.
        filed: Entries of the file, in the same direction.
        known: Says what the database has; asked once, and only when the file's turn comes.
        is_backward: Both come newest first.
    """
    database, file = _Stream(stored), _Stream(filed)
    has: Known | None = None
    while True:
        ours, theirs = database.head(), file.head()
        if theirs is None:
            if ours is None:
                return
            yield database.take()
        elif ours is not None and not _is_next(theirs, ours, is_backward=is_backward):
            yield database.take()
        else:
            has = has or known()
            entry = file.take()
            if not has.take(entry):
                yield entry


_EARLIEST = datetime.min.replace(tzinfo=UTC)


def _is_next(file_at: datetime, database_at: datetime, *, is_backward: bool) -> bool:
    """Whether the file's head comes before the database's, which is first at the same time."""
    return file_at > database_at if is_backward else file_at < database_at


class _Stream:
    """Entries with a look ahead; one without a time is as old as the one before it."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = iter(entries)
        self._ahead: Entry | None = None
        self._at = _EARLIEST

    def head(self) -> datetime | None:
        """Return the time of the next entry; None when there is none."""
        if self._ahead is None:
            self._ahead = next(self._entries, None)
            if self._ahead is not None and self._ahead.at is not None:
                self._at = self._ahead.at
        return None if self._ahead is None else self._at

    def take(self) -> Entry:
        """Return the next entry; `head` has found one."""
        entry, self._ahead = self._ahead, None
        assert entry is not None
        return entry
