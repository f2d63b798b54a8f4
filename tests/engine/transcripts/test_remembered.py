"""Transcripts that did not change since the last process are not read again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import fake_agent, talk
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot

SESSIONS = 25
"""Fewer are read in no time, and nothing is kept of them."""


def stored(number: int, stamp: tuple[int, ...] | None) -> StoredSession:
    made = row(f"agent:main:cron:job{number}", tokens=None)
    assert made.transcript is not None
    return replace(made, transcript=replace(made.transcript, stamp=stamp))


@pytest.fixture
def world() -> World:
    made = World(fake_agent())
    hold(made, 1)
    return made


def hold(world: World, changed: int, count: int = SESSIONS) -> None:
    world.sessions.hold(*(stored(number, (number, changed)) for number in range(count)))
    for number in range(count):
        world.sessions.transcripts[f"id-job{number}"] = talk("hello there", "good day")


def look(world: World) -> ConsoleSnapshot:
    """Take a snapshot as a process of its own."""
    engine = Engine(world.ports, Settings(state_dir=Path("/state")))
    snapshot = engine.snapshot()
    engine.readings.remember()
    return snapshot


def test_the_next_process_reads_none_of_them(world: World) -> None:
    first = look(world)
    world.sessions.broken = set(world.sessions.transcripts)  # reading one would be seen

    again = look(world)

    assert [one.count for one in again.sessions] == [one.count for one in first.sessions]
    assert again.notices == ()


def test_one_that_changed_is_read(world: World) -> None:
    look(world)
    hold(world, 2)
    world.sessions.broken = {"id-job7"}

    assert [one.path for one in look(world).notices] == ["/x/id-job7.jsonl"]


def test_one_whose_changes_nobody_can_tell_is_read(world: World) -> None:
    world.sessions.hold(*(stored(number, None) for number in range(SESSIONS)))
    look(world)
    world.sessions.broken = {"id-job7"}

    assert [one.path for one in look(world).notices] == ["/x/id-job7.jsonl"]


def test_a_small_home_keeps_nothing(world: World) -> None:
    hold(world, 1, SESSIONS - 1)
    look(world)

    assert world.read_before.kept == {}


def test_a_look_alone_keeps_nothing(world: World) -> None:
    Engine(world.ports, Settings(state_dir=Path("/state"))).snapshot()

    assert world.read_before.kept == {}


def test_the_next_process_lists_no_agent_that_did_not_change(world: World) -> None:
    world.sessions.hold(*(stored(number, (number, 1)) for number in range(SESSIONS)), newest_ns=1)
    look(world)
    world.sessions.listings.clear()  # listing it anew would be seen

    assert len(look(world).sessions) == SESSIONS
