"""Both stores of an agent as one: a session id is listed and read once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.own import open_own
from memconsole.domain.agents import Storage
from memconsole.domain.sessions.stored import SessionState, TranscriptKind, TranscriptState
from tests.adapters.sessions.beside import put, put_store, said
from tests.adapters.sessions.both_stores import entries_of, session_of
from tests.homes import SqliteHome, entry_of, make_agent
from tests.transcripts import talk

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sessions.agent import AgentSessionStore
    from memconsole.adapters.sqlite.private_copy import PrivateCopies
    from tests.conftest import PreparedCase


@pytest.fixture
def home(tmp_path: Path) -> SqliteHome:
    made = SqliteHome(tmp_path / ".openclaw")
    made.agent.sessions_dir.mkdir()
    return made


@pytest.mark.shared
def test_the_case_of_two_eras(prepared_case: PreparedCase, agent_store: AgentSessionStore) -> None:
    folder, _ = prepared_case("c13-two-storage-eras")
    agent = make_agent(folder / "home" / ".openclaw")
    listing = agent_store.sessions(agent)
    assert listing.storage is Storage.SQLITE
    assert listing.notices == ()
    found = {one.session_id: one for one in listing.sessions}
    assert len(found) == len(listing.sessions) == 3
    main = found["a0b7fc97-4ead-5636-83c2-e50cf8724d35"]
    assert (main.key and main.key.text, main.tokens_reported) == ("agent:main:main", 61_000)
    assert main.source is Storage.SQLITE
    assert len(said(entries_of(agent_store, agent, str(main.session_id)))) == 10
    direct = found["3e2ce950-b0fe-5a3c-a3ae-521c4b8935b7"]
    assert len(said(entries_of(agent_store, agent, str(direct.session_id)))) == 6
    parked = found["9dbf92e5-ce31-5d36-8438-a47e314b363d"]
    assert (parked.state, parked.archive_reason) == (SessionState.ARCHIVED, "imported")
    assert len(said(entries_of(agent_store, agent, str(parked.session_id)))) == 2


def test_parked_files_and_exports_of_known_sessions_are_not_listed(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    uuid = "0d0c1a52-6f63-4e2b-8d9e-1f3c6a7b8c9d"
    home.live("agent:main:main", uuid, talk(uuid, "one"))
    home.deleted("gone", talk("gone", "then"))
    put(home, "gone.jsonl.deleted.2026-11-27T22-04-03.809Z.64ca846b.zst", [b"an export"])
    parked = f"agent_main_main.{uuid}.jsonl.imported-1788000000000"
    path = put(home, parked, talk(uuid, "one", "two"), "session-sqlite-import-archive")
    listing = agent_store.sessions(home.agent)
    assert [one.session_id for one in listing.sessions] == [uuid, "gone"]
    assert listing.sessions[0].transcript is not None
    assert listing.sessions[0].transcript.extra == path
    assert said(entries_of(agent_store, home.agent, uuid)) == ["one", "two"]
    assert listing.sessions[1].transcript is not None
    assert listing.sessions[1].transcript.extra is None


def test_an_entry_without_events_takes_the_file(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "a", None, totalTokens=5)
    path = put(home, "a.jsonl", talk("a", "only here"))
    found = session_of(agent_store, home.agent, "a")
    assert found.transcript_state is TranscriptState.PRESENT
    assert found.transcript is not None
    assert (found.transcript.kind, found.transcript.path) == (TranscriptKind.FILE, path)
    assert said(entries_of(agent_store, home.agent, "a")) == ["only here"]


def test_what_the_database_does_not_know_stays_listed(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "new", talk("new", "now"))
    put(home, "old.jsonl", talk("old", "then"))
    put(home, "other.jsonl", talk("other", "elsewhere"))
    put(home, "lost.jsonl", talk("lost", "nobody's"))
    put_store(home, main="old", side="other")
    listing = agent_store.sessions(home.agent)
    assert [(one.session_id, one.state) for one in listing.sessions] == [
        ("new", SessionState.LIVE),
        ("other", SessionState.LIVE),
        ("old", SessionState.ARCHIVED),
        ("lost", SessionState.ORPHAN),
    ]
    assert listing.storage is Storage.SQLITE
    assert [(one.code, one.message) for one in listing.notices] == [
        (
            "orphan-transcript",
            "1 transcript belongs to no session of agent main, in its database or beside it",
        )
    ]


def test_an_outdated_entry_without_a_transcript_is_nothing(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "new", talk("new", "now"))
    put_store(home, main="old", lost="away")
    listing = agent_store.sessions(home.agent)
    assert [one.session_id for one in listing.sessions] == ["new", "away"]
    assert [one.code for one in listing.notices] == ["missing-transcript"]
    put_store(home, main="old")
    assert agent_store.sessions(home.agent).notices == ()


def test_a_database_that_cannot_be_read_leaves_the_files(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    home.store.write_bytes(b"no database " * 100)
    put(home, "a.jsonl", talk("a", "still here"))
    put_store(home, main="a")
    listing = agent_store.sessions(home.agent)
    assert listing.storage is Storage.FILES
    [found] = listing.sessions
    assert (found.session_id, found.tokens_reported, found.tokens_fresh) == ("a", 158_000, False)
    assert listing.left_out["unreadable"] == 1
    assert [one.code for one in listing.notices] == ["store-unreadable"]


def test_archives_alone_do_not_make_an_unreadable_store_readable(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    home.store.write_bytes(b"no database " * 100)
    put(home, "gone.jsonl.deleted.2026-11-27T22-04-03.809Z", talk("gone", "then"))
    listing = agent_store.sessions(home.agent)
    assert listing.storage is Storage.UNREADABLE
    assert [one.session_id for one in listing.sessions] == ["gone"]


def test_an_empty_database_beside_files_is_not_moved_into_yet(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    assert agent_store.sessions(home.agent).storage is Storage.SQLITE
    put(home, "a.jsonl", talk("a", "x"))
    put_store(home, main="a")
    listing = agent_store.sessions(home.agent)
    assert (listing.storage, len(listing.sessions)) == (Storage.FILES, 1)
    home.agent.store_file.write_text("broken")
    (home.agent.sessions_dir / "a.jsonl").unlink()
    listing = agent_store.sessions(home.agent)
    assert listing.storage is Storage.UNREADABLE
    assert listing.left_out["unreadable"] == 1


def test_broken_files_beside_a_database_are_counted(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "a", talk("a", "x"))
    home.agent.store_file.write_text("broken")
    listing = agent_store.sessions(home.agent)
    assert listing.storage is Storage.SQLITE
    assert listing.left_out["unreadable"] == 1
    assert [one.code for one in listing.notices] == ["store-unreadable"]


def test_two_keys_with_one_id_take_their_own_files(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    """Topics of the file era share the id of their group and have a file each."""
    uuid = "22222222-3333-4444-8555-666666666666"
    group, topic = "agent:main:telegram:group:1", "agent:main:telegram:group:1:topic:42"
    home.live(group, uuid, talk(uuid, "x"))
    with open_own(home.store) as connection:
        connection.execute(
            "INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at)"
            " VALUES (?, ?, ?, 0)",
            (topic, uuid, json.dumps(entry_of(uuid, {}))),
        )
    plain = put(home, f"{uuid}.jsonl", talk(uuid, "x"))
    other = put(home, f"{uuid}-topic-42.jsonl", talk(uuid, "y"))
    entries = {group: entry_of(uuid, {}), topic: entry_of(uuid, {})}
    home.agent.store_file.write_text(json.dumps(entries))
    extras = {
        one.key.text: one.transcript.extra
        for one in agent_store.sessions(home.agent).sessions
        if one.key is not None and one.transcript is not None
    }
    assert extras == {group: plain, topic: other}


def test_the_fingerprint_sees_both_stores(agent_store: AgentSessionStore, home: SqliteHome) -> None:
    marks = [agent_store.fingerprint(home.agent)]
    home.live("agent:main:main", "a", talk("a", "x"))
    marks.append(agent_store.fingerprint(home.agent))
    put(home, "b.jsonl", talk("b", "x"))
    marks.append(agent_store.fingerprint(home.agent))
    with open_own(home.store) as gateway:
        gateway.execute("UPDATE session_nodes SET label = 'x'")
        marks.append(agent_store.fingerprint(home.agent))
    assert len(set(marks)) == 4
    assert agent_store.sessions(home.agent).fingerprint == agent_store.fingerprint(home.agent)


def test_leftover_copies_are_swept_before_the_first_reading(
    agent_store: AgentSessionStore,
    copies: PrivateCopies,
    home: SqliteHome,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sweeps: list[bool] = []
    monkeypatch.setattr(copies, "sweep", lambda: sweeps.append(True))
    for _ in range(3):
        agent_store.sessions(home.agent)
    assert sweeps == [True]
