"""A workspace that is only guessed: nothing of it is told as if it were known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import PlatformConfig
from tests.cli.contract import check_envelope

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

WHY = "the workspace of main is not known: the platform configuration cannot be read"


@pytest.fixture(autouse=True)
def _guessed(world: World) -> None:
    guess = replace(world.platform.agents[0], workspace_doubt=WHY.partition(": ")[2])
    world.platform.agents = (guess, *world.platform.agents[1:])
    world.platform.config = PlatformConfig(is_readable=False)


def test_agents_say_that_the_workspace_and_its_memory_are_not_known(call: Caller) -> None:
    answer = call.json("agents")
    check_envelope(answer.envelope)
    row = answer.data[0]
    unknown = {row[one] for one in ("workspace", "workspace_exists", "memory_bytes")}
    assert unknown == {None}
    assert set(row["markers"].values()) == {None}
    assert "workspace not known" in call("agents").out


def test_the_pool_of_a_guessed_workspace_is_not_looked_at(call: Caller) -> None:
    answer = call.json("memory", "pool")
    check_envelope(answer.envelope)
    row = answer.data[0]
    assert [row[one] for one in ("root", "files", "bytes", "tokens", "items")] == [None] * 4 + [[]]
    assert [(one["code"], one["message"]) for one in row["warnings"]] == [
        ("config-unreadable", WHY)
    ]
    assert f"{WHY}; nothing was looked at" in call("memory", "pool").out


def test_nothing_found_and_not_looked_at_differ(call: Caller) -> None:
    for words in (("markers",), ("memory", "show")):
        assert WHY in call(*words).err
    assert "No memory files" not in call("memory", "show").out


def test_a_search_of_a_guessed_workspace_could_not_look(call: Caller) -> None:
    answer = call("search", "boat")
    assert (answer.code, "Nothing was found" in answer.out) == (1, False)
    assert WHY in answer.out + answer.err


def test_a_file_of_a_guessed_workspace_is_not_called_missing(call: Caller) -> None:
    for words in (("get", "MEMORY.md"), ("memory", "get", "MEMORY.md")):
        answer = call.json(*words)
        error = answer.envelope["error"]
        assert (answer.code, error["code"], error["message"]) == (1, "workspace-missing", WHY)


def test_an_index_is_not_made_of_a_guessed_workspace(world: World, call: Caller) -> None:
    [row] = call.json("reindex", "--agent", "main", "--no-sessions").data
    assert (row["status"], row["message"]) == ("skipped", WHY)
    answer = call.json("reindex", "--agent", "main", "--sessions")
    assert [one["message"] for one in answer.envelope["warnings"]] == [WHY]
    assert world.index.synced == [("main", False)]


def test_a_guessed_workspace_has_no_count_of_observations(call: Caller) -> None:
    assert WHY in call("consolidate").out


@pytest.mark.parametrize(
    "words",
    [
        *("checkpoint", "observe", "reflect", "recover", "index-md", "reindex", "consolidate"),
        *("memory pool", "markers", "secrets", "search boat", "cleanup --dry-run"),
        *("rotate --dry-run", "bootstrap"),
    ],
)
def test_nobody_says_nothing_to_do_where_nobody_knows_the_agents(
    words: str, world: World, call: Caller
) -> None:
    world.platform.agents = ()
    answer = call(*words.split())
    assert answer.code == 1
    assert "no agent is known: the platform's configuration cannot be read" in answer.err
    assert answer.out == ""


def test_a_home_is_not_called_sound_that_cannot_be_read(world: World, call: Caller) -> None:
    world.platform.agents = ()
    answer = call("agents")
    assert (answer.code, "sound" in answer.out) == (0, False)
    assert "its configuration cannot be read" in answer.out
