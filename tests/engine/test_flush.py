"""`flush`: observations, checkpoint and fingerprint of one talk, without Gateway or model."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.commands.command import command_line
from memconsole.domain.commands.flush import Flush, Flushed
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.flush import Stage
from memconsole.domain.settings.sections import FlushSettings
from memconsole.engine.engine import Engine
from tests.doubles.platform import NOW, fake_agent
from tests.engine.checkpoint.checkpoint_stage import MAIN
from tests.engine.checkpoint.checkpoint_stage import Stage as Scene
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.sessions.stored import StoredSession

KEY = "agent:main:main"
COMMAND = Flush(MAIN, KEY)
GROUP = "agent:main:telegram:group:-1"


def scene(*rows: StoredSession) -> Scene:
    made = Scene()
    made.hold(*(rows or (full(),)))
    made.say(
        "id-main",
        "we decided to use PostgreSQL 16 for the inventory service",
        "noted, PostgreSQL 16 it is",
        "the deadline is 2026-03-01, do not forget",
        "I will plan for 2026-03-01",
    )
    return made


def full(tokens: int = 145_000, compactions: int | None = 0, **changes: object) -> StoredSession:
    return row(KEY, tokens, compactions=compactions, started_at=NOW - timedelta(days=1), **changes)


def run(made: Scene, command: Flush = COMMAND) -> Outcome:
    return Engine(made.world.ports, made.settings).run(command)


def due(made: Scene) -> list[str]:
    return [one.key for one in Engine(made.world.ports, made.settings).due.flushes()]


def test_a_session_is_observed_saved_and_remembered() -> None:
    made = scene()
    outcome = run(made)
    assert isinstance(outcome, Flushed), outcome
    assert outcome.details["captured"] == [
        {"step": "checkpoint", "status": "done"},
        {"step": "observe", "status": "done"},
    ]
    assert outcome.details["stages"] == ["early"]
    assert outcome.details["limits"] == {"early": 140_000, "final": 176_000}
    assert made.entries() == 1
    assert "PostgreSQL" in (made.text("memory/observations.md") or "")
    assert made.world.recovery.fingerprints(MAIN, "id-main")
    assert made.world.runs.stored[-1].command_line == f"memconsole flush {KEY}"
    assert made.world.gateway.looks == []


def test_only_what_comes_before_a_compaction_says_so() -> None:
    made = scene()
    [command] = Engine(made.world.ports, made.settings).due.flushes()
    assert f"saved {KEY} before its compaction: " in run(made, command).message
    by_hand = run(scene())
    assert f"saved {KEY}: " in by_hand.message
    assert "before" not in by_hand.message


def test_each_stage_is_due_once_in_a_cycle() -> None:
    made = scene()
    assert due(made) == [KEY]
    run(made)
    assert due(made) == []
    made.hold(full(176_000))
    assert due(made) == [KEY]
    run(made)
    assert due(made) == []
    made.hold(full(150_000, compactions=1))
    assert due(made) == [KEY]


def test_a_new_session_and_a_reset_in_place_begin_a_new_cycle() -> None:
    made = scene()
    run(made)
    made.hold(full(session_id="id-other"))
    assert due(made) == [KEY]
    made.hold(replace(full(), started_at=NOW))
    assert due(made) == [KEY]


def test_a_failed_flush_is_tried_again() -> None:
    made = scene()
    made.world.workspace.refused["memory/ACTIVE_CONTEXT.md"] = "the disk is full"
    outcome = run(made)
    assert isinstance(outcome, Failed)
    assert "the disk is full" in outcome.message
    assert due(made) == [KEY]
    assert made.world.flushes.stored == {}


def test_a_step_that_fails_is_a_warning_where_the_other_saved_the_session() -> None:
    made = scene()
    made.world.workspace.refused["memory/observations.md"] = "the disk is full"
    outcome = run(made)
    assert isinstance(outcome, Flushed), outcome
    [notice] = outcome.notices
    assert notice.code == "capture-failed"
    assert notice.message.startswith("observe failed: ")
    assert "the disk is full" in notice.message


def test_a_session_with_too_little_to_save_is_tried_once_a_cycle() -> None:
    made = scene()
    made.say("id-main", "hi")
    outcome = run(made)
    assert isinstance(outcome, Skipped), outcome
    assert outcome.reason is SkipReason.TOO_FEW_MESSAGES
    assert due(made) == []


def test_a_missing_workspace_is_a_skip() -> None:
    made = scene()
    made.world.platform.agents = (fake_agent(workspace_exists=False),)
    outcome = run(made)
    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.WORKSPACE_MISSING


def test_a_flush_that_cannot_be_recorded_is_done_all_the_same() -> None:
    made = scene()
    made.world.flushes.is_unwritable = True
    assert isinstance(run(made), Flushed)


def test_a_dry_run_writes_nothing() -> None:
    made = scene()
    plan = run(made, replace(COMMAND, dry_run=True))
    assert isinstance(plan, Planned), plan
    assert (made.entries(), made.world.flushes.stored) == (0, {})
    assert due(made) == [KEY]
    assert command_line(plan.command) == f"memconsole flush {KEY} --dry-run"


def test_by_hand_it_runs_below_every_stage_and_spends_none() -> None:
    made = scene(full(1_000))
    assert due(made) == []
    outcome = run(made)
    assert isinstance(outcome, Flushed)
    assert outcome.details["stages"] == []
    made.hold(full())
    assert due(made) == [KEY]


def test_group_sessions_and_jobs_are_never_flushed() -> None:
    made = scene(row(GROUP, 190_000), row("agent:main:cron:job", 190_000))
    assert due(made) == []
    outcome = run(made, Flush(MAIN, GROUP))
    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.NOT_CAPTURED


def test_an_unknown_key_is_named() -> None:
    outcome = run(scene(), Flush(MAIN, "agent:main:mian"))
    assert isinstance(outcome, Failed)
    assert outcome.code == "unknown-session"


def test_a_count_that_is_stale_and_not_confirmed_is_no_reason() -> None:
    assert due(scene(full(190_000, tokens_fresh=False))) == []


def test_the_stages_follow_the_settings() -> None:
    made = scene(full(60_000))
    made.settings = replace(made.settings, flush=FlushSettings(ratio=0.3))
    assert due(made) == [KEY]
    made.settings = replace(
        made.settings, flush=FlushSettings(ratio=0.9, reserve_tokens_floor=150_000)
    )
    assert due(made) == [KEY]
    outcome = run(made)
    assert outcome.details["limits"] == {"early": 180_000, "final": 46_000}
    assert outcome.details["stages"] == [Stage.FINAL]
