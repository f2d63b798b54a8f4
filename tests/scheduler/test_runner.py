"""Jobs become commands, and their outcomes become an end."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.commands.checkpoint import Checkpoint, Checkpointed
from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.domain.commands.reindex import Reindex, Reindexed
from memconsole.domain.commands.rotate import Rotate
from memconsole.domain.gateway import LiveSession
from memconsole.domain.jobs.runs import CANCELLED, NOTHING_DUE, JobEnd, end_of
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.settings.sections import ConsolidateSettings, FleetSettings, RotationSettings
from memconsole.engine.engine import Engine
from memconsole.errors import GatewayUnavailableError, LockedError
from memconsole.scheduler.jobs import TABLE, Job
from memconsole.scheduler.runner import JobRunner
from tests.doubles.bundle import World
from tests.doubles.platform import NOW, fake_agent, talk
from tests.engine.rows import row as session
from tests.scheduler.stage import SETTINGS, FakeJobLocks

if TYPE_CHECKING:
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import StopSignal

NEVER = threading.Event()
MAIN, WORK = fake_agent("main"), fake_agent("work")
SAVE = Checkpoint(MAIN.ref)
SAVED = Checkpointed(SAVE, "18 messages saved", session_id="s-1", is_logged=True)
FAILED = Failed(SAVE, "workspace", "no space")
LOCKED = Skipped(SAVE, SkipReason.LOCKED, "somebody is there")


def row(name: str) -> Job:
    [found] = [one for one in TABLE if one.id == name]
    return found


def runner(world: World, child: object = None, settings: Settings = SETTINGS) -> JobRunner:
    return JobRunner(Engine(world.ports, settings), FakeJobLocks(), child=child)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcomes", "end"),
    [
        ([], JobEnd("skipped", NOTHING_DUE, "there was nothing to do")),
        ([SAVED], JobEnd("done", None, "main: 18 messages saved", is_told=True)),
        (
            [LOCKED, SAVED],
            JobEnd("done", None, "1 of 2 done; main: 18 messages saved", is_told=True),
        ),
        (
            [LOCKED, LOCKED],
            JobEnd("skipped", "locked", "2 of 2 skipped; main: somebody is there", is_told=True),
        ),
        (
            [SAVED, FAILED],
            JobEnd("failed", "workspace", "1 of 2 failed; main: no space", is_told=True),
        ),
    ],
)
def test_the_worst_outcome_decides(outcomes: list[Outcome], end: JobEnd) -> None:
    assert end_of(outcomes) == end


def test_a_checkpoint_is_taken_of_every_agent_and_names_its_job() -> None:
    world = World(MAIN, WORK)
    world.sessions.hold(session())
    world.sessions.transcripts["id-main"] = talk("please build it", "it is built", "thank you")
    end = runner(world).run(row("checkpoint"), NEVER)
    assert (end.status, end.reason) == ("done", None)
    assert [(run.job, run.agent, run.status) for run in world.runs.stored] == [
        ("checkpoint", "main", "done"),
        ("checkpoint", "work", "skipped"),
    ]


def test_a_bug_with_one_agent_does_not_stop_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(MAIN, WORK)
    engine = Engine(world.ports, SETTINGS)
    asked: list[str] = []

    def run(command: Command, **_rest: object) -> Outcome:
        asked.append(command.agent.id)
        if command.agent == MAIN.ref:
            raise RuntimeError("a bug")
        return replace(SAVED, command=command)

    monkeypatch.setattr(engine, "run", run)
    end = JobRunner(engine, FakeJobLocks()).run(row("checkpoint"), NEVER)
    assert asked == ["main", "work"]
    assert (end.status, end.reason) == ("failed", "internal")


def test_rotation_asks_the_gateway_only_when_something_is_due() -> None:
    world = World(MAIN)
    world.gateway.verdict = "down"
    end = runner(world).run(row("rotation"), NEVER)
    assert (end.status, end.reason) == ("skipped", NOTHING_DUE)
    assert world.runs.stored == []


def test_a_cancelled_job_ends_between_two_agents() -> None:
    world, cancel = World(MAIN, WORK), threading.Event()
    engine_runner = runner(world)
    cancel.set()
    end = engine_runner.run(row("checkpoint"), cancel)
    assert (end.status, end.reason) == ("failed", CANCELLED)
    assert world.runs.stored == []
    assert engine_runner.turns.queue == []


def test_what_needs_numpy_goes_to_a_child_and_only_when_something_changed() -> None:
    world = World(MAIN, WORK)
    asked: list[Command] = []

    def child(command: Command, job: str, cancel: StopSignal) -> Outcome:
        asked.append(command)
        return Reindexed(command, f"{job}: 3 documents")

    end = runner(world, child).run(row("index_sync"), NEVER)
    assert asked == [Reindex(MAIN.ref), Reindex(WORK.ref)]
    assert end == JobEnd("done", None, "2 of 2 done; main: index_sync: 3 documents", is_told=True)
    for agent in (MAIN, WORK):
        runner(world).engine.run(Reindex(agent.ref))
    end = runner(world, child).run(row("index_sync"), NEVER)
    assert (end.reason, len(asked)) == (NOTHING_DUE, 2)
    world.documents.texts[WORK.workspace] = {"MEMORY.md": "something new"}
    runner(world, child).run(row("index_sync"), NEVER)
    assert asked[2:] == [Reindex(WORK.ref)]


def test_sessions_are_indexed_too_where_they_are_published() -> None:
    url = "postgresql://127.0.0.1/fleet"
    for publish, talks in (("memory", None), ("talks", True)):
        world = World(MAIN)
        own = replace(SETTINGS, fleet=FleetSettings(url=url, publish=publish))
        found = runner(world, settings=own).perform(row("index_sync"), NEVER, dry_run=True)
        commands = [one.command for one in found.outcomes]
        assert commands == [Reindex(MAIN.ref, with_sessions=talks, dry_run=True)]


def test_a_dry_run_changes_nothing_and_needs_no_child() -> None:
    world = World(MAIN)

    def child(command: Command, job: str, cancel: StopSignal) -> Outcome:
        pytest.fail("a dry run needs no child")

    found = runner(world, child).perform(row("index_sync"), NEVER, dry_run=True).outcomes
    assert [one.command for one in found] == [Reindex(MAIN.ref, dry_run=True)]
    assert world.runs.stored == []


def test_a_job_that_runs_elsewhere_is_refused() -> None:
    found = runner(World(MAIN))
    assert isinstance(found.locks, FakeJobLocks)
    found.locks.foreign.add("checkpoint")
    with pytest.raises(LockedError):
        found.perform(row("checkpoint"), NEVER)
    assert found.run(row("checkpoint"), NEVER).reason == "locked"
    assert found.turns.queue == []


def test_a_due_session_needs_the_gateway() -> None:
    world = World(MAIN)
    world.sessions.hold(session(tokens=160_000))
    world.gateway.verdict = "down"
    end = runner(world).run(row("rotation"), NEVER)
    assert (end.status, end.reason) == ("failed", "down")
    with pytest.raises(GatewayUnavailableError):
        runner(world).perform(row("rotation"), NEVER)
    [planned] = runner(world).perform(row("rotation"), NEVER, dry_run=True).outcomes
    assert planned.command == Rotate(MAIN.ref, "agent:main:main", dry_run=True)


def test_a_session_that_turns_out_busy_leaves_its_place_to_the_next() -> None:
    keys = [f"agent:main:telegram:direct:{number}" for number in range(3)]
    world = World(MAIN)
    world.sessions.hold(*(session(key, 160_000 - n) for n, key in enumerate(keys)))
    lives = [
        LiveSession(
            key, agent_id="main", session_id=f"id-{key[-1]}", tokens=160_000, tokens_fresh=True
        )
        for key in keys
    ]
    world.gateway.hold(replace(lives[0], is_active=True), *lives[1:])
    rules = RotationSettings(max_per_run=1, require_capture=False)
    engine = Engine(world.ports, replace(SETTINGS, rotation=rules))

    found = JobRunner(engine, FakeJobLocks()).perform(row("rotation"), NEVER).outcomes

    assert [one.command.key for one in found if isinstance(one.command, Rotate)] == keys[:2]
    assert world.gateway.resets == [(keys[1], "id-1")]


def test_samples_are_kept() -> None:
    world = World(MAIN)
    world.sessions.hold(session())
    assert runner(world).run(row("samples"), NEVER).status == "done"
    assert [(one.session_id, one.at) for one in world.samples.stored] == [("id-main", NOW)]


def test_what_is_wrong_with_the_configuration_is_no_failure() -> None:
    config = PlatformConfig(MAIN.workspace / "openclaw.json", is_readable=False)
    end = runner(World(MAIN, config=config)).run(row("config_check"), NEVER)
    assert (end.status, end.reason) == ("done", None)
    assert end.message.startswith("1 finding wants attention; config-unreadable")


def test_a_small_memory_gets_no_index_file() -> None:
    end = runner(World(MAIN)).run(row("index_md"), NEVER)
    assert (end.status, end.reason) == ("skipped", "too-small")


def test_consolidation_is_off_and_at_night_it_only_reports() -> None:
    job = row("consolidate")
    assert not job.is_enabled(SETTINGS)
    assert job.is_enabled(replace(SETTINGS, consolidate=ConsolidateSettings(is_enabled=True)))
    assert str(job.trigger(SETTINGS)) == "daily at 03:00"
    world = World(MAIN)
    text = "Date: 2026-01-01\n- 🟢 Lunch was at noon <!-- dc:importance=1.0 -->\n"
    world.workspace.files[MAIN.workspace, OBSERVATIONS] = text
    rules = replace(SETTINGS, consolidate=ConsolidateSettings(is_enabled=True, token_target=1))
    at_night = JobRunner(Engine(world.ports, rules), FakeJobLocks(), child=None)
    assert at_night.run(job, NEVER).status == "done"
    assert world.workspace.writes == ["DREAMS.md"]
    assert at_night.run(job, NEVER).reason == "too-soon"
