"""The files of a sessions folder: archives, copies, strangers, and what cannot be read."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sessions.files.store import FileSessionStore
from memconsole.domain.agents import Storage
from memconsole.domain.sessions.keys import SessionClass
from memconsole.domain.sessions.stored import TranscriptKind, TranscriptState
from tests.adapters.sessions.files.file_homes import (
    ARCHIVED,
    ID_A,
    ID_B,
    ID_C,
    KEY,
    LIVE,
    ORPHAN,
    STAMP,
    Sessions,
    by_state,
    notices,
    only,
)
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from collections.abc import Callable


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
    assert (session.state, session.transcript_state) == (LIVE, TranscriptState.PRESENT)
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


def test_a_link_inside_of_the_folder_is_a_transcript(place: Sessions) -> None:
    place.file("old/far.jsonl", size=5)
    (place.folder / f"{ID_A}.jsonl").symlink_to(place.folder / "old" / "far.jsonl")

    transcript = place.one().transcript

    assert transcript is not None
    assert transcript.size_bytes == 5


def test_a_link_out_of_the_folder_is_nobodys_transcript(place: Sessions, tmp_path: Path) -> None:
    (tmp_path / "far.jsonl").write_text("12345")
    link = place.folder / f"{ID_A}.jsonl"
    link.symlink_to(tmp_path / "far.jsonl")

    listing = place.read()

    assert listing.sessions == ()
    assert only(listing).code == "transcript-outside"
    assert only(listing).path == str(link)


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


def test_a_link_to_the_sessions_of_another_agent_is_not_opened(tmp_path: Path) -> None:
    juno = Sessions(tmp_path, "juno")
    juno.store({"agent:juno:main": {"sessionId": ID_A}})
    juno.file(f"{ID_A}.jsonl")
    iris = Sessions(tmp_path, "iris")
    iris.folder.rmdir()
    iris.folder.symlink_to(juno.folder)

    listing = iris.read()

    assert (listing.sessions, listing.storage) == ((), Storage.UNREADABLE)
    assert set(notices(listing)) == {"transcript-outside"}
    assert "another agent" in listing.notices[0].message
    assert [one.session_id for one in juno.read().sessions] == [ID_A]


def test_a_link_below_the_folder_of_another_agent_is_not_opened(tmp_path: Path) -> None:
    juno = Sessions(tmp_path, "juno")
    juno.file(f"old/{ID_A}.jsonl")
    iris = Sessions(tmp_path, "iris")
    iris.folder.rmdir()
    iris.folder.symlink_to(juno.folder / "old")

    assert iris.read().sessions == ()


def test_sessions_may_be_moved_out_of_the_home_by_one_agent_alone(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / f"{ID_A}.jsonl").write_text("")
    iris, juno = (Sessions(tmp_path / "home", name) for name in ("iris", "juno"))
    iris.folder.rmdir()
    iris.folder.symlink_to(disk)
    assert [one.session_id for one in iris.read().sessions] == [ID_A]

    juno.folder.rmdir()
    juno.folder.symlink_to(disk)

    assert iris.read().sessions == juno.read().sessions == ()
