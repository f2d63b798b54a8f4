"""The rotation plan from disk: who goes, who stays, and why."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Notice, Storage
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.commands.rotate import Rotate
from memconsole.domain.rotation import Identity, Rotation, RotationState
from memconsole.domain.sessions.stored import SessionState, StoreListing
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import RotationSettings
from memconsole.engine.engine import Engine
from memconsole.engine.rotation.plan import RotationPlan, plan_rotation
from memconsole.errors import (
    HomeUnreadableError,
    SessionNotFoundError,
    StoreError,
    UnknownAgentError,
)
from tests.doubles.bundle import World, reader_of
from tests.doubles.platform import HOME, NOW, answer, fake_agent
from tests.engine.checkpoint.checkpoint_stage import MAIN
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.sessions.stored import StoredSession

SETTINGS = Settings(state_dir=HOME / "state")


def plan(
    *sessions: StoredSession,
    settings: Settings = SETTINGS,
    world: World | None = None,
    keys: tuple[str, ...] = (),
    threshold: int | None = None,
    is_forced: bool = False,
    agent_id: str | None = None,
) -> RotationPlan:
    world = world or World()
    if sessions:
        world.sessions.hold(*sessions)
    return plan_rotation(
        world.ports.rotations,
        world.ports.clock,
        reader_of(world, settings),
        settings,
        agent_id=agent_id,
        keys=keys,
        threshold_tokens=threshold,
        is_forced=is_forced,
    )


def planned_keys(found: RotationPlan) -> list[str]:
    keys = []
    for outcome in found.outcomes:
        if isinstance(outcome, Planned):
            assert isinstance(outcome.command, Rotate)
            keys.append(outcome.command.key)
    return keys


def skipped(found: RotationPlan) -> dict[str, SkipReason]:
    reasons = {}
    for outcome in found.outcomes:
        if isinstance(outcome, Skipped):
            assert isinstance(outcome.command, Rotate)
            reasons[outcome.command.key] = outcome.reason
    return reasons


def test_the_limit_is_inclusive_and_the_largest_goes_first() -> None:
    found = plan(
        row("agent:main:main", 150_000),
        row("agent:main:telegram:direct:1", 149_999),
        row("agent:main:telegram:direct:2", 190_000),
    )

    assert planned_keys(found) == ["agent:main:telegram:direct:2", "agent:main:main"]
    assert (found.below, found.threshold_tokens) == (1, 150_000)


def test_a_small_window_lowers_the_threshold() -> None:
    found = plan(row(tokens=96_000, window=128_000))

    [outcome] = found.outcomes
    assert isinstance(outcome, Planned)
    assert outcome.details["threshold"] == 96_000
    assert "96K of 96K" in outcome.message


def test_full_sessions_that_stay_say_why() -> None:
    found = plan(
        row("agent:main:cron:daily", 160_000),
        row("agent:main:subagent:x1", 160_000),
        row("agent:main:webchat:direct:3", 232_764, tokens_fresh=False),
        row("agent:main:main", 160_000),
        settings=replace(SETTINGS, rotation=RotationSettings(skip_patterns=("*:main",))),
    )

    assert planned_keys(found) == []
    assert skipped(found) == {
        "agent:main:main": SkipReason.SKIP_PATTERN,
        "agent:main:cron:daily": SkipReason.NOT_ROTATED,
        "agent:main:subagent:x1": SkipReason.NOT_ROTATED,
        "agent:main:webchat:direct:3": SkipReason.NOT_CONFIRMED,
    }


def test_past_cron_runs_are_counted_and_not_listed() -> None:
    found = plan(
        row("agent:main:cron:daily", 160_000), row("agent:main:cron:daily:run:r1", 160_000)
    )

    assert list(skipped(found)) == ["agent:main:cron:daily"]
    assert found.below == 0


def test_a_stale_count_goes_when_the_transcript_confirms_it() -> None:
    world = World()
    stale = row("agent:main:webchat:direct:3", 170_000, tokens_fresh=False)
    world.sessions.transcripts["id-3"] = [answer(168_000)]

    assert planned_keys(plan(stale, world=world)) == ["agent:main:webchat:direct:3"]


def test_one_run_takes_at_most_five() -> None:
    found = plan(*(row(f"agent:main:telegram:direct:{n}", 150_000 + n) for n in range(7)))

    assert len(planned_keys(found)) == 5
    assert skipped(found) == {
        "agent:main:telegram:direct:1": SkipReason.MAX_PER_RUN,
        "agent:main:telegram:direct:0": SkipReason.MAX_PER_RUN,
    }


def test_a_session_in_which_a_run_goes_on_takes_no_place() -> None:
    settings = replace(SETTINGS, rotation=RotationSettings(max_per_run=1))
    busy = row(tokens=190_000, is_active=True)
    rows = [row(f"agent:main:telegram:direct:{n}", 150_000 + n) for n in range(2)]
    found = plan(busy, *rows, settings=settings)

    assert planned_keys(found) == ["agent:main:main", "agent:main:telegram:direct:1"]
    assert [one.key for one in found.queue] == [
        "agent:main:main",
        "agent:main:telegram:direct:1",
        "agent:main:telegram:direct:0",
    ]
    assert found.most == 1


def test_groups_rotate_without_capture_and_the_plan_says_so() -> None:
    [outcome] = plan(row("agent:main:slack:channel:cron-alerts", 160_000)).outcomes

    assert isinstance(outcome, Planned)
    assert "without capture: group sessions are never copied into memory" in outcome.message


def test_another_threshold_for_one_run() -> None:
    found = plan(row(tokens=80_000), threshold=50_000)

    assert planned_keys(found) == ["agent:main:main"]
    assert found.threshold_tokens == 50_000


def test_a_threshold_for_one_run_comes_before_those_of_keys() -> None:
    own = RotationSettings(keys={"agent:main:main": 120_000})
    settings = replace(SETTINGS, rotation=own)
    assert planned_keys(plan(row(tokens=80_000), settings=settings, threshold=50_000))
    assert not planned_keys(plan(row(tokens=80_000), settings=settings))


def test_named_sessions_answer_one_by_one() -> None:
    sessions = (row("agent:main:main", 1_000), row("agent:main:telegram:direct:2", 160_000))

    found = plan(*sessions, keys=("agent:main:telegram:direct:2", "agent:main:main"))
    assert planned_keys(found) == ["agent:main:telegram:direct:2"]
    assert skipped(found) == {"agent:main:main": SkipReason.NOT_DUE}

    forced = plan(*sessions, keys=("agent:main:main",), is_forced=True)
    assert planned_keys(forced) == ["agent:main:main"]


def test_force_never_takes_a_cron_session() -> None:
    found = plan(
        row("agent:main:cron:daily", 1_000), keys=("agent:main:cron:daily",), is_forced=True
    )

    assert skipped(found) == {"agent:main:cron:daily": SkipReason.NOT_ROTATED}


def test_unknown_names_are_errors_and_nothing_else_is_taken() -> None:
    with pytest.raises(SessionNotFoundError, match="agent:main:nope"):
        plan(row(tokens=190_000), keys=("agent:main:nope",))
    with pytest.raises(UnknownAgentError, match="'other'"):
        plan(row(tokens=190_000), agent_id="other")


def test_an_archive_is_no_live_session() -> None:
    ended = row("agent:main:main", 190_000, state=SessionState.ARCHIVED)

    assert plan(ended) == RotationPlan((), 0, 150_000, 5)
    with pytest.raises(SessionNotFoundError):
        plan(ended, keys=("agent:main:main",))


def past(world: World, state: RotationState, *, minutes: int, times: int = 1) -> None:
    """Let the journal tell of rotations of the main session."""
    for number in range(times):
        at = NOW - timedelta(minutes=minutes + number)
        one = Rotation(0, MAIN, "agent:main:main", state, at, Identity(), 150_000)
        world.rotations.begin(one)


def test_a_session_that_was_just_rotated_waits_and_takes_no_place() -> None:
    world = World()
    past(world, RotationState.PROVEN, minutes=9)
    settings = replace(SETTINGS, rotation=RotationSettings(max_per_run=1))
    rows = [row(tokens=190_000), row("agent:main:telegram:direct:1", 160_000)]
    found = plan(*rows, settings=settings, world=world)
    assert planned_keys(found) == ["agent:main:telegram:direct:1"]
    assert skipped(found) == {"agent:main:main": SkipReason.TOO_SOON}
    named = plan(world=world, keys=("agent:main:main",))
    assert skipped(named) == {"agent:main:main": SkipReason.TOO_SOON}
    assert planned_keys(plan(world=world, keys=("agent:main:main",), is_forced=True))


def test_after_the_interval_it_is_planned_again() -> None:
    world = World()
    past(world, RotationState.PROVEN, minutes=10)
    assert planned_keys(plan(row(tokens=190_000), world=world)) == ["agent:main:main"]


def test_the_breaker_stands_in_the_plan() -> None:
    world = World()
    past(world, RotationState.INEFFECTIVE, minutes=60, times=3)
    assert skipped(plan(row(tokens=190_000), world=world)) == {
        "agent:main:main": SkipReason.BREAKER
    }


def test_a_run_that_goes_on_is_told_and_left_to_the_gateway() -> None:
    [outcome] = plan(row(tokens=190_000, status="running")).outcomes
    assert isinstance(outcome, Planned)
    assert outcome.message.endswith("; a run is going on, which is waited for")


def test_breaking_a_run_off_stands_in_the_plan() -> None:
    world = World()
    world.sessions.hold(row(tokens=190_000, is_active=True), row("agent:main:x", 5))
    found = Engine(world.ports, SETTINGS).rotation.plan(is_active_forced=True)
    [outcome] = found.outcomes
    assert outcome.message.endswith("; a run is going on, which is broken off")


def test_agents_and_keys_have_thresholds_of_their_own() -> None:
    usual = SETTINGS.for_agent("main")
    key = "agent:main:telegram:direct:1"
    own = RotationSettings(threshold_tokens=50_000, window_ratio=0.5, keys={key: 10_000})
    settings = replace(SETTINGS, agents={"main": replace(usual, rotation=own)})
    rows = [
        row(tokens=50_000),
        row(key, 10_000),
        row("agent:main:telegram:direct:2", 49_999),
        row("agent:main:telegram:direct:3", 32_000, window=64_000),
    ]
    found = plan(*rows, settings=settings)
    assert planned_keys(found) == ["agent:main:main", "agent:main:telegram:direct:3", key]


class TestStoresThatCannotBeRead:
    def test_none_can_be_read(self) -> None:
        world = World()
        closed = Notice("store-unreadable", "sessions cannot be listed: permission denied")
        world.sessions.listings["main"] = StoreListing((), Storage.UNREADABLE, {}, (closed,))

        with pytest.raises(HomeUnreadableError, match="permission denied"):
            plan(world=world)

    def test_one_of_two_cannot_be_read(self) -> None:
        world = World(fake_agent(), fake_agent("work"))
        world.sessions.hold(row("agent:main:main", 160_000))
        closed = Notice("store-unreadable", "sessions cannot be listed: permission denied")
        world.sessions.listings["work"] = StoreListing(
            (), Storage.UNREADABLE, {"unreadable": 1}, (closed,)
        )

        found = plan(world=world)

        failed = [one for one in found.outcomes if isinstance(one, Failed)]
        assert planned_keys(found) == ["agent:main:main"]
        assert [(one.command.agent.id, one.code) for one in failed] == [
            ("work", "store-unreadable")
        ]
        assert "permission denied" in failed[0].message
        assert found.notices == (closed,)
        with pytest.raises(StoreError, match="work cannot be read"):
            plan(world=world, keys=("agent:work:main",))
