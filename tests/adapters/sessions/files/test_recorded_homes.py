"""The file-era session store on recorded homes and on fault cases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sessions.files.store import FileSessionStore
from memconsole.domain.sessions.keys import SessionClass, classify
from memconsole.domain.sessions.stored import TranscriptKind, TranscriptState
from tests.adapters.sessions.files.file_homes import (
    ARCHIVED,
    KEY,
    LIVE,
    ORPHAN,
    by_state,
    file_agent,
    notices,
)

if TYPE_CHECKING:
    from tests.conftest import FixtureHome, PreparedCase

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
    assert [
        key for key, one in live.items() if one.transcript_state is TranscriptState.NONE
    ] == expected["without_transcript"]
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
def test_the_fixture_that_was_compacted_names_the_place_before(fixture_home: FixtureHome) -> None:
    agent = file_agent(fixture_home("openclaw-2026.7"), "work")
    [session] = [one for one in FileSessionStore().sessions(agent).sessions if one.points]
    [point] = session.points
    assert session.key is not None
    assert (session.key.text, point.id[:8], point.tokens) == ("agent:work:main", "23349bbe", 21_734)


def test_case_c07(prepared_case: PreparedCase) -> None:
    dest, _ = prepared_case("c07-sessions-dir-zoo")
    expected = json.loads((dest / "expect.json").read_text())["checks"][0]["expect"]

    listing = FileSessionStore().sessions(file_agent(dest / "home" / ".openclaw"))

    live = [one for one in listing.sessions if one.state is LIVE and one.key]
    found = {
        one.key.text: one.session_id
        if one.transcript_state is TranscriptState.PRESENT
        else "no transcript"
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
    assert live[2].transcript_state is TranscriptState.MISSING


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
