"""Listing the SQLite era: every schema, older windows, and what cannot be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.own import open_own
from memconsole.domain.agents import Storage
from memconsole.domain.sessions.stored import SessionState, TranscriptKind, TranscriptState
from tests.homes import SqliteHome
from tests.transcripts import START, milliseconds, talk

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sessions.sqlite.store import SqliteSessionStore
    from memconsole.adapters.sqlite.choice import SqlValue
    from memconsole.domain.sessions.stored import StoreListing

SCHEMA_13 = """
CREATE TABLE schema_meta (meta_key TEXT PRIMARY KEY, role TEXT, schema_version INTEGER);
CREATE TABLE sessions (
  session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, transcript_updated_at INTEGER, status TEXT, chat_type TEXT,
  channel TEXT, model TEXT
) STRICT;
CREATE TABLE session_entries (
  session_key TEXT NOT NULL PRIMARY KEY, session_id TEXT NOT NULL, entry_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL, status TEXT
) STRICT;
CREATE TABLE transcript_events (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT NOT NULL,
  created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq)
) STRICT;
INSERT INTO schema_meta VALUES ('primary', 'agent', 13);
"""
MEMORY_ONLY = """
CREATE TABLE schema_meta (meta_key TEXT PRIMARY KEY, role TEXT, schema_version INTEGER);
CREATE TABLE memory_index_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO schema_meta VALUES ('primary', 'agent', 1);
"""
LATER = milliseconds(START) + 60_000


def change(home: SqliteHome, statement: str, *values: SqlValue) -> None:
    with open_own(home.store) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement, values)


def problems(listing: StoreListing) -> list[tuple[str, str]]:
    return [(notice.code, notice.message) for notice in listing.notices]


def test_counts_are_versioned_from_schema_23_on(
    store: SqliteSessionStore, home: SqliteHome, tmp_path: Path
) -> None:
    older = SqliteHome(tmp_path / "older", version=22)
    for one in (home, older):
        one.live("agent:main:main", "a", talk("a", "x"), totalTokens=5, totalTokensFresh=True)
    assert [one.is_count_versioned for one in store.sessions(home.agent).sessions] == [True]
    assert [one.is_count_versioned for one in store.sessions(older.agent).sessions] == [False]


def test_the_tables_of_schema_13(store: SqliteSessionStore, tmp_path: Path) -> None:
    home = SqliteHome(tmp_path / "old", schema=SCHEMA_13, version=13)
    entry = json.dumps({"sessionId": "a", "totalTokens": 61_000})
    change(
        home,
        "INSERT INTO session_entries VALUES ('agent:main:main', 'a', ?, ?, 'done')",
        entry,
        LATER,
    )
    for session_id in ("a", "earlier"):
        change(
            home,
            "INSERT INTO sessions VALUES (?, 'agent:main:main', 1000, ?, NULL, 'done', 'direct',"
            " 'telegram', 'm')",
            session_id,
            LATER,
        )
        for seq, record in enumerate(talk(session_id, "hello")):
            change(
                home,
                "INSERT INTO transcript_events VALUES (?, ?, ?, ?)",
                session_id,
                seq,
                record.decode(),
                LATER + seq,
            )
    live, earlier = store.sessions(home.agent).sessions
    assert (live.session_id, live.tokens_reported, live.chat_type) == ("a", 61_000, "direct")
    assert (live.channel, live.model, live.is_active) == ("telegram", "m", False)
    assert live.window_count == 2
    assert live.transcript is not None
    assert live.transcript.modified_at is not None
    assert milliseconds(live.transcript.modified_at) == LATER + 1
    assert [entry.text for entry in store.forward(live.transcript)] == ["", "hello"]
    assert (earlier.session_id, earlier.state) == ("earlier", SessionState.ARCHIVED)


def test_a_hybrid_release_keeps_its_sessions_elsewhere(
    store: SqliteSessionStore, tmp_path: Path
) -> None:
    home = SqliteHome(tmp_path / "hybrid", schema=MEMORY_ONLY, version=1)
    listing = store.sessions(home.agent)
    assert (listing.sessions, listing.storage, listing.notices) == ((), Storage.NONE, ())


@pytest.mark.parametrize(
    ("schema", "version"),
    [
        ("CREATE TABLE recipes (name TEXT);", 0),
        (MEMORY_ONLY, 14),
        (
            MEMORY_ONLY + "CREATE TABLE session_nodes (session_key TEXT, something TEXT);\n"
            "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT);",
            22,
        ),
        ("CREATE VIEW session_nodes AS SELECT 1 AS session_key, 2 AS current_session_id;", 23),
    ],
    ids=["foreign", "missing", "reshaped", "view"],
)
def test_tables_that_are_not_known_are_one_notice(
    store: SqliteSessionStore, tmp_path: Path, schema: str, version: int
) -> None:
    home = SqliteHome(tmp_path / "odd", schema=schema, version=version)
    listing = store.sessions(home.agent)
    assert (listing.sessions, listing.storage) == ((), Storage.UNREADABLE)
    assert listing.left_out == {"unreadable": 1}
    assert problems(listing) == [
        (
            "store-unreadable",
            f"{home.store} has no session tables that are known (schema {version})",
        )
    ]


EVENTS_ALONE = MEMORY_ONLY + (
    "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT);"
)


def test_the_tables_that_are_there_are_read(store: SqliteSessionStore, tmp_path: Path) -> None:
    home = SqliteHome(tmp_path / "odd", schema=EVENTS_ALONE, version=23)
    for number, record in enumerate(talk("a", "hello", "there")):
        values = f"'a', {number}, '{record.decode()}'"
        change(home, f"INSERT INTO transcript_events VALUES ({values})")

    listing = store.sessions(home.agent)

    [found] = listing.sessions
    assert (listing.storage, listing.left_out) == (Storage.SQLITE, {"unreadable": 1})
    assert (found.session_id, found.key, found.state) == ("a", None, SessionState.ORPHAN)
    assert found.transcript is not None
    texts = [one.text for one in store.forward(found.transcript) if one.text]
    assert texts == ["hello", "there"]
    [(code, message)] = problems(listing)
    assert code == "store-unreadable"
    assert "holds 1 transcript and no table that is known which says whose they are" in message


@pytest.mark.parametrize("place", ["header", "table"])
def test_a_newer_schema_is_for_the_gateway_only(
    store: SqliteSessionStore, home: SqliteHome, place: str
) -> None:
    home.live("agent:main:main", "a", talk("a", "x"))
    if place == "header":
        change(home, "PRAGMA user_version = 24")
    else:
        change(home, "INSERT INTO schema_meta VALUES ('primary', 'agent', 24, 'main', NULL, 0, 0)")
    listing = store.sessions(home.agent)
    assert (listing.sessions, listing.storage) == ((), Storage.UNREADABLE)
    assert problems(listing) == [
        (
            "store-newer",
            f"{home.store} has schema 24, and this memconsole knows schemas up to 23",
        )
    ]


def test_earlier_windows_of_a_key_are_its_archives(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "new", talk("new", "now"))
    with open_own(home.store) as connection:
        home.window(connection, "agent:main:main", "first")
        home.window(connection, "agent:main:main", "second", "first", "rollover")
        connection.execute(
            "UPDATE session_windows SET previous_session_id = 'second', reason = 'fork' "
            "WHERE session_id = 'new'"
        )
    home.append("first", *talk("first", "then"))
    found = {one.session_id: one for one in store.sessions(home.agent).sessions}
    assert found["new"].state is SessionState.LIVE
    assert found["new"].window_count == 3
    for session_id, reason in (("first", "rollover"), ("second", None)):
        assert found[session_id].state is SessionState.ARCHIVED
        assert found[session_id].archive_reason == reason
        assert found[session_id].key == found["new"].key
    assert found["first"].transcript_state is TranscriptState.PRESENT
    assert found["second"].transcript_state is TranscriptState.NONE
    assert found["second"].updated_at is not None


def test_an_archive_of_what_lives_is_no_session_of_its_own(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "a", talk("a", "x"))
    home.deleted("a", talk("a", "old"))
    home.deleted("b", talk("b", "old"))
    found = store.sessions(home.agent).sessions
    assert [one.session_id for one in found] == ["a", "b"]
    assert found[1].key is not None
    assert found[1].key.text == "agent:main:gone"
    assert found[1].transcript is not None
    assert found[1].transcript.kind is TranscriptKind.DATABASE_ARCHIVE


def test_the_newest_archive_of_an_id_is_the_one(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    home.deleted("a", talk("a", "first"))
    change(
        home,
        "INSERT INTO session_transcript_archives (session_id, generation, session_key, reason,"
        " encoding, archive_blob, archive_sha256, archive_name, created_at)"
        " SELECT session_id, 'later', session_key, 'reset', 'identity', ?, archive_sha256,"
        " 'other', created_at + 1 FROM session_transcript_archives",
        b"".join(record + b"\n" for record in talk("a", "first", "second")),
    )
    [found] = store.sessions(home.agent).sessions
    assert found.archive_reason == "reset"
    assert found.transcript is not None
    assert found.transcript.generation == "later"
    texts = [entry.text for entry in store.forward(found.transcript)]
    assert texts == ["", "first", "second"]
    assert found.transcript.size_bytes == sum(len(one) + 1 for one in talk("a", "first", "second"))


def test_an_entry_that_cannot_be_decoded_is_listed_and_said(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "a", talk("a", "x"), totalTokens=5)
    home.live("agent:main:other", "b", talk("b", "x"), totalTokens=5)
    change(
        home,
        "UPDATE session_nodes SET entry_json = '{\"sessionId\": \"a', label = 'Talk',"
        " last_interaction_at = 1000 WHERE session_key = 'agent:main:main'",
    )
    listing = store.sessions(home.agent)
    broken, whole = listing.sessions
    assert (broken.session_id, broken.tokens_reported, broken.label) == ("a", None, "Talk")
    assert broken.last_interaction_at is not None
    assert whole.tokens_reported == 5
    assert problems(listing) == [
        (
            "store-unreadable",
            f"1 session entry in {home.store} cannot be decoded; shown without tokens and model",
        )
    ]
    change(home, "UPDATE session_nodes SET entry_json = '[]'")
    assert "2 session entries" in store.sessions(home.agent).notices[0].message


def test_a_gigantic_entry_is_not_read(store: SqliteSessionStore, home: SqliteHome) -> None:
    home.live("agent:main:main", "a", talk("a", "x"), totalTokens=5, bulk="x" * 9_000_000)
    [found] = store.sessions(home.agent).sessions
    assert found.tokens_reported is None


def test_nonsense_in_loose_tables_costs_only_itself(
    store: SqliteSessionStore, tmp_path: Path
) -> None:
    """Columns of another schema may hold anything, in tables that are not strict."""
    schema = """
    CREATE TABLE session_nodes (session_key, current_session_id, entry_json, updated_at, status);
    CREATE TABLE session_windows (session_id, session_key, transcript_updated_at);
    CREATE TABLE transcript_events (session_id, seq, event_json, created_at);
    CREATE TABLE session_transcript_archives (session_id, generation, archive_blob, created_at);
    CREATE TABLE session_transcript_cold_archives (session_id, storage, archive_name);
    CREATE TABLE session_key_contract (id, main_key);
    CREATE TABLE schema_meta (schema_version);
    INSERT INTO session_nodes VALUES (NULL, 1, 2, 3, 4), ('agent:main:main', x'00', 5, 'x', 1.5);
    INSERT INTO session_nodes VALUES ('agent:main:a', 'a', '{}', -1, NULL);
    INSERT INTO session_windows VALUES (NULL, 'k', 1), ('w', 'agent:main:a', 'yesterday');
    INSERT INTO transcript_events VALUES (NULL, 1, '{}', 1), ('a', 'first', '{}', 'then');
    INSERT INTO transcript_events VALUES (7, 1, '{}', 1);
    INSERT INTO session_transcript_archives VALUES (1, 2, 3, 4), ('x', 'g', 5, NULL);
    INSERT INTO session_transcript_cold_archives VALUES ('w', 'file', '../passwd'), (1, 2, 3);
    INSERT INTO session_key_contract VALUES (1, 5);
    INSERT INTO schema_meta VALUES ('none');
    """
    lines = "\n".join(text.strip() for text in schema.splitlines() if text.strip())
    home = SqliteHome(tmp_path / "loose", schema=lines, version=20)
    listing = store.sessions(home.agent)
    assert [(one.session_id, one.key and one.key.text) for one in listing.sessions] == [
        (None, "agent:main:main"),
        ("a", "agent:main:a"),
        ("w", "agent:main:a"),
        ("x", None),
    ]
    assert listing.sessions[2].transcript_state is TranscriptState.MISSING
    transcript = listing.sessions[1].transcript
    assert transcript is not None
    assert transcript.modified_at is None
    assert [entry.position for entry in store.forward(transcript)] == [0]


def test_the_word_for_the_main_session_comes_from_the_database(
    store: SqliteSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:home", "a", talk("a", "x"))
    change(home, "INSERT INTO session_key_contract VALUES (1, 'home', NULL, 0)")
    [found] = store.sessions(home.agent).sessions
    assert found.key is not None
    assert found.key.kind.value == "main"


def test_a_link_to_nowhere_is_one_notice(store: SqliteSessionStore, home: SqliteHome) -> None:
    home.store.unlink()
    home.store.symlink_to(home.store.parent / "nowhere")
    listing = store.sessions(home.agent)
    assert listing.storage is Storage.UNREADABLE
    assert problems(listing)[0][1].endswith("cannot be read: No such file or directory")
    assert store.fingerprint(home.agent) == store.fingerprint(home.agent)


def test_something_that_may_not_be_seen_is_there(
    store: SqliteSessionStore, home: SqliteHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(home.store), "lstat", refuse)
    monkeypatch.setattr(type(home.store), "stat", refuse)
    listing = store.sessions(home.agent)
    assert listing.storage is Storage.UNREADABLE
    assert problems(listing)[0][1].endswith("cannot be read: Permission denied")
