"""What the platform did is kept once, whoever looks, and shown to whoever looks later."""

from __future__ import annotations

from datetime import timedelta

from memconsole.domain.events import EventKind
from memconsole.engine.engine import Engine
from tests.doubles.platform import NOW
from tests.engine.checkpoint.checkpoint_stage import Stage
from tests.engine.rows import row

KEY = "agent:main:main"


def look(stage: Stage, *engines: Engine, tokens: int, compactions: int) -> None:
    """Let each engine take a reading of the same session."""
    stage.hold(row(KEY, tokens, session_id="id-main", compactions=compactions))
    for engine in engines:
        stage.world.clock.advance(timedelta(seconds=2))
        engine.readings.notice(engine.snapshot())


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
