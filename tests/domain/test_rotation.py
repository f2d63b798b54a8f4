"""Which sessions are due for rotation, and which another threshold would have rotated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memconsole.domain.rotation import Limits, explain, why_not_due, would_rotate
from memconsole.domain.sessions.keys import SessionClass
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptState,
)
from memconsole.domain.sessions.tokens import NotDue, Sample, TokenCount, TokenState
from memconsole.domain.settings.sections import RotationSettings
from tests.domain.sessions.sample import RULES, STORED, stored

START = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        (TokenCount(TokenState.FRESH, 150_000), None),
        (TokenCount(TokenState.FRESH, 149_999), NotDue.BELOW),
        (TokenCount(TokenState.STALE, 160_000), NotDue.STALE),
        (TokenCount(TokenState.STALE, 160_000, 151_000), None),
        (TokenCount(TokenState.STALE, 128_400), NotDue.BELOW),
        (TokenCount(TokenState.SUSPECT, 232_764, 90_000), NotDue.UNCONFIRMED),
        (TokenCount(TokenState.SUSPECT, 232_764, 150_000), None),
        (TokenCount(TokenState.ESTIMATED, None, 149_999), NotDue.BELOW),
        (TokenCount(TokenState.ESTIMATED, None, 150_000), None),
        (TokenCount(TokenState.UNKNOWN), NotDue.UNKNOWN),
    ],
)
def test_only_confirmed_counts_make_a_session_due(count: TokenCount, reason: NotDue | None) -> None:
    assert why_not_due(STORED, SessionClass.MAIN, count, RULES, 150_000) is reason


FULL = TokenCount(TokenState.FRESH, 190_000)


@pytest.mark.parametrize(
    ("session", "kind", "rules", "reason"),
    [
        (stored(key=None), SessionClass.OTHER, RULES, NotDue.NO_KEY),
        (stored(state=SessionState.ARCHIVED), SessionClass.MAIN, RULES, NotDue.ARCHIVED),
        (stored(session_id=None), SessionClass.MAIN, RULES, NotDue.NO_SESSION),
        (STORED, SessionClass.CRON, RULES, NotDue.CLASS),
        (STORED, SessionClass.SUBAGENT, RULES, NotDue.CLASS),
        (STORED, SessionClass.HOOK, RULES, NotDue.CLASS),
        (STORED, SessionClass.INCOGNITO, RULES, NotDue.CLASS),
        (STORED, SessionClass.OTHER, RULES, NotDue.CLASS),
        (STORED, SessionClass.GROUP, RULES, None),
        (STORED, SessionClass.THREAD, RULES, None),
        (STORED, SessionClass.MAIN, RotationSettings(skip_patterns=("*:main",)), NotDue.PATTERN),
    ],
)
def test_what_rotation_never_takes(
    session: StoredSession, kind: SessionClass, rules: RotationSettings, reason: NotDue | None
) -> None:
    assert why_not_due(session, kind, FULL, rules, 150_000) is reason


@pytest.mark.parametrize("state", [TokenState.ESTIMATED, TokenState.STALE, TokenState.SUSPECT])
def test_a_count_that_is_only_reckoned_makes_no_session_due(state: TokenState) -> None:
    count = TokenCount(state, 160_000, 50_000, is_reckoned=True)
    not_due = why_not_due(STORED, SessionClass.MAIN, count, RotationSettings(10_000), 10_000)
    assert not_due in (NotDue.STALE, NotDue.UNCONFIRMED)


@pytest.mark.parametrize("reason", list(NotDue))
def test_every_reason_is_a_sentence(reason: NotDue) -> None:
    sentence = explain(reason, STORED, SessionClass.CRON, 150_000)

    assert len(sentence) > 10
    assert "{" not in sentence


@pytest.mark.parametrize("state", list(TranscriptState))
def test_an_unknown_count_says_which_source_is_missing(state: TranscriptState) -> None:
    sentence = explain(NotDue.UNKNOWN, stored(transcript_state=state), SessionClass.MAIN, 1)

    assert ("transcript" in sentence) is (state is not TranscriptState.NONE)


def samples(*counts: int, session_id: str = "s-1", minutes: int = 30) -> list[Sample]:
    return [
        Sample("main", session_id, START + timedelta(minutes=minutes * number), tokens)
        for number, tokens in enumerate(counts)
    ]


def rotations(seen: list[Sample], threshold: int, interval: int = 10) -> list[tuple[int, int]]:
    found = would_rotate(seen, lambda _: Limits(threshold, 20_000, timedelta(minutes=interval)))
    return [(round((one.at - START) / timedelta(minutes=30)), one.tokens) for one in found]


def test_a_session_that_stayed_below_would_not_have_been_rotated() -> None:
    assert rotations(samples(10_000, 60_000, 99_000), 100_000) == []


def test_after_a_rotation_it_would_have_grown_from_its_overhead() -> None:
    seen = samples(50_000, 100_000, 150_000, 180_000, 200_000)

    assert rotations(seen, 100_000) == [(1, 100_000), (3, 100_000)]


def test_a_real_reset_begins_the_count_anew() -> None:
    assert rotations(samples(110_000, 5_000, 60_000, 99_000, 104_000), 100_000) == [
        (0, 110_000),
        (4, 104_000),
    ]


def test_two_rotations_lie_as_far_apart_as_the_settings_want() -> None:
    seen = samples(100_000, 185_000, 190_000)

    assert rotations(seen, 100_000, interval=45) == [(0, 100_000), (2, 110_000)]


def test_sessions_are_told_apart_and_come_in_the_order_of_time() -> None:
    seen = samples(10_000, 10_000, 120_000) + samples(110_000, session_id="s-2")
    found = would_rotate(seen, lambda _: Limits(100_000, 0, timedelta()))

    assert [one.session_id for one in found] == ["s-2", "s-1"]
