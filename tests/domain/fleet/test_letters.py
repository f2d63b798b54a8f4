"""What people may ask of hosts afar, and whose word counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memconsole.domain.commands.catalogue import COMMANDS
from memconsole.domain.fleet.letters import (
    VERBS,
    Letter,
    LetterState,
    Sent,
    letter_of,
    operator_of,
    wrong_words,
)

LINE = f"ann ed25519:{'A' * 43}= checkpoint,rotate"
NOW = datetime(2026, 5, 2, 10, 0, tzinfo=UTC)
LETTER = Letter("1", "alpha", "h", ("checkpoint", "--agent", "main"), NOW)


@pytest.mark.parametrize(
    ("words", "agent"),
    [
        ("checkpoint --agent work", "work"),
        ("checkpoint -a=work --force", "work"),
        ("rotate --yes agent:work:main", "work"),
        ("checkpoint --force", ""),
        ("checkpoint --agent", ""),
    ],
)
def test_a_letter_says_whose_agent_is_meant_and_how_far_it_is(words: str, agent: str) -> None:
    at = datetime(2026, 5, 2, 10, 0, tzinfo=UTC)
    sent = Sent(
        "id", "alpha", "/home", tuple(words.split()), LetterState.SENT, "ann", "", at,
        at + timedelta(minutes=10), None, None, None, "",
    )  # fmt: skip
    assert sent.agent == agent
    now = at + timedelta(minutes=2)
    assert sent.told(now) == "waits 2 min, gives up in 8 min"
    begun = sent._replace(state=LetterState.BEGUN, begun_at=at + timedelta(seconds=90))
    assert begun.told(now) == "begun 30 s ago, not answered yet"
    ours = begun.shifted(timedelta(hours=1))
    assert ours.told(now + timedelta(hours=1)) == begun.told(now)
    assert begun._replace(state=LetterState.ANSWERED, message="work done").told(now) == "work done"


def test_every_part_of_a_letter_is_signed() -> None:
    others = (
        LETTER._replace(id="2"),
        LETTER._replace(host="beta"),
        LETTER._replace(home="i"),
        LETTER._replace(words=("checkpoint", "--agent main")),
        LETTER._replace(deadline=NOW.replace(hour=11)),
    )
    assert len({LETTER.signed, *(one.signed for one in others)}) == 6


def test_a_letter_is_read_as_it_was_written() -> None:
    row = {
        "id": "1",
        "host": "alpha",
        "home": "h",
        "words": list(LETTER.words),
        "deadline": NOW.isoformat(),
    }
    assert letter_of(row) == LETTER
    changes: tuple[dict[str, object], ...] = (
        {"words": []},
        {"words": [1]},
        {"deadline": "2026-05-02T10:00:00"},
        {"deadline": None},
    )
    for change in changes:
        with pytest.raises(ValueError, match=r"holds no|no deadline|Invalid"):
            letter_of({**row, **change})


def test_verbs_are_commands_of_ours() -> None:
    assert set(VERBS) <= {spec.name for spec in COMMANDS}


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("config", "fix"),
        ("memory", "forget"),
        ("status",),
        ("checkpoint", "--config", "/tmp/x"),
        ("checkpoint", "--state-dir=/tmp"),
        ("checkpoint", "-v"),
        ("checkpoint", "x" * 1001),
        ("checkpoint", *"a" * 40),
        ("checkpoint", "a\nb"),
        ("flush", "--force"),
    ],
)
def test_other_words_are_not_taken(words: tuple[str, ...]) -> None:
    assert wrong_words(words)


def test_operators_are_lines() -> None:
    ann = operator_of(LINE)
    assert (ann.name, sorted(ann.verbs)) == ("ann", ["checkpoint", "rotate"])
    for line in ("ann", LINE.replace("rotate", "config"), LINE.replace("=", ""), f"{LINE} x"):
        with pytest.raises(ValueError, match=r"must look like|names 'config'"):
            operator_of(line)
