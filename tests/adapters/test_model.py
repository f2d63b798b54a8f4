"""The model's service over loopback: every way it can fail, and its second model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.model import RemoteModel
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.runs import StateModels
from memconsole.domain.model import ModelUse, Prompt
from memconsole.errors import ModelError
from tests.doubles.model import answer, service
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = Prompt("reflect", "Do it.", "the text")


def test_an_answer_comes_with_its_cost() -> None:
    with service(answer("fine")) as (url, asked, keys):
        found = RemoteModel(url, ("small", "other"), key="fake-key").complete(PROMPT, timeout_s=5)
    assert (found.text, found.model, found.tokens) == ("fine", "small", 42)
    assert (asked[0]["model"], keys) == ("small", ["Bearer fake-key"])
    assert asked[0]["messages"] == [
        {"role": "system", "content": "Do it."},
        {"role": "user", "content": "the text"},
    ]


def test_half_a_character_in_an_answer_is_marked() -> None:
    """Written to a file it would fail."""
    with service(answer("half \ud83d")) as (url, _, _):
        found = RemoteModel(url, ("small",), key="fake-key").complete(PROMPT, timeout_s=5)
    assert found.text == "half \ufffd"


@pytest.mark.parametrize(
    "bad",
    [
        500,
        429,
        b"no json",
        b"[]",
        {},
        answer(None),
        answer("  "),
        answer("half", finish="length"),
        answer("no", refusal="I will not"),
    ],
)
def test_the_second_model_is_asked_once_when_the_first_fails(bad: object) -> None:
    with service(bad, answer("saved")) as (url, asked, _):
        found = RemoteModel(url, ("small", "other"), key=None).complete(PROMPT, timeout_s=5)
    assert (found.text, found.model) == ("saved", "other")
    assert [one["model"] for one in asked] == ["small", "other"]


def test_two_failures_are_one_sentence_without_the_key() -> None:
    with service(500, 503) as (url, asked, _):
        model = RemoteModel(url, ("small", "other"), key="fake-key")
        with pytest.raises(ModelError, match="HTTP 503") as told:
            model.complete(PROMPT, timeout_s=5)
    assert len(asked) == 2
    assert "fake-key" not in str(told.value)


def test_a_service_that_is_not_there_and_a_model_without_a_name_are_said() -> None:
    with pytest.raises(ModelError, match="cannot be reached"):
        RemoteModel("http://127.0.0.1:9", ("small",), key=None).complete(PROMPT, timeout_s=1)
    with pytest.raises(ModelError, match="no model is named"):
        RemoteModel("http://127.0.0.1:9", ("", ""), key=None).complete(PROMPT, timeout_s=1)


def test_an_endless_answer_is_cut_short() -> None:
    with service(b"x" * 3_000_000) as (url, _, _), pytest.raises(ModelError, match="too long"):
        RemoteModel(url, ("small",), key=None).complete(PROMPT, timeout_s=5)


def test_costs_are_added_up(tmp_path: Path) -> None:
    log = StateModels(StateDatabase(tmp_path / "state", PrivateCopies()))
    assert log.tokens_since(NOW) == 0
    log.add(ModelUse(NOW, "reflect", "small", 40))
    log.add(ModelUse(NOW, "observe", "small", 2))
    assert log.tokens_since(NOW) == 42
