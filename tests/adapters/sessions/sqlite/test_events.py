"""Events of a database: packed, broken, giant and many."""

from __future__ import annotations

import json
import sys
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sessions.sqlite import events as sqlite_events
from memconsole.adapters.sqlite import choice, ways
from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase, keep_open
from memconsole.adapters.transcripts.packing import zstd
from memconsole.domain.transcripts.records import EntryKind
from memconsole.errors import StoreError
from tests.homes import SqliteHome
from tests.transcripts import header, line, message, talk

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sessions.sqlite.store import SqliteSessionStore
    from memconsole.adapters.sqlite.choice import Connection, SqlValue
    from memconsole.domain.sessions.stored import TranscriptRef
    from memconsole.domain.transcripts.records import Entry

LONG = "a word of a long message " * 60


def ref_of(store: SqliteSessionStore, home: SqliteHome) -> TranscriptRef:
    [found] = store.sessions(home.agent).sessions
    assert found.transcript is not None
    return found.transcript


def entries_of(store: SqliteSessionStore, home: SqliteHome) -> list[Entry]:
    return list(store.forward(ref_of(store, home)))


def change(home: SqliteHome, statement: str, *values: SqlValue) -> None:
    with open_own(home.store) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement, values)


def is_packed(home: SqliteHome) -> list[bool]:
    with open_own(home.store) as connection:
        rows = connection.execute(
            "SELECT event_json IS NULL FROM transcript_events ORDER BY seq"
        ).fetchall()
    return [bool(packed) for (packed,) in rows]


def test_packed_events_are_unpacked(store: SqliteSessionStore, home: SqliteHome) -> None:
    home.live("agent:main:main", "a", talk("a", "short", LONG, "short again"))
    assert is_packed(home) == [False, False, True, False]
    entries = entries_of(store, home)
    assert [entry.text for entry in entries] == ["", "short", LONG, "short again"]
    assert entries[2].size_bytes == len(talk("a", "short", LONG)[2])
    assert [entry.position for entry in entries] == [0, 1, 2, 3]


def bomb(size: int) -> bytes:
    """Return a small frame that unpacks to `size` bytes and says so."""
    packed: bytes = zstd.compress(bytes(size))
    return packed


def bomb_that_does_not_say(size: int) -> bytes:
    options: dict[int, int] = {zstd.CompressionParameter.content_size_flag: 0}
    packed: bytes = zstd.compress(bytes(size), options=options)
    return packed


@pytest.mark.parametrize(
    "packed",
    [
        b"no frame at all",
        b"",
        zstd.compress(message(2, LONG))[:-9],
        bomb(sqlite_events.MAX_EVENT_BYTES + 1),
        bomb_that_does_not_say(sqlite_events.MAX_EVENT_BYTES + 1),
        zstd.compress(b"[" * 2000),
    ],
    ids=["garbage", "empty", "cut", "bomb", "silent-bomb", "no-json"],
)
def test_a_packed_event_that_cannot_be_read_is_damage_with_a_place(
    store: SqliteSessionStore, home: SqliteHome, packed: bytes
) -> None:
    home.live("agent:main:main", "a", talk("a", "one", LONG, "three"))
    change(home, "UPDATE transcript_events SET event_zstd = ? WHERE seq = 2", packed)
    entries = entries_of(store, home)
    assert [entry.kind for entry in entries] == [
        EntryKind.SESSION,
        EntryKind.MESSAGE,
        EntryKind.DAMAGED,
        EntryKind.MESSAGE,
    ]
    damaged = entries[2]
    assert (damaged.position, damaged.text) == (2, "")
    assert (damaged.id, damaged.parent_id, damaged.role) == ("00000002", "00000001", "assistant")
    assert damaged.at is not None


@pytest.mark.parametrize("navigation", [None, "", "{", '{"navigation": 5}', "[1]", "x" * 70_000])
def test_a_broken_event_with_a_broken_frame_is_damage(
    store: SqliteSessionStore, home: SqliteHome, navigation: str | None
) -> None:
    home.live("agent:main:main", "a", talk("a", "one", LONG))
    change(
        home,
        "UPDATE transcript_events SET event_zstd = x'00', navigation_json = ? WHERE seq = 2",
        navigation,
    )
    damaged = entries_of(store, home)[2]
    assert (damaged.kind, damaged.id, damaged.position) == (EntryKind.DAMAGED, None, 2)


def test_an_event_that_holds_nothing_is_damage(store: SqliteSessionStore, home: SqliteHome) -> None:
    home.live("agent:main:main", "a", talk("a", "one"))
    change(home, "UPDATE transcript_events SET event_json = NULL, event_utf8_bytes = -5")
    assert [entry.kind for entry in entries_of(store, home)] == [EntryKind.DAMAGED] * 2
    assert [entry.size_bytes for entry in entries_of(store, home)] == [0, 0]


def test_without_the_unpacker_packed_events_are_damage(
    store: SqliteSessionStore, home: SqliteHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.live("agent:main:main", "a", talk("a", "one", LONG))
    monkeypatch.setitem(sys.modules, "memconsole.adapters.transcripts.packing", None)
    kinds = [entry.kind for entry in entries_of(store, home)]
    assert kinds == [EntryKind.SESSION, EntryKind.MESSAGE, EntryKind.DAMAGED]


def picture(size: int) -> bytes:
    data = {"type": "image", "data": "QUJD" * (size // 4), "mimeType": "image/png"}
    return line({"type": "message", "id": "p", "message": {"role": "user", "content": [data]}})


def test_a_giant_event_costs_its_bytes_and_not_its_memory(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "a", [header("a"), picture(24_000_000), message(2, "after")])
    ref = ref_of(store, home)
    list(store.backward(ref, limit_bytes=100))
    tracemalloc.start()
    try:
        after, giant, _ = store.backward(ref, limit_bytes=10**9)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after.text == "after"
    assert [one.size_bytes for one in giant.attachments] == [24_000_000]
    assert giant.size_bytes > 24_000_000
    assert peak < 6_000_000


def test_events_come_as_they_are_stored_however_large(
    store: SqliteSessionStore, home: SqliteHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.live("agent:main:main", "a", [header("a"), picture(600_000), message(2, LONG)])
    pieces = list(store.texts(ref_of(store, home)))
    assert [len(text) > 600_000 for _, text in pieces] == [False, True, False]
    assert [seq for seq, _ in pieces] == sorted({seq for seq, _ in pieces})
    assert LONG in json.loads(pieces[2][1])["message"]["content"][0]["text"]
    monkeypatch.setattr(sqlite_events, "MAX_EVENT_BYTES", 500_000)
    with pytest.raises(StoreError, match="too large"):
        list(store.texts(ref_of(store, home)))


def test_an_event_over_the_limit_is_damage(
    store: SqliteSessionStore, home: SqliteHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_events, "MAX_EVENT_BYTES", 1_000_000)
    home.live("agent:main:main", "a", [header("a"), picture(1_200_000), message(2, "after")])
    kinds = [entry.kind for entry in entries_of(store, home)]
    assert kinds == [EntryKind.SESSION, EntryKind.DAMAGED, EntryKind.MESSAGE]
    assert entries_of(store, home)[1].size_bytes > 1_200_000


def test_giant_events_of_a_table_without_rowids_are_damage(
    store: SqliteSessionStore, tmp_path: Path
) -> None:
    schema = """
    CREATE TABLE session_nodes (session_key, current_session_id, entry_json, updated_at);
    CREATE TABLE transcript_events (session_id, seq, event_json,
      PRIMARY KEY (session_id, seq)) WITHOUT ROWID;
    INSERT INTO session_nodes VALUES ('agent:main:main', 'a', '{}', 1);
    """
    lines = "\n".join(text.strip() for text in schema.splitlines() if text.strip())
    home = SqliteHome(tmp_path / "odd", schema=lines, version=20)
    for seq, record in enumerate((picture(400_000), message(1, "x"))):
        change(home, "INSERT INTO transcript_events VALUES ('a', ?, ?)", seq, record.decode())
    kinds = [entry.kind for entry in entries_of(store, home)]
    assert kinds == [EntryKind.DAMAGED, EntryKind.MESSAGE]


def test_pages_grow_and_are_cut_by_weight(
    store: SqliteSessionStore, home: SqliteHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.live("agent:main:main", "a", [header("a"), *(message(n, LONG) for n in range(1, 900))])
    reads: list[int] = []
    real = sqlite_events._Page.read

    def spy(
        page: sqlite_events._Page, database: ReadOnlyDatabase
    ) -> tuple[list[sqlite_events._Event], bool]:
        events, is_last = real(page, database)
        reads.append(len(events))
        return events, is_last

    monkeypatch.setattr(sqlite_events._Page, "read", spy)
    assert len(entries_of(store, home)) == 900
    assert reads == [4, 16, 64, 256, 560]
    monkeypatch.setattr(sqlite_events, "_PAGE_BYTES", 100_000)
    reads.clear()
    assert len(list(store.backward(ref_of(store, home), limit_bytes=10**9))) == 900
    assert max(reads) <= 64
    reads.clear()
    next(store.backward(ref_of(store, home), limit_bytes=10**9))
    assert reads == [4]


def test_what_is_written_while_reading_is_met_once(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "a", [header("a"), *(message(n, "x") for n in range(1, 50))])
    ref = ref_of(store, home)
    backward = store.backward(ref, limit_bytes=10**9)
    seen = [next(backward).id]
    home.append("a", *(message(n, "new") for n in range(50, 60)))
    seen += [entry.id for entry in backward]
    assert seen == [*(f"{n:08x}" for n in range(49, 0, -1)), "a"]


def test_a_transcript_that_went_away_has_no_entries(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "a", talk("a", "x"))
    ref = ref_of(store, home)
    change(home, "DELETE FROM transcript_events")
    assert list(store.forward(ref)) == []
    change(home, "DROP TABLE transcript_events")
    assert list(store.backward(ref, limit_bytes=10)) == []
    home.store.unlink()
    with pytest.raises(StoreError, match="No such file"):
        list(store.forward(ref))


def test_readings_of_one_block_share_a_connection(
    store: SqliteSessionStore, home: SqliteHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def spy(path: Path, options: str) -> Connection:
        opened.append(options)
        return choice.connect(path, options)

    home.live("agent:main:main", "a", talk("a", "x"))
    monkeypatch.setattr(ways, "connect", spy)
    ref = ref_of(store, home)
    opened.clear()
    with keep_open(), keep_open():
        for _ in range(3):
            list(store.forward(ref))
        assert len(opened) == 1
        home.append("a", message(2, "more"))
        assert [entry.text for entry in store.forward(ref)] == ["", "x", "more"]
        assert len(opened) == 2
        with open_own(home.store) as gateway:
            gateway.execute("UPDATE session_nodes SET label = 'x'")
            assert len(list(store.forward(ref))) == 3
            assert len(list(store.forward(ref))) == 3
            assert opened[2:] == ["mode=ro"]
    list(store.forward(ref))
    assert len(opened) == 4
