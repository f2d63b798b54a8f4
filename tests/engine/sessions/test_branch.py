"""A new session of an earlier window, made by the Gateway: `restore --branch`."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memconsole.domain.agents import Storage
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.commands.restore import Branched, Restore
from memconsole.domain.gateway import UNKNOWN_METHOD, LiveSession
from memconsole.domain.sessions.branches import Branch, BranchState
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from memconsole.engine.rotation.run import UNANSWERED
from memconsole.errors import GatewayCallError
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW, fake_agent, talk
from tests.engine.sessions.test_restore import TEXTS, reset_in

AGENT = fake_agent()
KEY = "agent:main:main"
QUESTION = talk(*TEXTS)[2].id
"""The last thing that was asked before the reset."""


class Stage:
    """A main session of a database, reset in place, and the Gateway that serves it."""

    def __init__(self, kind: TranscriptKind = TranscriptKind.DATABASE) -> None:
        self.world = World(AGENT)
        ref = TranscriptRef(AGENT.ref, "id-now", kind, HOME / "a.sqlite", 4_000, NOW)
        self.live = StoredSession(
            AGENT.ref,
            parse_key(KEY, owner="main"),
            "id-now",
            SessionState.LIVE,
            TranscriptState.PRESENT,
            transcript=ref,
            updated_at=NOW - timedelta(hours=1),
            source=Storage.GATEWAY,
        )
        self.world.sessions.hold(self.live)
        self.world.sessions.transcripts["id-now"] = reset_in(talk(*TEXTS))
        self.gateway = self.world.gateway
        self.gateway.hold(LiveSession(KEY, "main", "id-now", revision="r-1", tokens=1_500))

    def restore(self, window: str | None = None, *, dry_run: bool = False) -> Any:
        engine = Engine(self.world.ports, Settings(state_dir=Path("/state"), timezone="UTC"))
        return engine.run(Restore(AGENT.ref, KEY, window, is_branch=True, dry_run=dry_run))

    def states(self) -> list[tuple[BranchState, str | None]]:
        return [(one.state, one.made) for one in self.world.branches.stored]

    def note(self, state: BranchState, ago: timedelta) -> None:
        assert QUESTION is not None
        self.world.branches.begin(Branch(0, AGENT.ref, KEY, "id-now~1", QUESTION, state, NOW - ago))


def proof_of(outcome: Any) -> Any:
    """Return what is proven, as foreign JSON."""
    return outcome.details["proof"]


def test_a_plan_says_where_the_branch_ends_and_asks_nobody() -> None:
    stage = Stage()
    stage.gateway.verdict = "down"

    plan = stage.restore("id-now~1", dry_run=True)

    assert isinstance(plan, Planned), plan
    assert (plan.details["window"], plan.details["entry"]) == ("id-now~1", QUESTION)
    assert "the session stays as it is" in plan.message
    assert stage.world.branches.stored == []


def test_a_branch_is_made_once_and_proven_by_what_both_sessions_are_afterwards() -> None:
    stage = Stage()

    outcome = stage.restore()

    assert isinstance(outcome, Branched), outcome
    proof = proof_of(outcome)
    assert proof["proven"] is True
    assert proof["before"]["session_id"] == proof["after"]["session_id"] == "id-now"
    assert proof["branch"]["key"] == "agent:main:dashboard:b-1"
    assert proof["branch"]["session_id"] != "id-now"
    assert stage.gateway.branches == [(KEY, QUESTION)]
    assert stage.states() == [(BranchState.PROVEN, "agent:main:dashboard:b-1")]
    assert not stage.gateway.resets
    assert not stage.world.workspace.files


def test_it_is_in_the_journal_before_it_is_sent() -> None:
    stage = Stage()
    seen: list[object] = []
    stage.gateway.during["branch"] = lambda: seen.extend(stage.states())

    stage.restore()

    assert seen == [(BranchState.SENT, None)]


def test_an_answer_that_is_lost_is_settled_by_looking() -> None:
    stage = Stage()
    stage.gateway.loses.add("branch")

    outcome = stage.restore()

    assert isinstance(outcome, Branched), outcome
    assert stage.states() == [(BranchState.PROVEN, "agent:main:dashboard:b-1")]


def test_an_interrupted_branch_that_was_made_is_found_and_never_asked_for_again() -> None:
    stage = Stage()
    stage.note(BranchState.SENT, timedelta(hours=1))
    assert QUESTION is not None
    made = LiveSession("agent:main:dashboard:x", "main", "s-x", forked_at=(KEY, QUESTION))
    stage.gateway.rows[made.key] = made

    outcome = stage.restore()

    assert isinstance(outcome, Branched), outcome
    assert "made already" in outcome.message
    assert stage.gateway.branches == []
    assert stage.states() == [(BranchState.PROVEN, made.key)]


@pytest.mark.parametrize("is_recent", [True, False])
def test_an_interrupted_branch_that_is_not_there_is_waited_for(*, is_recent: bool) -> None:
    stage = Stage()
    stage.note(BranchState.SENT, timedelta(seconds=5) if is_recent else UNANSWERED)

    outcome = stage.restore()

    assert len(stage.gateway.branches) == (0 if is_recent else 1)
    if is_recent:
        assert isinstance(outcome, Skipped)
        assert outcome.reason is SkipReason.IN_FLIGHT
    else:
        assert isinstance(outcome, Branched)
        assert stage.states()[0] == (BranchState.INEFFECTIVE, None)


def test_a_second_branch_is_told_from_the_first() -> None:
    stage = Stage()
    stage.restore()
    stage.gateway.loses.add("branch")

    outcome = stage.restore()

    assert isinstance(outcome, Branched)
    assert proof_of(outcome)["branch"]["key"] == "agent:main:dashboard:b-2"


def test_an_answer_without_a_new_session_is_no_success() -> None:
    stage = Stage()
    stage.gateway.is_ineffective = True

    outcome = stage.restore()

    assert isinstance(outcome, Failed)
    assert outcome.code == "branch-ineffective"
    assert proof_of(outcome)["proven"] is False
    assert stage.states() == [(BranchState.INEFFECTIVE, None)]


def test_a_gateway_that_goes_away_leaves_it_to_the_next_call() -> None:
    stage = Stage()
    stage.gateway.during["branch"] = lambda: stage.gateway.loses.add("branch")
    stage.gateway.during["find"] = lambda: setattr(
        stage.gateway, "verdict", "down" if stage.gateway.branches else "up"
    )

    outcome = stage.restore()

    assert isinstance(outcome, Failed)
    assert proof_of(outcome)["proven"] is False
    assert stage.states() == [(BranchState.SENT, None)]


def test_a_release_without_the_method_is_said_in_one_sentence() -> None:
    stage = Stage()
    stage.gateway.refusal = GatewayCallError("sessions.fork", "unknown", reason=UNKNOWN_METHOD)

    outcome = stage.restore()

    assert isinstance(outcome, Failed)
    assert outcome.code == "branch-unsupported"
    assert "no sessions.fork" in outcome.message
    assert stage.states() == [(BranchState.REFUSED, None)]


def test_sessions_in_files_are_refused_by_looking_at_the_disk() -> None:
    stage = Stage(TranscriptKind.FILE)

    for dry_run in (True, False):
        outcome = stage.restore(dry_run=dry_run)
        assert isinstance(outcome, Failed)
        assert outcome.code == "branch-unsupported"
    assert stage.gateway.branches == []


def test_a_window_with_a_transcript_of_its_own_is_refused_and_the_present_one_left() -> None:
    stage = Stage()
    old = replace(stage.live, session_id="id-old", state=SessionState.ARCHIVED)
    stage.world.sessions.hold(stage.live, old)

    refused, left = stage.restore("id-old"), stage.restore("id-now")

    assert isinstance(refused, Failed)
    assert refused.code == "branch-unsupported"
    assert isinstance(left, Skipped)
    assert stage.gateway.branches == []


def test_nothing_is_branched_off_while_a_run_goes_on() -> None:
    stage = Stage()
    stage.gateway.rows[KEY] = replace(stage.gateway.rows[KEY], is_active=True)

    outcome = stage.restore()

    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.BUSY
    assert stage.gateway.branches == []


def test_what_holds_only_one_question_is_nothing_to_go_on_with() -> None:
    stage = Stage()
    stage.world.sessions.transcripts["id-now"] = reset_in(talk(*TEXTS[:2]))

    outcome = stage.restore()

    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.NOTHING_NEW


def test_memory_undo_has_nothing_to_do_with_a_branch() -> None:
    assert not Restore(AGENT.ref, KEY, is_branch=True).is_undoable
    assert Restore(AGENT.ref, KEY).is_undoable
