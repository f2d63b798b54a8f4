"""Health over fakes: each check well, ill, and unable to look; a long table of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Notice
from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.fleet.publishing import Standing
from memconsole.domain.health import CHECK_IDS, FLEET, CheckStatus, CronErrors, HeldLock
from memconsole.domain.jobs.layers import Layer, LayerStatus
from memconsole.domain.jobs.runs import JobRecord
from memconsole.domain.memory.files import Limit, PoolItem
from memconsole.domain.memory.intents import Erasure
from memconsole.domain.memory.secrets import SecretCounts, counts_text, file_stamp
from memconsole.domain.platform_search.index import IndexFacts
from memconsole.domain.platform_search.profile import FADING
from memconsole.domain.rotation import Identity, Rotation, RotationState
from memconsole.domain.search.indexing import IndexState, IndexStatus
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.settings.sections import FleetSettings
from memconsole.domain.snapshot.snapshot import SchedulerStatus
from memconsole.domain.transcripts.records import Compaction, Entry, EntryKind
from memconsole.engine.engine import Engine
from memconsole.engine.health import own
from tests.doubles.platform import HOME, NOW
from tests.doubles.search import FakePlatformIndex
from tests.engine.health.well_world import (
    AGENT,
    KEY,
    MINUTE,
    SETTINGS,
    hold,
    inputs,
    pool,
    run_of,
    well_world,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.doubles.bundle import World


@pytest.fixture
def world() -> World:
    return well_world()


def status(world: World, name: str) -> str:
    return inputs(world, name).status.value


def test_overall_is_the_worst_and_unknown_does_not_count(world: World) -> None:
    world.captures.stored.clear()
    hold(world, timedelta(days=2))
    report = Engine(world.ports, SETTINGS).health.report()
    assert {one.id for one in report.checks if one.status.is_bad} == set()
    assert report.overall is CheckStatus.OK
    world.host.percents[HOME] = 98.0
    assert Engine(world.ports, SETTINGS).health.report().overall is CheckStatus.CRITICAL


@pytest.mark.parametrize(
    ("verdict", "status_"),
    [
        ("up", "ok"),
        ("down", "warning"),
        ("wedged", "warning"),
        ("late", "warning"),
        ("bad-token", "warning"),
        ("not-a-gateway", "warning"),
        ("starting", "warning"),
        ("off", "unknown"),
    ],
)
def test_the_gateway_is_told_by_its_verdict(verdict: str, status_: str, world: World) -> None:
    world.gateway.verdict = verdict
    found = inputs(world, "gateway")
    assert (found.value, found.status.value) == (verdict, status_)
    assert bool(found.hint) is (verdict != "up")


@pytest.mark.parametrize(
    ("verdict", "status_"), [("down", "critical"), ("wedged", "critical"), ("late", "warning")]
)
def test_only_a_second_look_makes_it_critical(verdict: str, status_: str, world: World) -> None:
    world.gateway.verdict = verdict
    Engine(world.ports, SETTINGS).health.look_after()
    assert status(world, "gateway") == status_


def test_the_reason_of_a_verdict_is_in_its_check(world: World) -> None:
    world.gateway.verdict, world.gateway.reason = "not-a-gateway", "HTTP 401 instead of a WebSocket"
    assert "HTTP 401 instead of a WebSocket" in inputs(world, "gateway").message
    world.gateway.verdict, world.gateway.reason = "up", "the gateway refused the question: odd"
    found = inputs(world, "gateway")
    assert (found.status.value, "odd" in found.message) == ("warning", True)


def test_scopes_are_named(world: World) -> None:
    assert status(world, "gateway-scopes") == "ok"
    world.gateway.scopes = ("operator.read",)
    found = inputs(world, "gateway-scopes")
    assert (found.status.value, "operator.admin" in found.message) == ("warning", True)
    world.gateway.verdict = "down"
    assert status(world, "gateway-scopes") == "unknown"


def test_a_process_is_looked_for(world: World) -> None:
    assert inputs(world, "gateway-process").value == 1
    world.gateway.verdict = "down"
    world.host.lines = ("memconsole --home /home/a/.openclaw --gateway ws://127.0.0.1:1 health",)
    assert status(world, "gateway-process") == "warning"
    Engine(world.ports, SETTINGS).health.look_after()
    assert status(world, "gateway-process") == "critical"
    world.host.lines = None
    assert status(world, "gateway-process") == "unknown"


@pytest.mark.parametrize(
    ("served", "verdict", "status_", "words"),
    [
        ((True, False, False), "down", "ok", "1 of its processes"),
        ((False, False, False), "down", "warning", "3 of other homes do"),
        ((False,), "down", "warning", "1 of another home does"),
        ((False, False, False), "up", "ok", "another name"),
        ((False, False, False), "wedged", "unknown", "a port is open there"),
        ((False, None, None), "down", "unknown", "2 processes of a Gateway run"),
    ],
)
def test_gateways_of_other_homes_are_not_counted(
    served: tuple[bool | None, ...], verdict: str, status_: str, words: str, world: World
) -> None:
    world.host.lines = tuple(f"node openclaw gateway {number}" for number in range(len(served)))
    world.host.served = dict(enumerate(served))
    world.gateway.verdict = verdict
    found = inputs(world, "gateway-process")
    assert (found.status.value, words in found.message) == (status_, True)


@pytest.mark.parametrize(("percent", "status_"), [(89.9, "ok"), (90, "warning"), (97, "critical")])
def test_disks_fill(percent: float, status_: str, world: World) -> None:
    world.host.percents[AGENT.workspace] = percent
    found = inputs(world, "disk")
    assert (found.status.value, found.value) == (status_, max(percent, 50.0))


def test_a_disk_that_says_nothing_is_unknown(world: World) -> None:
    world.host.percents = {HOME: None, AGENT.workspace: None}
    assert status(world, "disk") == "unknown"


@pytest.mark.parametrize(
    ("size", "status_"),
    [(500 * 1024 * 1024 - 1, "ok"), (500 * 1024 * 1024, "warning"), (None, "unknown")],
)
def test_transcripts_are_measured(size: int | None, status_: str, world: World) -> None:
    world.host.bytes = size
    assert status(world, "transcripts-size") == status_


def test_large_transcripts_name_our_job_and_its_setting(world: World) -> None:
    transcripts_large(world)
    hint = inputs(world, "transcripts-size").hint
    assert "`memconsole cleanup` packs" in hint
    assert "takes them away after 30" in hint
    assert hint.endswith("transcript_cleanup does every night once `[cleanup] enabled` is set.")


def test_large_memory_files_are_named_and_archives_are_not(world: World) -> None:
    def file(path: str, size: int) -> PoolItem:
        return PoolItem(path, size, size // 4, False, True)

    pool(world, file("memory/a.md", 51_200), file("memory/archive/b.md", 900_000))
    assert status(world, "memory-file-size") == "ok"
    pool(world, *(file(f"memory/{n}.md", 51_201 + n) for n in range(7)))
    found = inputs(world, "memory-file-size")
    assert (found.status.value, found.value, len(found.details)) == ("warning", 51_207, 5)
    assert "and 2 more" in found.message


def test_one_agent_may_keep_larger_files(world: World) -> None:
    pool(world, PoolItem("memory/a.md", 90_000, 20_000, False, True))
    assert status(world, "memory-file-size") == "warning"
    own = replace(SETTINGS, health=replace(SETTINGS.health, memory_file_kb=100))
    report = Engine(world.ports, replace(SETTINGS, agents={AGENT.id: own})).health.report()
    assert [one.status.value for one in report.checks if one.id == "memory-file-size"] == ["ok"]


@pytest.mark.parametrize(("count", "status_"), [(2, "ok"), (3, "warning")])
def test_failed_runs_of_the_platform_are_counted(count: int, status_: str, world: World) -> None:
    world.cron.current = CronErrors(count, ("nightly",))
    assert status(world, "cron-errors") == status_
    assert world.cron.since == NOW - timedelta(hours=1)
    world.cron.current = None
    assert status(world, "cron-errors") == "unknown"


class TestJobs:
    def record(self, **changes: object) -> JobRecord:
        made = JobRecord(
            "checkpoint",
            started_at=NOW - 5 * MINUTE,
            ended_at=NOW - 5 * MINUTE,
            status="done",
            next_at=NOW + 15 * MINUTE,
        )
        return replace(made, **changes)  # type: ignore[arg-type]

    def test_jobs_that_never_ran_are_unknown(self, world: World) -> None:
        assert status(world, "jobs") == "unknown"

    def test_jobs_that_run_are_well(self, world: World) -> None:
        world.scheduler.current = SchedulerStatus("running", pid=1)
        world.jobs.save(self.record())
        assert status(world, "jobs") == "ok"
        assert inputs(world, "jobs").message == "1 job runs as it should"

    def test_a_job_that_failed_once_does_not_run_as_it_should(self, world: World) -> None:
        world.scheduler.current = SchedulerStatus("running", pid=1)
        world.jobs.save(self.record(status="failed", failures=1))
        found = inputs(world, "jobs")
        assert found.status.value == "ok"
        assert found.message == "checkpoint has failed last time; 1 jobs run in time"

    @pytest.mark.parametrize(
        "changes",
        [
            {"failures": 3},
            {"started_at": NOW - 61 * MINUTE, "next_at": NOW - 41 * MINUTE},
        ],
    )
    def test_failing_and_late_jobs_are_named(
        self, changes: dict[str, object], world: World
    ) -> None:
        world.scheduler.current = SchedulerStatus("running", pid=1)
        world.jobs.save(self.record(**changes))
        found = inputs(world, "jobs")
        assert (found.status.value, "checkpoint" in found.message) == ("warning", True)

    def test_a_stopped_scheduler_is_told(self, world: World) -> None:
        world.jobs.save(self.record())
        found = inputs(world, "jobs")
        assert (found.status.value, "nobody runs the jobs" in found.message) == ("warning", True)

    def test_a_layer_that_nobody_runs_is_told_with_what_starts_it(self, world: World) -> None:
        layers = (LayerStatus(Layer.CHECKPOINT, "running", 1), LayerStatus(Layer.CAPTURE))
        world.scheduler.current = SchedulerStatus("running", pid=1, layers=layers)
        world.jobs.save(self.record())
        found = inputs(world, "jobs")
        assert "--serve --layer capture" in found.hint
        world.jobs.save(self.record(failures=3))
        assert "nobody runs the layer capture, checkpoint failed" in inputs(world, "jobs").message


@pytest.mark.parametrize(
    ("reasons", "status_"),
    [
        (("locked", "locked", "locked"), "warning"),
        (("locked", "locked"), "ok"),
        (("locked", "locked", None), "ok"),
        (("nothing-new", "locked", "locked"), "ok"),
    ],
)
def test_checkpoints_that_keep_skipping_while_people_talk_are_told(
    reasons: tuple[str | None, ...], status_: str, world: World
) -> None:
    for number, reason in enumerate(reasons):
        ago = 60 - 20 * number
        world.runs.stored.append(run_of(reason, ago, "done" if reason is None else "skipped"))
    assert status(world, "capture-skips") == status_


def test_skips_of_a_silent_agent_are_no_matter(world: World) -> None:
    hold(world, timedelta(hours=9))
    for ago in (60, 40, 20):
        world.runs.stored.append(run_of("stale", ago))
    assert status(world, "capture-skips") == "ok"


def test_outputs_that_fall_behind_are_named(world: World) -> None:
    pool(world)
    found = inputs(world, "outputs-freshness")
    assert (found.status.value, "ACTIVE_CONTEXT.md of main" in found.message) == ("warning", True)
    pool(world, active_context_at=NOW - 30 * MINUTE)
    assert status(world, "outputs-freshness") == "ok"
    hold(world, timedelta(hours=5))
    pool(world)
    assert status(world, "outputs-freshness") == "ok"


def test_an_old_index_of_a_changed_memory_is_named(world: World) -> None:
    def files(index_hours: int) -> tuple[PoolItem, ...]:
        made = NOW - timedelta(hours=index_hours)
        return (
            PoolItem("memory/INDEX.md", 10, 2, True, False, modified_at=made),
            PoolItem("memory/a.md", 10, 2, False, True, modified_at=NOW),
        )

    recent = {"active_context_at": NOW, "size_bytes": 60_000}
    pool(world, *files(11), **recent)
    assert status(world, "outputs-freshness") == "ok"
    pool(world, *files(13), **recent)
    assert "INDEX.md of main" in inputs(world, "outputs-freshness").message


def test_bad_compactions_are_told_one_by_one(world: World) -> None:
    assert status(world, "compaction-evidence") == "ok"
    compacted_badly(world)
    found = inputs(world, "compaction-evidence")
    assert found.status is CheckStatus.CRITICAL
    [detail] = found.details
    assert isinstance(detail, dict)
    assert list(detail) == ["key", "session_id", "at", "why"]
    assert (detail["key"], detail["session_id"]) == (KEY, "s-1")
    assert f"the newest of {KEY}: " in found.message
    [known] = world.sessions.listings["main"].sessions
    world.sessions.hold(replace(known, key=None, state=SessionState.ORPHAN))
    assert "the newest of s-1: " in inputs(world, "compaction-evidence").message


def test_a_reset_without_effect_is_told_until_one_works(world: World) -> None:
    before = Identity("s-1", "r-1", NOW, 160_000)
    made = Rotation(0, AGENT.ref, KEY, RotationState.SENT, NOW, before, 150_000)
    number = world.rotations.begin(made)
    world.rotations.finish(number, RotationState.INEFFECTIVE, before, NOW)
    assert inputs(world, "reset-ineffective").details == (KEY,)
    number = world.rotations.begin(made)
    world.rotations.finish(number, RotationState.PROVEN, before, NOW)
    assert status(world, "reset-ineffective") == "ok"


def test_observations_over_their_budget_are_told(world: World) -> None:
    path = "memory/observations.md"
    pool(world, PoolItem(path, 10, 2, False, True))
    world.workspace.files[AGENT.workspace, path] = "word " * 3750
    assert inputs(world, "observations-budget").value == 3750
    assert status(world, "observations-budget") == "ok"
    world.workspace.files[AGENT.workspace, path] = "word " * 3751
    assert status(world, "observations-budget") == "warning"


def test_locks_that_are_held_for_long_are_told(world: World) -> None:
    world.lock_list.current = [HeldLock("workspace-a.lock", "process 12", NOW - 9 * MINUTE)]
    assert status(world, "locks") == "ok"
    world.lock_list.current = [HeldLock("workspace-a.lock", "process 12", NOW - 10 * MINUTE)]
    found = inputs(world, "locks")
    assert (found.status.value, found.since) == ("warning", NOW - 10 * MINUTE)


def test_files_that_the_platform_cuts_are_named(world: World) -> None:
    pool(world, limits=(Limit("MEMORY.md", 20_000, 20_000),))
    assert status(world, "bootstrap-truncation") == "ok"
    pool(world, limits=(Limit("MEMORY.md", 20_001, 20_000),))
    assert "main/MEMORY.md" in inputs(world, "bootstrap-truncation").message


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize(("minutes", "status_"), [(0, "ok"), (5, "warning"), (-5, "ok")])
def test_a_checkpoint_that_our_state_knows_nothing_of_was_another_memconsoles(
    world: World, minutes: int, status_: str, *, is_first: bool
) -> None:
    [agent] = world.platform.agents
    ours = Capture(agent.ref, "s", None, NOW, "", "", is_logged=False, day_file=None, workspace="")
    if is_first:  # we never saved anything, and have looked on since then
        world.events.first[str(HOME)] = NOW
    else:
        world.captures.add(ours)
    place = agent.workspace, "memory/ACTIVE_CONTEXT.md"
    made = (ours.at + minutes * MINUTE).astimezone(timezone(timedelta(hours=2)))
    context = f"# Active Context — main\n> Updated: {made.isoformat()} by memconsole checkpoint\n"
    world.workspace.files[place] = context
    world.clock.at = ours.at + 10 * MINUTE
    pool(world, root=agent.workspace, active_context_at=NOW)
    found = inputs(world, "state")
    assert (found.status.value, found.value == "another-state") == (status_, minutes > 0)
    world.workspace.files[place] = "> Updated: soon by memconsole checkpoint"
    assert status(world, "state") == "ok"


def test_a_state_that_cannot_be_written_is_critical(world: World) -> None:
    assert status(world, "state") == "ok"
    notice = Notice("state-unwritable", "the state folder cannot be written", "/state")
    read = world.platform.read
    world.platform.read = lambda: replace(read(), notices=(notice,))  # type: ignore[method-assign]
    assert status(world, "state") == "critical"


def test_a_check_that_breaks_is_unknown_and_stops_no_other(world: World) -> None:
    def broken(path: Path) -> float | None:
        raise RuntimeError("a bug")

    world.host.disk_percent = broken  # type: ignore[method-assign]
    found = inputs(world, "disk")
    assert (found.status.value, "RuntimeError" in found.message) == ("unknown", True)


def gateway_down(world: World) -> None:
    world.gateway.verdict = "down"
    world.host.lines = ()


def scope_missing(world: World) -> None:
    world.gateway.scopes = ("operator.read",)


def disk_full(world: World) -> None:
    world.host.percents[HOME] = 98.0


def noticed(world: World, code: str) -> None:
    read = world.platform.read
    notices = (Notice(code, "it is so", "/somewhere"),)
    world.platform.read = lambda: replace(read(), notices=notices)  # type: ignore[method-assign]


def transcripts_large(world: World) -> None:
    world.host.bytes = 10**9


def memory_large(world: World) -> None:
    pool(world, PoolItem("memory/a.md", 90_000, 22_500, False, True))


def cron_failing(world: World) -> None:
    world.cron.current = CronErrors(3, ("nightly",))


def run_stuck(world: World) -> None:
    hold(world, spoken_at=20 * MINUTE, is_active=True)


def jobs_stopped(world: World) -> None:
    world.jobs.save(JobRecord("checkpoint", started_at=NOW, ended_at=NOW, status="done"))


def always_skipped(world: World) -> None:
    world.runs.stored += [run_of("locked", ago) for ago in (60, 40, 20)]


def compacted_badly(world: World) -> None:
    entry = Entry(
        EntryKind.COMPACTION,
        id="c0ffee",
        parent_id="00000001",
        has_parent=True,
        at=NOW - 5 * MINUTE,
        compaction=Compaction("", tokens_before=150_000),
        position=9000,
        size_bytes=100,
    )
    world.sessions.transcripts["s-1"].append(entry)


def reset_in_vain(world: World) -> None:
    before = Identity("s-1", "r-1", NOW, 160_000)
    made = Rotation(0, AGENT.ref, KEY, RotationState.SENT, NOW, before, 150_000)
    world.rotations.finish(world.rotations.begin(made), RotationState.INEFFECTIVE, before, NOW)


def observations_large(world: World) -> None:
    pool(world, PoolItem("memory/observations.md", 10, 2, False, True))
    world.workspace.files[AGENT.workspace, "memory/observations.md"] = "word " * 9000


def lock_held(world: World) -> None:
    world.lock_list.current = [HeldLock("workspace-a.lock", "process 12", NOW - 20 * MINUTE)]


def index_broken(world: World) -> None:
    broken = IndexStatus(IndexState.UNAVAILABLE, because="it is damaged")
    world.index.status = lambda *_: broken  # type: ignore[method-assign]


def test_an_erasure_is_told_beside_locks_once_it_takes_too_long(world: World) -> None:
    erasure = Erasure("main", (), frozenset(), frozenset())
    for root, home in ((AGENT.workspace, HOME), (Path("/of/another"), Path("/"))):
        world.journal.promise(root, erasure, NOW, home=home)
    world.clock.at = NOW + timedelta(minutes=9)
    assert status(world, "locks") == "ok"
    world.clock.at = NOW + timedelta(minutes=10)
    lock_held(world)
    found = inputs(world, "locks")
    assert "13:20 UTC: it was cut off; held for over 10 minutes: " in found.message
    assert (found.value, found.details[0]) == (2, f"main: {AGENT.workspace}")
    world.lock_list.current = []
    assert (inputs(world, "locks").value, inputs(world, "locks").since) == (1, NOW)
    world.journal.kept(AGENT.workspace, erasure)
    assert status(world, "locks") == "ok"


def test_what_began_ahead_of_the_clock_is_not_taken_for_new(world: World) -> None:
    """The clock went back since: how long it really takes nobody knows."""
    world.journal.promise(
        AGENT.workspace, Erasure("main", (), frozenset(), frozenset()), NOW, home=HOME
    )
    world.lock_list.current = [HeldLock("workspace-a.lock", "process 12", NOW)]
    world.clock.at = NOW - timedelta(seconds=59)
    assert status(world, "locks") == "ok"
    world.clock.at = NOW - timedelta(hours=3)
    found = inputs(world, "locks")
    assert (
        "13:20 UTC: it was cut off; held for over 10 minutes, or from a time ahead: "
        in found.message
    )
    assert found.value == 2


@pytest.mark.parametrize("home", ["of-this", "moved-since", "unknown"])
def test_an_erasure_is_told_where_no_agent_works_any_more(world: World, home: str) -> None:
    erasure = Erasure("gone", (), frozenset(), frozenset())
    place = {"of-this": HOME, "moved-since": Path("/nothing/stands/here"), "unknown": Path()}[home]
    world.journal.promise(root := Path("/of/nobody"), erasure, NOW, home=place)
    world.journal.failed(root, erasure, "the disk is full")
    found = inputs(world, "locks")
    told = (
        f"{root}, where no known agent works any more, is not finished since 2026-01-26 13:20 UTC"
    )
    assert f"{told}: the disk is full" in found.message
    assert (found.details, found.value) == ((f"?: {root}",), 1)
    assert found.hint == own.NOBODYS
    world.journal.promise(AGENT.workspace, erasure, NOW, home=HOME)
    world.journal.failed(AGENT.workspace, erasure, "refused")
    found = inputs(world, "locks")
    assert "`memconsole checkpoint --agent main` at once. No run comes" in found.hint


def platform_index_behind(world: World) -> None:
    facts = IndexFacts(Path("/db"), FADING, "openai-compatible", "stub", dims=2)
    world.platform_index.indexes["main"] = FakePlatformIndex(facts, {}, ())
    world.platform_index.files = {"MEMORY.md": "a boat"}
    world.documents.texts[AGENT.workspace] = {"MEMORY.md": "a boat"}


def file_cut(world: World) -> None:
    pool(world, limits=(Limit("MEMORY.md", 20_001, 20_000),))


def secret_known(world: World) -> None:
    pool(world, PoolItem("MEMORY.md", 9, 2, False, True, modified_at=NOW), active_context_at=NOW)
    counts = SecretCounts(NOW, {"MEMORY.md": (file_stamp(9, NOW), 1)})
    world.secret_counts.text = counts_text({str(AGENT.workspace): counts})


ILL: dict[str, Callable[[World], None]] = {
    "gateway": gateway_down,
    "gateway-scopes": scope_missing,
    "gateway-process": gateway_down,
    "disk": disk_full,
    "stores": lambda world: noticed(world, "store-unreadable"),
    "transcripts-size": transcripts_large,
    "memory-file-size": memory_large,
    "cron-errors": cron_failing,
    "stuck-runs": run_stuck,
    "jobs": jobs_stopped,
    "capture-skips": always_skipped,
    "outputs-freshness": lambda world: pool(world, active_context_at=None),
    "compaction-evidence": compacted_badly,
    "reset-ineffective": reset_in_vain,
    "observations-budget": observations_large,
    "locks": lock_held,
    "index": index_broken,
    "platform-index": platform_index_behind,
    "bootstrap-truncation": file_cut,
    "secrets": secret_known,
    "state": lambda world: noticed(world, "state-unwritable"),
}


@pytest.mark.parametrize(
    ("state", "ago", "status"),
    [
        ("live", 20, "ok"),
        ("away", 14, "ok"),
        ("away", 16, "warning"),
        ("held", 1, "warning"),
        ("fleet", 1, "warning"),
        (None, 0, "unknown"),
    ],
)
def test_a_host_that_publishes_has_a_check_more(
    state: str | None, ago: int, status: str, world: World
) -> None:
    if state is not None:
        since, told = NOW - ago * MINUTE, "" if state == "live" else "no route"
        world.fleet_standing.write(Standing(state, since, NOW, message=told).text())
    rules = FleetSettings(url="postgresql://127.0.0.1/fleet", publish="figures")
    report = Engine(world.ports, replace(SETTINGS, fleet=rules)).health.report()
    assert [one.id for one in report.checks] == [*CHECK_IDS, FLEET]
    assert report.checks[-1].status.value == status
    if status == "ok" and state == "away":
        assert report.checks[-1].message == "no route"


def test_what_waits_to_be_published_is_counted(world: World) -> None:
    world.fleet_standing.write(Standing("live", NOW, NOW, owed=40_500).text())
    rules = FleetSettings(url="postgresql://127.0.0.1/fleet", publish="memory")
    check = Engine(world.ports, replace(SETTINGS, fleet=rules)).health.report().checks[-1]
    assert (check.status.value, check.value) == ("ok", 40_500)
    assert check.message == "40,500 chunks on the way to the fleet"


def test_what_an_earlier_state_folder_left_in_the_fleet_is_a_finding(world: World) -> None:
    told = "the fleet knows this home under another identity too"
    world.fleet_standing.write(Standing("live", NOW, NOW, NOW, told, owed=40_500).text())
    rules = FleetSettings(url="postgresql://127.0.0.1/fleet", publish="figures")
    check = Engine(world.ports, replace(SETTINGS, fleet=rules)).health.report().checks[-1]
    assert (check.status.value, check.message, check.value) == ("warning", told, "two-identities")
    assert "`memconsole fleet leave --erase`" in check.hint


@pytest.mark.parametrize(
    ("exclude", "without"),
    [((), ""), (("private", "memory/diary*"), ", without private, memory/diary*")],
)
def test_what_is_published_and_what_is_not_are_said(
    exclude: tuple[str, ...], without: str, world: World
) -> None:
    world.fleet_standing.write(Standing("live", NOW, NOW).text())
    rules = FleetSettings(url="postgresql://127.0.0.1/fleet", publish="talks", exclude=exclude)
    check = Engine(world.ports, replace(SETTINGS, fleet=rules)).health.report().checks[-1]
    assert check.message == f"the fleet has what this host publishes: talks{without}"


def test_no_check_is_never_ill() -> None:
    assert tuple(ILL) == CHECK_IDS


@pytest.mark.parametrize("name", ILL)
def test_a_check_is_ill_of_what_is_wrong(name: str, world: World) -> None:
    pool(world, active_context_at=NOW)
    assert not inputs(world, name).status.is_bad
    ILL[name](world)
    # What could not be read is not known to be well, and not known to be ill.
    is_told = inputs(world, name).status is CheckStatus.UNKNOWN
    assert is_told if name == "stores" else inputs(world, name).status.is_bad
