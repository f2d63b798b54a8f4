"""The session that grows: turns, the store beside them, and the compaction at the end."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.demo.history import FixedClock
from memconsole.demo.home import COMPACTED_AT, COMPACTED_TO, TOKENS_A_TURN, DemoHome, write_home
from memconsole.domain.agents import Origin
from memconsole.domain.sessions.tokens import TokenState

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.engine.engine import Engine

NOW = datetime(2026, 4, 14, 14, 20, tzinfo=UTC)


@pytest.fixture
def demo(user_home: Path) -> DemoHome:
    return write_home(user_home, NOW, None)


@pytest.fixture
def engine(demo: DemoHome) -> Engine:
    later = FixedClock(NOW + timedelta(hours=1))
    return wiring.build_engine(process.load_settings(None, {}), Origin.CLI, clock=later)


def grown(engine: Engine, demo: DemoHome) -> SessionView:
    [view] = (one for one in engine.sessions.all() if one.key_text == demo.growing.key)
    return view


def test_a_step_says_one_thing_and_the_store_tells_its_size(demo: DemoHome, engine: Engine) -> None:
    before = engine.sessions.transcript(demo.growing.key, everything=True)
    tokens = demo.growing.tokens
    demo.growing.step(NOW)
    demo.growing.step(NOW + timedelta(seconds=4))
    after = engine.sessions.transcript(demo.growing.key, everything=True)
    view = grown(engine, demo)

    assert len(after.messages) > len(before.messages)
    assert after.counts.damaged == 0
    assert all(message.on_path for message in after.messages)
    assert (view.tokens, view.count.state) == (tokens + 2 * TOKENS_A_TURN, TokenState.FRESH)
    assert view.stored.updated_at == NOW + timedelta(seconds=4)


def test_it_becomes_due_and_is_compacted_at_the_end_of_its_window(
    demo: DemoHome, engine: Engine
) -> None:
    sizes: list[int] = []
    while not sizes or sizes[-1] >= sizes[0]:
        demo.growing.step(NOW)
        sizes.append(demo.growing.tokens)
        if len(sizes) == 25:
            assert grown(engine, demo).is_due
    assert max(sizes) <= COMPACTED_AT < max(sizes) + TOKENS_A_TURN

    view = grown(engine, demo)
    assert (view.tokens, view.stored.compactions) == (COMPACTED_TO, 1)
    assert not view.is_due
    demo.growing.step(NOW)
    assert grown(engine, demo).tokens == COMPACTED_TO + TOKENS_A_TURN


def test_it_grows_by_itself_for_the_block_only(demo: DemoHome) -> None:
    asked = threading.Event()

    def now() -> datetime:
        asked.set()
        return NOW

    with demo.growing.running(now, timedelta(milliseconds=1)):
        assert asked.wait(10)
    tokens = demo.growing.tokens
    asked.clear()
    assert not asked.wait(0.02)
    assert demo.growing.tokens == tokens
    assert "growing" not in {thread.name for thread in threading.enumerate()}


def test_a_home_that_is_gone_ends_it_quietly(demo: DemoHome) -> None:
    for path in (demo.state / "agents" / "homelab" / "sessions").iterdir():
        path.unlink()
    asked: list[datetime] = []

    def now() -> datetime:
        asked.append(NOW)
        return NOW

    with demo.growing.running(now, timedelta(milliseconds=1)):
        for one in threading.enumerate():  # it may have ended already
            if one.name == "growing":
                one.join(10)
        assert "growing" not in {one.name for one in threading.enumerate()}
    assert len(asked) == 1
