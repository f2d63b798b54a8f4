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
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    CompactionPoint,
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.sessions.windows import Branch, BranchState
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


POINTS = (
    CompactionPoint("4f980531-c462", NOW - timedelta(hours=1), 180_000),
    CompactionPoint("23349bbe-07bf", NOW - timedelta(days=1), 171_000),
)


def compacted(kind: TranscriptKind = TranscriptKind.FILE) -> Stage:
    """Return a session of 2026.7 that was compacted twice, or one of 2026.8."""
    stage = Stage(kind)
    stage.live = replace(stage.live, points=POINTS)
    stage.world.sessions.hold(stage.live)
    return stage


@pytest.mark.parametrize(
    ("window", "entry"), [(None, POINTS[0].id), ("id-now~c23349bbe", POINTS[1].id)]
)
def test_of_a_compacted_session_all_that_stood_before_is_branched_off(
    window: str | None, entry: str
) -> None:
    stage = compacted()

    plan = stage.restore(window, dry_run=True)
    assert isinstance(plan, Planned), plan
    assert "before it was compacted; the session stays" in plan.message
    assert (stage.gateway.branches, stage.states()) == ([], [])
    outcome = stage.restore(window)

    assert isinstance(outcome, Branched), outcome
    assert stage.gateway.branches == [(KEY, entry)]
    assert proof_of(outcome)["proven"] is True
    assert outcome.details["window"] == f"id-now~c{entry[:8]}"
    assert stage.states() == [(BranchState.PROVEN, "agent:main:dashboard:b-1")]


def test_before_a_reset_in_place_comes_before_a_compaction() -> None:
    stage = compacted(TranscriptKind.DATABASE)
    stage.restore()
    assert stage.gateway.branches == [(KEY, QUESTION)]
    stage.world.sessions.transcripts["id-now"] = talk(*TEXTS)
    stage.restore()
    assert stage.gateway.branches[1:] == [(KEY, POINTS[0].id)]


@pytest.mark.parametrize(
    ("changes", "is_it"),
    [
        ({}, True),
        ({"parent_key": "agent:main:other"}, False),
        ({"label": "Helper"}, False),
        ({"updated_at": NOW - timedelta(hours=3)}, False),
    ],
)
def test_a_branch_whose_answer_was_lost_is_known_by_parent_label_and_time(
    changes: dict[str, Any], is_it: bool
) -> None:
    stage = compacted()
    point = POINTS[0].id
    sent = Branch(0, AGENT.ref, KEY, "id-now~c4f980531", point, BranchState.SENT, NOW - UNANSWERED)
    stage.world.branches.begin(sent)
    row = LiveSession("agent:main:dashboard:x", "main", "s-x", label="Ada (checkpoint)")
    made = replace(row, parent_key=KEY, updated_at=NOW)
    stage.gateway.rows[row.key] = replace(made, **changes)

    outcome = stage.restore()

    assert isinstance(outcome, Branched)
    assert ("was made already" in outcome.message) is is_it
    assert len(stage.gateway.branches) == (0 if is_it else 1)


def test_a_window_before_a_compaction_is_not_handed_over_and_one_that_is_not_there_is_refused() -> (
    None
):
    stage = compacted()
    engine = Engine(stage.world.ports, Settings(state_dir=Path("/state"), timezone="UTC"))

    left = engine.run(Restore(AGENT.ref, KEY, "id-now~c23349bbe"))

    assert isinstance(left, Skipped)
    assert "--branch" in left.hint
    wrong = stage.restore("id-now~c00000000")
    assert isinstance(wrong, Failed)
    assert "no window of this session" in wrong.message


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
