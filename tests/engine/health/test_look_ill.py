"""Every check of health is ill of what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Notice
from memconsole.domain.health import CHECK_IDS, CheckStatus, CronErrors, HeldLock
from memconsole.domain.jobs.runs import JobRecord
from memconsole.domain.memory.files import Limit, PoolItem
from memconsole.domain.platform_search.index import IndexFacts
from memconsole.domain.platform_search.profile import FADING
from memconsole.domain.rotation import Identity, Rotation, RotationState
from memconsole.domain.search.indexing import IndexState, IndexStatus
from memconsole.domain.transcripts.records import Compaction, Entry, EntryKind
from tests.doubles.platform import HOME, NOW
from tests.doubles.search import FakePlatformIndex
from tests.engine.health.well_world import (
    AGENT,
    KEY,
    MINUTE,
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


def platform_index_behind(world: World) -> None:
    facts = IndexFacts(Path("/db"), FADING, "openai-compatible", "stub", dims=2)
    world.platform_index.indexes["main"] = FakePlatformIndex(facts, {}, ())
    world.platform_index.files = {"MEMORY.md": "a boat"}
    world.documents.texts[AGENT.workspace] = {"MEMORY.md": "a boat"}


def file_cut(world: World) -> None:
    pool(world, limits=(Limit("MEMORY.md", 20_001, 20_000),))


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
    "state": lambda world: noticed(world, "state-unwritable"),
}


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
