from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.wire import MOST_BYTES, Freshness, Heard, Reply, reply

if TYPE_CHECKING:
    from memconsole.domain.fleet.shapes import Json

NOW = datetime(2026, 11, 29, 8, 0, tzinfo=UTC)
HOME = HomeRef("/srv/b/.openclaw", "alpha")

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=9)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def envelope(**changes: object) -> dict[str, object]:
    whole = {"schema": 1, "command": "agents", "at": NOW.isoformat(), "data": []}
    return {**whole, "warnings": [], "left_out": {}, **changes}


def heard(row: object, *, code: int = 0, took: timedelta = timedelta(seconds=1)) -> Reply:
    text = row if isinstance(row, bytes) else json.dumps(row).encode()
    return reply(HOME, Heard(text, code), command="agents", asked=NOW - took, now=NOW)


@given(VALUES)
def test_data_of_another_type_never_raise(data: Json) -> None:
    found = heard(envelope(data=data))
    assert (found.freshness is Freshness.LIVE) == (data == [])


def test_an_answer_says_when_it_was_made() -> None:
    assert (heard(envelope()).as_of, heard(envelope()).freshness) == (NOW, Freshness.LIVE)


def test_another_release_is_told_whatever_it_answers() -> None:
    for row in (envelope(), {"schema": 1, "error": {"message": "no"}}, envelope(schema=2)):
        text = Heard(json.dumps(row).encode(), 0, "0.9.1")
        found = reply(HOME, text, command="agents", asked=NOW, now=NOW, own="1.0.0")
        assert [one.code for one in found.warnings] == ["version-differs"]
        assert found.version == "0.9.1"
    same = Heard(json.dumps(envelope()).encode(), 0, "1.0.0")
    assert reply(HOME, same, command="agents", asked=NOW, now=NOW, own="1.0.0").warnings == ()


@given(st.binary(max_size=60) | VALUES.map(lambda one: json.dumps(one).encode()))
def test_what_is_no_answer_is_told_and_raises_nothing(text: bytes) -> None:
    found = heard(text)
    assert found.freshness is Freshness.AWAY
    assert "cannot be used" in found.failure


@given(st.sampled_from(["schema", "command", "at", "warnings", "left_out"]), VALUES)
def test_a_spoiled_envelope_never_raises(name: str, value: Json) -> None:
    assert heard(envelope(**{name: value})).home == HOME


@pytest.mark.parametrize(
    "row",
    [
        envelope(schema=2),
        envelope(schema=True),
        envelope(command="sessions"),
        envelope(at="2026-11-29T08:00:00"),
        envelope(at="0001-01-01T00:00:00+14:00"),
        b'{"schema": 1, "data": NaN}',
        b"[" * 100_000,
        b" " * (MOST_BYTES + 1),
    ],
)
def test_another_edition_another_command_and_too_much_are_refused(row: object) -> None:
    assert heard(row).freshness is Freshness.AWAY


def test_a_failure_there_is_its_sentence_and_its_help() -> None:
    error = {"code": "home-not-found", "message": "no home", "hint": None}
    found = heard({"schema": 1, "error": error}, code=3)
    assert (found.failure, found.hint, found.code) == ("no home", "", 3)
    assert found.freshness is Freshness.LIVE


def test_a_slow_answer_is_late_and_a_wrong_clock_is_told() -> None:
    assert heard(envelope(), took=timedelta(seconds=11)).freshness is Freshness.LATE
    ahead = heard(envelope(at=(NOW + timedelta(minutes=2)).isoformat()))
    assert [one.message for one in ahead.warnings] == ["the clock of alpha is 120 s ahead of ours"]
    behind = heard(envelope(at=(NOW - timedelta(minutes=2)).isoformat()))
    assert "119 s behind" in behind.warnings[0].message


def test_how_a_command_ended_that_nobody_answered_is_a_word_of_ours() -> None:
    for code, reason in (("expired", "expired"), ("interrupted", "interrupted"), ("x\x1b", "")):
        found = heard({"schema": 1, "error": {"code": code, "message": "no", "hint": None}}, code=1)
        assert found.reason == reason
