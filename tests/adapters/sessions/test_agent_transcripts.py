"""Transcripts that lie in a database, in a file beside it, or in both."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.transcripts.packing import zstd
from memconsole.domain.sessions.stored import TranscriptKind
from memconsole.domain.transcripts.records import EntryKind
from tests.adapters.sessions.beside import put, put_store, said
from tests.adapters.sessions.both_stores import entries_of, session_of
from tests.homes import SqliteHome, make_agent
from tests.transcripts import START, header, line, message, talk

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sessions.agent import AgentSessionStore
    from memconsole.domain.agents import Agent


@pytest.fixture
def home(tmp_path: Path) -> SqliteHome:
    made = SqliteHome(tmp_path / ".openclaw")
    made.agent.sessions_dir.mkdir()
    return made


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


def test_packed_archives_are_read(agent_store: AgentSessionStore, tmp_path: Path) -> None:
    agent: Agent = make_agent(tmp_path / "home")
    agent.sessions_dir.mkdir(parents=True)
    packed = zstd.compress(b"".join(one + b"\n" for one in talk("a", "one", "two")))
    name = "a.jsonl.reset.2026-11-27T22-04-03.809Z.zst"
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
