from __future__ import annotations

import json
from pathlib import Path

import pytest

from memconsole.domain.fleet.shapes import MOST_CHARS, MOST_ROWS, Json, closed

GOLDEN = Path(__file__).parents[2] / "contract" / "golden"
NAMES = (
    *("agents", "sessions", "status", "runs", "health", "search", "checkpoint", "rotate"),
    *("compact", "memory-forget", "recover", "restore", "reindex", "consolidate"),
)
CHECK = {"id": "disk", "status": "ok", "message": "fine"}


def golden(name: str) -> Json:
    """Return the answer of the contract, with the kinds that its examples leave open."""
    text = (GOLDEN / f"{name}.json").read_text()
    for mark, value in (
        ('"<time>"', '"2026-11-29T08:00:00+00:00"'),
        ('"<int>"', "7"),
        ('"<float>"', "0.5"),
    ):
        text = text.replace(mark, value)
    data: Json = json.loads(text)["data"]
    return data


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_of_the_contract_arrives_whole(name: str) -> None:
    data = golden(name)
    assert closed(name.replace("-", " "), data) == data


def test_a_field_that_is_not_known_here_is_left_out_and_one_not_known_there_is_unknown() -> None:
    data: Json = {"overall": "ok", "checks": [{**CHECK, "colour": "red"}], "mood": 1}
    check = {**CHECK, "hint": None, "since": None}
    assert closed("health", data) == {"overall": "ok", "checks": [check], "attention": []}


@pytest.mark.parametrize(
    ("command", "data", "why"),
    [
        ("agents", {}, "agents is no list"),
        ("agents", [{"id": 7}], "agents.id is no text"),
        ("sessions", [{"agent": "main", "threshold": True}], "is no"),
        ("health", {"overall": "ok", "checks": [{**CHECK, "since": "soon"}]}, "soon"),
        ("health", {"overall": "ok", "checks": [CHECK] * (MOST_ROWS + 1)}, "more than"),
        ("checkpoint", [{"status": "done"}], "command is no text"),
    ],
)
def test_another_type_than_the_commands_is_refused(command: str, data: Json, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        closed(command, data)


def test_texts_are_cleaned_and_cut() -> None:
    message = "a\x1b[2Jb\ud800" + "x" * (MOST_CHARS + 9)
    found = closed("health", {"overall": "ok", "checks": [{**CHECK, "message": message}]})
    assert isinstance(found, dict)
    [check] = found["checks"]
    assert str(check["message"]).startswith("abx")
    assert len(str(check["message"])) < MOST_CHARS
