"""Both stores of an agent as one: a session id is listed and read once."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.sessions.agent import Known, known_of, merged
from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.transcripts.packing import zstd
from memconsole.domain.agents import Storage
from memconsole.domain.sessions.stored import SessionState, TranscriptKind, TranscriptState
from memconsole.domain.transcripts.records import Entry, EntryKind
from tests.adapters.sessions.beside import put, put_store, said
from tests.adapters.sessions.both_stores import entries_of, session_of
from tests.homes import SqliteHome, entry_of, make_agent
from tests.transcripts import START, header, line, message, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from memconsole.adapters.sessions.agent import AgentSessionStore
    from memconsole.adapters.sqlite.private_copy import PrivateCopies
    from memconsole.domain.agents import Agent
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


SESSION = Entry(EntryKind.SESSION, id="session", at=START)


def entry(name: str | None, minute: int | None, text: str = "") -> Entry:
    at = None if minute is None else START + timedelta(minutes=minute)
    return Entry(EntryKind.MESSAGE, id=name, at=at, role="user", text=text)


def merge(stored: list[Entry], filed: list[Entry], *, is_backward: bool = False) -> list[Entry]:
    def known() -> Known:
        return known_of((), stored)

    if is_backward:
        stored, filed = stored[::-1], filed[::-1]
    return list(merged(stored, filed, known, is_backward=is_backward))


ENTRIES = st.lists(
    st.builds(
        entry,
        st.none() | st.sampled_from([f"{number:08x}" for number in range(12)]),
        st.none() | st.integers(0, 5),
        st.sampled_from(["", "hello"]),
    ),
    max_size=10,
).map(lambda entries: list(unique(entries)))


def unique(entries: Iterable[Entry]) -> Iterator[Entry]:
    """An id is given once in a transcript."""
    seen = set()
    for one in entries:
        if one.id is None or one.id not in seen:
            seen.add(one.id)
            yield one


def is_subsequence(part: list[Entry], whole: list[Entry]) -> bool:
    remaining = iter(whole)
    return all(any(one is other for other in remaining) for one in part)


@given(ENTRIES, ENTRIES, st.booleans())
def test_nothing_is_lost_or_doubled_and_each_keeps_its_order(
    stored: list[Entry], filed: list[Entry], is_backward: bool
) -> None:
    whole = merge(stored, filed, is_backward=is_backward)
    if is_backward:
        stored, filed = stored[::-1], filed[::-1]
    assert is_subsequence(stored, whole)
    ours = {id(one) for one in stored}
    added = [one for one in whole if id(one) not in ours]
    assert is_subsequence(added, filed)
    ids = [one.id for one in whole if one.id is not None]
    assert sorted(ids) == sorted({one.id for one in (*stored, *filed) if one.id is not None})
    for nameless in {(one.at, one.text) for one in (*stored, *filed) if one.id is None}:
        counts = [
            sum(one.id is None and (one.at, one.text) == nameless for one in entries)
            for entries in (stored, filed, whole)
        ]
        assert counts[2] == max(counts[0], counts[1])


def test_what_only_the_file_has_comes_at_its_time() -> None:
    stored = [SESSION, entry("a", 1), entry("c", 3)]
    filed = [SESSION, entry("a", 1), entry("b", 2), entry("c", 3), entry("d", 4)]
    assert [one.id for one in merge(stored, filed)] == ["session", "a", "b", "c", "d"]
    backward = merge(stored, filed, is_backward=True)
    assert [one.id for one in backward] == ["d", "c", "b", "a", "session"]


def test_a_record_without_a_time_stays_where_it_is() -> None:
    stored = [entry("a", 1), entry("z", 9)]
    filed = [entry("b", 2), entry("c", None), entry("d", 3)]
    assert [one.id for one in merge(stored, filed)] == ["a", "b", "c", "d", "z"]


def test_the_file_is_not_asked_before_its_turn() -> None:
    def known() -> Known:
        raise AssertionError("the reader stopped before")

    stored = [entry("c", 3), entry("b", 2)]
    filed = [entry("b", 2), entry("a", 1)]
    reading = merged(stored, filed, known, is_backward=True)
    assert [next(reading).id, next(reading).id] == ["c", "b"]


def test_damage_of_both_is_counted() -> None:
    damaged = Entry(EntryKind.DAMAGED, position=7)
    assert merge([entry("a", 1)], [damaged, entry("b", 2)]) == [
        damaged,
        entry("a", 1),
        entry("b", 2),
    ]


def test_ids_in_a_table_count_too() -> None:
    known = known_of(["a"], [entry("b", 1), entry(None, 1, "x")])
    assert [known.take(entry(name, 1)) for name in ("a", "b", "c")] == [True, True, False]
    assert [known.take(entry(None, 1, "x")) for _ in range(2)] == [True, False]


def test_the_database_wins_and_the_file_adds_what_it_lacks(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    records = [header("a"), *(message(number, f"text {number}") for number in range(1, 7))]
    home.live("agent:main:main", "a", [records[n] for n in (0, 1, 2, 5, 6)], totalTokens=61_000)
    path = put(home, "a.jsonl", records[:5])
    put_store(home, main="a")
    [found] = agent_store.sessions(home.agent).sessions
    assert found.tokens_reported == 61_000
    assert found.transcript is not None
    assert (found.transcript.kind, found.transcript.extra) == (TranscriptKind.DATABASE, path)
    forward = list(agent_store.forward(found.transcript))
    assert said(forward) == [f"text {number}" for number in range(1, 7)]
    backward = list(agent_store.backward(found.transcript, limit_bytes=10**9))
    assert backward == forward[::-1]
    assert len(list(agent_store.backward(found.transcript, limit_bytes=300))) == 2


def test_lines_without_ids_are_told_apart_by_what_they_say(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    plain = [
        line({"role": "user", "content": text, "timestamp": 1795816100000 + number})
        for number, text in enumerate(("one", "two", "two", "three"))
    ]
    home.live("agent:main:main", "a", plain[:3])
    put(home, "a.jsonl", plain)
    entries = entries_of(agent_store, home.agent, "a")
    assert said(entries) == ["one", "two", "two", "three"]


def test_the_last_line_of_a_leftover_file_needs_no_end(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "a", talk("a", "one"))
    path = put(home, "a.jsonl", talk("a", "one"))
    path.write_bytes(path.read_bytes() + message(2, "not imported"))
    entries = entries_of(agent_store, home.agent, "a")
    assert said(entries) == ["one", "not imported"]
    path.write_bytes(path.read_bytes()[:-5])
    kinds = [entry.kind for entry in entries_of(agent_store, home.agent, "a")]
    assert kinds.count(EntryKind.DAMAGED) == 1
    assert EntryKind.IN_PROGRESS not in kinds


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.jsonl.reset.2026-11-27T22-04-03.809Z.zst", zstd.compress),
        ("a.jsonl.reset.2026-11-27T22-04-03.809Z.gz", gzip.compress),
        ("a.jsonl.gz", gzip.compress),
    ],
)
def test_packed_archives_are_read(
    agent_store: AgentSessionStore, tmp_path: Path, name: str, pack: Callable[[bytes], bytes]
) -> None:
    agent: Agent = make_agent(tmp_path / "home")
    agent.sessions_dir.mkdir(parents=True)
    packed = pack(b"".join(one + b"\n" for one in talk("a", "one", "two")))
    (agent.sessions_dir / name).write_bytes(packed)
    found = session_of(agent_store, agent, "a")
    assert found.transcript is not None
    assert found.transcript.kind is TranscriptKind.PACKED_FILE
    forward = entries_of(agent_store, agent, "a")
    assert said(forward) == ["one", "two"]
    assert list(agent_store.backward(found.transcript, limit_bytes=10**6)) == forward[::-1]


def test_what_cold_storage_lacks_comes_from_the_file(
    agent_store: AgentSessionStore, home: SqliteHome
) -> None:
    home.live("agent:main:main", "a", None)
    rows = [
        {"kind": "event", "row": {"seq": seq, "event_json": one.decode(), "created_at": 1}}
        for seq, one in enumerate(talk("a", "one"))
    ]
    blob = zstd.compress(b"\n".join(json.dumps(row).encode() for row in rows))
    with open_own(home.store) as connection:
        connection.execute(
            "INSERT INTO session_transcript_cold_archives"
            " VALUES ('a', 'g', 'n', ?, 1, 1, 1, 1, ?, 'sqlite', ?)",
            ("0" * 64, int(START.timestamp() * 1000), blob),
        )
    put(home, "a.jsonl", talk("a", "one", "two"))
    assert said(entries_of(agent_store, home.agent, "a")) == ["one", "two"]
