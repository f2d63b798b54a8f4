"""One suite over both session stores: equal transcripts read alike."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memconsole.adapters.sessions.agent import AgentSessionStore
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.domain.transcripts.records import EntryKind
from memconsole.errors import StoreError
from tests.adapters.conftest import LATER
from tests.adapters.sessions.both_stores import BUILDERS, entries_of, session_of
from tests.transcripts import START, header, line, message, talk

if TYPE_CHECKING:
    from memconsole.domain.transcripts.records import Entry
    from tests.homes import HomeBuilder

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


def without_words(entries: list[Entry]) -> list[Entry]:
    """What is left of entries for whoever only counts."""
    return [
        replace(entry, text="", thinking_chars=0, attachments=(), tools=()) for entry in entries
    ]


def content(entries: list[Entry]) -> list[Entry]:
    """Where a record lies and how many bytes it has is each store's own affair."""
    return [replace(entry, position=0, size_bytes=0) for entry in entries]


def test_a_transcript_reads_the_same_in_both_directions(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    texts = ["Olá, João", "了解しました\n\n- 🟢 done", 'quotes " and \\ and \x1b[31mred\x00']
    builder.live("agent:main:main", "a", talk("a", *texts))
    forward = entries_of(agent_store, builder.agent, "a")
    assert [entry.kind for entry in forward] == [EntryKind.SESSION, *[EntryKind.MESSAGE] * 3]
    assert [entry.text for entry in forward[1:]] == texts
    assert [entry.role for entry in forward[1:]] == ["user", "assistant", "user"]
    assert [entry.parent_id for entry in forward[1:]] == [None, "00000001", "00000002"]
    assert forward[2].at == START + timedelta(minutes=2)
    assert forward[2].usage is not None
    assert forward[2].usage.total == 120
    ref = session_of(agent_store, builder.agent, "a").transcript
    assert ref is not None
    assert list(agent_store.backward(ref, limit_bytes=10**9)) == forward[::-1]


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


def test_reading_backward_stops_at_its_limit(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    records = [header("a"), *(message(number, "x" * 200) for number in range(1, 400))]
    builder.live("agent:main:main", "a", records)
    ref = session_of(agent_store, builder.agent, "a").transcript
    assert ref is not None
    read = list(agent_store.backward(ref, limit_bytes=20_000))
    assert read[0].id == f"{399:08x}"
    assert sum(entry.size_bytes for entry in read[:-1]) < 20_000
    assert sum(entry.size_bytes for entry in read) >= 19_000


def test_a_talk_that_grows_is_read_to_its_new_end(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    builder.live("agent:main:main", "a", talk("a", "hello"))
    before = agent_store.fingerprint(builder.agent)
    assert agent_store.fingerprint(builder.agent) == before
    assert agent_store.sessions(builder.agent).fingerprint == before
    builder.append("a", message(2, "more"))
    assert agent_store.fingerprint(builder.agent) != before
    assert [entry.text for entry in entries_of(agent_store, builder.agent, "a")] == [
        "",
        "hello",
        "more",
    ]


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


@pytest.mark.parametrize("expected", [1, 3, 200])
def test_counting_reads_the_same_without_words(
    builder: HomeBuilder, agent_store: AgentSessionStore, expected: int
) -> None:
    builder.live("agent:main:main", "a", [*talk("a", *("word " * 20,) * 90), b"{no JSON"])
    builder.live("agent:main:b", "b", talk("b", "one", "two"))
    builder.live("agent:main:c", "c", [])
    refs = [
        ref
        for session_id in "abc"
        if (ref := session_of(agent_store, builder.agent, session_id).transcript) is not None
    ]
    counted = {
        ref.session_id: list(entries)
        for ref, entries in agent_store.counted(refs, limit_bytes=10**9, expected=expected)
    }
    assert counted == {
        ref.session_id: without_words(list(agent_store.backward(ref, limit_bytes=10**9)))
        for ref in refs
    }
    assert len(counted["a"]) == 92


def test_counting_stops_at_the_limit(builder: HomeBuilder, agent_store: AgentSessionStore) -> None:
    builder.live("agent:main:main", "a", talk("a", *("x" * 500,) * 60))
    ref = session_of(agent_store, builder.agent, "a").transcript
    assert ref is not None
    [(_, entries)] = agent_store.counted([ref], limit_bytes=5_000, expected=2)
    expected = agent_store.backward(ref, limit_bytes=5_000)
    assert [entry.id for entry in entries] == [entry.id for entry in expected]


def test_counting_tells_of_one_that_cannot_be_read_and_goes_on(
    builder: HomeBuilder, agent_store: AgentSessionStore
) -> None:
    builder.live("agent:main:main", "a", talk("a", "one"))
    ref = session_of(agent_store, builder.agent, "a").transcript
    assert ref is not None
    gone = replace(ref, path=ref.path.with_name("gone"))
    heard: list[str] = []
    for one, entries in agent_store.counted([gone, ref], limit_bytes=10**9, expected=1):
        try:
            heard.append(f"{len(list(entries))} of {one.path.name}")
        except StoreError:
            heard.append(f"none of {one.path.name}")
    assert sorted(heard) == [f"2 of {ref.path.name}", "none of gone"]


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


@settings(max_examples=40)
@given(st.lists(RECORDS, max_size=6))
def test_whatever_the_records_are_both_stores_agree(
    homes: list[HomeBuilder], records: list[dict[str, object]]
) -> None:
    session_id = str(uuid4())
    answers = []
    for builder in homes:
        lines = [json.dumps(record).encode() for record in records]
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
