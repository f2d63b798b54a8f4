"""Compaction: saved first, refused where it only cuts, judged by what it left."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.commands.command import command_line
from memconsole.domain.commands.compact import Compact, Compacted
from memconsole.domain.commands.outcomes import Planned, SkipReason
from memconsole.domain.compaction import cuts_only, judge_summary
from memconsole.domain.gateway import CompactAnswer
from memconsole.domain.transcripts.records import Compaction, Entry, EntryKind
from memconsole.engine.engine import Engine
from memconsole.errors import GatewayCallError
from tests.doubles.platform import NOW
from tests.engine.checkpoint.checkpoint_stage import MAIN, failed, skipped
from tests.engine.rotation.test_run import KEY, LIVE, Turn
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.commands.outcomes import Outcome

COMMAND = Compact(MAIN, KEY)
GOOD = CompactAnswer(True, summary="## Goal\nGo on.", tokens_before=160_000, tokens_after=45_000)


def run(turn: Turn, command: Compact = COMMAND) -> Outcome:
    return Engine(turn.world.ports, turn.stage.settings).run(command)


def test_a_session_is_saved_and_compacted() -> None:
    turn = Turn()
    turn.gateway.answer = GOOD
    outcome = run(turn)
    assert isinstance(outcome, Compacted), outcome
    assert outcome.message == f"{KEY} was compacted: 160K tokens before, 45K after"
    assert (turn.gateway.compactions, turn.stage.entries()) == ([KEY], 1)
    assert outcome.details["captured"] == [
        {"step": "checkpoint", "status": "done"},
        {"step": "observe", "status": "done"},
    ]


def test_the_plan_needs_no_gateway() -> None:
    turn = Turn()
    turn.gateway.verdict = "down"
    plan = run(turn, replace(COMMAND, dry_run=True))
    assert isinstance(plan, Planned), plan
    assert plan.message == f"would save {KEY}, then ask for its compaction at 160K tokens"
    assert plan.details["threshold"] == 150_000
    failed(run(turn), "down")


def test_the_plan_knows_the_key_and_the_kind_of_session() -> None:
    turn = Turn()
    failed(run(turn, Compact(MAIN, "agent:main:mian", dry_run=True)), "unknown-session")
    group = "agent:main:discord:group:1"
    turn.stage.hold(row(group, None, tokens_fresh=None))
    plan = run(turn, Compact(MAIN, group, dry_run=True))
    assert isinstance(plan, Planned), plan
    assert plan.message == (
        f"would, without saving the group session of {group}, ask for its compaction at an unknown "
        "number of tokens"
    )


def leave(turn: Turn, summary: str, minutes: int = 1, **values: object) -> None:
    """Let the compaction leave a record in the transcript."""
    held = turn.world.sessions.transcripts["id-main"]
    noted = Compaction(summary, **{"tokens_before": 160_000, **values})  # type: ignore[arg-type]
    record = Entry(
        EntryKind.COMPACTION,
        id=f"c{minutes}",
        parent_id=held[-1].id,
        has_parent=True,
        at=NOW + timedelta(minutes=minutes),
        compaction=noted,
        position=99_000 + minutes,
        size_bytes=500,
    )
    turn.world.sessions.transcripts["id-main"] = [*held, record]
    turn.world.sessions.revision += 1


def test_the_record_in_the_transcript_is_judged() -> None:
    turn = Turn()
    turn.gateway.answer = replace(GOOD, summary="## Goal\nGo on with the migration.")
    turn.gateway.during["compact"] = lambda: leave(
        turn, "Summary unavailable due to context limits.", is_from_hook=True
    )
    outcome = failed(run(turn), "bad-compaction")
    assert "written by the safeguard hook" in outcome.message
    assert outcome.details["entry"] == {
        "at": (NOW + timedelta(minutes=1)).isoformat(),
        "tokens_before": 160_000,
        "tokens_after": None,
        "summary_chars": 42,
        "from_hook": True,
        "duration_ms": None,
        "fault": "summary-unavailable",
    }


def test_a_doubtful_record_is_done_and_told() -> None:
    turn = Turn()
    turn.gateway.answer = GOOD
    turn.gateway.during["compact"] = lambda: leave(turn, "## Goal\nGo on.")
    outcome = run(turn)
    assert isinstance(outcome, Compacted), outcome
    assert outcome.message.endswith("; look at it: its summary has 14 characters for 160K tokens")


def test_an_older_record_is_not_taken_for_the_new_one() -> None:
    turn = Turn()
    leave(turn, "", minutes=0)
    turn.gateway.answer = GOOD
    outcome = run(turn)
    assert isinstance(outcome, Compacted), outcome
    assert outcome.details["entry"] is None


def test_the_record_says_what_is_left_where_the_answer_does_not() -> None:
    """2026.9 answers no `tokensAfter`, and writes it down."""
    turn = Turn()
    turn.gateway.answer = replace(GOOD, tokens_after=None)
    turn.gateway.during["compact"] = lambda: leave(turn, "Go on. " * 40, tokens_after=469)
    outcome = run(turn)
    assert isinstance(outcome, Compacted), outcome
    assert outcome.message == f"{KEY} was compacted: 160K tokens before, 469 after"
    assert outcome.details["tokens_after"] == 469


def test_a_lost_answer_is_settled_by_the_record() -> None:
    turn = Turn()
    turn.gateway.answer = CompactAnswer(is_lost=True)
    turn.gateway.during["compact"] = lambda: leave(turn, "The goal is to go on. " * 20)
    outcome = run(turn)
    assert isinstance(outcome, Compacted), outcome
    assert turn.gateway.compactions == [KEY]


def test_a_transcript_that_cannot_be_read_leaves_the_answer() -> None:
    turn = Turn()
    turn.gateway.answer = GOOD
    turn.gateway.during["compact"] = lambda: turn.world.sessions.broken.add("id-main")
    outcome = run(turn)
    assert isinstance(outcome, Compacted), outcome
    assert outcome.details["entry"] is None


@pytest.mark.parametrize("version", ["2026.1.24", "2026.3.13", "dev"])
def test_where_it_only_cuts_it_is_refused(version: str) -> None:
    turn = Turn()
    turn.gateway.version = version
    failed(run(turn), "truncates-only")
    assert (turn.gateway.compactions, turn.stage.entries()) == ([], 0)
    turn.gateway.answer = CompactAnswer(True, kept_lines=400, archived="/h/sessions/a.jsonl.bak.1")
    outcome = run(turn, replace(COMMAND, is_truncation_forced=True))
    assert isinstance(outcome, Compacted)
    assert "cut to its last 400 lines" in outcome.message
    assert "kept as /h/sessions/a.jsonl.bak.1" in outcome.message
    assert outcome.details["archived"] == "/h/sessions/a.jsonl.bak.1"


@pytest.mark.parametrize(
    "summary",
    [
        None,
        "",
        "  \n",
        "Summary unavailable due to context limits.",
        "## History\nNo prior history.",
    ],
)
def test_a_summary_that_says_nothing_is_a_failure(summary: str | None) -> None:
    turn = Turn()
    turn.gateway.answer = replace(GOOD, summary=summary)
    outcome = failed(run(turn), "bad-compaction")
    assert "transcript" in outcome.hint


def test_what_was_not_done_is_told_with_its_reason() -> None:
    turn = Turn()
    turn.gateway.answer = CompactAnswer(reason="Already compacted")
    outcome = skipped(run(turn), SkipReason.NOT_COMPACTED)
    assert outcome.message == f"{KEY} was not compacted: Already compacted"


def test_a_lost_answer_is_not_asked_for_again() -> None:
    turn = Turn()
    turn.gateway.answer = CompactAnswer(is_lost=True)
    failed(run(turn), "answer-lost")
    assert turn.gateway.compactions == [KEY]


def test_a_refusal_is_a_failure() -> None:
    turn = Turn()
    turn.gateway.refusal = GatewayCallError("sessions.compact", "no")
    failed(run(turn), "gateway-refused")


def test_a_busy_session_is_left_alone() -> None:
    turn = Turn(replace(LIVE, is_active=True))
    skipped(run(turn), SkipReason.BUSY)
    assert turn.gateway.compactions == []


def test_where_the_gateway_does_not_say_it_the_disk_tells_of_a_run() -> None:
    turn = Turn(is_active=True)
    skipped(run(turn), SkipReason.BUSY)
    assert turn.gateway.compactions == []


def test_what_cannot_be_saved_is_not_compacted() -> None:
    turn = Turn()
    turn.world.workspace.refused["memory/ACTIVE_CONTEXT.md"] = "the disk is full"
    failed(run(turn), "not-captured")
    assert turn.gateway.compactions == []


def test_instructions_are_refused_before_anything_is_done() -> None:
    turn = Turn()
    command = replace(COMMAND, instructions="keep the names")
    failed(run(turn, command), "instructions-unsupported")
    assert (turn.gateway.compactions, turn.stage.entries()) == ([], 0)
    assert command_line(command) == f"memconsole compact {KEY} --instructions 'keep the names'"


def test_a_dry_run_refuses_what_the_release_cannot_do() -> None:
    turn = Turn()
    plan = replace(COMMAND, dry_run=True)
    told = replace(plan, instructions="keep the names")
    assert isinstance(run(turn, told), Planned)

    turn.world.platform.config = PlatformConfig(last_version="2026.9.6")
    failed(run(turn, told), "instructions-unsupported")
    assert isinstance(run(turn, plan), Planned)
    turn.world.platform.config = PlatformConfig(last_version="2026.3.13")
    failed(run(turn, plan), "truncates-only")
    assert isinstance(run(turn, replace(plan, is_truncation_forced=True)), Planned)
    turn.world.platform.config = PlatformConfig(last_version="2026.10.1")
    planned = run(turn, told)
    assert isinstance(planned, Planned)
    assert planned.message.endswith("with instructions if the Gateway takes them")


def test_a_newer_release_is_given_the_instructions() -> None:
    turn = Turn()
    turn.gateway.version, turn.gateway.answer = "2026.11.0", GOOD
    told = replace(COMMAND, instructions="keep the names")
    assert isinstance(run(turn, told), Compacted)
    assert turn.gateway.instructions == ["keep the names"]

    words = "invalid sessions.compact params: at root: unexpected property 'instructions'"
    turn.gateway.refusal = GatewayCallError("sessions.compact", words)
    failed(run(turn, told), "instructions-unsupported")
    turn.gateway.refusal = GatewayCallError("sessions.compact", "no")
    failed(run(turn, told), "gateway-refused")


def test_an_unknown_key_is_never_sent() -> None:
    turn = Turn()
    failed(run(turn, Compact(MAIN, "agent:main:mian")), "unknown-session")
    assert turn.gateway.compactions == []


def test_releases_and_summaries() -> None:
    assert [cuts_only(one) for one in ("2026.6.1", "2026.7.1", "2027.1", None)] == [
        True,
        False,
        False,
        True,
    ]
    assert judge_summary("Summary unavailable, he said. " * 50) is None
