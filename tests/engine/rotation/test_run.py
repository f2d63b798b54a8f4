"""Rotation, in one long file for its many ways: found, saved, sent once, looked at, proven."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from memconsole.domain.commands.outcomes import SkipReason, Verdict
from memconsole.domain.commands.rotate import ROTATE, Rotate, Rotated
from memconsole.domain.gateway import LiveSession
from memconsole.domain.rotation import (
    Identity,
    Rotation,
    RotationState,
    is_proven,
    is_too_soon,
    is_tripped,
)
from memconsole.domain.settings.sections import RotationSettings
from memconsole.engine.engine import Engine
from memconsole.errors import GatewayCallError, StateError
from tests.doubles.platform import NOW
from tests.engine.checkpoint.checkpoint_stage import MAIN, Stage, failed, skipped
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.commands.outcomes import Account, Detail, Outcome, Step

KEY = "agent:main:main"
FULL = 160_000
LIVE = LiveSession(KEY, agent_id="main", session_id="id-main", tokens=FULL, tokens_fresh=True)
COMMAND = Rotate(MAIN, KEY)


class Turn:
    """A stage whose main session is full, on disk and on the Gateway."""

    def __init__(self, live: LiveSession = LIVE, **changes: object) -> None:
        self.stage = Stage()
        self.world = self.stage.world
        self.gateway, self.journal = self.world.gateway, self.world.rotations
        values = {"started_at": NOW - timedelta(days=2), **changes}
        self.stage.hold(row(live.key, FULL, session_id=live.session_id, **values))
        self.gateway.hold(live)

    def run(self, command: Rotate = COMMAND) -> Outcome:
        return Engine(self.world.ports, self.stage.settings).run(command)

    @property
    def states(self) -> list[RotationState]:
        return [one.state for one in self.journal.stored]


def proof(outcome: Outcome) -> dict[str, Detail]:
    found = outcome.details["proof"]
    assert isinstance(found, dict)
    return found


def done_of(outcome: Outcome) -> Rotated:
    assert isinstance(outcome, Rotated), outcome
    return outcome


def test_a_summary_saves_a_session_as_well() -> None:
    turn = Turn()
    turn.world.workspace.refused["memory/ACTIVE_CONTEXT.md"] = "the disk is full"
    assert proof(done_of(turn.run()))["captured"] == [
        {"step": "checkpoint", "status": "failed"},
        {"step": "observe", "status": "done"},
        {"step": "summary", "status": "done"},
    ]


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_was_chosen_for_the_session_alone_is_compared(is_kept: bool) -> None:
    turn = Turn(next_model="anthropic/claude-opus-4-5", thinking="high")
    if not is_kept:
        reset = turn.gateway.reset

        def forgetful(*arguments: Any, **options: Any) -> Any:
            turn.stage.hold(row(KEY, 0, session_id="id-main", thinking="high"))
            return reset(*arguments, **options)

        turn.gateway.reset = forgetful  # type: ignore[method-assign]
    outcome = done_of(turn.run())
    before = {"model": "anthropic/claude-opus-4-5", "thinking": "high"}
    after = before if is_kept else {"thinking": "high"}
    assert outcome.details["overrides"] == {"before": before, "after": after}
    both = "it keeps its own model anthropic/claude-opus-4-5 and thinking high"
    lost = "its own model anthropic/claude-opus-4-5 did not outlast the reset"
    assert (both if is_kept else f"{lost}; it keeps its own thinking") in outcome.message


def test_a_choice_that_became_another_did_not_outlast_the_reset() -> None:
    turn = Turn(thinking="high")
    reset = turn.gateway.reset

    def lowering(*arguments: Any, **options: Any) -> Any:
        turn.stage.hold(row(KEY, 0, session_id="id-main", thinking="low"))
        return reset(*arguments, **options)

    turn.gateway.reset = lowering  # type: ignore[method-assign]
    outcome = done_of(turn.run())
    assert "its own thinking high did not outlast the reset" in outcome.message
    assert outcome.details["overrides"]["after"] == {"thinking": "low"}  # type: ignore[index,call-overload]


def test_every_step_is_told_with_what_it_took() -> None:
    turn = Turn()
    steps: Any = turn.run().details["steps"]
    assert [(one["step"], one["status"]) for one in steps] == [
        ("checkpoint", "done"),
        ("observe", "done"),
        ("summary", "done"),
        ("reset", "done"),
        ("proof", "done"),
    ]
    assert all(one["duration_ms"] >= 0 for one in steps)


class Watching:
    """Keeps what it is told while a command runs."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []
        self.account: Account | None = None
        self.run_id: int | None = None

    def moved(self, step: Step) -> None:
        self.heard.append((step.name, step.status))

    def kept(self, account: Account, run_id: int | None) -> None:
        self.account, self.run_id = account, run_id


def test_a_follower_hears_each_step_begin_and_end_and_then_the_account_that_is_kept() -> None:
    turn, watching = Turn(), Watching()
    Engine(turn.world.ports, turn.stage.settings).run(COMMAND, follower=watching)
    assert watching.heard == [
        (name, status)
        for name in ("checkpoint", "observations", "summary", "reset", "proof")
        for status in ("running", "done")
    ]
    [run] = turn.world.runs.stored
    assert (run.account, run.id) == (watching.account, watching.run_id)
    assert run.account is not None
    assert run.account.proof is not None
    assert run.account.proof.verdict is Verdict.PROVEN
    assert run.account.proof.text.endswith("160.0K → 0")
    assert [one.name for one in run.account.steps] == list(ROTATE.stages)


def test_a_gateway_that_refuses_ends_the_account_at_its_step() -> None:
    turn = Turn()
    turn.gateway.refusal = GatewayCallError("sessions.reset", "no")
    turn.run()
    [run] = turn.world.runs.stored
    assert run.account is not None
    assert [(one.name, one.status) for one in run.account.steps][-2:] == [
        ("reset", "failed"),
        ("proof", "not-done"),
    ]


def test_the_revision_on_disk_stands_where_the_gateway_tells_none() -> None:
    """2026.9 lists no revision; its store holds it."""
    turn = Turn()
    turn.stage.hold(row(KEY, FULL, session_id="id-main", revision="r-disk", tokens_version=1))
    before = proof(turn.run())["before"]
    assert isinstance(before, dict)
    assert before["revision"] == "r-disk"


def test_a_full_session_is_saved_reset_and_proven() -> None:
    turn = Turn()
    outcome = turn.run()
    assert isinstance(outcome, Rotated), outcome
    assert turn.gateway.resets == [(KEY, "id-main")]
    assert proof(outcome)["proven"] is True
    assert proof(outcome)["captured"] == [
        {"step": "checkpoint", "status": "done"},
        {"step": "observe", "status": "done"},
        {"step": "summary", "status": "done"},
    ]
    assert proof(outcome)["before"] == {
        "session_id": "id-main",
        "revision": None,
        "started_at": (NOW - timedelta(days=2)).isoformat(),
        "tokens": FULL,
    }
    assert proof(outcome)["after"] == {
        "session_id": "id-main",
        "revision": "r-1",
        "started_at": NOW.isoformat(),
        "tokens": 0,
    }
    assert turn.stage.entries() == 1
    assert turn.states == [RotationState.PROVEN]
    assert turn.journal.stored[0].captured[0] == ("checkpoint", "done")
    assert len(turn.gateway.looks) == 3
    assert turn.world.runs.stored[-1].status == "done"


def test_the_work_is_saved_before_anything_is_sent() -> None:
    turn = Turn()
    entries: list[int] = []
    states: list[list[RotationState]] = []

    def look() -> None:
        entries.append(turn.stage.entries())
        states.append(turn.states)

    turn.gateway.during["reset"] = look
    assert isinstance(turn.run(), Rotated)
    assert (entries, states) == ([1], [[RotationState.SENT]])


@pytest.mark.parametrize("busy", [{"status": "running"}, {"is_active": True}])
def test_a_busy_session_is_deferred(busy: dict[str, object]) -> None:
    turn = Turn(replace(LIVE, **busy))  # type: ignore[arg-type]
    skipped(turn.run(), SkipReason.BUSY)
    skipped(turn.run(replace(COMMAND, is_forced=True)), SkipReason.BUSY)
    assert (turn.gateway.resets, turn.stage.entries()) == ([], 0)
    assert isinstance(turn.run(replace(COMMAND, is_active_forced=True)), Rotated)


def test_where_the_gateway_does_not_say_it_the_disk_tells_of_a_run() -> None:
    """2026.1 and 2026.3 list no runs: there the lock of the transcript is the only sign."""
    turn = Turn(is_active=True)
    skipped(turn.run(), SkipReason.BUSY)
    assert (turn.gateway.resets, turn.stage.entries()) == ([], 0)
    turn.gateway.rows[KEY] = replace(LIVE, is_active=False)  # a release that says it is believed
    assert isinstance(turn.run(), Rotated)


def test_a_run_is_broken_off_only_when_asked_and_that_is_told() -> None:
    turn = Turn(replace(LIVE, status="running"))
    outcome = turn.run(replace(COMMAND, is_active_forced=True))
    assert isinstance(outcome, Rotated)
    assert outcome.message.endswith("; the run that was going on was broken off")
    assert outcome.details["broke_off_run"] is True
    calm = Turn().run(replace(COMMAND, is_active_forced=True))
    assert "broken off" not in calm.message
    assert calm.details["broke_off_run"] is False


def test_force_active_breaks_off_after_two_deferrals() -> None:
    turn = Turn(replace(LIVE, is_active=True))
    turn.stage.settings = replace(turn.stage.settings, rotation=RotationSettings(force_active=True))
    first = skipped(turn.run(), SkipReason.BUSY)
    second = skipped(turn.run(), SkipReason.BUSY)
    assert "deferred 1 of 2 times" in first.hint
    assert "breaks off what goes on" in second.hint
    assert turn.gateway.resets == []
    third = turn.run()
    assert isinstance(third, Rotated), third
    assert third.details["broke_off_run"] is True
    assert turn.states == [
        RotationState.DEFERRED,
        RotationState.DEFERRED,
        RotationState.PROVEN,
    ]


def test_a_rotation_between_ends_the_count_of_deferrals() -> None:
    turn = Turn()
    turn.stage.settings = replace(turn.stage.settings, rotation=RotationSettings(force_active=True))
    turn.gateway.rows[KEY] = replace(LIVE, is_active=True)
    skipped(turn.run(), SkipReason.BUSY)
    turn.gateway.rows[KEY] = LIVE
    assert isinstance(turn.run(), Rotated)
    turn.stage.later(minutes=30)
    turn.gateway.rows[KEY] = replace(LIVE, is_active=True)
    assert "deferred 1 of 2" in skipped(turn.run(), SkipReason.BUSY).hint


def test_a_deferral_that_cannot_be_recorded_is_one_all_the_same() -> None:
    turn = Turn(replace(LIVE, is_active=True))
    turn.stage.settings = replace(turn.stage.settings, rotation=RotationSettings(force_active=True))
    turn.journal.is_unwritable = True
    for _ in range(4):
        skipped(turn.run(), SkipReason.BUSY)
    assert turn.gateway.resets == []


def test_an_agent_has_rules_of_its_own() -> None:
    turn = Turn(replace(LIVE, tokens=60_000))
    own = RotationSettings(threshold_tokens=50_000, min_interval=timedelta())
    usual = turn.stage.settings.for_agent("other")
    turn.stage.settings = replace(
        turn.stage.settings, agents={"main": replace(usual, rotation=own)}
    )
    assert isinstance(turn.run(), Rotated)
    turn.gateway.rows[KEY] = replace(LIVE, tokens=60_000)
    assert isinstance(turn.run(), Rotated)


def test_a_key_has_a_threshold_of_its_own() -> None:
    turn = Turn(replace(LIVE, tokens=60_000))
    turn.stage.settings = replace(
        turn.stage.settings, rotation=RotationSettings(keys={KEY: 200_000})
    )
    skipped(turn.run(), SkipReason.NOT_DUE)
    turn.gateway.rows[KEY] = replace(LIVE, tokens=199_999)
    skipped(turn.run(), SkipReason.NOT_DUE)
    turn.stage.settings = replace(
        turn.stage.settings, rotation=RotationSettings(keys={KEY: 60_000})
    )
    turn.gateway.rows[KEY] = replace(LIVE, tokens=60_000)
    outcome = turn.run()
    assert isinstance(outcome, Rotated)
    assert outcome.details["threshold"] == 60_000


def test_a_run_that_begins_while_it_is_saved_defers_it_too() -> None:
    turn = Turn()

    def begin() -> None:
        if turn.stage.entries():
            turn.gateway.rows[KEY] = replace(LIVE, status="running")

    turn.gateway.during["find"] = begin
    skipped(turn.run(), SkipReason.BUSY)
    assert (turn.gateway.resets, turn.states) == ([], [])


def test_a_key_that_the_gateway_does_not_know_is_never_reset() -> None:
    turn = Turn()
    turn.gateway.hold()
    failed(turn.run(), "unknown-session")
    failed(turn.run(Rotate(MAIN, "agent:main:mian", is_forced=True)), "unknown-session")
    assert turn.gateway.resets == []


def test_a_key_that_only_the_gateway_knows_is_not_of_this_home() -> None:
    turn = Turn()
    other = replace(LIVE, key="agent:main:other")
    turn.gateway.hold(LIVE, other)
    failed(turn.run(Rotate(MAIN, other.key, is_forced=True)), "unknown-session")
    assert turn.gateway.resets == []


def test_a_gateway_of_another_home_is_left_alone() -> None:
    turn = Turn()
    turn.gateway.hold(replace(LIVE, session_id="id-of-another-home"))
    failed(turn.run(), "gateway-mismatch")
    assert (turn.gateway.resets, turn.stage.entries()) == ([], 0)


@pytest.mark.parametrize("verdict", ["off", "down", "bad-token", "missing-scope"])
def test_without_a_gateway_nothing_is_done(verdict: str) -> None:
    turn = Turn()
    turn.gateway.verdict = verdict
    failed(turn.run(), verdict)
    assert (turn.stage.entries(), turn.states) == (0, [])


def test_the_gateways_count_decides() -> None:
    turn = Turn(replace(LIVE, tokens=1_000))
    skipped(turn.run(), SkipReason.NOT_DUE)
    assert isinstance(turn.run(replace(COMMAND, is_forced=True)), Rotated)


def test_another_threshold() -> None:
    turn = Turn(replace(LIVE, tokens=50_000))
    outcome = turn.run(replace(COMMAND, threshold_tokens=40_000))
    assert isinstance(outcome, Rotated)
    assert outcome.details["threshold"] == 40_000


@pytest.mark.parametrize("key", ["agent:main:cron:job", "agent:main:subagent:x", "agent:main:odd"])
def test_what_is_no_session_is_never_rotated(key: str) -> None:
    turn = Turn(replace(LIVE, key=key))
    skipped(turn.run(Rotate(MAIN, key, is_forced=True)), SkipReason.NOT_ROTATED)
    assert turn.gateway.resets == []


def test_a_group_is_rotated_without_capture_and_says_so() -> None:
    key = "agent:main:telegram:group:-100"
    turn = Turn(replace(LIVE, key=key))
    outcome = turn.run(Rotate(MAIN, key))
    assert isinstance(outcome, Rotated)
    assert "without capture" in outcome.message
    assert (proof(outcome)["captured"], turn.stage.entries()) == ([], 0)


def test_what_cannot_be_saved_is_not_reset() -> None:
    turn = Turn()
    [_, _, _, summary] = [one.path for one in done_of(Turn().run()).wrote]
    for path in ("memory/ACTIVE_CONTEXT.md", summary):
        turn.world.workspace.refused[path] = "the disk is full"
    outcome = failed(turn.run(), "not-captured")
    assert "the disk is full" in outcome.message
    assert turn.gateway.resets == []
    turn.stage.settings = replace(
        turn.stage.settings, rotation=RotationSettings(require_capture=False)
    )
    late = turn.run()
    assert isinstance(late, Rotated)
    assert proof(late)["captured"] == [
        {"step": "checkpoint", "status": "failed"},
        {"step": "observe", "status": "skipped"},
        {"step": "summary", "status": "failed"},
    ]


def test_an_answer_of_ok_without_effect_is_a_failure() -> None:
    turn = Turn()
    turn.gateway.is_ineffective = True
    outcome = failed(turn.run(), "reset-ineffective")
    assert proof(outcome)["proven"] is False
    assert turn.states == [RotationState.INEFFECTIVE]


def test_after_three_without_effect_it_is_left_alone_until_somebody_looks() -> None:
    turn = Turn()
    turn.gateway.is_ineffective = True
    for _ in range(3):
        failed(turn.run(), "reset-ineffective")
    skipped(turn.run(), SkipReason.BREAKER)
    assert len(turn.gateway.resets) == 3
    turn.gateway.is_ineffective = False
    assert isinstance(turn.run(replace(COMMAND, is_forced=True)), Rotated)


def test_a_session_is_not_rotated_twice_in_a_row() -> None:
    turn = Turn()
    assert isinstance(turn.run(), Rotated)
    turn.gateway.rows[KEY] = LIVE
    skipped(turn.run(), SkipReason.TOO_SOON)
    turn.stage.later(minutes=11)
    assert isinstance(turn.run(), Rotated)


def test_a_lost_answer_is_settled_by_looking() -> None:
    turn = Turn()
    turn.gateway.loses = {"reset"}
    turn.gateway.during["reset"] = lambda: turn.stage.hold(
        row(KEY, 0, session_id="id-main", started_at=NOW)
    )
    outcome = turn.run()
    assert isinstance(outcome, Rotated), outcome
    assert len(turn.gateway.resets) == 1


def test_a_gateway_that_goes_away_leaves_the_reset_open_and_the_next_run_looks() -> None:
    turn = Turn()
    turn.gateway.loses = {"reset"}

    def die() -> None:
        turn.gateway.during["find"] = lambda: setattr(turn.gateway, "verdict", "down")

    turn.gateway.during["reset"] = die
    outcome = failed(turn.run(), "down")
    assert "went away" in outcome.message
    assert turn.states == [RotationState.SENT]

    del turn.gateway.during["find"]
    turn.gateway.verdict = "up"
    turn.gateway.rows[KEY] = LIVE
    skipped(turn.run(), SkipReason.IN_FLIGHT)
    turn.stage.hold(row(KEY, 0, session_id="id-main", started_at=NOW))
    turn.gateway.rows[KEY] = replace(LIVE, tokens=0)
    skipped(turn.run(), SkipReason.NOT_DUE)
    assert turn.states == [RotationState.PROVEN]
    assert len(turn.gateway.resets) == 1


def test_a_reset_that_nobody_saw_is_proven_however_far_the_new_session_has_grown() -> None:
    turn = Turn(started_at=NOW - timedelta(minutes=50))
    before = Identity("id-main", None, NOW - timedelta(days=2), FULL - 1)
    sent = Rotation(0, MAIN, KEY, RotationState.SENT, NOW - timedelta(hours=1), before, 150_000)
    turn.journal.begin(sent)
    assert isinstance(turn.run(), Rotated)
    assert turn.states == [RotationState.PROVEN, RotationState.PROVEN]


def test_a_reset_that_nobody_saw_and_that_changed_nothing_counts_as_ineffective() -> None:
    turn = Turn()
    before = Identity("id-main", None, NOW - timedelta(days=2), FULL)
    turn.journal.begin(Rotation(0, MAIN, KEY, RotationState.SENT, NOW, before, 150_000))
    skipped(turn.run(), SkipReason.IN_FLIGHT)
    turn.stage.later(minutes=3)
    assert isinstance(turn.run(), Rotated)
    assert turn.states == [RotationState.INEFFECTIVE, RotationState.PROVEN]


def test_a_session_that_changed_meanwhile_is_left_alone() -> None:
    turn = Turn()
    turn.gateway.refusal = GatewayCallError("sessions.reset", "changed", reason="session-changed")
    skipped(turn.run(), SkipReason.CHANGED)
    assert turn.states == [RotationState.REFUSED]


def test_a_refused_reset_is_a_failure() -> None:
    turn = Turn()
    turn.gateway.refusal = GatewayCallError("sessions.reset", "no")
    failed(turn.run(), "gateway-refused")
    assert turn.states == [RotationState.REFUSED]


def test_without_a_journal_nothing_is_sent() -> None:
    turn = Turn()
    turn.journal.is_unwritable = True
    failed(turn.run(), "state")
    assert turn.gateway.resets == []


def test_a_proof_is_not_lost_with_the_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = Turn()

    def refuse(*_: object) -> None:
        raise StateError("the disk is full")

    monkeypatch.setattr(turn.journal, "finish", refuse)
    assert isinstance(turn.run(), Rotated)


def test_another_process_at_the_same_session_is_waited_for_by_nobody() -> None:
    turn = Turn()
    with turn.world.locks.session(MAIN.home.path, KEY):
        skipped(turn.run(), SkipReason.LOCKED)
    assert turn.gateway.resets == []


A = Identity("s-1", "r-1", NOW, 100)


@pytest.mark.parametrize(
    ("after", "proven"),
    [
        (replace(A, revision="r-2", tokens=0), True),
        (replace(A, session_id="s-2", tokens=None), True),
        (replace(A, started_at=NOW + timedelta(1), tokens=50), True),
        (replace(A, revision="r-2"), False),
        (replace(A, tokens=0), False),
        (A, False),
        (Identity(tokens=0), False),
        (Identity(), False),
    ],
)
def test_proof_is_another_identity_and_a_smaller_count(after: Identity, *, proven: bool) -> None:
    assert is_proven(A, after) is proven


def test_a_count_that_was_unknown_proves_nothing_by_being_smaller() -> None:
    before = replace(A, tokens=None)
    assert not is_proven(before, replace(A, revision="r-2", tokens=5))
    assert is_proven(before, replace(A, revision="r-2", tokens=0))


def journal(*states: RotationState) -> list[Rotation]:
    return [Rotation(1, MAIN, KEY, state, NOW, A, 1) for state in states]


def test_the_breaker() -> None:
    bad, good, sent = RotationState.INEFFECTIVE, RotationState.PROVEN, RotationState.SENT
    assert is_tripped(journal(bad, bad, bad))
    assert is_tripped(journal(bad, sent, bad, bad, good))
    assert is_tripped(journal(RotationState.DEFERRED, bad, bad, bad))
    assert not is_tripped(journal(bad, bad))
    assert not is_tripped(journal(bad, bad, good, bad))
    assert not is_tripped(journal(good, bad, bad, bad))
    ten = timedelta(minutes=10)
    assert is_too_soon(journal(bad, good), ten, NOW + timedelta(minutes=9))
    assert not is_too_soon(journal(bad, good), ten, NOW + ten)
    assert not is_too_soon(journal(bad), ten, NOW)
    assert not is_too_soon(journal(good), ten, NOW - timedelta(hours=1))  # the clock was set back
