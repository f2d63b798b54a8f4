"""Listings and ends of transcripts that are remembered between two processes."""

from __future__ import annotations

import json
import os
import socket
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sessions import reading_memory
from memconsole.adapters.sessions.reading_memory import DiskReadings
from memconsole.adapters.sqlite.own import open_own
from memconsole.domain.transcripts.records import (
    Compaction,
    Message,
    MessageKind,
    Tail,
    TranscriptCounts,
)
from tests.homes import entry_of
from tests.transcripts import talk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.adapters.sessions.agent import AgentSessionStore
    from memconsole.domain.sessions.stored import StoreListing
    from memconsole.domain.transcripts.records import UsageMark
    from tests.homes import HomeBuilder

AT = datetime(2026, 4, 12, 9, 0, 0, 123_456, tzinfo=UTC)
LONG_AGO_NS = 1_775_984_400_000_000_000
HOME = "/home/operator/.openclaw"
TAIL = Tail(
    counts=TranscriptCounts(damaged=1, off_path=2, unknown=3, unknown_newest=1, skewed=4),
    is_whole=True,
    has_gap=True,
    read_bytes=5,
    usage_tokens=152_000,
    usage_points=((AT, 151_000), (AT, 152_000)),
    spoke_at=AT,
)


def mark(name: str = "a", changed_ns: int = LONG_AGO_NS) -> UsageMark:
    return f"/x/{name}.jsonl", name, 1, (64, 4711, 900, LONG_AGO_NS, changed_ns)


def test_what_was_read_is_there_for_the_next_process(state: Path) -> None:
    DiskReadings(state).store(HOME, {mark(): TAIL, mark("b"): Tail()}, {})

    assert DiskReadings(state).load(HOME) == {mark(): TAIL, mark("b"): Tail()}
    assert DiskReadings(state).load("/another/home") == {}
    [folder] = state.iterdir()
    [file] = folder.iterdir()
    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    made = tmp_path / "state"
    made.mkdir()
    return made


@pytest.mark.parametrize(
    "tail",
    [
        Tail(last_compaction=Compaction("what was said")),
        Tail(messages=(Message(MessageKind.MESSAGE, "words"),)),
        Tail(counts=TranscriptCounts(in_progress=1)),
        Tail(counts=TranscriptCounts(future=1)),
    ],
    ids=["summary", "words", "half a line", "time ahead"],
)
def test_words_and_what_the_moment_decides_are_not_kept(state: Path, tail: Tail) -> None:
    DiskReadings(state).store(HOME, {mark(): tail}, {})

    assert DiskReadings(state).load(HOME) == {}


def test_a_file_that_was_just_written_may_change_again_unseen(state: Path) -> None:
    DiskReadings(state).store(HOME, {mark(changed_ns=time.time_ns()): TAIL}, {})

    assert DiskReadings(state).load(HOME) == {}


@pytest.mark.parametrize("other", ["host", "release", "garbage", "link", "open to others"])
def test_nothing_is_taken_from_elsewhere(
    state: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    DiskReadings(state).store(HOME, {mark(): TAIL}, {})
    [file] = (state / "usages").iterdir()
    if other == "host":
        monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")
    elif other == "release":
        monkeypatch.setattr(reading_memory, "__version__", "0.0.1")
    elif other == "garbage":
        file.write_bytes(b"\x93\x01\x02")
    elif other == "link":
        file.rename(state / "moved")
        file.symlink_to(state / "moved")
    else:
        file.chmod(0o666)

    assert DiskReadings(state).load(HOME) == {}


def test_it_makes_no_state_folder_and_obeys_read_only(state: Path) -> None:
    DiskReadings(state / "none").store(HOME, {mark(): TAIL}, {})
    DiskReadings(state, is_read_only=True).store(HOME, {mark(): TAIL}, {})

    assert list(state.iterdir()) == []


def later() -> int:
    """Return a time at which nothing was written just now."""
    return time.time_ns() + 10_000_000_000


def kept(state: Path, store: AgentSessionStore, home: HomeBuilder) -> StoreListing:
    """List an agent, and remember it as a process does that ends with it."""
    memory = DiskReadings(state, now_ns=later)
    memory.load(HOME)
    found = replace(store.sessions(home.agent), names=("Lighthouse", "telegram · 7", "job", "d"))
    memory.store(HOME, {}, {home.agent.ref: (home.agent, found)})
    return found


def remembered(state: Path, store: AgentSessionStore, home: HomeBuilder) -> StoreListing | None:
    """Return what the next process is told of an agent."""
    memory = DiskReadings(state)
    memory.load(HOME)
    return memory.listing(home.agent, store.fingerprint)


@pytest.fixture
def home(builder: HomeBuilder) -> HomeBuilder:
    builder.live(
        "agent:main:main", "a", talk("a", "hello"), totalTokens=152_000, label="Lighthouse"
    )
    point = {"checkpointId": "p", "createdAt": 1_768_900_000_000, "tokensBefore": 150_000}
    builder.live(
        "agent:main:telegram:direct:7",
        "b",
        talk("b", "hi"),
        channel="telegram",
        compactionCheckpoints=[point],
    )
    builder.live("agent:main:cron:job", "c", None)
    builder.orphan("d", talk("d", "left behind"))
    return builder


def test_an_agent_that_did_not_change_is_listed_from_memory(
    state: Path, agent_store: AgentSessionStore, home: HomeBuilder
) -> None:
    found = kept(state, agent_store, home)

    again = remembered(state, agent_store, home)

    assert again == found
    assert again is not None
    assert [repr(one) for one in again.sessions] == [repr(one) for one in found.sessions]
    stamps = [one.transcript and one.transcript.stamp for one in again.sessions]
    assert stamps == [one.transcript and one.transcript.stamp for one in found.sessions]


def _touch_nothing_but_bytes(path: Path, data: bytes) -> None:
    """Change a file in its place; its size and its time stay."""
    info = path.stat()
    assert len(data) == info.st_size
    with path.open("r+b") as file:
        file.write(data)
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


def _replace(path: Path) -> None:
    """Put another file of the same size and time in the place of one."""
    info = path.stat()
    other = path.with_name("copy")
    other.write_bytes(path.read_bytes()[::-1])
    os.utime(other, ns=(info.st_atime_ns, info.st_mtime_ns))
    other.replace(path)


def _change_a_row(home: HomeBuilder) -> None:
    if home.store.suffix == ".json":
        _touch_nothing_but_bytes(
            home.store, home.store.read_bytes().replace(b"Lighthouse", b"Lightboats")
        )
        return
    with open_own(home.store) as gateway:
        gateway.execute("UPDATE session_nodes SET label = 'x'")


CHANGES: dict[str, Callable[[HomeBuilder], object]] = {
    "a row changes, and its transcript does not": _change_a_row,
    "a file takes the place of the store": lambda home: _replace(home.store),
    "a transcript grows": lambda home: home.append("a", *talk("a", "more")[-1:]),
    "a session comes": lambda home: home.live("agent:main:new", "n", talk("n", "x")),
    "a file comes beside it": lambda home: _beside(home, "e.jsonl"),
}


def _beside(home: HomeBuilder, name: str) -> Path:
    home.agent.sessions_dir.mkdir(parents=True, exist_ok=True)
    path = home.agent.sessions_dir / name
    path.write_bytes(b"".join(talk("e", "x")))
    return path


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_an_agent_that_changed_is_listed_anew(
    state: Path,
    agent_store: AgentSessionStore,
    home: HomeBuilder,
    change: Callable[[HomeBuilder], object],
) -> None:
    kept(state, agent_store, home)
    change(home)

    assert remembered(state, agent_store, home) is None


def test_an_agent_of_another_configuration_is_listed_anew(
    state: Path, agent_store: AgentSessionStore, home: HomeBuilder
) -> None:
    kept(state, agent_store, home)
    home.agent = replace(home.agent, main_key="hello")

    assert remembered(state, agent_store, home) is None


def test_a_store_that_was_just_written_may_change_again_unseen(
    state: Path, agent_store: AgentSessionStore, home: HomeBuilder
) -> None:
    memory = DiskReadings(state)
    memory.load(HOME)
    found = agent_store.sessions(home.agent)
    memory.store(HOME, {}, {home.agent.ref: (home.agent, found)})

    assert remembered(state, agent_store, home) is None


SECRET = "sk-ant-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg"


@pytest.mark.parametrize("field", ["label", "displayName", "channel", "status"])
def test_a_listing_with_a_secret_is_not_kept(
    state: Path, agent_store: AgentSessionStore, home: HomeBuilder, field: str
) -> None:
    home.live("agent:main:new", "n", None, **{field: f"key {SECRET}"})
    assert any(SECRET in repr(one) for one in kept(state, agent_store, home).sessions)

    assert remembered(state, agent_store, home) is None
    assert all(SECRET.encode() not in one.read_bytes() for one in (state / "usages").iterdir())


def test_what_other_places_decided_is_not_kept(
    state: Path, agent_store: AgentSessionStore, builder: HomeBuilder, tmp_path: Path
) -> None:
    """An entry names a transcript elsewhere: no status of the agent's folders tells of it."""
    entries = {"agent:main:main": entry_of("a", {"sessionFile": str(tmp_path / "a.jsonl")})}
    builder.agent.store_file.parent.mkdir(parents=True, exist_ok=True)
    builder.agent.store_file.write_text(json.dumps(entries))
    kept(state, agent_store, builder)

    assert remembered(state, agent_store, builder) is None


@pytest.mark.parametrize("position", [0.3, 0.6, 0.95])
def test_a_damaged_memory_is_none(
    state: Path, agent_store: AgentSessionStore, home: HomeBuilder, position: float
) -> None:
    kept(state, agent_store, home)
    [file] = (state / "usages").iterdir()
    data = bytearray(file.read_bytes())
    data[int(len(data) * position)] ^= 1
    file.write_bytes(data)

    assert remembered(state, agent_store, home) is None


def test_forgetting_leaves_nothing(
    state: Path, agent_store: AgentSessionStore, home: HomeBuilder
) -> None:
    kept(state, agent_store, home)

    DiskReadings(state).forget()
    DiskReadings(state / "none").forget()

    assert list((state / "usages").iterdir()) == []
    assert remembered(state, agent_store, home) is None
