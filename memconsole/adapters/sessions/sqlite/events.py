"""Events of one transcript in a database, page by page.

Nothing is held open between two pages, so the platform is never kept from its log.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from memconsole.adapters.sessions.sqlite.schema import EVENTS, IDENTITIES, read_schema
from memconsole.adapters.sqlite.read_only import read_platform
from memconsole.adapters.transcripts.entries import parse_line, read_line
from memconsole.adapters.transcripts.lines import RawLine
from memconsole.adapters.transcripts.reduce import LineReducer
from memconsole.domain.transcripts.records import Entry, EntryKind
from memconsole.errors import StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from memconsole.adapters.sessions.sqlite.schema import Schema
    from memconsole.adapters.sqlite.choice import SqlValue
    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.adapters.sqlite.ways import Copies
    from memconsole.domain.sessions.stored import TranscriptRef

MAX_EVENT_BYTES = 64 * 1024 * 1024
"""A larger event counts as damage, packed or not; the platform packs up to 4 MiB."""

_FIRST_ROWS, _MOST_ROWS = 4, 2000
"""Most readers want the last few events; who wants all pays for a handful of pages more."""
_PAGE_BYTES = 8 * 1024 * 1024
_LONG_EVENT = 256 * 1024
_MOST_NAVIGATION = 64 * 1024


@dataclass(slots=True)  # not frozen: made by the thousand
class _Event:
    """One row.

    Attributes:
        seq: As stored; a number in every database of the platform.
        data: The JSON, without the insides of long strings when it is long; None when packed.
        packed: The same packed with zstd.
        size: Bytes of the JSON.
        navigation: Its frame in plain text, for events that are packed.
    """

    seq: SqlValue
    data: bytes | None
    packed: bytes | None
    size: int
    navigation: bytes | None

    @property
    def position(self) -> int:
        return self.seq if isinstance(self.seq, int) else 0


_Rows: TypeAlias = tuple[list[_Event], bool]
"""Rows of one page, and whether there are no more behind them."""


def events_backward(ref: TranscriptRef, *, limit_bytes: int, copies: Copies) -> Iterator[Entry]:
    """Yield the entries of a transcript newest first, until `limit_bytes` bytes were passed.

    Raises:
        StoreError: The database cannot be read.
    """
    events = _events(ref.path, _Page(ref.session_id, is_backward=True), copies)
    yield from _newest_first(events, limit_bytes)


def counted_backward(
    path: Path, session_ids: Sequence[str], *, limit_bytes: int, expected: int, copies: Copies
) -> Iterator[Iterator[Entry]]:
    """Yield the entries of many transcripts as `events_backward` does, without words.

    The newest events of all of them come out of one reading of the database.

    `expected` is how many of the newest events are likely to be enough.
    """
    pages = [_Page(one, is_backward=True, rows=expected) for one in session_ids]
    try:
        first = read_platform(path, lambda database: _first_pages(database, pages), copies)
    except StoreError:
        first = {}  # each says so itself
    for page in pages:
        events = _events(path, page, copies, first.pop(page.session_id, None))
        yield _newest_first(events, limit_bytes, is_counted=True)


def _first_pages(database: ReadOnlyDatabase, pages: Iterable[_Page]) -> dict[str, _Rows]:
    """Read pages until they weigh as much as one may; the others are read when they are wanted."""
    found: dict[str, _Rows] = {}
    weight = 0
    schema = read_schema(database)
    for page in pages:
        if weight >= _PAGE_BYTES:
            break
        found[page.session_id] = rows = page.read(database, schema)
        weight += sum(event.size for event in rows[0])
    return found


def _newest_first(
    events: Iterator[_Event], limit_bytes: int, *, is_counted: bool = False
) -> Iterator[Entry]:
    passed = 0
    for event in events:
        yield from reversed(_entries(event, is_counted=is_counted))
        passed += event.size
        if passed >= limit_bytes:
            return


def events_forward(ref: TranscriptRef, *, copies: Copies) -> Iterator[Entry]:
    """Yield all entries of a transcript in stored order; errors as `events_backward`."""
    for event in _events(ref.path, _Page(ref.session_id), copies):
        yield from _entries(event)


def event_texts(ref: TranscriptRef, *, copies: Copies) -> Iterator[tuple[int, str]]:
    """Yield the events of a transcript as they are stored, each with its `seq`.

    Raises:
        StoreError: The database cannot be read, or an event is too large or cannot be unpacked.
    """

    def whole(database: ReadOnlyDatabase, seq: SqlValue) -> bytes:
        return b"".join(_pieces(database, ref.session_id, seq))

    for event in _events(ref.path, _Page(ref.session_id), copies):
        data = event.data if event.packed is None else _unpack(event.packed)
        if event.packed is None and _LONG_EVENT < event.size <= MAX_EVENT_BYTES:
            data = read_platform(ref.path, partial(whole, seq=event.seq), copies)
        if data is None:
            raise StoreError(f"event {event.position} is too large, or cannot be unpacked")
        yield event.position, data.decode(errors="replace") + "\n"


def nameless_events(path: Path, session_id: str, *, copies: Copies) -> Iterator[Entry]:
    """Yield the entries that the database has no id of in a table; errors as `events_backward`."""
    page = _Page(session_id, is_nameless=True)
    for event in _events(path, page, copies):
        yield from _entries(event)


def event_ids(path: Path, session_id: str, *, copies: Copies) -> frozenset[str]:
    """Return the ids that the database has in a table; errors as `events_backward`."""

    def read(database: ReadOnlyDatabase) -> frozenset[str]:
        if not read_schema(database).has(IDENTITIES):
            return frozenset()
        rows = database.rows(
            f"SELECT event_id FROM {IDENTITIES} WHERE session_id = ?", (session_id,)
        )
        return frozenset(found for (found,) in rows if isinstance(found, str))

    return read_platform(path, read, copies)


def _events(
    path: Path, page: _Page, copies: Copies, first: _Rows | None = None
) -> Iterator[_Event]:
    while True:
        events, is_last = first or read_platform(path, page.read, copies)
        first = None
        yield from events
        if is_last:
            return
        page = replace(page, behind=events[-1].seq, rows=min(4 * page.rows, _MOST_ROWS))


@dataclass(frozen=True, slots=True)
class _Page:
    """Which rows to read next.

    Attributes:
        is_nameless: Only those whose id is in no table.
        behind: `seq` of the last one that was read; None at the start.
    """

    session_id: str
    is_backward: bool = False
    is_nameless: bool = False
    behind: SqlValue = None
    rows: int = _FIRST_ROWS

    def read(self, database: ReadOnlyDatabase, schema: Schema | None = None) -> _Rows:
        """Return the rows, fewer when they are big, and whether there are no more."""
        schema = schema or read_schema(database)
        if not schema.has(EVENTS):
            return [], True
        statement = f"""
            SELECT seq, {schema.size(EVENTS, "event_json")},
              {schema.bounded(EVENTS, "event_json", _LONG_EVENT)},
              {schema.bounded(EVENTS, "event_zstd", MAX_EVENT_BYTES)},
              {schema.column(EVENTS, "event_utf8_bytes")},
              {schema.bounded(EVENTS, "navigation_json", _MOST_NAVIGATION)}
            FROM {EVENTS} AS e WHERE {" AND ".join(self._conditions(schema))}
            ORDER BY seq {"DESC" if self.is_backward else "ASC"} LIMIT {self.rows}
        """
        wanted = (self.session_id,) if self.behind is None else (self.session_id, self.behind)
        events: list[_Event] = []
        weight = 0
        for row in database.rows(statement, wanted):
            events.append(self._event(database, row))
            weight += events[-1].size
            if weight >= _PAGE_BYTES:
                return events, False
        return events, len(events) < self.rows

    def _conditions(self, schema: Schema) -> Iterator[str]:
        yield "session_id = ?"
        if self.behind is not None:
            yield "seq < ?" if self.is_backward else "seq > ?"
        if self.is_nameless and schema.has(IDENTITIES):
            same = "i.session_id = e.session_id AND i.seq = e.seq"
            yield f"NOT EXISTS (SELECT 1 FROM {IDENTITIES} AS i WHERE {same})"

    def _event(self, database: ReadOnlyDatabase, row: tuple[SqlValue, ...]) -> _Event:
        seq, octets, data, packed, unpacked, navigation = row
        if isinstance(octets, int) and _LONG_EVENT < octets <= MAX_EVENT_BYTES:
            data = _long_event(database, self.session_id, seq)
        size = next((one for one in (octets, unpacked) if isinstance(one, int)), 0)
        return _Event(
            seq,
            data if isinstance(data, bytes) else None,
            packed if isinstance(packed, bytes) else None,
            max(0, size),
            navigation if isinstance(navigation, bytes) else None,
        )


def _long_event(database: ReadOnlyDatabase, session_id: str, seq: SqlValue) -> bytes | None:
    """Return a long event shrunk while it streams by: costs its bytes, not its memory."""
    reducer = LineReducer()
    try:
        for piece in _pieces(database, session_id, seq):
            reducer.feed(piece)
    except StoreError:
        return None
    return reducer.line()


def _pieces(database: ReadOnlyDatabase, session_id: str, seq: SqlValue) -> Iterator[bytes]:
    """Yield one event in pieces.

    Raises:
        StoreError: It is gone, or cannot be read.
    """
    found = database.first(
        f"SELECT rowid FROM {EVENTS} WHERE session_id = ? AND seq = ?", (session_id, seq)
    )
    row = found[0] if found else None
    if not isinstance(row, int):
        raise StoreError(f"an event of {one_line(session_id)} is gone")
    yield from database.pieces(EVENTS, "event_json", row)


def _entries(event: _Event, *, is_counted: bool = False) -> tuple[Entry, ...]:
    data = event.data
    if data is None and event.packed is not None:
        data = _unpack(event.packed)
    if data is None:
        return (_damaged(event),)
    entries = event_entries(data, event.position, event.size, is_counted=is_counted)
    first = entries[0]
    if first.kind is EntryKind.DAMAGED and first.id is None:
        return (_damaged(event), *entries[1:])
    return entries


def _unpack(packed: bytes) -> bytes | None:
    """Unpack one frame; None when it is broken, or claims or gives too much."""
    try:
        from memconsole.adapters.transcripts.packing import unpacked_frame, zstd  # noqa: PLC0415 - rarely
    except ImportError:
        return None  # without a library for it, what is packed is damaged and no more
    try:
        return unpacked_frame(packed, MAX_EVENT_BYTES, window_bytes=2 * MAX_EVENT_BYTES)
    except (zstd.ZstdError, MemoryError):
        return None


def event_entries(
    data: bytes, position: int, size: int, *, is_counted: bool = False
) -> tuple[Entry, ...]:
    """Return the entries of one event, which is a line of a transcript without its end.

    Args:
        data: The JSON; a long one is shrunk first.
        position: Its `seq`.
        size: Bytes it has where it is stored.
        is_counted: Without words; see `parse_line`.
    """
    if len(data) > _LONG_EVENT:
        reducer = LineReducer()
        reducer.feed(data)
        data = reducer.line()
    line = RawLine(data, offset=position, is_complete=True, size=size)
    return read_line(line, is_counted=is_counted)


class _Navigation(msgspec.Struct):
    navigation: msgspec.Raw = msgspec.Raw()


def _damaged(event: _Event) -> Entry:
    """Return a damaged event; its place in the chain is still told in plain text."""
    known = None
    if event.navigation is not None:
        try:
            frame = msgspec.json.decode(event.navigation, type=_Navigation)
            known = parse_line(bytes(frame.navigation), position=event.position, size=event.size)
        except (ValueError, RecursionError):
            known = None
    if known is None:
        return Entry(EntryKind.DAMAGED, position=event.position, size_bytes=event.size)
    return replace(known, kind=EntryKind.DAMAGED)
