"""The file-era session store: its entries, and how each finds its transcript."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sessions.files.store import FileSessionStore
from memconsole.domain.agents import Storage
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from tests.adapters.sessions.files.file_homes import (
    ID_A,
    ID_B,
    ID_C,
    KEY,
    LIVE,
    ORPHAN,
    Sessions,
    by_state,
    file_agent,
    notices,
    only,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


ENTRY = {
    "sessionId": ID_A,
    "updatedAt": 1_775_982_000_000,
    "sessionStartedAt": 1_775_900_000_000,
    "lastInteractionAt": 1_775_980_000_000,
    "totalTokens": 30_000,
    "totalTokensFresh": True,
    "contextTokens": 200_000,
    "compactionCount": 2,
    "status": "running",
    "displayName": "Bob",
    "lastChannel": "telegram",
    "chatType": "direct",
    "model": "stub-1",
    "modelProvider": "stub",
    "spawnedBy": KEY,
    "skillsSnapshot": {"prompt": "junk" * 1000},
}


def test_every_field_of_an_entry(place: Sessions) -> None:
    transcript = place.file(f"{ID_A}.jsonl", size=17, at=1_775_900_000)
    place.store({"agent:main:telegram:direct:9": ENTRY})

    session = place.one()

    assert session.transcript is not None
    assert session == StoredSession(
        agent=place.agent.ref,
        key=parse_key("agent:main:telegram:direct:9", owner="main"),
        session_id=ID_A,
        state=LIVE,
        transcript_state=TranscriptState.PRESENT,
        transcript=session.transcript,
        label="Bob",
        channel="telegram",
        chat_type="direct",
        model="stub-1",
        model_provider="stub",
        tokens_reported=30_000,
        tokens_fresh=True,
        window=200_000,
        compactions=2,
        status="running",
        is_active=True,
        started_at=datetime(2026, 4, 11, 9, 33, 20, tzinfo=UTC),
        updated_at=datetime(2026, 4, 12, 8, 20, tzinfo=UTC),
        last_interaction_at=datetime(2026, 4, 12, 7, 46, 40, tzinfo=UTC),
        parent_key=KEY,
    )
    assert session.transcript == TranscriptRef(
        place.agent.ref,
        ID_A,
        TranscriptKind.FILE,
        transcript,
        size_bytes=17,
        modified_at=datetime(2026, 4, 11, 9, 33, 20, tzinfo=UTC),
    )


def test_an_agent_that_never_ran_has_no_store(tmp_path: Path) -> None:
    listing = FileSessionStore().sessions(file_agent(tmp_path))

    assert (listing.sessions, listing.storage, listing.notices) == ((), Storage.NONE, ())


def test_transcripts_without_a_store_are_orphans(place: Sessions) -> None:
    place.file(f"{ID_A}.jsonl")

    listing = place.read()

    assert listing.storage is Storage.FILES
    assert by_state(listing, ORPHAN) == [ID_A]
    assert only(listing).code == "orphan-transcript"
    assert only(listing).path == str(place.folder / f"{ID_A}.jsonl")


def test_orphans_are_one_notice(place: Sessions) -> None:
    for session_id in (ID_A, ID_B, ID_C):
        place.file(f"{session_id}.jsonl")

    assert only(place.read()).message == "3 transcripts of agent main belong to no session"


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        ({}, TranscriptState.NONE),
        ({"totalTokens": 0, "totalTokensFresh": True}, TranscriptState.NONE),
        ({"totalTokens": 12_000}, TranscriptState.MISSING),
        ({"compactionCount": 1}, TranscriptState.MISSING),
    ],
)
def test_an_entry_without_a_transcript_stays_listed(
    place: Sessions, entry: dict[str, object], state: TranscriptState
) -> None:
    place.store({KEY: {"sessionId": ID_A, "sessionFile": None, **entry}})

    listing = place.read()

    assert listing.sessions[0].transcript_state is state
    assert listing.sessions[0].transcript is None
    assert notices(listing) == (["missing-transcript"] if state is TranscriptState.MISSING else [])


def test_lost_transcripts_are_one_notice(place: Sessions) -> None:
    lost = {"totalTokens": 5}
    place.store({"agent:main:a": lost, "agent:main:b": lost, "agent:main:c": {}})

    message = "2 sessions of agent main had content, but their transcripts are gone"
    assert only(place.read()).message == message


def test_an_entry_that_names_no_id_takes_that_of_its_file(place: Sessions) -> None:
    place.file(f"{ID_A}.jsonl")
    place.store({KEY: {"sessionFile": f"{ID_A}.jsonl"}, "agent:main:x": {"label": "y"}})

    first, second = place.read().sessions

    assert (first.session_id, second.session_id) == (ID_A, None)


SESSION_FILES: dict[str, Callable[[Sessions], str]] = {
    "absolute, of another machine": lambda _: f"/home/op/.openclaw/x/{ID_B}.jsonl",
    "relative": lambda _: f"{ID_B}.jsonl",
    "absolute, here": lambda place: str(place.folder / f"{ID_B}.jsonl"),
}


@pytest.mark.parametrize("session_file", SESSION_FILES.values(), ids=SESSION_FILES.keys())
def test_the_own_file_of_a_session_wins_over_another_that_its_entry_names(
    place: Sessions, session_file: Callable[[Sessions], str]
) -> None:
    place.file(f"{ID_A}.jsonl")
    place.file(f"{ID_B}.jsonl")
    place.store({KEY: {"sessionId": ID_A, "sessionFile": session_file(place)}})

    listing = place.read()

    [live] = [one for one in listing.sessions if one.state is LIVE]
    assert live.transcript is not None
    assert (live.session_id, live.transcript.session_id) == (ID_A, ID_A)
    assert live.transcript.path.name == f"{ID_A}.jsonl"
    assert by_state(listing, ORPHAN) == [ID_B]
    assert notices(listing) == ["orphan-transcript", "session-id-mismatch"]


@pytest.mark.parametrize("session_file", SESSION_FILES.values(), ids=SESSION_FILES.keys())
def test_the_file_of_another_session_is_never_taken(
    place: Sessions, session_file: Callable[[Sessions], str]
) -> None:
    place.header(f"{ID_B}.jsonl", ID_B)
    place.store({KEY: {"sessionId": ID_A, "sessionFile": session_file(place)}})

    listing = place.read()

    [live] = [one for one in listing.sessions if one.state is LIVE]
    assert (live.transcript, live.transcript_state) == (None, TranscriptState.REFUSED)
    assert live.refusal is not None
    assert live.refusal.code == "session-id-mismatch"
    assert live.refusal in listing.notices
    assert "missing-transcript" not in notices(listing)  # it is there, and not its own


def test_a_file_of_another_name_is_taken_when_its_header_carries_the_id(place: Sessions) -> None:
    path = place.header(f"2026-04-11_{ID_A}.jsonl", ID_A)
    place.store({KEY: {"sessionId": ID_A, "sessionFile": path.name}})

    [live] = place.read().sessions

    assert live.transcript is not None
    assert (live.transcript.path, live.refusal) == (path, None)


def test_session_file_elsewhere_is_not_opened(place: Sessions, tmp_path: Path) -> None:
    (tmp_path / "big disk").mkdir()
    moved = tmp_path / "big disk" / f"{ID_A}.jsonl"
    moved.write_text("")
    place.store({KEY: {"sessionId": ID_A, "sessionFile": str(moved)}})

    assert place.one().transcript is None
    assert only(place.read()).code == "transcript-outside"
    assert only(place.read()).path == str(moved)


@pytest.mark.parametrize("is_moved", [False, True])
@pytest.mark.parametrize("home", [".openclaw", ""])
def test_the_transcript_of_another_agent_is_not_opened(
    place: Sessions, tmp_path: Path, home: str, is_moved: bool
) -> None:
    other = Sessions(tmp_path / home, "juno")
    theirs = other.header(f"{ID_B}.jsonl", ID_B)
    named = f"/old/home/agents/juno/sessions/{ID_B}.jsonl" if is_moved else str(theirs)
    place.store({KEY: {"sessionId": ID_B, "sessionFile": named}})

    assert place.one().transcript is None
    assert only(place.read()).code == "transcript-outside"


def test_a_file_of_a_moved_home_is_taken_when_it_is_the_sessions_own(
    place: Sessions, tmp_path: Path
) -> None:
    folder = tmp_path / "disk" / "sessions"
    folder.mkdir(parents=True)
    own, others = folder / f"{ID_A}.jsonl", folder / "x.jsonl"
    own.write_text(json.dumps({"type": "session", "id": ID_A}) + "\n")
    others.write_text(json.dumps({"type": "session", "id": ID_C}) + "\n")
    entries = {
        KEY: {"sessionId": ID_A, "sessionFile": f"/mnt/old/disk/sessions/{own.name}"},
        "agent:main:x": {"sessionId": ID_B, "sessionFile": "/mnt/old/disk/sessions/x.jsonl"},
    }
    place.store(entries)

    listing = place.read()

    assert [one.transcript and one.transcript.path for one in listing.sessions] == [own, None]
    assert notices(listing) == ["path-mapped", "session-id-mismatch"]


def test_thousands_of_odd_entries_are_a_few_notices(place: Sessions) -> None:
    place.header(f"{ID_B}.jsonl", ID_B)
    entries = {f"k{n}": {"sessionId": f"s{n}", "sessionFile": f"{ID_B}.jsonl"} for n in range(50)}
    place.store(entries)

    found = [one for one in place.read().notices if one.code == "session-id-mismatch"]

    assert len(found) == 4
    assert found[-1].message.startswith("47 more, such as: ")


def test_session_files_of_a_moved_home_are_found_by_their_tail(place: Sessions) -> None:
    ids = (ID_A, ID_B)
    found = [place.file(f"old/{session_id}.jsonl") for session_id in ids]
    folder = "/home/op/.openclaw/agents/main/sessions/old"
    place.store({one: {"sessionId": one, "sessionFile": f"{folder}/{one}.jsonl"} for one in ids})

    listing = place.read()

    refs = [one.transcript for one in listing.sessions]
    assert [ref.path for ref in refs if ref is not None] == found
    assert notices(listing) == ["path-mapped", "path-mapped"]


@pytest.mark.parametrize(
    "session_file",
    [
        "/etc/passwd",
        "/dev/zero",
        "../../../../etc/passwd",
        "sqlite:agent/openclaw-agent.sqlite#main",
        "",
        f"{ID_B}.trajectory.jsonl",
        f"{ID_B}.jsonl.lock",
        "/" + "x/" * 5000 + "y.jsonl",
        "/" + "x" * 300 + "/y.jsonl",
        "\0.jsonl",
        "pipe.jsonl",
        "folder.jsonl",
    ],
)
def test_a_session_file_of_another_kind_is_not_followed(place: Sessions, session_file: str) -> None:
    place.file(f"{ID_B}.trajectory.jsonl")
    place.file(f"{ID_B}.jsonl.lock")
    os.mkfifo(place.folder / "pipe.jsonl")
    (place.folder / "folder.jsonl").mkdir()
    expected = place.file(f"{ID_A}.jsonl")
    place.store({KEY: {"sessionId": ID_A, "sessionFile": session_file}})

    transcript = place.one().transcript

    assert transcript is not None
    assert transcript.path == expected


def test_a_pipe_elsewhere_is_not_followed(place: Sessions, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    place.store({KEY: {"sessionId": ID_A, "sessionFile": str(tmp_path / "pipe.jsonl")}})

    assert place.one().transcript is None


def test_a_session_id_is_never_a_path(place: Sessions, tmp_path: Path) -> None:
    (tmp_path / "secret.jsonl").write_text("")
    place.store({KEY: {"sessionId": f"{os.path.relpath(tmp_path, place.folder)}/secret"}})

    assert place.one().transcript is None


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("agent:main:telegram:group:-1:topic:42", f"{ID_A}-topic-42.jsonl"),
        ("agent:main:slack:channel:c:thread:1700.01", f"{ID_A}-topic-1700.01.jsonl"),
        ("agent:main:x:group:1:topic:a:b", f"{ID_A}-topic-a%3Ab.jsonl"),
        ("agent:main:telegram:group:-1:topic:42", f"{ID_A}.jsonl"),
        ("agent:main:compactme", f"{ID_A}-topic-42.jsonl"),
    ],
)
def test_a_topic_has_a_file_of_its_own(place: Sessions, key: str, name: str) -> None:
    place.file(name)
    place.store({key: {"sessionId": ID_A}})

    transcript = place.one().transcript

    assert transcript is not None
    assert transcript.path.name == name


def test_topics_of_one_id_are_told_apart(place: Sessions) -> None:
    place.file(f"{ID_A}-topic-1.jsonl")
    place.file(f"{ID_A}-topic-2.jsonl")
    place.store({f"agent:main:t:group:g:topic:{n}": {"sessionId": ID_A} for n in (2, 1)})

    names = [one.transcript.path.name for one in place.read().sessions if one.transcript]

    assert names == [f"{ID_A}-topic-2.jsonl", f"{ID_A}-topic-1.jsonl"]


def test_keys_that_name_one_file_are_all_listed(place: Sessions) -> None:
    place.file(f"{ID_A}.jsonl")
    keys = ["agent:main:cron:nightly", f"agent:main:cron:nightly:run:{ID_A}"]
    place.store({key: {"sessionId": ID_A} for key in keys})

    listing = place.read()

    assert by_state(listing, LIVE) == keys
    assert [one.key.is_cron_run for one in listing.sessions if one.key] == [False, True]
    assert listing.left_out == {"backup": 0, "unreadable": 0}
