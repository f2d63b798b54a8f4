"""What a session is doing: who works, who waits and for whom, and what is stuck."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.sessions.activity import (
    Activity,
    Doing,
    activity_of,
    counted,
    in_full,
    told,
    words_of,
)
from memconsole.domain.sessions.keys import SessionClass, SessionKey
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.transcripts.records import Tail, Turn

NOW = datetime(2026, 11, 29, 2, 0, tzinfo=UTC)
AGENT = AgentRef(HomeRef("/home/operator/.openclaw"), "main")
STORED = StoredSession(
    AGENT,
    SessionKey("agent:main:main", "main", "main", SessionClass.MAIN),
    "a1",
    SessionState.LIVE,
    TranscriptState.PRESENT,
    TranscriptRef(AGENT, "a1", TranscriptKind.FILE, Path("/x/a1.jsonl")),
)


def ago(minutes: float) -> datetime:
    return NOW - timedelta(minutes=minutes)


def activity(
    turn: Turn | None, spoke: float | None, *, is_conversation: bool = True, **changes: object
) -> Activity | None:
    """Judge a session whose newest message is so many minutes old; None for no reading."""
    return activity_of(
        replace(STORED, **changes),  # type: ignore[arg-type]  # checked by replace
        None if spoke is None else Tail(turn=turn, spoke_at=ago(spoke)),
        is_conversation=is_conversation,
        now=NOW,
        stuck_after=timedelta(minutes=15),
    )


@pytest.mark.parametrize(
    ("turn", "doing"),
    [
        (Turn.USER, Doing.WORKING),
        (Turn.ASSISTANT, Doing.WORKING),
        (Turn.TOOL_RESULT, Doing.WORKING),
        (Turn.TOOL_CALL, Doing.TOOL),
    ],
)
def test_a_run_works_or_waits_for_a_tool(turn: Turn, doing: Doing) -> None:
    found = activity(turn, 2, is_active=True, run_started_at=ago(5))

    assert found is not None
    assert (found.doing, found.heard_at) == (doing, ago(2))
    assert found.since == (ago(2) if doing is Doing.TOOL else ago(5))


def test_a_run_is_stuck_when_nothing_was_heard_of_it_for_the_whole_time() -> None:
    assert activity(Turn.TOOL_CALL, 16, is_active=True, run_started_at=ago(60)) == Activity(
        Doing.STUCK, ago(16), ago(16)
    )
    heard = activity(Turn.TOOL_CALL, 14, is_active=True, run_started_at=ago(60))
    assert heard is not None
    assert heard.doing is Doing.TOOL


def test_a_run_that_has_just_begun_in_an_old_session_is_not_stuck() -> None:
    found = activity(Turn.ASSISTANT, 600, is_active=True, run_started_at=ago(1))

    assert found == Activity(Doing.WORKING, ago(1), ago(600))


def test_a_record_that_is_no_message_is_a_sign_of_life() -> None:
    written = replace(STORED.transcript, modified_at=ago(1))  # type: ignore[type-var]
    found = activity(Turn.USER, 60, is_active=True, run_started_at=ago(90), transcript=written)

    assert found is not None
    assert found.doing is Doing.WORKING


def test_the_word_of_the_store_counts_where_nothing_says_more() -> None:
    running = activity(Turn.USER, 2, status="running")
    ended = activity(Turn.ASSISTANT, 2, status="running", is_active=False)

    assert (running and running.doing, ended and ended.doing) == (Doing.WORKING, Doing.PERSON)


@pytest.mark.parametrize(
    ("turn", "spoke", "doing"),
    [
        (Turn.ASSISTANT, 3, Doing.PERSON),
        (Turn.USER, 30, Doing.UNANSWERED),
        (Turn.TOOL_RESULT, 30, Doing.UNANSWERED),
        (Turn.ASSISTANT, 25 * 60, Doing.IDLE),
    ],
)
def test_without_a_run_the_last_word_says_who_is_waited_for(
    turn: Turn, spoke: float, doing: Doing
) -> None:
    found = activity(turn, spoke, is_active=False)

    assert found is not None
    assert (found.doing, found.since) == (doing, ago(spoke))


def test_a_question_of_this_moment_is_not_yet_unanswered() -> None:
    assert activity(Turn.USER, 1) is None


def test_a_job_waits_for_nobody() -> None:
    found = activity(Turn.ASSISTANT, 3, is_conversation=False, is_active=False)

    assert found is not None
    assert found.doing is Doing.IDLE


def test_a_failed_run_is_said() -> None:
    found = activity(Turn.USER, 3, status="timeout", updated_at=ago(2))

    assert found == Activity(Doing.FAILED, ago(2), ago(3))


def test_what_nobody_knows_is_not_made_up() -> None:
    assert activity(None, None) is None
    assert words_of(None, NOW) == "?"
    assert activity(Turn.ASSISTANT, 3, state=SessionState.ARCHIVED) is None


def test_words_tell_how_long_a_run_goes_on() -> None:
    stuck = Activity(Doing.STUCK, ago(40))

    assert words_of(stuck, NOW) == "STUCK 40 min"
    assert words_of(Activity(Doing.PERSON, ago(40)), NOW) == "waits"
    assert in_full(stuck, NOW) == "STUCK 40 min"
    assert in_full(Activity(Doing.PERSON, ago(40)), NOW) == "waits for a person, 40 min"
    assert in_full(Activity(Doing.TOOL, ago(40)), NOW) == "waits for a tool, 40 min"
    assert in_full(Activity(Doing.IDLE, None), NOW) == "rests"
    assert in_full(None, NOW) == "?"
    assert counted([stuck, None, stuck]) == {Doing.STUCK: 2}


@pytest.mark.parametrize(
    ("counts", "sessions", "words"),
    [
        ({Doing.IDLE: 1, Doing.WORKING: 2, Doing.STUCK: 1}, 4, "1 STUCK, 2 work, 1 rests"),
        ({Doing.FAILED: 1, Doing.PERSON: 1}, 5, "1 waits, 1 failed, 3 ?"),
        ({}, 3, "?"),
        ({}, 0, ""),
        (None, None, "?"),
    ],
)
def test_an_agent_tells_first_what_matters_and_counts_what_nobody_knows(
    counts: dict[Doing, int] | None, sessions: int | None, words: str
) -> None:
    assert ", ".join(said for _, said in told(counts, sessions)) == words
