"""`reflect`: asks, judges texts from elsewhere, and takes itself back."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.memory.observation_log import add
from memconsole.domain.memory.observations import Observation, ObservationLog, Priority
from tests.cli.contract import check_envelope

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

FILE = "memory/observations.md"
OLD = add(
    ObservationLog(),
    [
        Observation(Priority.LOW, f"remark about {word * 5}", date(2026, 1, 2) + timedelta(n))
        for n, word in enumerate("abcdef")
    ],
).text


@pytest.fixture(autouse=True)
def observations(world: World) -> None:
    world.workspace.files[world.platform.agents[0].workspace, FILE] = OLD


@pytest.fixture
def too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the observations be more than they may be."""
    monkeypatch.setenv("MEMCONSOLE_REFLECTOR__WORD_THRESHOLD", "30")


def text(world: World) -> str:
    return world.workspace.files[world.platform.agents[0].workspace, FILE]


@pytest.mark.usefixtures("too_long")
def test_without_a_terminal_it_needs_yes(world: World, call: Caller) -> None:
    result = call.json("reflect", "--force")
    assert (result.code, result.error["code"]) == (2, "not-confirmed")
    assert text(world) == OLD


def test_the_text_that_was_confirmed_is_the_one_that_is_written(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCONSOLE_LLM__PROVIDER", "openai-compatible")
    monkeypatch.setenv("MEMCONSOLE_LLM__MODEL", "small")
    shorter = OLD.replace("remark about aaaaa", "aaaaa")
    world.model.answers = [shorter, shorter.replace("aaaaa", "bb")]
    [row] = call.json("reflect", "--agent", "main", "--force", "--yes").data
    assert row["status"] == "done"
    assert row["message"].endswith("; rewritten by small")
    assert "- 🟢 aaaaa" in text(world)
    assert len(world.model.asked) == 1


@pytest.mark.usefixtures("too_long")
def test_a_question_that_nobody_can_answer_costs_nothing(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCONSOLE_LLM__PROVIDER", "openai-compatible")
    monkeypatch.setenv("MEMCONSOLE_LLM__MODEL", "small")
    assert call.json("reflect", "--agent", "main", "--force").code == 2
    assert world.model.asked == []


def test_what_is_not_due_asks_nobody(call: Caller) -> None:
    result = call.json("reflect", "--agent", "main")
    [row] = result.data
    assert (result.code, row["status"], row["reason"]) == (0, "skipped", "not-due")


@pytest.mark.usefixtures("too_long")
def test_it_consolidates_and_takes_it_back(world: World, call: Caller) -> None:
    result = call.json("reflect", "--agent", "main", "--force", "--yes")
    check_envelope(result.envelope)
    [row] = result.data
    assert (result.code, row["command"], row["status"]) == (0, "reflect", "done")
    assert text(world) != OLD
    [undone] = call.json("reflect", "--agent", "main", "--undo").data
    assert (undone["status"], text(world)) == ("done", OLD)


def test_a_candidate_is_judged(world: World, call: Caller, tmp_path: Path) -> None:
    candidate = tmp_path / "candidate.md"
    candidate.write_text("I cannot help with that.\n")
    call_it = ("reflect", "--agent", "main", "--candidate", str(candidate), "--yes")
    result = call.json(*call_it)
    assert (result.code, result.data[0]["reason"]) == (1, "rejected")
    candidate.write_text(OLD)
    [planned] = call.json(*call_it[:-1], "--dry-run").data
    assert planned["status"] == "planned"
    assert text(world) == OLD


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--undo", "--force"), "--undo"),
        (("--agent", "main", "--candidate", "/nowhere/x.md"), "/nowhere/x.md"),
        (("--agent", "nobody"), "nobody"),
    ],
)
def test_wrong_usage_is_said(words: tuple[str, ...], named: str, call: Caller) -> None:
    result = call.json("reflect", *words)
    assert result.code == 2
    assert named in result.error["message"]
