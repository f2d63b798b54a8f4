"""What of a home is published: the same rows for the same reading, and the name of nobody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.published import Fact, Veil, answer_of, facts_of, names_in, unpublished

if TYPE_CHECKING:
    from memconsole.domain.fleet.shapes import Json

VEIL = Veil(b"k" * 32)
LENA = "agent:main:telegram:direct:lena"
STATUS: Json = {
    "home": "/h",
    "gateway": {"verdict": "up", "checked_at": "2026-05-02T10:00:00+00:00"},
    "attention": [
        {
            "agent": "main",
            "key": LENA,
            "message": "main / telegram · Lena K. waits for lena",
            "seen_at": "x",
        },
        {"agent": "work", "key": None, "message": "work is due", "seen_at": None},
    ],
    "quiet": {"is_quiet": False, "evidence": ["oldest save 3 min"], "unknown": []},
    "agents": [{"id": "main"}],
    "alerts": [],
}
SESSIONS: list[Json] = [
    {
        "key": LENA,
        "agent": "main",
        "label": "Lena K.",
        "tokens": 5,
        "activity": {"heard_at": "x"},
    },
    {
        "key": "agent:work:main",
        "agent": "work",
        "label": None,
        "tokens": None,
        "activity": None,
        "not_due_because": None,
    },
]
ANSWERS: dict[str, Json] = {
    "status": STATUS,
    "agents": [{"id": "main", "due": 1}, {"id": "work", "due": 0}],
    "sessions": SESSIONS,
    "runs": [
        {
            "id": 1,
            "reason": "nothing-new",
            "steps": [{"step": "a", "message": "of lena"}],
            "proof": None,
        }
    ],
    "health": {"overall": "ok", "checks": [{"id": "jobs", "message": LENA, "details": ["lena"]}]},
}
NAMES = names_in([(LENA, "Lena K."), ("agent:work:dashboard:new", None)])


def published(**changes: Json) -> dict[tuple[str, str], bytes]:
    found = facts_of({**ANSWERS, **changes}, VEIL, NAMES, frozenset())
    return {(one.kind, one.key): one.hash for one in found}


def test_no_name_is_in_any_row_and_one_person_stays_one() -> None:
    found = facts_of(ANSWERS, VEIL, NAMES, frozenset())
    text = json.dumps([[one.key, one.body] for one in found]).casefold()
    assert "lena" not in text
    person = VEIL.digest("lena")
    assert f"telegram:direct:{person}" in text
    assert VEIL.digest("Lena") == person != Veil(b"x" * 32).digest("lena")
    assert "nothing-new" in text  # a word of ours, not the session that is called so


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ("agent:main:main", "agent:main:main"),
        ("agent:main:main:thread:77", "agent:main:main:thread:#"),
        ("agent:work:discord:channel:ops:thread:launch", "agent:work:discord:channel:#:thread:#"),
        ("agent:main:carrierpigeon:direct:lena", "agent:main:#:direct:#"),
        ("agent:main:cron:nightly", "agent:main:cron:nightly"),
        ("agent:main:incognito-lena", "agent:main:#"),
        ("lena", "#"),
        ("", ""),
    ],
)
def test_a_key_keeps_its_form_and_no_name(key: str, shape: str) -> None:
    found = VEIL.key(key)
    assert [part[:1] if part.startswith("#") else part for part in found.split(":")] == shape.split(
        ":"
    )


def test_an_unchanged_reading_is_the_same_rows() -> None:
    later = json.loads(json.dumps(STATUS).replace("10:00:00", "10:00:30").replace("3 min", "4 min"))
    assert published(status=later) == published()
    changed = published(agents=[{"id": "main", "due": 2}, {"id": "work", "due": 0}])
    assert {key for key, found in changed.items() if published()[key] != found} == {
        ("agent", "main")
    }


def test_the_rows_make_the_answers_again() -> None:
    found = facts_of(ANSWERS, VEIL, frozenset(), frozenset())
    status = answer_of("status", found)
    assert isinstance(status, dict)
    assert status["agents"] == ANSWERS["agents"]
    assert answer_of("agents", found) == ANSWERS["agents"]
    assert answer_of("sessions", found, "work") == SESSIONS[1:]
    assert answer_of("health", ()) is None


def test_an_agent_can_be_left_out() -> None:
    found = facts_of(ANSWERS, VEIL, NAMES, frozenset({"main"}))
    assert [one.key for one in found if one.kind == "agent"] == ["work"]
    text = json.dumps([one.body for one in found if one.kind != "health"])
    assert "telegram" not in text


def test_what_is_of_several_agents_names_none_that_is_left_out() -> None:
    said = {"message": "behind: work, private", "hint": "`memconsole checkpoint -a private`"}
    health: Json = {"overall": "ok", "checks": [{"id": "x", **said}], "attention": [said]}
    status: Json = {"alerts": [{"id": "x", **said}], "attention": [said]}
    found = facts_of({"health": health, "status": status}, VEIL, NAMES, frozenset({"private"}))
    text = json.dumps([one.body for one in found])
    assert "private" not in text
    assert text.count("behind: work, #") == 4


@pytest.mark.parametrize("value", [None, [], {}, "x", 7, [None, "x", 7]])
def test_an_answer_of_another_form_is_no_row_or_an_empty_one(value: Json) -> None:
    assert isinstance(published(**dict.fromkeys(ANSWERS, value)), dict)


def test_rows_beyond_those_that_are_published_are_counted() -> None:
    many: Json = [{"key": f"agent:main:{n}", "agent": "main"} for n in range(1990)]
    more: Json = [{"key": f"agent:work:{n}", "agent": "work"} for n in range(25)]
    hidden: Json = [{"key": "agent:private:x", "agent": "private"}] * 9
    assert isinstance(many, list)
    assert isinstance(more, list)
    assert isinstance(hidden, list)
    answers = {**ANSWERS, "sessions": [*hidden, *many, *more]}
    found = facts_of(answers, VEIL, frozenset(), frozenset({"private"}))
    assert len([one for one in found if one.kind == "session"]) == 2000
    assert unpublished("sessions", found) == 15
    assert unpublished("sessions", found, "work") == 15
    assert unpublished("sessions", found, "main") == unpublished("agents", found) == 0
    assert unpublished("sessions", facts_of(ANSWERS, VEIL, NAMES, frozenset())) == 0
    status = answer_of("status", found)
    assert isinstance(status, dict)
    assert "unpublished" not in status


@pytest.mark.parametrize("said", [7, {"session": 7}, {"session": {"a": "x", "b": -4, "c": True}}])
def test_a_host_that_lies_about_what_is_missing_is_not_counted(said: Json) -> None:
    row = Fact("status", "", 0, {"unpublished": said})
    assert unpublished("sessions", [row]) == 0
