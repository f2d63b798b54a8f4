"""Names of sessions: what people call them, and no two of an agent alike."""

from __future__ import annotations

import pytest

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.names import LEAST_CELLS, names_of
from memconsole.domain.sessions.stored import SessionState, StoredSession, TranscriptState
from memconsole.text.graphemes import cut_middle

MAIN = AgentRef(HomeRef("/home/operator/.openclaw"), "main")


def session(
    rest: str | None,
    label: str | None = None,
    *,
    number: int = 1,
    state: SessionState = SessionState.LIVE,
) -> StoredSession:
    key = None if rest is None else parse_key(f"agent:main:{rest}", owner="main")
    return StoredSession(MAIN, key, f"{number:08x}-0000", state, TranscriptState.NONE, label=label)


@pytest.mark.parametrize(
    ("rest", "label", "name"),
    [
        ("main", None, "main"),
        ("main", "Disk in bay 3", "Disk in bay 3"),
        ("telegram:direct:1001", None, "telegram · 1001"),
        ("telegram:direct:1001", "Ada (phone)", "telegram · Ada (phone)"),
        ("cron:nightly-digest", None, "cron · nightly-digest"),
        ("dashboard:7d1e", "Notes", "Notes"),
        ("main:heartbeat", "Ada", "Ada · heartbeat"),
        ("telegram:direct:7:heartbeat", "Ada", "telegram · Ada · heartbeat"),
        (None, None, "00000001-0000"),
    ],
)
def test_a_name_is_what_people_call_it(rest: str | None, label: str | None, name: str) -> None:
    assert names_of([session(rest, label)]) == [name]


def test_equal_labels_are_told_apart_by_channel_then_by_peer_then_by_id() -> None:
    assert names_of([session("main", "Ada"), session("dashboard:7d1e", "Ada", number=2)]) == [
        "Ada · main",
        "Ada · dashboard",
    ]
    peers = [session(f"telegram:direct:{peer}", "Ada", number=peer) for peer in (1001, 1002)]
    assert names_of(peers) == ["telegram · Ada · 1001", "telegram · Ada · 1002"]
    orphans = [
        StoredSession(MAIN, None, one, SessionState.ORPHAN, TranscriptState.NONE, label="Ada")
        for one in ("aaaa-1111", "bbbb-2222")
    ]
    assert names_of(orphans) == ["Ada · 1111", "Ada · 2222"]


def test_what_has_ended_tells_itself_apart_from_what_lives() -> None:
    ended = [session("main", number=n, state=SessionState.ARCHIVED) for n in (0xA, 0xB)]
    assert names_of([session("main"), *ended]) == [
        "main",
        "main · 0000000a-0000",
        "main · 0000000b-0000",
    ]


def test_long_names_that_differ_in_the_middle_alone_differ_when_they_are_shortened() -> None:
    labels = [f"Refactoring the importer {word} of all old invoices" for word in ("A", "B")]
    named = names_of([session(f"dashboard:{n}x", label) for n, label in enumerate(labels)])

    assert len({cut_middle(name, LEAST_CELLS) for name in named}) == 2


def test_even_twins_of_one_id_have_two_names() -> None:
    assert len(set(names_of([session("main", "Ada")] * 3))) == 3
