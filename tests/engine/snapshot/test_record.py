"""What the platform did is kept once, whoever looks, and shown to whoever looks later."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memconsole.domain.agents import Origin
from memconsole.domain.commands.outcomes import Run
from memconsole.domain.events import EventKind
from memconsole.domain.health import HeldLock
from memconsole.domain.memory.files import PoolItem
from memconsole.engine.engine import Engine
from tests.doubles.platform import HOME, NOW
from tests.engine.checkpoint.checkpoint_stage import ROOT, Stage
from tests.engine.rows import row
from tests.ui import sample

KEY = "agent:main:main"


def look(stage: Stage, *engines: Engine, tokens: int, compactions: int) -> None:
    """Let each engine take a reading of the same session."""
    stage.hold(row(KEY, tokens, session_id="id-main", compactions=compactions))
    for engine in engines:
        stage.world.clock.advance(timedelta(seconds=2))
        engine.readings.note_events(engine.snapshot())


def write(stage: Stage, path: str) -> None:
    """Let a memory file have changed just now, beside those that are there."""
    at, pools = stage.world.clock.now(), stage.world.memory.pools
    before = pools.get(ROOT, replace(sample.pool("main"), root=ROOT, items=()))
    item = PoolItem(path, 800, 200, is_generated=False, is_counted=True, modified_at=at)
    pools[ROOT] = replace(before, items=(*before.items, item))


def a_rotation(stage: Stage, status: str) -> Run:
    """Return a run that began three seconds ago and ends now."""
    now = stage.world.clock.now()
    return Run(
        id=0,
        job=None,
        command="rotate",
        command_line="memconsole rotate",
        origin=Origin.CONSOLE,
        agent="main",
        key=KEY,
        started_at=now - timedelta(seconds=3),
        ended_at=now,
        status=status,
        reason=None,
        message="",
        duration_ms=3000,
        home=str(HOME),
    )


def test_two_consoles_and_a_later_one_see_one_compaction() -> None:
    stage = Stage()
    first, second = (Engine(stage.world.ports, stage.settings) for _ in range(2))
    look(stage, first, second, tokens=140_000, compactions=1)
    look(stage, first, second, tokens=30_000, compactions=2)
    later = Engine(stage.world.ports, stage.settings)
    assert [(one.kind, one.key) for one in later.snapshot(with_outlook=True).events] == [
        (EventKind.COMPACTED, KEY)
    ]


def test_what_happened_while_nobody_looked_is_told_with_the_time_since_when() -> None:
    stage = Stage()
    look(stage, Engine(stage.world.ports, stage.settings), tokens=140_000, compactions=1)
    stage.world.clock.advance(timedelta(hours=3))
    engine = Engine(stage.world.ports, stage.settings)
    look(stage, engine, tokens=30_000, compactions=2)
    [event] = engine.snapshot(with_outlook=True).events
    assert event.since == NOW + timedelta(seconds=2)
    assert event.at - event.since > timedelta(hours=3)


def test_a_first_look_has_nothing_to_compare_with() -> None:
    stage = Stage()
    engine = Engine(stage.world.ports, stage.settings)
    look(stage, engine, tokens=149_000, compactions=5)
    assert engine.snapshot(with_outlook=True).events == ()


@pytest.mark.parametrize("status", ["done", "failed"])
def test_what_a_run_writes_is_not_told_as_the_acts_of_an_agent(status: str) -> None:
    stage = Stage()
    engine = Engine(stage.world.ports, stage.settings)
    write(stage, "memory/2026-01-25.md")
    look(stage, engine, tokens=140_000, compactions=1)
    stage.world.lock_list.current = [HeldLock("session-x.lock", "a rotation, pid 7", None)]
    write(stage, "memory/2026-01-26.md")
    look(stage, engine, tokens=140_000, compactions=1)
    stage.world.lock_list.current = []
    stage.world.runs.add(a_rotation(stage, status))
    look(stage, engine, tokens=140_000, compactions=1)

    assert engine.snapshot(with_outlook=True).events == ()
    stage.later(minutes=1)
    write(stage, "memory/2026-01-27.md")
    look(stage, engine, tokens=140_000, compactions=1)
    [event] = engine.snapshot(with_outlook=True).events
    assert event.message.startswith("memory/2026-01-27.md changed")
