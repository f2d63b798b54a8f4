"""Archives inside a database and transcripts in cold storage."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sessions.sqlite import archive
from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.transcripts.packing import zstd
from memconsole.domain.sessions.stored import TranscriptKind, TranscriptState
from memconsole.domain.transcripts.records import EntryKind
from memconsole.errors import StoreError
from tests.transcripts import line, message, talk

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memconsole.adapters.sessions.sqlite.store import SqliteSessionStore
    from memconsole.adapters.sqlite.choice import SqlValue
    from memconsole.domain.sessions.stored import StoredSession, TranscriptRef
    from tests.homes import SqliteHome


def change(home: SqliteHome, statement: str, *values: SqlValue) -> None:
    with open_own(home.store) as connection:
        connection.execute(statement, values)


def only(store: SqliteSessionStore, home: SqliteHome) -> StoredSession:
    [found] = store.sessions(home.agent).sessions
    return found


def ref_of(store: SqliteSessionStore, home: SqliteHome) -> TranscriptRef:
    ref = only(store, home).transcript
    assert ref is not None
    return ref


def texts(store: SqliteSessionStore, ref: TranscriptRef) -> list[str]:
    forward = list(store.forward(ref))
    assert list(store.backward(ref, limit_bytes=10**9)) == forward[::-1]
    return [entry.text for entry in forward]


def cold_records(records: Sequence[bytes]) -> bytes:
    """Return a cold archive as the platform writes it: records around the events."""
    rows = [
        {"kind": "header", "version": 1, "sessionId": "a", "generation": "g"},
        *(
            {"kind": "event", "row": {"seq": seq, "event_json": one.decode(), "created_at": 1}}
            for seq, one in enumerate(records)
        ),
        {"kind": "identity", "row": {"event_id": "00000001", "seq": 1, "created_at": 1}},
        {"kind": "fts", "row": {"text": "hello", "message_id": "00000001"}},
    ]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def put_away(home: SqliteHome, content: bytes, *, in_file: bool, name: str | None = None) -> Path:
    """Make session `a` cold; return where its file is, when it has one."""
    home.live("agent:main:main", "a", None, totalTokens=5)
    packed = zstd.compress(content)
    name = name or f"{sha256(packed).hexdigest()}.jsonl.zst"
    path = home.agent.sessions_dir / "cold" / name
    if in_file:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(packed)
    change(
        home,
        "INSERT INTO session_transcript_cold_archives"
        " VALUES ('a', 'g', ?, ?, 3, ?, ?, 2, 1000, ?, ?)",
        name,
        "0" * 64,
        len(content),
        len(packed),
        "file" if in_file else "sqlite",
        None if in_file else packed,
    )
    return path


def test_archived_records_come_as_they_are_stored(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    home.deleted("a", talk("a", "one", "x" * 3000))
    stored = "".join(piece for _, piece in store.texts(ref_of(store, home)))
    assert [json.loads(line)["type"] for line in stored.splitlines()][1:] == ["message"] * 2


@pytest.mark.parametrize("in_file", [True, False])
def test_cold_records_come_with_their_numbers(
    in_file: bool, store: SqliteSessionStore, home: SqliteHome
) -> None:
    put_away(home, cold_records(talk("a", "one", "two")) + b"{broken\n", in_file=in_file)
    *events, broken = store.texts(ref_of(store, home))
    assert [seq for seq, _ in events] == [0, 1, 2]
    assert "two" in events[2][1]
    assert broken == (0, "{broken")


def test_an_archive_is_unpacked(store: SqliteSessionStore, home: SqliteHome) -> None:
    home.deleted("a", talk("a", "one", "two", "x" * 3000))
    ref = ref_of(store, home)
    assert ref.kind is TranscriptKind.DATABASE_ARCHIVE
    assert texts(store, ref) == ["", "one", "two", "x" * 3000]
    assert len(list(store.backward(ref, limit_bytes=100))) < 4


def test_an_archive_that_is_not_packed(store: SqliteSessionStore, home: SqliteHome) -> None:
    home.deleted("a", talk("a", "one"))
    change(
        home,
        "UPDATE session_transcript_archives SET encoding = 'identity', archive_blob = ?",
        b"\n".join(talk("a", "plain")) + b"\n",
    )
    assert texts(store, ref_of(store, home)) == ["", "plain"]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE session_transcript_archives SET archive_blob = x'0102'", "cannot be unpacked"),
        ("DELETE FROM session_transcript_archives", "is gone"),
        ("DROP TABLE session_transcript_archives", "is gone"),
    ],
)
def test_an_archive_that_cannot_be_read_says_so(
    store: SqliteSessionStore, home: SqliteHome, statement: str, sentence: str
) -> None:
    home.deleted("a", talk("a", "one"))
    ref = ref_of(store, home)
    change(home, statement)
    for read in (store.forward(ref), store.backward(ref, limit_bytes=100)):
        with pytest.raises(StoreError, match=sentence):
            list(read)


def test_an_archive_over_the_limit_says_so(
    store: SqliteSessionStore, home: SqliteHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.deleted("a", talk("a", "one"))
    monkeypatch.setattr(archive, "MAX_BLOB_BYTES", 10)
    with pytest.raises(StoreError, match="is larger than 10 bytes"):
        list(store.forward(ref_of(store, home)))


@pytest.mark.parametrize("in_file", [True, False])
def test_cold_transcripts_are_read_from_where_they_are(
    store: SqliteSessionStore, home: SqliteHome, in_file: bool
) -> None:
    records = talk("a", "hello", "a word " * 60_000, "bye")
    path = put_away(home, cold_records(records), in_file=in_file)
    found = only(store, home)
    ref = ref_of(store, home)
    assert found.transcript_state is TranscriptState.PRESENT
    assert (ref.kind, ref.path) == (TranscriptKind.COLD_ARCHIVE, path if in_file else home.store)
    assert ref.size_bytes == len(cold_records(records))
    assert texts(store, ref) == ["", "hello", "a word " * 60_000, "bye"]
    assert [entry.position for entry in store.forward(ref)] == [0, 1, 2, 3]
    newest = next(store.backward(ref, limit_bytes=10))
    assert newest.text == "bye"
    assert len(list(store.backward(ref, limit_bytes=10))) == 1


def test_a_picture_in_cold_storage_is_a_note(store: SqliteSessionStore, home: SqliteHome) -> None:
    block = {"type": "image", "data": "QUJD" * 500_000, "mimeType": "image/png"}
    picture = line({"type": "message", "id": "p", "message": {"role": "user", "content": [block]}})
    put_away(home, cold_records([picture, message(2, "after")]), in_file=False)
    first, second = store.forward(ref_of(store, home))
    assert [one.size_bytes for one in first.attachments] == [2_000_000]
    assert second.text == "after"


def test_damaged_records_in_cold_storage_are_counted(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    lines = cold_records(talk("a", "one", "two")).splitlines()
    lines[2] = lines[2][:50]
    lines[3] = b'{"kind": "event", "row": {"seq": 2}}'
    put_away(home, b"\n".join([*lines, b"", b"  "]), in_file=False)
    kinds = [entry.kind for entry in store.forward(ref_of(store, home))]
    assert kinds == [EntryKind.SESSION, EntryKind.DAMAGED, EntryKind.DAMAGED]


def test_a_cold_file_that_is_gone_is_missing(store: SqliteSessionStore, home: SqliteHome) -> None:
    path = put_away(home, cold_records(talk("a", "one")), in_file=True)
    ref = ref_of(store, home)
    path.unlink()
    found = only(store, home)
    assert (found.transcript, found.transcript_state) == (None, TranscriptState.MISSING)
    with pytest.raises(StoreError, match="cannot be opened"):
        list(store.forward(ref))


def test_a_cold_file_of_another_name_is_never_opened(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    put_away(home, cold_records(talk("a", "one")), in_file=True, name="secrets.txt")
    assert only(store, home).transcript is None


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE session_transcript_cold_archives SET archive_blob = x'01'", "cannot be unpacked"),
        ("DELETE FROM session_transcript_cold_archives", "is gone"),
        ("DROP TABLE session_transcript_cold_archives", "is gone"),
    ],
)
def test_a_cold_blob_that_cannot_be_read_says_so(
    store: SqliteSessionStore, home: SqliteHome, statement: str, sentence: str
) -> None:
    put_away(home, cold_records(talk("a", "one")), in_file=False)
    ref = ref_of(store, home)
    change(home, statement)
    with pytest.raises(StoreError, match=sentence):
        list(store.forward(ref))


@pytest.mark.parametrize("limit", [10, 300])
@pytest.mark.parametrize("in_file", [True, False])
def test_cold_storage_over_the_limit_says_so(
    store: SqliteSessionStore,
    home: SqliteHome,
    monkeypatch: pytest.MonkeyPatch,
    in_file: bool,
    limit: int,
) -> None:
    put_away(home, cold_records(talk("a", "one" * 200)), in_file=in_file)
    monkeypatch.setattr(archive, "MAX_COLD_BYTES", limit)
    with pytest.raises(StoreError, match=r"is larger than|is gone|cannot be unpacked"):
        list(store.forward(ref_of(store, home)))
