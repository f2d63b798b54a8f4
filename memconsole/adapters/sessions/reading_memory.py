"""Listings and ends of transcripts as they were read last, kept in the state folder.

A home of thousands of sessions would have all its stores listed and thousands of transcripts read
by every `status` (port `ReadingMemory`). What did not change since then reads the same: device,
inode, size and both times of change of every file say so, on the host that they are of. It holds
counts, times and names, and no words of conversations; losing it costs time alone. A listing in
which the mask finds a secret is not kept.
"""

from __future__ import annotations

import hashlib
import logging
import os
import socket
import stat
import time
from dataclasses import fields
from datetime import datetime  # noqa: TC003 - msgspec reads the annotations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from memconsole import __version__
from memconsole.domain.agents import Notice, Storage
from memconsole.domain.sessions.keys import SessionClass, SessionKey
from memconsole.domain.sessions.stored import (
    CompactionPoint,
    SessionState,
    StoredSession,
    StoreListing,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.transcripts.records import Tail, TranscriptCounts, Turn
from memconsole.errors import StateError
from memconsole.system.atomic_file import replace_file
from memconsole.system.folders import open_folder, open_state_folder
from memconsole.text.outgoing import kept_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memconsole.domain.agents import Agent, AgentRef
    from memconsole.domain.transcripts.records import UsageMark

logger = logging.getLogger(__name__)

FOLDER = "usages"
_FORMAT = 4
_MOST_BYTES = 64 * 1024 * 1024
_SAME_TICK_NS = 2_000_000_000
"""Two writes within one tick of a file system's clock have one time."""

_TOLD = frozenset({"orphan-transcript", "missing-transcript"})
"""Notices that follow from what is listed; of a store with another fault nothing is kept."""


class _End(msgspec.Struct, array_like=True):
    path: str
    session_id: str
    wanted: int
    stamp: tuple[int, ...]
    usage_tokens: int | None
    points: tuple[tuple[datetime, int], ...]
    spoke_at: datetime | None
    is_whole: bool
    has_gap: bool
    read_bytes: int
    counts: tuple[int, ...]
    turn: str | None


_Row: TypeAlias = list[Any]
"""The values of a dataclass in the order of its fields; what is a value of ours is a row again."""


class _Listing(msgspec.Struct, array_like=True):
    sessions: list[_Row]
    storage: Storage
    left_out: dict[str, int]
    notices: list[tuple[str, str, str | None, str | None]]
    newest_ns: int
    names: tuple[str, ...]


class _Kept(msgspec.Struct, array_like=True):
    mark: bytes
    listing: msgspec.Raw


class _Home(msgspec.Struct, array_like=True):
    ends: list[_End]
    listings: dict[str, _Kept]


class _File(msgspec.Struct, array_like=True):
    maker: str
    digest: bytes
    home: bytes


_FILE = msgspec.msgpack.Decoder(_File)
_HOME = msgspec.msgpack.Decoder(_Home)
_LISTING = msgspec.msgpack.Decoder(_Listing)


class DiskReadings:
    """Answers `ports.ReadingMemory`.

    Args:
        state_dir: The state folder; it is not made for this.
        is_read_only: Nothing is written.
        now_ns: The clock of the host, which also dates files; not that of a test.
    """

    def __init__(
        self,
        state_dir: Path,
        *,
        is_read_only: bool = False,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._state_dir = state_dir
        self._is_read_only = is_read_only
        self._now_ns = now_ns
        self._began_ns = now_ns()
        self._kept: dict[str, _Kept] = {}

    def load(self, home: str) -> Mapping[UsageMark, Tail]:
        """Return the ends that are remembered of a home; nothing where it cannot be read."""
        self._began_ns = self._now_ns()
        self._kept = {}
        try:
            file = _FILE.decode(_own_bytes(self._path(home)))
            if file.maker != _maker(home) or file.digest != _digest(file.home):
                return {}
            found = _HOME.decode(file.home)
            tails = {
                (row.path, row.session_id, row.wanted, row.stamp): _tail(row) for row in found.ends
            }
        except (OSError, ValueError, RecursionError, TypeError):
            return {}
        self._kept = found.listings
        return tails

    def listing(self, agent: Agent, fingerprint: Callable[[Agent], object]) -> StoreListing | None:
        """Return an agent's listing as it was; None when it may have changed."""
        kept = self._kept.get(agent.id)
        if kept is None:
            return None
        seen = fingerprint(agent)
        if kept.mark != _mark(agent, seen):
            return None
        try:
            return _listing(_LISTING.decode(kept.listing), agent.ref, seen)
        except (ValueError, RecursionError, TypeError, LookupError):
            return None

    def store(
        self,
        home: str,
        tails: Mapping[UsageMark, Tail],
        listings: Mapping[AgentRef, tuple[Agent, StoreListing]],
    ) -> None:
        """Remember the readings of a home in place of what was remembered."""
        if self._is_read_only or not self._state_dir.is_dir():
            return
        latest = self._began_ns - _SAME_TICK_NS
        ends = [
            _end(mark, tail)
            for mark, tail in tails.items()
            if _is_plain(tail) and max(mark[3]) <= latest
        ]
        found = ((agent.id, self._row(*one, latest)) for agent, one in listings.items())
        self._kept = {agent_id: row for agent_id, row in found if row is not None}
        try:
            data = msgspec.msgpack.encode(_Home(ends, self._kept))
            file = msgspec.msgpack.encode(_File(_maker(home), _digest(data), data))
            with open_state_folder(self._state_dir, FOLDER) as folder:
                replace_file(folder, self._path(home).name, file)
        except (OSError, UnicodeEncodeError) as error:
            logger.info("readings are not remembered: %s", error)

    def forget(self) -> None:
        """Remove what is remembered, of every home: names that a platform gives may be words.

        Raises:
            StateError: It cannot be removed.
        """
        self._kept = {}
        try:
            with open_folder(self._state_dir, FOLDER) as folder:
                for name in os.listdir(folder):  # noqa: PTH208 - by descriptor
                    os.unlink(name, dir_fd=folder)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise StateError(f"{self._state_dir / FOLDER} cannot be emptied: {error}") from error

    def _row(self, agent: Agent, listing: StoreListing, latest_ns: int) -> _Kept | None:
        """Return a listing as it is kept; None for one that has to be made anew each time."""
        mark = _mark(agent, listing.fingerprint)
        if mark is None or listing.newest_ns is None or listing.newest_ns > latest_ns:
            return None
        known = self._kept.get(agent.id)
        if known is not None and known.mark == mark:
            return known
        if not _TOLD.issuperset(one.code for one in listing.notices) or any(
            one.refusal is not None for one in listing.sessions
        ):
            return None
        row = _Listing(
            [_session_row(one) for one in listing.sessions],
            listing.storage,
            dict(listing.left_out),
            [(one.code, one.message, one.path, one.agent) for one in listing.notices],
            listing.newest_ns,
            listing.names,
        )
        texts = (text for one in (*row.sessions, listing.names) for text in _texts(one))
        if kept_in("\n".join(dict.fromkeys(texts))):
            return None
        try:
            return _Kept(mark, msgspec.Raw(msgspec.msgpack.encode(row)))
        except UnicodeEncodeError:  # a name that is no UTF-8
            return None

    def _path(self, home: str) -> Path:
        name = hashlib.blake2b(os.fsencode(home), digest_size=16).hexdigest()
        return self._state_dir / FOLDER / f"{name}.bin"


def _names(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


_SESSION, _REF, _KEY = _names(StoredSession), _names(TranscriptRef), _names(SessionKey)
_COUNTS = _names(TranscriptCounts)
_SHAPE = ",".join((*_SESSION, *_REF, *_KEY, *_COUNTS, *CompactionPoint._fields))
"""What was written by a working copy with other fields is none of ours."""


def _maker(home: str) -> str:
    return f"{_FORMAT} {__version__} {socket.gethostname()} {home} {_SHAPE}"


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _mark(agent: Agent, fingerprint: object) -> bytes | None:
    """Return what a listing is known by; None for a fingerprint that only this process has."""
    try:
        return _digest(msgspec.msgpack.encode((repr(agent), fingerprint)))
    except (TypeError, ValueError, OverflowError):
        return None


def _own_bytes(path: Path) -> bytes:
    """Return a file that only we can have written.

    Raises:
        OSError: There is none, or it is somebody else's.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        is_ours = stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid()
        if not is_ours or info.st_mode & 0o022 or info.st_size > _MOST_BYTES:
            raise PermissionError(f"{path} is not a file of ours")
        return file.read()


def _is_plain(tail: Tail) -> bool:
    """Whether it holds no words, and nothing that depends on the moment of its reading."""
    is_timeless = not tail.counts.future and not tail.counts.in_progress
    return is_timeless and not tail.messages and tail.last_compaction is None


def _end(mark: UsageMark, tail: Tail) -> _End:
    path, session_id, wanted, stamp = mark
    return _End(
        path,
        session_id,
        wanted,
        stamp,
        tail.usage_tokens,
        tail.usage_points,
        tail.spoke_at,
        tail.is_whole,
        tail.has_gap,
        tail.read_bytes,
        tuple(getattr(tail.counts, name) for name in _COUNTS),
        tail.turn,
    )


def _tail(row: _End) -> Tail:
    return Tail(
        counts=TranscriptCounts(*row.counts),
        is_whole=row.is_whole,
        has_gap=row.has_gap,
        read_bytes=row.read_bytes,
        usage_tokens=row.usage_tokens,
        usage_points=row.points,
        spoke_at=row.spoke_at,
        turn=None if row.turn is None else Turn(row.turn),
    )


_AGENT, _KEY_AT, _TRANSCRIPT = map(_SESSION.index, ("agent", "key", "transcript"))
_STATE, _TRANSCRIPT_STATE = map(_SESSION.index, ("state", "transcript_state"))
_SOURCE, _OTHER_NAMES, _POINTS = map(_SESSION.index, ("source", "other_names", "points"))
_REF_KIND, _PATH, _EXTRA, _STAMP = map(_REF.index, ("kind", "path", "extra", "stamp"))
_KEY_KIND = _KEY.index("kind")
# A look-up takes a tenth of an enumeration's call, and a large home asks fifty thousand times.
_STATES = {one.value: one for one in SessionState}
_TRANSCRIPT_STATES = {one.value: one for one in TranscriptState}
_STORAGES = {one.value: one for one in Storage}
_CLASSES = {one.value: one for one in SessionClass}
_KINDS = {one.value: one for one in TranscriptKind}
_SESSION_OF: Callable[..., StoredSession] = StoredSession
_REF_OF: Callable[..., TranscriptRef] = TranscriptRef
_KEY_OF: Callable[..., SessionKey] = SessionKey


def _session_row(one: StoredSession) -> _Row:
    row = [getattr(one, name) for name in _SESSION]
    row[_AGENT] = None
    row[_KEY_AT] = None if one.key is None else [getattr(one.key, name) for name in _KEY]
    if (ref := one.transcript) is not None:
        row[_TRANSCRIPT] = values = [getattr(ref, name) for name in _REF]
        values[_AGENT] = None
        values[_PATH], values[_EXTRA] = str(ref.path), None if ref.extra is None else str(ref.extra)
    return row


def _texts(row: Sequence[object]) -> Iterator[str]:
    """Yield the texts of a row, of a path each part."""
    for value in row:
        if isinstance(value, str):
            yield from value.split("/")
        elif isinstance(value, list | tuple):
            yield from _texts(value)


def _listing(found: _Listing, agent: AgentRef, fingerprint: object) -> StoreListing:
    paths: dict[object, Path] = {}
    return StoreListing(
        sessions=tuple(_session(row, agent, paths) for row in found.sessions),
        storage=found.storage,
        left_out=found.left_out,
        notices=tuple(Notice(*one) for one in found.notices),
        fingerprint=fingerprint,
        newest_ns=found.newest_ns,
        names=found.names,
    )


def _path(text: str, paths: dict[object, Path]) -> Path:
    """Return a path; below a folder that is made once it takes half of the time."""
    folder, _, name = text.rpartition("/")
    if not folder:
        return Path(text)
    return (paths.get(folder) or paths.setdefault(folder, Path(folder))) / name


def _session(row: _Row, agent: AgentRef, paths: dict[object, Path]) -> StoredSession:
    row[_AGENT] = agent
    row[_STATE] = _STATES[row[_STATE]]
    row[_TRANSCRIPT_STATE] = _TRANSCRIPT_STATES[row[_TRANSCRIPT_STATE]]
    row[_SOURCE], row[_OTHER_NAMES] = _STORAGES[row[_SOURCE]], tuple(row[_OTHER_NAMES])
    row[_POINTS] = tuple(CompactionPoint(*one) for one in row[_POINTS])
    if (key := row[_KEY_AT]) is not None:
        key[_KEY_KIND] = _CLASSES[key[_KEY_KIND]]
        row[_KEY_AT] = _KEY_OF(*key)
    if (ref := row[_TRANSCRIPT]) is not None:
        ref[_AGENT] = agent
        ref[_REF_KIND] = _KINDS[ref[_REF_KIND]]
        for place in (_PATH, _EXTRA):
            if (text := ref[place]) is not None:
                ref[place] = paths.get(text) or paths.setdefault(text, _path(text, paths))
        ref[_STAMP] = None if ref[_STAMP] is None else tuple(ref[_STAMP])
        row[_TRANSCRIPT] = _REF_OF(*ref)
    return _SESSION_OF(*row)
