"""`checkpoint` and `rotate`: what is asked, what is refused, how it ends."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.commands.catalogue import CATALOGUE
from memconsole.domain.gateway import LiveSession
from tests.cli.caller import stored
from tests.cli.contract import check_envelope
from tests.doubles.platform import NOW, talk

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.command import CommandSpec
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

MAIN = "agent:main:main"
FULL = "agent:main:telegram:direct:1001"


@pytest.fixture
def ref(world: World) -> AgentRef:
    return world.platform.agents[0].ref


@pytest.fixture(autouse=True)
def sessions(world: World, ref: AgentRef) -> None:
    """A talk below its threshold, one over it, and a job over it."""
    texts = [f"message number {n} about the database" for n in range(8)]
    world.sessions.hold(
        stored(ref, MAIN, 64_200),
        stored(ref, FULL, 152_940),
        stored(ref, "agent:main:subagent:x", 160_000),
    )
    for session in world.sessions.listings["main"].sessions:
        world.sessions.transcripts[session.session_id or ""] = talk(*texts)


class Terminal(io.StringIO):
    """A person who types."""

    def isatty(self) -> bool:
        return True


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let a person sit at the terminal and type this."""
    monkeypatch.setattr(sys, "stdin", Terminal(text))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def test_a_checkpoint_of_one_agent(world: World, call: Caller) -> None:
    result = call.json("checkpoint", "--agent", "MAIN")
    assert result.code == 0
    check_envelope(result.envelope)
    [row] = result.data
    assert (row["agent"], row["status"]) == ("main", "done")
    assert {file["mode"] for file in row["wrote"]} == {"0600"}
    assert [run.command for run in world.runs.stored] == ["checkpoint"]


@pytest.mark.parametrize("head", [("--json",), ()])
def test_what_failed_is_said_on_standard_error_too(
    head: tuple[str, ...], world: World, call: Caller
) -> None:
    world.workspace.refused["memory/ACTIVE_CONTEXT.md"] = "the disk is full"
    result = call(*head, "checkpoint", "--agent", "main")
    assert result.code == 1
    first, *rest = result.err.splitlines()
    assert first.startswith("memconsole: ")
    assert "the disk is full" in first
    assert all(line.startswith("  ") for line in rest)
    assert "the disk is full" in result.out


def test_a_checkpoint_of_all_agents_gives_an_outcome_for_each(call: Caller) -> None:
    result = call.json("checkpoint", "--dry-run")
    assert [row["agent"] for row in result.data] == ["main", "work"]
    assert {row["status"] for row in result.data} <= {"planned", "skipped"}
    assert result.code == 0


def test_a_dry_run_writes_nothing(world: World, call: Caller) -> None:
    out = call("checkpoint", "--agent", "main", "--dry-run").out
    assert "planned" in out
    assert "would write memory/ACTIVE_CONTEXT.md" in out
    assert world.workspace.writes == []
    assert world.runs.stored == []


def test_people_see_what_was_written(call: Caller) -> None:
    out = call("checkpoint", "--agent", "main").out
    assert out.startswith(("main  done", "agent:main:"))
    assert "wrote memory/ACTIVE_CONTEXT.md" in out


def test_a_session_names_its_agent(world: World, call: Caller) -> None:
    session_id = world.sessions.listings["main"].sessions[1].session_id or ""
    for name in (FULL, session_id):
        [row] = call.json("checkpoint", "--session", name, "--force").data
        assert (row["agent"], row["key"]) == ("main", FULL)


def test_a_session_of_another_agent_is_refused(world: World, call: Caller) -> None:
    result = call.json("checkpoint", "--agent", "work", "--session", FULL)
    assert result.code == 2
    assert "belongs to agent 'main'" in result.error["message"]
    assert world.workspace.writes == []


@pytest.mark.parametrize("words", [["--agent", "агент"], ["--session", "agent:main:nope"]])
def test_an_unknown_name_is_refused_and_main_is_not_taken_instead(
    words: list[str], world: World, call: Caller
) -> None:
    result = call.json("checkpoint", *words)
    assert result.code == 2
    assert words[1] in result.error["message"]
    assert world.workspace.writes == []


def test_read_only_refuses_with_a_reason(world: World, call: Caller) -> None:
    result = call.json("--read-only", "checkpoint", "--agent", "main")
    assert result.code == 1
    [row] = result.data
    assert (row["status"], row["reason"]) == ("failed", "read-only")
    assert world.workspace.writes == []
    assert call("--read-only", "checkpoint", "--dry-run").code == 0
    result = call.json("--read-only", "rotate", "--yes")
    assert (result.code, result.error["code"]) == (1, "read-only")


def test_the_rotation_plan_needs_no_gateway(call: Caller) -> None:
    result = call.json("rotate", "--dry-run")
    assert result.code == 0
    check_envelope(result.envelope)
    assert [(row["key"], row["status"], row["reason"]) for row in result.data] == [
        (FULL, "planned", None),
        ("agent:main:subagent:x", "skipped", "class-not-rotated"),
    ]
    assert {row["details"]["threshold"] for row in result.data} == {150_000}
    assert result.envelope["left_out"] == {"below": 1}
    assert "1 session below the threshold" in call("rotate", "--dry-run").out


def test_another_threshold_and_a_named_session(call: Caller) -> None:
    planned = call.json("rotate", "--dry-run", "--threshold", "60000")
    assert {row["key"] for row in planned.data if row["status"] == "planned"} == {MAIN, FULL}
    [row] = call.json("rotate", MAIN, "--dry-run").data
    assert (row["status"], row["reason"]) == ("skipped", "not-due")
    [row] = call.json("rotate", MAIN, "--dry-run", "--force").data
    assert row["status"] == "planned"
    assert call.json("rotate", "agent:main:nope", "--dry-run").error["code"] == "unknown-session"


def test_rotation_asks_and_without_a_terminal_needs_yes(world: World, call: Caller) -> None:
    result = call.json("rotate")
    assert (result.code, result.error["code"]) == (2, "not-confirmed")
    assert "--yes" in result.error["hint"]
    assert world.runs.stored == []


def test_rotation_without_a_gateway_fails_with_three(world: World, call: Caller) -> None:
    world.gateway.verdict = "bad-token"
    result = call.json("rotate", "--yes")
    assert (result.code, result.error["code"]) == (3, "bad-token")
    assert result.error["hint"]
    assert world.runs.stored == []


def test_a_rotation_is_answered_with_its_proof(world: World, call: Caller) -> None:
    listing = world.sessions.listings["main"]
    held = replace(listing.sessions[1], started_at=NOW - timedelta(days=2))
    world.sessions.hold(held)
    world.gateway.hold(LiveSession(FULL, session_id=held.session_id, tokens=152_940))
    result = call.json("rotate", FULL, "--yes")
    [row] = result.data
    assert (result.code, row["status"]) == (0, "done")
    proof = row["details"]["proof"]
    assert proof["proven"] is True
    assert proof["before"]["tokens"] == 152_940
    assert (proof["after"]["tokens"], proof["after"]["revision"]) == (0, "r-1")
    assert [one["step"] for one in proof["captured"]] == ["checkpoint", "observe", "summary"]
    assert {"step": "checkpoint", "status": "done"} in proof["captured"]
    assert row["details"]["threshold"] == 150_000
    assert "memory/2026-01-26.md" in [one["path"] for one in row["wrote"]]


def test_a_session_that_is_not_due_needs_no_gateway_and_no_answer(call: Caller) -> None:
    result = call.json("rotate", MAIN)
    assert result.code == 0
    assert [row["status"] for row in result.data] == ["skipped"]


def test_no_ends_it(world: World, call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, "n\n")
    result = call("rotate")
    assert result.code == 2
    assert "would reset" in result.err
    assert "not confirmed" in result.err
    assert world.runs.stored == []


def test_yes_goes_on(world: World, call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, "y\n")
    world.gateway.verdict = "down"
    result = call("rotate")
    assert (result.code, world.runs.stored) == (3, [])
    assert "the gateway is down" in result.err


@pytest.mark.parametrize(("head", "is_watched"), [((), True), ((), False), (("--json",), True)])
def test_steps_are_told_to_who_watches_and_to_no_machine(
    head: tuple[str, ...],
    is_watched: bool,
    world: World,
    call: Caller,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = replace(world.sessions.listings["main"].sessions[1], started_at=NOW - timedelta(days=2))
    world.sessions.hold(held)
    world.gateway.hold(LiveSession(FULL, session_id=held.session_id, tokens=152_940))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_watched)
    title, *lines = call(*head, "rotate", FULL, "--yes").err.splitlines() or [""]
    steps = ["checkpoint", "observations", "summary", "reset", "proof"]
    is_told = is_watched and not head
    assert [line.split()[0] for line in lines] == (steps if is_told else [])
    assert title == (FULL if is_told else "")


def test_an_end_of_input_interrupts(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "")
    assert call("rotate").code == 130
    assert world.runs.stored == []


def test_nothing_to_do_is_said(world: World, call: Caller) -> None:
    world.platform.agents = ()
    assert call("rotate", "--dry-run").out == "Nothing to do.\n"


@pytest.mark.parametrize("spec", CATALOGUE, ids=lambda spec: spec.name)
def test_help_is_that_of_the_one_table(spec: CommandSpec, call: Caller) -> None:
    words = " ".join(call(*spec.name.split(), "--help").out.split())
    assert f"{spec.help}." in words
    may_be_asked = spec.is_destructive or spec.name == "restore"  # it decides what a start is given
    assert ("--yes" in words) is may_be_asked
    assert "--dry-run" in words


def test_what_came_up_on_the_way_is_a_warning(world: World, ref: AgentRef, call: Caller) -> None:
    [first, *_] = world.sessions.listings["main"].sessions
    entries = world.sessions.transcripts[first.session_id or ""]
    secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKlMnOpQrSt"
    told = replace(entries[-1], text=f"the key is {secret}, keep it")
    world.sessions.transcripts[first.session_id or ""] = [*entries[:-1], told]
    result = call.json("checkpoint", "--session", MAIN)
    assert [one["code"] for one in result.envelope["warnings"]] == ["secrets-masked"]
    assert secret[14:40] not in result.out
