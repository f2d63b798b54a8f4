"""One suite over both session stores: equal content is listed and read alike."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.adapters.sessions.agent import AgentSessionStore
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.domain.agents import Storage
from memconsole.domain.sessions.composition import LoadedFile
from memconsole.domain.sessions.keys import SessionClass
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.domain.transcripts.records import EntryKind
from tests.adapters.conftest import LATER
from tests.adapters.sessions.both_stores import BUILDERS, entries_of, session_of, without_words
from tests.transcripts import START, header, line, message, milliseconds, talk

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.transcripts.records import Entry
    from tests.homes import HomeBuilder


def everything(home: Path) -> dict[str, str]:
    return {
        str(path): f"{path.stat().st_mtime_ns} {sha256(path.read_bytes()).hexdigest()}"
        for path in home.rglob("*")
        if path.is_file()
    }


def test_what_the_platform_noted_about_a_prompt_is_read_when_it_is_asked_for(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    files = [{"name": "MEMORY.md", "rawChars": 900, "injectedChars": 800}]
    noted = {"systemPrompt": {"nonProjectContextChars": 40}, "injectedWorkspaceFiles": files}
    builder.live("agent:main:main", "a", talk("a", "hi"), systemPromptReport=noted)
    builder.live("agent:main:other", "b", talk("b", "hi"))
    found = agent_store.prompt_report(builder.agent, "agent:main:main")
    assert found is not None
    assert (found.prompt_chars, found.files) == (40, (LoadedFile("MEMORY.md", 900, 800),))
    assert agent_store.prompt_report(builder.agent, "agent:main:other") is None
    assert agent_store.prompt_report(builder.agent, "agent:main:nobody") is None


def test_a_live_session_with_all_that_its_entry_says(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    builder.live(
        "agent:main:main",
        "a",
        talk("a", "hello", "hi"),
        totalTokens=61_000,
        totalTokensFresh=True,
        totalTokensVersion=1,
        contextTokens=200_000,
        compactionCount=2,
        label="Inventory",
        status="done",
        chatType="direct",
        lastChannel="telegram",
        model="stub-large",
        modelProvider="stub",
        spawnedBy="agent:main:other",
    )
    [found] = agent_store.sessions(builder.agent).sessions
    assert found.key is not None
    assert (found.key.text, found.key.kind) == ("agent:main:main", SessionClass.MAIN)
    assert (found.session_id, found.state) == ("a", SessionState.LIVE)
    assert (found.tokens_reported, found.tokens_fresh, found.tokens_version) == (61_000, True, 1)
    assert (found.window, found.compactions, found.label) == (200_000, 2, "Inventory")
    assert (found.status, found.is_active, found.chat_type) == ("done", False, "direct")
    assert (found.channel, found.model, found.model_provider) == ("telegram", "stub-large", "stub")
    assert found.parent_key == "agent:main:other"
    assert found.started_at == START
    assert found.updated_at == found.last_interaction_at == START + timedelta(hours=1)
    assert found.transcript is not None
    assert found.transcript.modified_at == START + timedelta(hours=1)


@pytest.mark.parametrize(
    ("entry", "reported", "fresh"),
    [
        ({}, None, None),
        ({"totalTokens": 0, "totalTokensFresh": True}, 0, True),
        ({"totalTokens": 128_400, "totalTokensFresh": False}, 128_400, False),
        ({"totalTokens": "many", "totalTokensFresh": "yes"}, None, None),
        ({"totalTokens": -5}, None, None),
    ],
)
def test_counts_are_as_stored_and_unknown_is_none(
    builder: HomeBuilder,
    agent_store: AgentSessionStore,
    entry: dict[str, object],
    reported: int | None,
    fresh: bool | None,
) -> None:
    builder.live("agent:main:main", "a", talk("a", "hello"), **entry)
    found = session_of(agent_store, builder.agent, "a")
    assert (found.tokens_reported, found.tokens_fresh) == (reported, fresh)


def test_an_entry_without_a_transcript_never_ran_or_lost_it(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    builder.live("agent:main:fresh", "a", None)
    builder.live("agent:main:reset", "b", None, totalTokens=0, totalTokensFresh=True)
    builder.live("agent:main:lost", "c", None, totalTokens=12_000)
    builder.live("agent:main:compacted", "d", None, compactionCount=1)
    states = {
        one.session_id: (one.transcript_state, one.transcript)
        for one in agent_store.sessions(builder.agent).sessions
    }
    none, missing = (TranscriptState.NONE, None), (TranscriptState.MISSING, None)
    assert states == {"a": none, "b": none, "c": missing, "d": missing}


def test_archives_and_orphans_are_classes_of_their_own(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    builder.live("agent:main:main", "live", talk("live", "now"))
    builder.deleted("gone", talk("gone", "then"))
    builder.orphan("lost", talk("lost", "nobody's"))
    found = agent_store.sessions(builder.agent).sessions
    assert [one.session_id for one in found] == ["live", "gone", "lost"]
    assert [one.state for one in found] == [
        SessionState.LIVE,
        SessionState.ARCHIVED,
        SessionState.ORPHAN,
    ]
    assert {one.transcript_state for one in found} == {TranscriptState.PRESENT}
    assert found[1].archive_reason == "deleted"
    assert found[1].updated_at == datetime(2026, 11, 27, 22, 4, 3, 809000, tzinfo=UTC)
    assert found[2].key is None
    for session_id, text in (("gone", "then"), ("lost", "nobody's")):
        assert entries_of(agent_store, builder.agent, session_id)[1].text == text


def test_a_session_that_was_put_away_is_archived(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    builder.live("agent:main:old", "a", talk("a", "x"), archivedAt=milliseconds(START))
    found = session_of(agent_store, builder.agent, "a")
    assert found.state is SessionState.ARCHIVED
    assert found.key is not None


def test_keys_are_read_by_position(builder: HomeBuilder, agent_store: AgentSessionStore) -> None:
    keys = {
        "agent:main:telegram:group:-1001": SessionClass.GROUP,
        "agent:main:telegram:direct:1001": SessionClass.DIRECT,
        "agent:main:cron:nightly": SessionClass.CRON,
        "agent:main:subagent:5a5c": SessionClass.SUBAGENT,
    }
    for number, key in enumerate(keys):
        builder.live(key, f"s{number}", talk(f"s{number}", "x"))
    found = agent_store.sessions(builder.agent).sessions
    assert {one.key.text: one.key.kind for one in found if one.key is not None} == keys


def test_the_configured_main_key_is_main(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    builder.live("agent:main:home", "a", talk("a", "x"))
    agent = replace(builder.agent, main_key="home")
    [found] = agent_store.sessions(agent).sessions
    assert found.key is not None
    assert found.key.kind is SessionClass.MAIN


@pytest.mark.parametrize(
    ("scope", "kind"), [("global", SessionClass.MAIN), ("per-sender", SessionClass.OTHER)]
)
def test_the_bare_global_is_main_where_all_talk_is_one_session(
    scope: str, kind: SessionClass, builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    builder.live("global", "a", talk("a", "x"))
    agent = replace(builder.agent, session_scope=scope)
    [found] = agent_store.sessions(agent).sessions
    assert found.key is not None
    assert found.key.kind is kind


def test_a_run_that_goes_on_is_active(builder: HomeBuilder, agent_store: AgentSessionStore) -> None:
    builder.live("agent:main:a", "a", talk("a", "x"), status="running")
    builder.live("agent:main:b", "b", talk("b", "x"), hasActiveRun=True)
    builder.live("agent:main:c", "c", talk("c", "x"))
    found = agent_store.sessions(builder.agent).sessions
    assert {one.session_id: one.is_active for one in found} == {"a": True, "b": True, "c": None}


def test_an_empty_store_is_sound(builder: HomeBuilder, agent_store: AgentSessionStore) -> None:
    builder.empty_store()
    listing = agent_store.sessions(builder.agent)
    assert listing.sessions == ()
    assert listing.storage in (Storage.FILES, Storage.SQLITE)
    assert (listing.notices, sum(listing.left_out.values())) == ((), 0)


@pytest.mark.parametrize(
    "spoiled", [b"", b"neither JSON nor SQLite " * 40, b'{"agent:main:main": {"sessionId"']
)
def test_a_store_that_cannot_be_read_is_one_notice(
    builder: HomeBuilder, agent_store: AgentSessionStore, spoiled: bytes
) -> None:
    builder.empty_store()
    builder.store.write_bytes(spoiled)
    listing = agent_store.sessions(builder.agent)
    assert (listing.sessions, listing.storage) == ((), Storage.UNREADABLE)
    assert listing.left_out["unreadable"] == 1
    [notice] = listing.notices
    assert (notice.code, notice.agent) == ("store-unreadable", "main")
    assert notice.path == str(builder.store)
    assert str(builder.store) in notice.message


def test_a_store_that_is_a_folder_is_one_notice(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    builder.store.unlink(missing_ok=True)
    builder.store.mkdir()
    listing = agent_store.sessions(builder.agent)
    assert listing.storage is Storage.UNREADABLE
    assert [notice.code for notice in listing.notices] == ["store-unreadable"]


def test_reading_changes_nothing(builder: HomeBuilder, agent_store: AgentSessionStore) -> None:
    builder.live("agent:main:main", "a", talk("a", "hello", "hi"))
    builder.deleted("gone", talk("gone", "then"))
    home = builder.agent.folder.parent.parent
    before = everything(home)
    with agent_store.keep_open():
        for one in agent_store.sessions(builder.agent).sessions:
            assert one.transcript is not None
            list(agent_store.forward(one.transcript))
            list(agent_store.backward(one.transcript, limit_bytes=10**6))
    assert everything(home) == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**31), 2**31) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)

RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["session", "message", "compaction", "reset", "leaf", "odd"])
        | JSON,
        "id": st.text(max_size=8) | JSON,
        "parentId": st.none() | st.text(max_size=8),
        "timestamp": st.just("2026-11-27T21:48:20.000Z") | JSON,
        "role": JSON,
        "summary": JSON,
        "message": st.fixed_dictionaries(
            {},
            optional={
                "role": st.sampled_from(["user", "assistant", "toolResult"]) | JSON,
                "content": JSON
                | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": JSON})),
                "usage": JSON,
            },
        )
        | JSON,
    },
)


def content(entries: list[Entry]) -> list[Entry]:
    """Where a record lies and how many bytes it has is each store's own affair."""
    return [replace(entry, position=0, size_bytes=0) for entry in entries]


def test_long_transcripts_come_whole_and_in_order(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    records = [header("a"), *(message(number, f"text {number} " * 9) for number in range(1, 2600))]
    builder.live("agent:main:main", "a", records)
    forward = entries_of(agent_store, builder.agent, "a")
    assert [entry.id for entry in forward[1:]] == [f"{number:08x}" for number in range(1, 2600)]
    assert sorted(forward, key=lambda entry: entry.position) == forward
    ref = session_of(agent_store, builder.agent, "a").transcript
    assert ref is not None
    assert list(agent_store.backward(ref, limit_bytes=10**9)) == forward[::-1]


def test_a_damaged_record_is_counted_and_costs_no_other(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    records = talk("a", "one", "two", "three")
    records[2] = records[2][:40]
    builder.live("agent:main:main", "a", [*records, b"no JSON at all", b"[1, 2]"])
    kinds = [entry.kind for entry in entries_of(agent_store, builder.agent, "a")]
    assert kinds == [
        EntryKind.SESSION,
        EntryKind.MESSAGE,
        EntryKind.DAMAGED,
        EntryKind.MESSAGE,
        EntryKind.DAMAGED,
        EntryKind.DAMAGED,
    ]


@pytest.mark.parametrize("size", [5_000, 700_000, 6_000_000])
def test_an_inline_picture_becomes_a_note(
    builder: HomeBuilder, agent_store: AgentSessionStore, size: int
) -> None:
    blocks = [
        {"type": "text", "text": "look"},
        {"type": "image", "data": "QUJD" * (size // 4), "mimeType": "image/png"},
    ]
    picture = line({"type": "message", "id": "p", "message": {"role": "user", "content": blocks}})
    builder.live("agent:main:main", "a", [header("a"), picture])
    entry = entries_of(agent_store, builder.agent, "a")[1]
    assert entry.text == "look"
    assert [(one.media_type, one.size_bytes) for one in entry.attachments] == [
        ("image/png", size // 4 * 4)
    ]
    assert entry.size_bytes >= size


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> list[HomeBuilder]:
    """One home of each kind, to which each example adds a session."""
    folder = tmp_path_factory.mktemp("homes")
    return [build(folder / name) for name, build in BUILDERS.items()]


def _named(record: dict[str, object], session_id: str) -> dict[str, object]:
    """Give a header the id of its session: a file that names another one is refused."""
    is_other = record.get("type") == "session" and record.get("id")
    return {**record, "id": session_id} if is_other else record


@given(st.lists(RECORDS, max_size=6))
@example([{"type": "session", "id": ""}])
def test_whatever_the_records_are_both_stores_agree(
    homes: list[HomeBuilder], records: list[dict[str, object]]
) -> None:
    session_id = str(uuid4())
    answers = []
    for builder in homes:
        lines = [json.dumps(_named(record, session_id)).encode() for record in records]
        builder.live(f"agent:main:{session_id}", session_id, lines)
        with closing(PrivateCopies()) as copies:
            store = AgentSessionStore(copies, now=lambda: LATER)
            ref = session_of(store, builder.agent, session_id).transcript
            entries = [] if ref is None else list(store.forward(ref))
            answers.append(content(entries))
            refs = [] if ref is None else [ref]
            for _, counted in store.counted(refs, limit_bytes=10**9, expected=2):
                assert list(counted) == without_words(entries[::-1])
    assert answers[0] == answers[1] == answers[2]
    assert len(answers[0]) >= len(records)
