"""The engine: outcomes for expected failures, one log line a run, nothing written when reading."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memconsole.domain.agents import Origin, PlatformConfig
from memconsole.domain.commands.checkpoint import Checkpoint, Checkpointed
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.commands.rotate import Rotate
from memconsole.domain.memory.files import Marker
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import UiSettings
from memconsole.engine.engine import Engine
from memconsole.errors import UnknownAgentError
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW, fake_agent, talk
from tests.engine.rows import row

KEY = "agent:main:main"
WORDS = ("find a plumber for Tuesday", "Booked Ms. Weber", "tell Sam about it", "Sam knows now")


def world_with_talk() -> World:
    world = World()
    world.sessions.hold(row(KEY))
    world.sessions.transcripts["id-main"] = talk(*WORDS)
    return world


def engine_of(world: World, *, read_only: bool = False) -> Engine:
    settings = Settings(state_dir=HOME / "state", ui=UiSettings(read_only=read_only))
    return Engine(world.ports, settings)


def checkpoint(**changes: object) -> Checkpoint:
    return replace(Checkpoint(row(KEY).agent), **changes)  # type: ignore[arg-type]


def test_a_checkpoint_is_done_and_logged() -> None:
    world = world_with_talk()

    outcome = engine_of(world).run(checkpoint())

    assert isinstance(outcome, Checkpointed)
    assert [one.path for one in outcome.wrote] == [
        "memory/ACTIVE_CONTEXT.md",
        "memory/2026-01-26.md",
    ]
    [run] = world.runs.stored
    assert (run.command, run.command_line, run.status, run.reason, run.origin) == (
        "checkpoint",
        "memconsole checkpoint --agent main",
        "done",
        None,
        Origin.CLI,
    )
    assert (run.agent, run.key, run.started_at, run.ended_at) == ("main", None, NOW, NOW)


def test_an_expected_failure_is_an_outcome_and_logged() -> None:
    world = world_with_talk()
    world.workspace.refused["memory/ACTIVE_CONTEXT.md"] = "no space is left"

    outcome = engine_of(world).run(checkpoint())

    assert isinstance(outcome, Failed)
    assert (outcome.code, outcome.message) == (
        "workspace",
        "memory/ACTIVE_CONTEXT.md: no space is left",
    )
    assert (world.runs.stored[0].status, world.runs.stored[0].reason) == ("failed", "workspace")
    assert world.captures.stored == []


def test_a_bug_is_no_outcome() -> None:
    world = world_with_talk()
    engine = engine_of(world)
    del world.platform.agents

    with pytest.raises(AttributeError):
        engine.run(checkpoint())


def test_a_dry_run_writes_nothing_anywhere() -> None:
    world = world_with_talk()

    outcome = engine_of(world).run(checkpoint(dry_run=True))

    assert isinstance(outcome, Planned)
    assert [one.path for one in outcome.wrote] == [
        "memory/ACTIVE_CONTEXT.md",
        "memory/2026-01-26.md",
    ]
    assert (world.workspace.files, world.captures.stored, world.runs.stored) == ({}, [], [])
    assert world.locks.taken == []


def test_read_only_refuses_what_writes_and_still_plans() -> None:
    world = world_with_talk()
    engine = engine_of(world, read_only=True)

    refused = engine.run(checkpoint())

    assert isinstance(refused, Failed)
    assert (refused.code, refused.message) == (
        "read-only",
        "checkpoint was refused: memconsole runs read-only",
    )
    assert isinstance(engine.run(checkpoint(dry_run=True)), Planned)
    assert world.runs.stored == []


def test_a_run_that_cannot_be_recorded_is_still_a_run(caplog: pytest.LogCaptureFixture) -> None:
    world = world_with_talk()
    world.runs.is_unwritable = True

    assert isinstance(engine_of(world).run(checkpoint()), Checkpointed)
    assert "the run was not recorded" in caplog.text


def test_a_held_workspace_is_a_skip_that_names_the_holder() -> None:
    world = world_with_talk()
    world.locks.held_by[world.platform.agents[0].workspace] = "pid 812"

    outcome = engine_of(world).run(checkpoint())

    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.LOCKED
    assert "pid 812" in outcome.message


def test_a_rotation_without_a_gateway_fails_with_its_next_step() -> None:
    world = world_with_talk()

    outcome = engine_of(world).run(Rotate(row(KEY).agent, KEY))

    assert isinstance(outcome, Failed)
    assert outcome.code == "off"
    assert world.runs.stored[0].key == KEY


def test_the_duration_is_measured_by_a_clock_that_never_goes_back() -> None:
    world = world_with_talk()
    clock = world.clock
    replace_text = world.workspace.append

    def slow(*args: object, **named: object) -> object:
        clock.seconds += 0.25
        clock.at -= timedelta(hours=1)
        return replace_text(*args, **named)  # type: ignore[arg-type]

    world.workspace.append = slow  # type: ignore[method-assign, assignment]

    assert engine_of(world).run(checkpoint()).duration_ms == 250


def test_reading_writes_no_state() -> None:
    world = world_with_talk()
    engine = engine_of(world)

    engine.snapshot()
    engine.sessions.detail(KEY)
    engine.sessions.transcript(KEY)
    engine.memory.pools()
    engine.rotation.plan()

    assert (world.runs.stored, world.samples.stored, world.captures.stored) == ([], [], [])


def test_samples_are_kept_on_demand_and_never_fatal(caplog: pytest.LogCaptureFixture) -> None:
    world = world_with_talk()
    engine = engine_of(world)

    engine.readings.sample(engine.snapshot())
    assert [sample.tokens for sample in world.samples.stored] == [1_000]

    world.samples.is_unwritable = True
    engine.readings.sample(engine.snapshot())
    assert "samples are not kept" in caplog.text


def test_the_size_of_each_memory_is_kept_once_a_day_and_shown_from_two_days_on() -> None:
    world = world_with_talk()
    engine = engine_of(world)
    assert engine.readings.wants_pools()
    engine.readings.sample(engine.snapshot(with_pools=False))
    assert engine.readings.wants_pools()
    engine.readings.sample(engine.snapshot())
    assert not engine.readings.wants_pools()
    [today] = world.samples.pools.values()
    [pool] = engine.memory.pools(with_trend=True)
    assert (today.agent_id, today.size_bytes) == ("main", pool.size_bytes)
    assert today.markers == pool.markers
    assert pool.trend == ()  # one day is no trend

    earlier = replace(today, day=today.day - timedelta(days=3), size_bytes=1)
    world.samples.add_pools(str(HOME), [earlier])
    [pool] = engine.memory.pools(with_trend=True)
    [agent] = engine.snapshot(with_outlook=True).agents
    assert pool.trend == (earlier, today)
    assert agent.pool is not None
    assert agent.pool.trend == pool.trend


def test_sessions_and_transcripts_are_found_by_key_and_id() -> None:
    engine = engine_of(world_with_talk())

    assert [view.key_text for view in engine.sessions.all()] == [KEY]
    assert engine.sessions.detail(KEY).view.messages == 4
    assert [message.text for message in engine.sessions.transcript("id-main", tail=1).messages] == [
        "Sam knows now"
    ]


def test_pools_come_once_a_workspace_and_markers_name_their_agent() -> None:
    shared = HOME / "workspace"
    world = World(
        fake_agent("main", workspace=shared),
        fake_agent("ops", workspace=shared),
        fake_agent("work"),
    )
    fact = Marker("FACT", "MEMORY.md", 3, "[FACT] the sky is blue")
    world.memory.marked[shared] = (fact,)
    engine = engine_of(world)

    assert [pool.agents for pool in engine.memory.pools()] == [("main", "ops"), ("work",)]
    assert [pool.agents for pool in engine.memory.pools("ops")] == [("main", "ops")]
    assert engine.memory.markers() == (("main", fact),)
    with pytest.raises(UnknownAgentError):
        engine.memory.pools("nobody")


def test_memory_texts_are_read_inside_the_workspace() -> None:
    world = World()
    root = world.platform.agents[0].workspace
    world.workspace.files[root, "MEMORY.md"] = "- a fact\n"

    assert engine_of(world).memory.text("main", "MEMORY.md") == "- a fact\n"
    assert engine_of(world).memory.text("main", "memory/none.md") is None


def test_changes_are_told_apart_by_agent() -> None:
    world = World(fake_agent("main"), fake_agent("work"))
    engine = engine_of(world)
    main, work = world.platform.agents

    assert engine.home.owners(frozenset({work.sessions_dir / "a.jsonl"})) == frozenset({work.ref})
    both = {main.workspace / "memory" / "x.md", work.database}
    assert engine.home.owners(frozenset(both)) == frozenset({main.ref, work.ref})
    # The configuration belongs to all of them.
    assert engine.home.owners(frozenset({HOME / "openclaw.json"})) is None
    assert engine.home.owners(frozenset()) == frozenset()


def test_what_is_watched_covers_every_place() -> None:
    world = World()
    [agent] = world.platform.agents

    watched = engine_of(world).home.watched()

    assert {HOME, agent.sessions_dir, agent.workspace, agent.database.parent} == set(watched)
    assert all(isinstance(place, Path) for place in watched)


def test_a_configuration_elsewhere_is_watched_too() -> None:
    elsewhere = Path("/etc/openclaw.json")
    inside = HOME / "openclaw.json"

    assert elsewhere in engine_of(World(config=PlatformConfig(path=elsewhere))).home.watched()
    assert inside not in engine_of(World(config=PlatformConfig(path=inside))).home.watched()


def test_runs_come_newest_first() -> None:
    world = world_with_talk()
    engine = engine_of(world)
    engine.run(checkpoint())
    world.clock.advance(timedelta(minutes=30))
    engine.run(checkpoint())

    assert [run.status for run in engine.runs.newest()] == ["skipped", "done"]
    assert len(engine.runs.newest(limit=1)) == 1
    assert engine.runs.newest(since=world.clock.at)[0].reason == "nothing-new"


def test_runs_of_another_home_are_not_shown() -> None:
    world = world_with_talk()
    engine = engine_of(world)
    engine.run(checkpoint())
    world.runs.stored[0] = replace(world.runs.stored[0], home="/elsewhere/.openclaw")

    assert engine.runs.newest() == ()
    assert engine.snapshot().activity == ()
