"""The file-era session store: live sessions, archives, orphans, and what is none of these."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Storage
from memconsole.domain.keys import SessionClass, classify
from memconsole.domain.sessions import (
    SessionState,
    StoredSession,
    StoreListing,
    TranscriptKind,
    TranscriptState,
)
from memconsole.stores.files import FileSessionStore
from tests.adapters.file_homes import ID_A, ID_B, ID_C, STAMP, Sessions, by_state, file_agent
from tests.adapters.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.agents import Notice
    from tests.conftest import FixtureHome, PreparedCase

LIVE, ARCHIVED, ORPHAN = SessionState.LIVE, SessionState.ARCHIVED, SessionState.ORPHAN
PRESENT, NONE, MISSING = TranscriptState.PRESENT, TranscriptState.NONE, TranscriptState.MISSING
KEY = "agent:main:main"


@pytest.fixture
def place(tmp_path: Path) -> Sessions:
    """An empty sessions folder of agent `main`."""
    return Sessions(tmp_path / ".openclaw")


def notices(listing: StoreListing) -> list[str]:
    return [notice.code for notice in listing.notices]


def only(listing: StoreListing) -> Notice:
    [notice] = listing.notices
    return notice


def test_every_field_of_an_entry(place: Sessions) -> None:
    transcript = place.file(f"{ID_A}.jsonl", size=17, at=1_775_900_000)
    place.store(
        {
            "agent:main:telegram:direct:9": {
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
        }
    )

    session = place.one()

    assert session.key is not None
    assert session.transcript is not None
    assert session == StoredSession(
        agent=place.agent.ref,
        key=session.key,
        session_id=ID_A,
        state=LIVE,
        transcript_state=PRESENT,
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
    assert session.key.kind is SessionClass.DIRECT
    assert session.transcript.path == transcript
    assert (session.transcript.kind, session.transcript.size_bytes) == (TranscriptKind.FILE, 17)
    assert session.transcript.modified_at == datetime(2026, 4, 11, 9, 33, 20, tzinfo=UTC)


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
        ({}, NONE),
        ({"totalTokens": 0, "totalTokensFresh": True}, NONE),
        ({"totalTokens": 12_000}, MISSING),
        ({"compactionCount": 1}, MISSING),
    ],
)
def test_an_entry_without_a_transcript_stays_listed(
    place: Sessions, entry: dict[str, object], state: TranscriptState
) -> None:
    place.store({KEY: {"sessionId": ID_A, "sessionFile": None, **entry}})

    listing = place.read()

    assert listing.sessions[0].transcript_state is state
    assert listing.sessions[0].transcript is None
    assert notices(listing) == (["missing-transcript"] if state is MISSING else [])


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
def test_session_file_is_found_by_its_name_in_our_folder(
    place: Sessions, session_file: Callable[[Sessions], str]
) -> None:
    place.file(f"{ID_A}.jsonl")
    place.file(f"{ID_B}.jsonl")
    place.store({KEY: {"sessionId": ID_A, "sessionFile": session_file(place)}})

    listing = place.read()

    [live] = [one for one in listing.sessions if one.state is LIVE]
    assert live.transcript is not None
    assert (live.session_id, live.transcript.session_id) == (ID_A, ID_A)
    assert live.transcript.path.name == f"{ID_B}.jsonl"
    # One session id is one session, so the other file is a copy of its past.
    assert (len(listing.sessions), listing.left_out["backup"]) == (1, 1)


def test_session_file_elsewhere_is_followed(place: Sessions, tmp_path: Path) -> None:
    (tmp_path / "big disk").mkdir()
    moved = tmp_path / "big disk" / f"{ID_A}.jsonl"
    moved.write_text("")
    place.store({KEY: {"sessionId": ID_A, "sessionFile": str(moved)}})

    transcript = place.one().transcript

    assert transcript is not None
    assert transcript.path == moved


def test_session_files_of_a_moved_home_are_found_by_their_tail(place: Sessions) -> None:
    ids = (ID_A, ID_B)
    found = [place.file(f"old/{session_id}.jsonl") for session_id in ids]
    folder = "/home/op/.openclaw/agents/main/sessions/old"
    place.store({one: {"sessionId": one, "sessionFile": f"{folder}/{one}.jsonl"} for one in ids})

    refs = [one.transcript for one in place.read().sessions]

    assert [ref.path for ref in refs if ref is not None] == found


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


def test_archives_are_listed_apart(place: Sessions) -> None:
    place.file(f"{ID_A}.jsonl.reset.{STAMP}")
    place.file(f"{ID_B}.jsonl.deleted.{STAMP}.zst")
    (place.agent.folder / "session-sqlite-import-archive").mkdir()
    parked = f"archive-tier.{ID_C}.jsonl.imported-1788000000000"
    place.file(f"../session-sqlite-import-archive/{parked}")

    listing = place.read()

    found = [(one.session_id, one.archive_reason, one.transcript) for one in listing.sessions]
    assert [(session_id, reason) for session_id, reason, _ in found] == [
        (ID_A, "reset"),
        (ID_B, "deleted"),
        (ID_C, "imported"),
    ]
    assert [ref.kind for *_, ref in found if ref] == [
        TranscriptKind.FILE,
        TranscriptKind.PACKED_FILE,
        TranscriptKind.FILE,
    ]
    assert {one.state for one in listing.sessions} == {ARCHIVED}
    assert listing.sessions[0].updated_at == datetime(2026, 4, 11, 2, tzinfo=UTC)
    assert listing.notices == ()


def test_an_archive_is_named_by_the_key_that_once_had_it(place: Sessions) -> None:
    place.file(f"{ID_A}.jsonl.reset.{STAMP}")
    place.file(f"{ID_B}.jsonl")
    place.file(f"{ID_C}.jsonl")
    place.store({KEY: {"sessionId": ID_C, "usageFamilySessionIds": [ID_A, ID_B, ID_C]}})

    listing = place.read()

    assert [(one.state, one.session_id, one.key and one.key.text) for one in listing.sessions] == [
        (LIVE, ID_C, KEY),
        (ARCHIVED, ID_A, KEY),
        (ARCHIVED, ID_B, KEY),
    ]
    assert listing.notices == ()


def test_one_session_id_is_one_session(place: Sessions) -> None:
    place.file(f"{ID_A}.jsonl")
    place.file(f"{ID_A}.jsonl.reset.{STAMP}")
    place.file(f"{ID_B}.jsonl", size=5)
    place.file(f"{ID_B}.jsonl.deleted.{STAMP}", size=500)
    place.file(f"{ID_B}.jsonl.reset.{STAMP}", size=50)
    place.store({KEY: {"sessionId": ID_A}})

    listing = place.read()

    assert [(one.session_id, one.state) for one in listing.sessions] == [
        (ID_A, LIVE),
        (ID_B, ARCHIVED),
    ]
    # The fullest file of a session that nobody names holds most of it.
    assert listing.sessions[1].archive_reason == "deleted"
    assert listing.left_out["backup"] == 3


def test_a_live_session_whose_transcript_was_put_away_still_has_it(place: Sessions) -> None:
    archive = place.file(f"{ID_A}.jsonl.reset.{STAMP}")
    place.store({KEY: {"sessionId": ID_A, "totalTokens": 9}})

    listing = place.read()

    [session] = listing.sessions
    assert session.transcript is not None
    assert (session.state, session.transcript_state) == (LIVE, PRESENT)
    assert session.transcript.path == archive
    assert listing.left_out["backup"] == 0


def test_an_entry_that_was_put_away_is_archived(place: Sessions) -> None:
    place.store({KEY: {"sessionId": ID_A, "archivedAt": 1_775_982_000_000}})

    assert place.one().state is ARCHIVED


def test_copies_of_the_past_are_counted_and_nothing_else_is_a_session(place: Sessions) -> None:
    for name in (
        f"{ID_A}.jsonl.bak.{STAMP}",
        f"{ID_A}.checkpoint.{ID_B}.jsonl",
        f"{ID_A}.trajectory.jsonl",
        f"{ID_A}.trajectory-path.json",
        f"{ID_A}.jsonl.lock",
        "sessions.json.4711.tmp",
        "sessions.json.bak.1788000000000",
        ".usage-cost-cache.json",
        ".DS_Store",
        f"._{ID_A}.jsonl",
        "tool-results/x.jsonl",
    ):
        place.file(name)
    os.mkfifo(place.folder / "pipe.jsonl")
    (place.folder / "folder.jsonl").mkdir()
    (place.folder / "dangling.jsonl").symlink_to("nowhere")
    (place.folder / "loop.jsonl").symlink_to("loop.jsonl")

    listing = place.read()

    assert (listing.sessions, listing.storage) == ((), Storage.NONE)
    assert listing.left_out == {"backup": 2, "unreadable": 0}


def test_a_link_to_a_transcript_is_one(place: Sessions, tmp_path: Path) -> None:
    (tmp_path / "far.jsonl").write_text("12345")
    (place.folder / f"{ID_A}.jsonl").symlink_to(tmp_path / "far.jsonl")

    transcript = place.one().transcript

    assert transcript is not None
    assert transcript.size_bytes == 5


def test_names_that_are_no_text_survive(place: Sessions) -> None:
    odd = Path(os.fsdecode(os.fsencode(place.folder) + b"/odd\xff\x1b[2J.jsonl"))
    odd.write_text("{}")

    session = place.one()

    assert session.session_id == "odd\ufffd\x1b[2J"
    assert session.transcript is not None
    assert session.transcript.path.read_text() == "{}"
    assert "\x1b" not in only(place.read()).message


def test_a_file_time_that_is_no_date_is_unknown(place: Sessions) -> None:
    place.file(f"{ID_A}.jsonl", at=0)

    assert place.one().updated_at is None


UNREADABLE = {
    "empty": (b"", "is empty (0 bytes)"),
    "blank": (b" \n\0\0", "is empty (4 bytes)"),
    "cut": (b'{"agent:main:main": {"sessionId": "a', "is cut off or damaged"),
    "a list": (b"[1, 2]", "holds no object"),
    "null": (b"null", "is cut off or damaged"),
    "binary": (bytes(range(256)), "is cut off or damaged"),
}


@pytest.mark.parametrize(("data", "reason"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_store_that_cannot_be_read_is_not_an_empty_one(
    place: Sessions, data: bytes, reason: str
) -> None:
    place.raw(data)

    listing = place.read()

    assert (listing.sessions, listing.storage) == ((), Storage.UNREADABLE)
    assert listing.left_out["unreadable"] == 1
    assert only(listing).code == "store-unreadable"
    assert only(listing).message == f"{place.agent.store_file} {reason}"


def test_sessions_then_come_from_the_folder(place: Sessions) -> None:
    place.raw(b"")
    place.file(f"{ID_A}.jsonl")

    listing = place.read()

    assert by_state(listing, ORPHAN) == [ID_A]
    assert (listing.storage, listing.left_out["unreadable"]) == (Storage.FILES, 1)
    assert notices(listing) == ["store-unreadable", "orphan-transcript"]


@pytest.mark.parametrize("kind", ["folder", "pipe", "loop"])
def test_something_else_in_the_stores_place(place: Sessions, kind: str) -> None:
    path = place.agent.store_file
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("sessions.json")

    listing = place.read()

    assert listing.storage is Storage.UNREADABLE
    assert only(listing).code == "store-unreadable"


@pytest.mark.parametrize("name", ["sessions.json", "."])
def test_a_store_of_another_user(name: str) -> None:
    with reachable_folder() as folder:
        place = Sessions(folder)
        place.store({KEY: {"sessionId": ID_A}})
        (place.folder / name).chmod(0o000)
        with powerless():
            listing = place.read()

    assert listing.storage is Storage.UNREADABLE
    assert listing.left_out["unreadable"] == 1
    assert set(notices(listing)) == {"store-unreadable"}
    assert all("permission denied" in one.message.lower() for one in listing.notices)


def test_one_bad_entry_is_counted_and_said(place: Sessions) -> None:
    place.store({KEY: {"sessionId": ID_A}, "agent:main:x\x1b": 7, "agent:main:y": 8})

    listing = place.read()

    assert by_state(listing, LIVE) == [KEY]
    assert (listing.storage, listing.left_out["unreadable"]) == (Storage.FILES, 2)
    store = place.agent.store_file
    message = f"the entry agent:main:x and 1 more of {store} cannot be read"
    assert only(listing).message == message


def test_a_folder_that_cannot_be_listed_leaves_the_entries() -> None:
    with reachable_folder() as folder:
        place = Sessions(folder, store_file=folder / "all" / "sessions.json")
        (folder / "all").mkdir()
        place.store({KEY: {"sessionId": ID_A}})
        place.folder.chmod(0o000)
        with powerless():
            listing = place.read()

    assert by_state(listing, LIVE) == [KEY]
    assert (listing.storage, notices(listing)) == (Storage.FILES, ["store-unreadable"])


def test_a_moved_store_has_its_transcripts_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "main"
    folder.mkdir(parents=True)
    place = Sessions(tmp_path / ".openclaw", store_file=folder / "sessions.json")
    place.store({KEY: {"sessionId": ID_A}})
    for name in (f"{ID_A}.jsonl", f"{ID_B}.jsonl", "shopping-list.jsonl"):
        (folder / name).write_text("")
    place.file("usual.jsonl")

    listing = place.read()

    assert by_state(listing, LIVE) == [KEY]
    # Other people's files may lie in such a folder; those of the platform are named by a uuid.
    assert by_state(listing, ORPHAN) == [ID_B, "usual"]


def test_agents_that_share_a_store_have_each_their_own(tmp_path: Path) -> None:
    shared = {"store_file": tmp_path / "all" / "sessions.json", "store_agents": ("main", "work")}
    (tmp_path / "all").mkdir()
    main = Sessions(tmp_path, "main", **shared)
    work = Sessions(tmp_path, "work", **shared)
    keys = ["agent:main:main", "agent:work:main", "agent:gone:main", "global"]
    ids = [ID_A, ID_B, ID_C, "dddddddd-1111-4222-8333-444444444444"]
    main.store({key: {"sessionId": one} for key, one in zip(keys, ids, strict=True)})
    orphan = "eeeeeeee-1111-4222-8333-444444444444"
    for session_id in (*ids, orphan):
        (tmp_path / "all" / f"{session_id}.jsonl").write_text("")
    work.file("own.jsonl")

    first, second = main.read(), work.read()

    assert by_state(first, LIVE) == ["agent:main:main", "agent:gone:main", "global"]
    assert by_state(first, ORPHAN) == [orphan]
    assert by_state(second, LIVE) == ["agent:work:main"]
    assert by_state(second, ORPHAN) == ["own"]


def test_the_configured_main_key(tmp_path: Path) -> None:
    place = Sessions(tmp_path, main_key="home")
    place.store({"agent:main:home": {}})

    key = place.one().key

    assert key is not None
    assert key.kind is SessionClass.MAIN


CHANGES: dict[str, Callable[[Sessions], object]] = {
    "a transcript grows": lambda place: place.file(f"{ID_A}.jsonl", size=9, at=1000),
    "a transcript is written": lambda place: place.file(f"{ID_A}.jsonl", at=2000),
    "a transcript comes": lambda place: place.file(f"{ID_B}.jsonl", at=1000),
    "a transcript goes": lambda place: (place.folder / f"{ID_A}.jsonl").unlink(),
    "the store is written": lambda place: place.raw(b"{ }"),
    "the store goes": lambda place: place.agent.store_file.unlink(),
    "an import is parked": lambda place: place.file(
        f"../session-sqlite-import-archive/x.{ID_C}.jsonl.imported-1"
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_the_fingerprint_tells_a_change(
    place: Sessions, change: Callable[[Sessions], object]
) -> None:
    place.raw(b"{}")
    place.file(f"{ID_A}.jsonl", at=1000)
    store = FileSessionStore()
    before = store.fingerprint(place.agent)
    assert store.fingerprint(place.agent) == before == place.read().fingerprint

    place.file(f"{ID_A}.jsonl.lock")  # comes and goes with every run; changes no listing
    assert store.fingerprint(place.agent) == before

    change(place)

    assert store.fingerprint(place.agent) != before


RELEASES = {
    "clawdbot-2026.1": {
        "live": 8,
        "archived": ["caeb6767-a179-441b-b301-bfaad33d1c9c"],
        "orphan": [
            "7e3aeea3-acbd-4dca-86ca-19214749598c",
            "85cde2dd-4eb2-4916-afa6-fe6c6f92133e",
            "8a19c6c4-70c3-4460-92fa-256c8d478cff",
        ],
        "tokens": (11_629, None),
        "without_transcript": ["agent:main:nope", "agent:main:telegram:group:-1001234567890"],
    },
    "openclaw-2026.3": {
        "live": 9,
        "archived": [
            "2f56ea44-255b-4f0e-93ca-df4e4fa2c725",
            "c047c160-43be-46ab-acd6-3e065a4e2956",
            "cc1757d0-9bd3-44a3-9666-f14a9bef0369",
        ],
        "orphan": [],
        "tokens": (15_034, True),
        "without_transcript": ["agent:main:nope", "agent:main:telegram:group:-1001234567890"],
    },
    "openclaw-2026.7": {
        "live": 7,
        "archived": [
            "94ba18bd-040b-476e-9888-342b24efe8b9",
            "98310a88-c23e-48be-adf8-3218124f94f2",
            "c2f72fca-3f07-40ec-91f8-a21205178a4e",
            "d3a671ba-49ac-4e3f-96bf-f68d5d7166b6",
        ],
        "orphan": [],
        "tokens": (21_318, True),
        "without_transcript": ["agent:main:nope"],
    },
}


@pytest.mark.shared
@pytest.mark.parametrize(("release", "expected"), RELEASES.items(), ids=RELEASES.keys())
def test_the_fixtures(fixture_home: FixtureHome, release: str, expected: dict[str, object]) -> None:
    agent = file_agent(fixture_home(release))

    listing = FileSessionStore().sessions(agent)

    sessions = listing.sessions
    assert sum(one.state is LIVE for one in sessions) == expected["live"]
    assert [one.session_id for one in sessions if one.state is ARCHIVED] == expected["archived"]
    assert sorted(by_state(listing, ORPHAN)) == expected["orphan"]
    live = {one.key.text: one for one in sessions if one.state is LIVE and one.key}
    main = live[KEY]
    assert (main.tokens_reported, main.tokens_fresh) == expected["tokens"]
    assert [key for key, one in live.items() if one.transcript_state is NONE] == expected[
        "without_transcript"
    ]
    assert listing.left_out == {"backup": 1, "unreadable": 0}
    assert "missing-transcript" not in notices(listing)
    compacted = live["agent:main:compactme"]
    assert compacted.key is not None
    assert classify(compacted.key, compacted.chat_type) is SessionClass.DIRECT


@pytest.mark.shared
def test_the_fixture_whose_count_is_not_fresh(fixture_home: FixtureHome) -> None:
    agent = file_agent(fixture_home("openclaw-2026.3"), "work")

    [session] = FileSessionStore().sessions(agent).sessions

    assert (session.tokens_reported, session.tokens_fresh) == (None, False)
    assert (session.compactions, session.window, session.label) == (2, 32_000, "Work desk")


@pytest.mark.shared
def test_case_c07(prepared_case: PreparedCase) -> None:
    dest, _ = prepared_case("c07-sessions-dir-zoo")
    expected = json.loads((dest / "expect.json").read_text())["checks"][0]["expect"]

    listing = FileSessionStore().sessions(file_agent(dest / "home" / ".openclaw"))

    live = [one for one in listing.sessions if one.state is LIVE and one.key]
    found = {
        one.key.text: one.session_id if one.transcript_state is PRESENT else "no transcript"
        for one in live
        if one.key
    }
    assert found == expected["live"]
    assert len(live) == expected["live_count"]
    archived = [one for one in listing.sessions if one.state is ARCHIVED]
    assert len(archived) == expected["archived_count"]
    assert [one.transcript.kind for one in archived if one.transcript].count(
        TranscriptKind.PACKED_FILE
    ) == 1
    assert by_state(listing, ORPHAN) == expected["orphans"]
    assert listing.left_out["backup"] == 2
    assert live[2].transcript_state is MISSING


@pytest.mark.shared
def test_case_c09(prepared_case: PreparedCase) -> None:
    dest, _ = prepared_case("c09-cron-flood-and-names")
    expected = json.loads((dest / "expect.json").read_text())["checks"][0]["expect"]
    state = dest / "home" / ".openclaw"

    listed = [
        one
        for agent in ("main", "micron")
        for one in FileSessionStore().sessions(file_agent(state, agent)).sessions
    ]

    keys = [one.key for one in listed if one.key is not None]
    kinds = [key.kind for key in keys]
    assert [key.text for key in keys if key.kind.is_conversation] == expected["shown_first"]
    assert {
        "conversation": sum(kind.is_conversation for kind in kinds),
        "cron_jobs": len({key.job_id for key in keys if key.job_id}),
        "cron_runs": sum(key.is_cron_run for key in keys),
        "subagent": kinds.count(SessionClass.SUBAGENT),
    } == expected["counts"]


@pytest.mark.shared
def test_case_c13_the_parked_file_is_an_archive(prepared_case: PreparedCase) -> None:
    dest, _ = prepared_case("c13-two-storage-eras")
    expected = json.loads((dest / "expect.json").read_text())["checks"][0]["expect"]

    listing = FileSessionStore().sessions(file_agent(dest / "home" / ".openclaw"))

    [archive] = [one for one in listing.sessions if one.state is ARCHIVED]
    assert [archive.session_id] == expected["archived"]
    assert archive.archive_reason == "imported"
    assert by_state(listing, LIVE) == [KEY]
    assert by_state(listing, ORPHAN) == []
