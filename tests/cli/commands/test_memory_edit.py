"""`memory show`, `add`, `forget`, `edit` and `undo`."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.output.stream import Output
from memconsole.domain.agents import PlatformConfig
from memconsole.domain.memory.files import PoolItem
from tests.cli.contract import check_envelope
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

TEXT = "# Memory\n\n- 2026-01-02: [FACT] Ada prefers tea\n- The build needs ninja\n"


@pytest.fixture(autouse=True)
def memory(world: World) -> None:
    """A memory of two files, of which one is not counted."""
    root = world.platform.agents[0].workspace
    world.workspace.files[root, "MEMORY.md"] = TEXT
    empty = world.memory.pool(root, ("main",), config=PlatformConfig(), now=NOW)
    items = (
        PoolItem("MEMORY.md", len(TEXT), len(TEXT) // 4, False, True, modified_at=NOW),
        PoolItem("memory/INDEX.md", 10, 2, True, False, modified_at=NOW),
    )
    world.memory.pools[root] = replace(empty, items=items)


def text(world: World) -> str | None:
    return world.workspace.text(world.platform.agents[0].workspace, "MEMORY.md")


def test_files_are_listed_with_size_tokens_and_time(call: Caller) -> None:
    result = call.json("memory", "show")
    assert [row["path"] for row in result.data] == ["MEMORY.md", "memory/INDEX.md"]
    assert result.data[0]["bytes"] == len(TEXT)
    assert result.data[0]["modified_at"].startswith("2026-01-26T13:20:00")
    assert "MEMORY.md" in call("memory", "show").out


@pytest.mark.parametrize("words", [("MEMORY.md",), ("--all",)])
def test_entries_are_listed_with_their_ids(words: tuple[str, ...], call: Caller) -> None:
    result = call.json("memory", "show", *words)
    check_envelope(result.envelope)
    first, second = result.data
    assert (first["line"], first["tags"], first["date"]) == (3, ["FACT"], "2026-01-02")
    assert first["text"] == "2026-01-02: [FACT] Ada prefers tea"
    assert (second["path"], second["date"]) == ("MEMORY.md", None)
    assert first["id"] in call("memory", "show", *words).out


def test_a_file_that_is_not_there_is_a_wrong_call(call: Caller) -> None:
    result = call.json("memory", "show", "NO.md")
    assert (result.code, result.error["code"]) == (2, "usage")


def test_a_text_is_added_once(world: World, call: Caller) -> None:
    result = call.json("memory", "add", "Port", "8443", "is", "ours", "--type", "fact")
    check_envelope(result.envelope)
    [row] = result.data
    assert (row["command"], row["status"]) == ("memory add", "done")
    assert "- 2026-01-26: [FACT] Port 8443 is ours\n" in (text(world) or "")
    again = call.json("memory", "add", "Port 8443 is ours")
    [second] = again.data
    assert (again.code, second["status"], second["reason"]) == (0, "skipped", "duplicate")
    assert second["details"]["id"] == row["details"]["id"]


def test_a_text_comes_from_standard_input(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Said\nin two lines\n"))
    call("memory", "add", "-")
    assert "- 2026-01-26: Said in two lines\n" in (text(world) or "")


@pytest.mark.parametrize(
    "words",
    [
        ("add", "x", "--daily", "--user"),
        ("add", "x", "--daily", "--section", "S"),
        ("add", "x", "--type", "rumour"),
        ("add", "x", "--section", "#"),
        ("add", " "),
        ("add", "x", "--agent", "nobody"),
        ("forget", "m-00000000", "--yes"),
        ("forget", "m-0", "--dry-run"),
        ("forget", "MEMORY.md", "--yes"),
        ("edit", "../outside.md"),
        ("edit", "AGENTS.md"),
        ("edit", "MEMORY.md"),
    ],
)
def test_wrong_calls_do_nothing(words: tuple[str, ...], world: World, call: Caller) -> None:
    assert call("memory", *words).code == 2
    assert world.workspace.writes == []


def test_forgetting_needs_a_yes_and_can_be_undone(world: World, call: Caller) -> None:
    wanted = call.json("memory", "show", "MEMORY.md").data[1]["id"]
    refused = call.json("memory", "forget", wanted)
    assert (refused.code, refused.error["code"]) == (2, "not-confirmed")
    assert text(world) == TEXT
    plan = call("memory", "forget", wanted, "--dry-run")
    assert "The build needs ninja" in plan.out
    [row] = call.json("memory", "forget", wanted, "--yes").data
    assert (row["command"], row["status"]) == ("memory forget", "done")
    assert "ninja" not in (text(world) or "")
    [back] = call.json("memory", "undo").data
    assert (back["status"], back["details"]["undid"]) == ("done", "forget")
    assert text(world) == TEXT


@pytest.mark.parametrize("answer", ["y\n", "n\n"])
def test_on_a_terminal_the_entry_is_shown_and_asked_for(
    answer: str, world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Output, "can_ask", True)
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    wanted = call.json("memory", "show", "MEMORY.md").data[1]["id"]
    result = call("memory", "forget", wanted)
    assert "The build needs ninja" in result.err
    assert ("ninja" in (text(world) or "")) is (answer == "n\n")
    assert result.code == (2 if answer == "n\n" else 0)


@pytest.mark.parametrize(
    "words", [("add", "x"), ("forget", "m-1", "--yes"), ("undo",), ("edit", "MEMORY.md")]
)
def test_read_only_refuses_each_of_them(words: tuple[str, ...], world: World, call: Caller) -> None:
    assert call("--read-only", "memory", *words).code == 1
    assert text(world) == TEXT


def test_an_editor_is_started_on_a_terminal(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "false --wait")
    plan = call("memory", "edit", "MEMORY.md", "--dry-run")
    assert (plan.code, plan.out) == (0, "would open MEMORY.md in false\n")
    monkeypatch.setattr(Output, "can_ask", True)
    result = call("memory", "edit", "MEMORY.md")
    assert (result.code, result.out) == (1, "MEMORY.md is as it was; the editor ended with 1\n")
    world.workspace.unreadable["MEMORY.md"] = "it is a named pipe"
    for words in ((), ("--dry-run",)):
        result = call("memory", "edit", "MEMORY.md", *words)
        assert (result.code, result.out) == (1, "")
        assert "it is a named pipe" in result.err
    monkeypatch.setenv("VISUAL", "no-such-editor-anywhere")
    assert call("memory", "edit", "memory/new.md").code == 2
