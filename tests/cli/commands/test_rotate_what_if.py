"""`rotate --what-if`: what another threshold would have done, by the counts that were kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.sessions.tokens import Sample
from tests.cli.caller import stored
from tests.doubles.platform import NOW, talk

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

MAIN = "agent:main:main"


@pytest.fixture(autouse=True)
def seen(world: World) -> None:
    held = stored(world.platform.agents[0].ref, MAIN, 100_000)
    world.sessions.hold(held)
    counts = ((9, 40_000), (8, 121_000), (2, 125_000))
    for days, count in counts:
        at = NOW - timedelta(days=days)
        world.samples.add([Sample("main", held.session_id or "", at, count)])


def test_another_threshold_is_tried_on_what_was_seen(world: World, call: Caller) -> None:
    found = call.json("rotate", "--what-if", "--threshold", "120k", "--since", "10d").data

    assert found["threshold"] == 120_000
    assert [(one["key"], one["tokens"]) for one in found["rotations"]] == [(MAIN, 121_000)]
    assert (
        "1 rotation since"
        in call("rotate", "--what-if", "--threshold", "120k", "--since", "9d").out
    )
    assert world.gateway.resets == []
    assert found["counts"] == 3


def test_without_counts_nobody_can_say(world: World, call: Caller) -> None:
    hour = ("rotate", "--what-if", "--since", "1h")

    assert call.json(*hour).data["counts"] == 0
    assert call(*hour).out.startswith("Nobody can say: no counts were kept since")


def test_it_says_what_would_have_been_captured(world: World, call: Caller) -> None:
    held = stored(world.platform.agents[0].ref, MAIN, 100_000)
    said = ("Which database?", "DECISION: SQLite in WAL mode.", "Thanks.", "You are welcome.")
    *old, new = talk(*said, "Later", start=NOW - timedelta(days=9))
    world.sessions.transcripts[held.session_id or ""] = [*old, replace(new, at=NOW)]

    asked = ("rotate", "--what-if", "--threshold", "120k", "--since", "10d")
    [found] = call.json(*asked).data["rotations"]

    assert found["would_capture"] == {"messages": 4, "observations": 1}
    assert "messages  observations" in call(*asked).out


@pytest.mark.parametrize("transcript", ["broken", "none", "group"])
def test_what_nobody_can_read_is_null_and_what_is_never_captured_is_none(
    transcript: str, world: World, call: Caller
) -> None:
    ref, key = world.platform.agents[0].ref, MAIN
    if transcript == "group":
        key = "agent:main:discord:channel:ops"
    held = stored(ref, key, 100_000, **({"transcript": None} if transcript == "none" else {}))
    world.sessions.hold(held)
    world.samples.add([Sample("main", held.session_id or "", NOW - timedelta(days=1), 121_000)])
    world.sessions.broken.add(held.session_id or "")

    asked = ("rotate", "--what-if", "--threshold", "120k", "--since", "30h")
    [found] = call.json(*asked).data["rotations"]

    known = 0 if transcript == "group" else None
    assert found["would_capture"] == {"messages": known, "observations": known}
    assert call(*asked).out.splitlines()[-1].split()[-3:-1] == (
        ["0", "0"] if transcript == "group" else ["?", "?"]
    )


@pytest.mark.parametrize(
    ("rules", "tokens"),
    [
        ("", [121_000]),
        ("overhead_tokens = 120_000", [121_000, 124_000]),
        ('overhead_tokens = 120_000\nmin_interval = "7d"', [121_000]),
        ('overhead_tokens = 120_000\nmin_interval = "6d"', [121_000, 124_000]),
    ],
)
def test_the_rules_of_the_agent_itself_count(
    rules: str, tokens: list[int], call: Caller, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[agents.main.rotation]\n{rules}\n[agents.work.rotation]\noverhead_tokens = 1")

    found = call.json(
        "--config", str(file), "rotate", "--what-if", "--threshold", "120k", "--since", "10d"
    ).data

    assert [one["tokens"] for one in found["rotations"]] == tokens


@pytest.mark.parametrize(("model", "tokens"), [("anthropic/opus", [121_000]), ("other/x", [])])
def test_a_model_has_a_threshold_of_its_own(
    model: str, tokens: list[int], world: World, call: Caller, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[rotation.models]\n"anthropic/*" = 121_000')
    held = stored(world.platform.agents[0].ref, MAIN, 100_000, model=model)
    world.sessions.hold(held)

    found = call.json("--config", str(file), "rotate", "--what-if", "--since", "10d").data

    assert (found["threshold"], [one["tokens"] for one in found["rotations"]]) == (None, tokens)


def test_without_a_threshold_that_of_the_settings_counts(call: Caller) -> None:
    found = call.json("rotate", "--what-if").data

    assert (found["threshold"], found["rotations"]) == (None, [])


def test_it_goes_with_nothing_that_acts(call: Caller) -> None:
    assert call("rotate", MAIN, "--what-if").code == 2
    assert call("rotate", "--what-if", "--force").code == 2
    assert call("rotate", "--what-if", "--threshold", "many").code == 2
