"""A changed configuration of the platform is checked soon; its own stamps are no change."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.engine.config_check.watch import QUIET_S, ConfigWatch
from memconsole.engine.engine import Engine
from memconsole.errors import HomeNotFoundError
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, fake_agent
from tests.scheduler.stage import SETTINGS

if TYPE_CHECKING:
    from memconsole.domain.agents import Home

CHANGED = frozenset({HOME / "openclaw.json"})


def put(world: World, **config: object) -> None:
    """Give the platform another configuration."""
    world.platform.config = replace(world.platform.config, **config)  # type: ignore[arg-type]


def begun() -> tuple[World, ConfigWatch]:
    world = World(fake_agent())
    watch = Engine(world.ports, SETTINGS).watches.config()
    watch.begin()
    return world, watch


def test_what_is_checked_has_changed_and_is_checked_once_after_a_rest() -> None:
    world, watch = begun()
    watch.note(CHANGED)
    assert watch.due_in_s() is None
    put(world, checked={"memoryFlush": {"enabled": False}})
    watch.note(CHANGED)
    assert watch.due_in_s() == QUIET_S
    world.clock.advance(timedelta(seconds=QUIET_S))
    assert watch.due_in_s() == 0
    assert watch.take_due() == ()
    assert watch.due_in_s() is None


def test_the_platforms_own_stamp_is_no_change() -> None:
    world, watch = begun()
    put(world, last_version="2026.9.7")
    watch.note(CHANGED)
    assert watch.due_in_s() is None


def test_other_files_cost_no_look() -> None:
    world, watch = begun()
    put(world, is_readable=False)
    watch.note(frozenset({HOME / "agents/main/sessions/s-1.jsonl"}))
    assert watch.due_in_s() is None
    watch.note(CHANGED)
    assert watch.due_in_s() == QUIET_S
    watch.checked()
    assert watch.due_in_s() is None


def test_a_home_that_is_gone_for_a_moment_is_no_change() -> None:
    world = World(fake_agent())
    home = world.platform.read()
    homes: list[Home | HomeNotFoundError] = [home, HomeNotFoundError(str(HOME)), home]

    def read() -> Home:
        found = homes.pop(0)
        if isinstance(found, HomeNotFoundError):
            raise found
        return found

    watch = ConfigWatch(world.clock, read)
    watch.begin()
    watch.note(CHANGED)
    watch.note(CHANGED)
    assert homes == []
    assert watch.due_in_s() is None
