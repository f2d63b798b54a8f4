"""What the real 2026.9 home says, through our stores (issue facts; fixtures README)."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase, read_platform
from memconsole.domain.agents import Storage
from memconsole.domain.sessions.stored import SessionState, TranscriptKind, TranscriptState
from memconsole.domain.transcripts.records import EntryKind
from tests.adapters.sessions.both_stores import entries_of
from tests.homes import SCHEMA, lay_log_over, make_agent, statements

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sessions.agent import AgentSessionStore
    from memconsole.adapters.sqlite.private_copy import PrivateCopies
    from memconsole.domain.sessions.stored import StoredSession
    from tests.conftest import FixtureHome

pytestmark = pytest.mark.shared

HELPERS = "agent:work:dashboard:helpers"


@pytest.fixture
def state(fixture_home: FixtureHome) -> Path:
    """The home after a clean stop of the gateway."""
    return fixture_home("openclaw-2026.9")


@pytest.fixture
def overlay(state: Path, shared: Path) -> Path:
    """The home as a copy of a running gateway's: rows that are only in the log."""
    lay_log_over(state, shared)
    return state


def by_key(store: AgentSessionStore, state: Path, agent: str) -> dict[str, StoredSession]:
    listing = store.sessions(make_agent(state, agent))
    assert (listing.storage, listing.notices) == (Storage.SQLITE, ())
    return {one.key.text: one for one in listing.sessions if one.key is not None}


def everything(home: Path) -> dict[str, str]:
    return {
        str(path): f"{path.stat().st_mtime_ns} {sha256(path.read_bytes()).hexdigest()}"
        for path in home.rglob("*")
        if path.is_file()
    }


def test_the_sessions_of_main(agent_store: AgentSessionStore, state: Path) -> None:
    found = by_key(agent_store, state, "main")
    main = found["agent:main:main"]
    assert (main.tokens_reported, main.tokens_fresh, main.tokens_version) == (152_940, True, 1)
    assert (main.window, main.is_count_versioned, main.compactions) == (200_000, True, 0)
    labels = {one.label: one for one in found.values() if one.label is not None}
    stale = labels["Inventory migration"]
    assert (stale.tokens_reported, stale.tokens_fresh, stale.compactions) == (128_400, False, 1)
    reset = labels["Small talk"]
    assert (reset.tokens_reported, reset.tokens_fresh) == (0, True)
    failed = labels["Failing run"]
    assert (failed.tokens_reported, failed.status, failed.is_active) == (None, "failed", False)
    assert labels["Long research"].tokens_reported == 21_400
    assert labels["Old log review"].state is SessionState.ARCHIVED
    deleted = [one for one in found.values() if one.archive_reason == "deleted"]
    assert [one.state for one in deleted] == [SessionState.ARCHIVED] * 2
    assert len(found) == 8


def test_the_sessions_of_work(agent_store: AgentSessionStore, state: Path) -> None:
    found = by_key(agent_store, state, "work")
    counts = {
        key.removeprefix("agent:work:").split(":")[0]: one.tokens_reported
        for key, one in found.items()
        if one.state is SessionState.LIVE
    }
    assert counts == {
        "main": 202,
        "telegram": 15_200,
        "dashboard": 0,
        "cron": 12_345,
        "subagent": 8_800,
    }
    [helper] = [one for one in found.values() if one.label == "note counter"]
    assert helper.parent_key == HELPERS
    assert {one.transcript_state for one in found.values()} == {TranscriptState.PRESENT}


@pytest.mark.parametrize(("agent", "events"), [("main", 75 + 11), ("work", 49 + 5)])
def test_every_transcript_is_read_whole(
    agent_store: AgentSessionStore, state: Path, agent: str, events: int
) -> None:
    before = everything(state)
    read = 0
    for one in agent_store.sessions(make_agent(state, agent)).sessions:
        assert one.transcript is not None
        forward = list(agent_store.forward(one.transcript))
        assert list(agent_store.backward(one.transcript, limit_bytes=10**9)) == forward[::-1]
        assert forward[0].kind is EntryKind.SESSION
        assert EntryKind.DAMAGED not in {entry.kind for entry in forward}
        read += len(forward)
    assert read == events
    assert everything(state) == before


def test_a_packed_message_is_whole(agent_store: AgentSessionStore, state: Path) -> None:
    entries = entries_of(agent_store, make_agent(state), "4452f1de-aa32-4e5b-b13b-155c547df943")
    assert [len(entry.text) for entry in entries if entry.role == "user"] == [108_910]
    assert entries[1].size_bytes == 111_268


def test_compactions_and_resets_are_seen(agent_store: AgentSessionStore, state: Path) -> None:
    found = by_key(agent_store, state, "main")
    kinds = {
        one.label: [entry.kind for entry in agent_store.forward(one.transcript)]
        for one in found.values()
        if one.transcript is not None and one.transcript.kind is TranscriptKind.DATABASE
    }
    assert kinds["Inventory migration"].count(EntryKind.COMPACTION) == 1
    assert kinds["Small talk"].count(EntryKind.RESET) == 2


def test_with_the_log_the_new_state_is_read(agent_store: AgentSessionStore, overlay: Path) -> None:
    before = everything(overlay)
    found = by_key(agent_store, overlay, "work")
    assert (found[HELPERS].tokens_reported, found[HELPERS].tokens_fresh) == (0, True)
    refs = [one.transcript for one in found.values() if one.transcript is not None]
    live = [ref for ref in refs if ref.kind is TranscriptKind.DATABASE]
    assert sum(len(list(agent_store.forward(ref))) for ref in live) == 46
    assert everything(overlay) == before


def test_without_its_log_the_main_file_is_behind(
    agent_store: AgentSessionStore, overlay: Path
) -> None:
    agent = make_agent(overlay, "work")
    (agent.database.parent / f"{agent.database.name}-wal").unlink()
    found = by_key(agent_store, overlay, "work")
    assert found[HELPERS].tokens_reported == 33_000
    refs = [one.transcript for one in found.values() if one.transcript is not None]
    live = [ref for ref in refs if ref.kind is TranscriptKind.DATABASE]
    assert sum(len(list(agent_store.forward(ref))) for ref in live) == 42


def test_the_schema_of_generated_homes_is_the_real_one(state: Path, copies: PrivateCopies) -> None:
    def read(database: ReadOnlyDatabase) -> set[str]:
        rows = database.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {str(text) for (text,) in rows}

    real = read_platform(make_agent(state).database, read, copies)
    ours = {statement.removesuffix(";") for statement in statements(SCHEMA.read_text())}
    assert {" ".join(one.split()) for one in ours} <= {" ".join(one.split()) for one in real}


def test_a_hybrid_release_keeps_its_sessions_in_files(
    agent_store: AgentSessionStore, fixture_home: FixtureHome
) -> None:
    state = fixture_home("openclaw-2026.7")
    listing = agent_store.sessions(make_agent(state))
    assert listing.storage is Storage.FILES
    assert {one.source for one in listing.sessions} == {Storage.FILES}
    assert any(one.state is SessionState.LIVE for one in listing.sessions)
