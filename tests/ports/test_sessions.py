"""Sessions and transcripts, in either era and in the double: what the engine may rely on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

import pytest

from memconsole.adapters.sessions.agent import AgentSessionStore
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.transcripts.entries import entries_forward
from memconsole.adapters.transcripts.lines import blob_lines_forward
from memconsole.domain.agents import Storage
from memconsole.domain.sessions.keys import key_of
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.transcripts.records import EntryKind
from memconsole.errors import StoreError
from tests.adapters.conftest import LATER
from tests.adapters.sessions.both_stores import BUILDERS, without_words
from tests.doubles.platform import FakeStore
from tests.homes import make_agent
from tests.transcripts import START, header, message, talk

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memconsole.domain.agents import Agent
    from memconsole.domain.transcripts.records import Entry
    from memconsole.ports.platform import SessionStore

KEY = "agent:main:main"


class Home(Protocol):
    """Writes one agent's sessions."""

    agent: Agent

    def live(self, key: str, session_id: str, records: Sequence[bytes]) -> None: ...
    def append(self, session_id: str, *records: bytes) -> None: ...


class DoubleHome:
    """What lies on disk elsewhere, decoded, in the double."""

    def __init__(self, home: Path, store: FakeStore) -> None:
        self.agent = make_agent(home)
        self.store = store
        self._sessions: list[StoredSession] = []

    def live(self, key: str, session_id: str, records: Sequence[bytes]) -> None:
        path = self.agent.sessions_dir / f"{session_id}.jsonl"
        self._sessions.append(
            StoredSession(
                self.agent.ref,
                key_of(self.agent, key),
                session_id,
                SessionState.LIVE,
                TranscriptState.PRESENT,
                TranscriptRef(self.agent.ref, session_id, TranscriptKind.FILE, path),
            )
        )
        self.store.hold(*self._sessions)
        self.append(session_id, *records)

    def append(self, session_id: str, *records: bytes) -> None:
        data = b"".join(record + b"\n" for record in records)
        lines = blob_lines_forward(data, is_packed=False, name=session_id)
        self.store.transcripts.setdefault(session_id, []).extend(entries_forward(lines))


@dataclass(frozen=True)
class Held:
    """An agent's sessions, and the store that reads them."""

    home: Home
    store: SessionStore

    def refs(self) -> list[TranscriptRef]:
        found = [one.transcript for one in self.store.sessions(self.home.agent).sessions]
        return [ref for ref in found if ref is not None]

    def entries(self) -> list[Entry]:
        """The entries of the only session."""
        [ref] = self.refs()
        return list(self.store.forward(ref))


@pytest.fixture(params=[*BUILDERS, "double"])
def held(request: pytest.FixtureRequest, tmp_path: Path) -> Held:
    if request.param == "double":
        double = FakeStore()
        return Held(DoubleHome(tmp_path, double), double)
    store = AgentSessionStore(PrivateCopies(tmp_path / "copies"), now=lambda: LATER)
    return Held(BUILDERS[request.param](tmp_path / ".openclaw"), store)


def test_a_transcript_reads_the_same_in_both_directions(held: Held) -> None:
    texts = ["Olá, João", "了解しました\n\n- 🟢 done", 'quotes " and \\ and \x1b[31mred\x00']
    held.home.live(KEY, "a", talk("a", *texts))
    forward = held.entries()
    assert [entry.kind for entry in forward] == [EntryKind.SESSION, *[EntryKind.MESSAGE] * 3]
    assert [entry.text for entry in forward[1:]] == texts
    assert [entry.role for entry in forward[1:]] == ["user", "assistant", "user"]
    assert [entry.parent_id for entry in forward[1:]] == [None, "00000001", "00000002"]
    assert forward[2].at == START + timedelta(minutes=2)
    assert forward[2].usage is not None
    assert forward[2].usage.total == 120
    [ref] = held.refs()
    with held.store.keep_open():
        assert list(held.store.backward(ref, limit_bytes=10**9)) == forward[::-1]


def test_reading_backward_stops_at_its_limit(held: Held) -> None:
    records = [header("a"), *(message(number, "x" * 200) for number in range(1, 400))]
    held.home.live(KEY, "a", records)
    [ref] = held.refs()
    read = list(held.store.backward(ref, limit_bytes=20_000))
    assert read[0].id == f"{399:08x}"
    assert sum(entry.size_bytes for entry in read[:-1]) < 20_000
    assert sum(entry.size_bytes for entry in read) >= 19_000


def test_a_session_that_grows_is_read_to_its_new_end(held: Held) -> None:
    held.home.live(KEY, "a", talk("a", "hello"))
    agent = held.home.agent
    before = held.store.fingerprint(agent)
    assert held.store.fingerprint(agent) == before
    assert held.store.sessions(agent).fingerprint == before
    held.home.append("a", message(2, "more"))
    assert held.store.fingerprint(agent) != before
    assert [entry.text for entry in held.entries()] == ["", "hello", "more"]


@pytest.mark.parametrize("expected", [1, 3, 200])
def test_counting_reads_the_same_without_words(held: Held, expected: int) -> None:
    held.home.live(KEY, "a", [*talk("a", *("word " * 20,) * 90), b"{no JSON"])
    held.home.live("agent:main:b", "b", talk("b", "one", "two"))
    held.home.live("agent:main:c", "c", [])
    refs = held.refs()
    counted = {
        ref.session_id: list(entries)
        for ref, entries in held.store.counted(refs, limit_bytes=10**9, expected=expected)
    }
    assert counted == {
        ref.session_id: without_words(list(held.store.backward(ref, limit_bytes=10**9)))
        for ref in refs
    }
    assert len(counted["a"]) == 92


def test_counting_stops_at_the_limit(held: Held) -> None:
    held.home.live(KEY, "a", talk("a", *("x" * 500,) * 60))
    refs = held.refs()
    [(_, entries)] = held.store.counted(refs, limit_bytes=5_000, expected=2)
    expected = held.store.backward(refs[0], limit_bytes=5_000)
    assert [entry.id for entry in entries] == [entry.id for entry in expected]


def test_one_that_cannot_be_read_is_an_error_of_its_own(held: Held) -> None:
    held.home.live(KEY, "a", talk("a", "one"))
    [ref] = held.refs()
    gone = replace(ref, path=ref.path.with_name("gone"), session_id="gone")
    for read in (held.store.forward(gone), held.store.backward(gone, limit_bytes=10**9)):
        with pytest.raises(StoreError):
            list(read)
    heard: list[str] = []
    for one, entries in held.store.counted([gone, ref], limit_bytes=10**9, expected=1):
        try:
            heard.append(f"{len(list(entries))} of {one.session_id}")
        except StoreError:
            heard.append(f"none of {one.session_id}")
    assert sorted(heard) == ["2 of a", "none of gone"]


def test_nobody_noted_anything_where_nothing_is(held: Held, tmp_path: Path) -> None:
    nobody = make_agent(tmp_path / "nowhere", "nobody")
    listing = held.store.sessions(nobody)
    assert (listing.sessions, listing.storage, listing.notices) == ((), Storage.NONE, ())
    assert held.store.prompt_report(nobody, KEY) is None
