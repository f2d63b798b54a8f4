"""Transcripts that a database archived: as lines in a blob, or put away in cold storage.

An archive holds the lines of the transcript. A cold one holds records around them: a header,
`{"kind": "event", "row": {"seq", "event_json", "created_at"}}` in order, and rows of indexes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from memconsole.adapters.sessions.sqlite.events import (
    event_entries,
    event_texts,
    events_backward,
    events_forward,
)
from memconsole.adapters.sessions.sqlite.schema import ARCHIVES, COLD, read_schema
from memconsole.adapters.sqlite.read_only import read_platform
from memconsole.adapters.transcripts.entries import entries_backward, entries_forward
from memconsole.adapters.transcripts.lines import blob_lines_backward, blob_lines_forward, texts_of
from memconsole.adapters.transcripts.sources import open_blob, open_file
from memconsole.domain.sessions.stored import TranscriptKind
from memconsole.domain.transcripts.records import Entry, EntryKind
from memconsole.errors import StoreError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.adapters.sqlite.ways import Copies
    from memconsole.domain.sessions.stored import TranscriptRef

MAX_BLOB_BYTES = 256 * 1024 * 1024
MAX_COLD_BYTES = 65 * 1024 * 1024
"""The platform puts at most 64 MiB of text into one cold archive."""


def archive_backward(ref: TranscriptRef, *, limit_bytes: int, copies: Copies) -> Iterator[Entry]:
    """Yield the entries of an archive inside a database newest first.

    Raises:
        StoreError: It is gone, too big, or cannot be unpacked.
    """
    data, is_packed = _archive(ref, copies)
    yield from entries_backward(
        blob_lines_backward(data, limit_bytes, is_packed=is_packed, name=_name(ref))
    )


def archive_forward(ref: TranscriptRef, *, copies: Copies) -> Iterator[Entry]:
    """Yield the entries of an archive inside a database in stored order; errors as backward."""
    data, is_packed = _archive(ref, copies)
    yield from entries_forward(blob_lines_forward(data, is_packed=is_packed, name=_name(ref)))


def cold_backward(ref: TranscriptRef, *, limit_bytes: int, copies: Copies) -> Iterator[Entry]:
    """Yield the entries of a transcript in cold storage newest first; errors as an archive's."""
    passed = 0
    for line in _lines_backward(_cold_text(ref, copies)):
        for entry in reversed(_cold_entries(line)):
            yield entry
            passed += entry.size_bytes
        if passed >= limit_bytes:
            return


def cold_forward(ref: TranscriptRef, *, copies: Copies) -> Iterator[Entry]:
    """Yield the entries of a transcript in cold storage in stored order; errors as an archive's."""
    for line in _cold_text(ref, copies).split(b"\n"):
        yield from _cold_entries(line)


def archive_texts(ref: TranscriptRef, *, copies: Copies) -> Iterator[tuple[int, str]]:
    """Yield an archive inside a database, piece by piece with its lines; errors as backward."""
    data, is_packed = _archive(ref, copies)
    with open_blob(data, is_packed=is_packed, name=_name(ref)) as source:
        yield from texts_of(source)


def cold_texts(ref: TranscriptRef, *, copies: Copies) -> Iterator[tuple[int, str]]:
    """Yield the events of a transcript in cold storage, each with its `seq`; errors as backward.

    A record that cannot be decoded comes as it is.
    """
    for line in _cold_text(ref, copies).split(b"\n"):
        try:
            row = _cold_row(line)
        except (ValueError, RecursionError):
            yield 0, line.decode(errors="replace")
        else:
            if row is not None:
                yield row.seq, f"{row.event_json}\n"


def _archive(ref: TranscriptRef, copies: Copies) -> tuple[bytes, bool]:
    def read(database: ReadOnlyDatabase) -> tuple[object, object] | None:
        schema = read_schema(database)
        if not schema.has(ARCHIVES):
            return None
        blob = schema.bounded(ARCHIVES, "archive_blob", MAX_BLOB_BYTES)
        row = database.first(
            f"SELECT {blob}, {schema.column(ARCHIVES, 'encoding')} FROM {ARCHIVES} "
            "WHERE session_id = ? AND generation = ?",
            (ref.session_id, ref.generation),
        )
        return None if row is None else (row[0], row[1])

    found = read_platform(ref.path, read, copies)
    if found is None:
        raise _gone(ref)
    data, encoding = found
    if not isinstance(data, bytes):
        raise StoreError(f"{_name(ref)} is larger than {MAX_BLOB_BYTES} bytes")
    return data, encoding != "identity"


def _cold_text(ref: TranscriptRef, copies: Copies) -> bytes:
    """Return the unpacked records of a cold archive, from its file or from the database."""
    if ref.generation is None:
        with open_file(ref.path) as file:
            packed = file.read_at(0, min(file.size, MAX_COLD_BYTES + 1))
    else:
        packed = _cold_blob(ref, copies)
    with open_blob(packed, is_packed=True, name=_name(ref)) as source:
        if len(packed) > MAX_COLD_BYTES or source.size > MAX_COLD_BYTES:
            raise StoreError(f"{_name(ref)} is larger than {MAX_COLD_BYTES} bytes")
        return source.read_at(0, source.size)


def _cold_blob(ref: TranscriptRef, copies: Copies) -> bytes:
    def read(database: ReadOnlyDatabase) -> object:
        schema = read_schema(database)
        if not schema.has(COLD):
            return None
        blob = schema.bounded(COLD, "archive_blob", MAX_COLD_BYTES)
        row = database.first(f"SELECT {blob} FROM {COLD} WHERE session_id = ?", (ref.session_id,))
        return None if row is None else row[0]

    data = read_platform(ref.path, read, copies)
    if not isinstance(data, bytes):
        raise _gone(ref)
    return data


class _Row(msgspec.Struct):
    event_json: str
    seq: int = 0


class _Record(msgspec.Struct):
    kind: str
    row: msgspec.Raw = msgspec.Raw()


def _cold_row(line: bytes) -> _Row | None:
    """Return the event of one record; None for records of other kinds."""
    if not line.strip():
        return None
    record = msgspec.json.decode(line, type=_Record)
    return msgspec.json.decode(record.row, type=_Row) if record.kind == "event" else None


def _cold_entries(line: bytes) -> tuple[Entry, ...]:
    """Return the entries of one record; records of other kinds hold none."""
    try:
        row = _cold_row(line)
    except (ValueError, RecursionError):
        return (Entry(EntryKind.DAMAGED, size_bytes=len(line)),)
    if row is None:
        return ()
    data = row.event_json.encode()
    return event_entries(data, row.seq, len(data))


def _lines_backward(data: bytes) -> Iterator[bytes]:
    end = len(data)
    while end >= 0:
        begin = data.rfind(b"\n", 0, end) + 1
        yield data[begin:end]
        end = begin - 1


def _name(ref: TranscriptRef) -> str:
    return one_line(f"the archived transcript {ref.session_id} in {ref.path}")


def _gone(ref: TranscriptRef) -> StoreError:
    return StoreError(f"{_name(ref)} is gone", hint="It was removed since the sessions were read.")


class Form(NamedTuple):
    """How transcripts of one form are read."""

    backward: Callable[..., Iterator[Entry]]
    forward: Callable[..., Iterator[Entry]]
    texts: Callable[..., Iterator[tuple[int, str]]]


EVENTS: Final = Form(events_backward, events_forward, event_texts)
FORMS: Final = {
    TranscriptKind.DATABASE_ARCHIVE: Form(archive_backward, archive_forward, archive_texts),
    TranscriptKind.COLD_ARCHIVE: Form(cold_backward, cold_forward, cold_texts),
}
