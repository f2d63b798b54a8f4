"""Readings: file events say what to look at, the clock does the rest, one runs and one waits."""

from __future__ import annotations

import copy
import threading
from dataclasses import replace
from datetime import timedelta
from queue import SimpleQueue
from typing import TYPE_CHECKING

from memconsole.errors import HomeNotFoundError
from memconsole.ui.workers.readings import INTERVALS
from tests.ui import sample
from tests.ui.driving import Desk, Stopwatch, at_work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pytest

    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ports.platform import StopSignal
    from tests.ui.fake_engine import FakeEngine

WORK = sample.HOME / "work"
"""A path that the fake engine takes for the agent of that name."""


class FakeFeed:
    """Yields what it is told; ends, or fails, when it is told that."""

    polling_because: str | None = None

    def __init__(self) -> None:
        self.queue: SimpleQueue[frozenset[Path] | Exception | None] = SimpleQueue()
        self.roots: tuple[Path, ...] = ()
        self.stop: StopSignal | None = None

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        self.roots, self.stop = roots, stop
        while True:
            item = self.queue.get()
            if isinstance(item, Exception):
                raise item
            if item is None:
                return
            yield item


async def until(desk: Desk, is_so: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    while not is_so():
        await desk.pilot.pause()
    await desk.settle()


async def test_a_changed_file_has_its_agent_looked_at_and_no_other(engine: FakeEngine) -> None:
    feed = FakeFeed()
    async with at_work(engine, feed=feed) as desk:
        assert desk.app.readings.is_watching
        feed.queue.put(frozenset({WORK}))
        await until(desk, lambda: len(engine.asked) > 1)
        assert engine.asked == [None, frozenset({sample.ref("work")})]
        assert feed.roots == (sample.HOME,)
        await until(desk, lambda: bool(engine.watch.noted))
        assert engine.watch.noted == [frozenset({WORK})]
        feed.queue.put(None)
    assert feed.stop is not None
    assert feed.stop.is_set()


async def test_news_that_are_of_no_file_are_looked_at_and_not_indexed(engine: FakeEngine) -> None:
    feed = FakeFeed()
    async with at_work(engine, feed=feed) as desk:
        feed.queue.put(frozenset())
        await until(desk, lambda: len(engine.asked) > 1)
        feed.queue.put(None)

    assert engine.asked == [None, frozenset()]
    assert engine.watch.noted == []


async def test_changes_during_a_reading_make_one_more_for_all_of_them(engine: FakeEngine) -> None:
    feed, gate = FakeFeed(), threading.Event()
    async with at_work(engine, feed=feed) as desk:
        usual = engine.snapshot

        def slow(changed: object = None, **_: object) -> ConsoleSnapshot:
            gate.wait(10)
            return usual(changed)  # type: ignore[arg-type]  # handed on

        engine.snapshot = slow  # type: ignore[method-assign]  # a slow disk
        for name in ("main", "work", "research"):
            feed.queue.put(frozenset({sample.HOME / name}))
        await until_idle(desk, feed)
        gate.set()
        await desk.settle()
        feed.queue.put(None)

    refs = [sample.ref(name) for name in ("main", "work", "research")]
    assert engine.asked == [None, frozenset(refs[:1]), frozenset(refs[1:])]


async def until_idle(desk: Desk, feed: FakeFeed) -> None:
    """Wait until all changes were heard of, while a reading still runs."""
    while not feed.queue.empty():
        await desk.pilot.pause()
    for _ in range(20):
        await desk.pilot.pause()


async def test_frozen_means_that_changes_are_not_looked_at(engine: FakeEngine) -> None:
    feed = FakeFeed()
    async with at_work(engine, feed=feed) as desk:
        await desk.press("f")
        feed.queue.put(frozenset({WORK}))
        await until(desk, lambda: bool(engine.watch.noted))
        assert engine.asked == [None]
        await desk.press("f")
        assert engine.asked == [None, None]
        feed.queue.put(None)


async def test_events_that_end_in_an_error_leave_the_clock(
    engine: FakeEngine, caplog: pytest.LogCaptureFixture
) -> None:
    feed = FakeFeed()
    async with at_work(engine, feed=feed) as desk:
        feed.queue.put(OSError("no more watches"))
        await until(desk, lambda: not desk.app.readings.is_watching)
        desk.app.readings.poll()
        await desk.settle()
        assert engine.asked == [None, None]

    assert "file events ended" in caplog.text


async def test_with_events_the_clock_looks_at_what_came_before_them_then_when_it_is_time_for_all(
    engine: FakeEngine,
) -> None:
    feed, watch = FakeFeed(), Stopwatch()
    async with at_work(engine, feed=feed, watch=watch) as desk:
        for seconds in (5, 34, 36):
            watch.seconds = float(seconds)
            desk.app.readings.poll()
            await desk.settle()
        feed.queue.put(None)

    assert engine.asked == [None, None, frozenset(), None]


async def test_without_events_the_clock_looks_at_all(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        desk.app.readings.poll()
        await desk.settle()

    assert engine.asked == [None, None]


async def test_a_slow_reading_makes_the_next_one_later(engine: FakeEngine) -> None:
    watch = Stopwatch()
    async with at_work(engine, watch=watch) as desk:
        readings = desk.app.readings
        assert readings.pause == timedelta(seconds=2)
        readings.finished(0.5)
        assert readings.pause == timedelta(seconds=20)
        readings.finished(None)
        assert readings.pause == timedelta(seconds=20)
        readings.finished(0.001)
        assert readings.pause == timedelta(seconds=2)


async def test_while_nothing_moves_and_events_come_the_clock_looks_less_often(
    engine: FakeEngine,
) -> None:
    feed = FakeFeed()
    async with at_work(engine, feed=feed) as desk:
        readings = desk.app.readings
        pauses = [readings.pause.total_seconds()]
        usual = sample.usual()
        fewer = replace(usual, sessions=usual.sessions[1:])
        for engine.reading in (usual, usual, usual, fewer, fewer):
            readings.poll()
            await desk.settle()
            pauses.append(readings.pause.total_seconds())
        readings.interval = INTERVALS[-1]
        assert readings.pause == INTERVALS[-1]
        feed.queue.put(None)
        await until(desk, lambda: not readings.is_watching)
        readings.interval = INTERVALS[0]
        assert readings.pause == INTERVALS[0]

    assert pauses == [2, 2, 15, 15, 2, 2]


async def test_counts_are_kept_when_they_differ_or_five_minutes_have_passed(
    engine: FakeEngine,
) -> None:
    watch = Stopwatch()
    async with at_work(engine, watch=watch) as desk:
        assert engine.sampled == 1
        await desk.press("r")
        assert engine.sampled == 1
        usual = sample.usual()
        engine.reading = replace(usual, sessions=usual.sessions[1:])
        await desk.press("r")
        assert engine.sampled == 2
        watch.seconds = 301.0
        await desk.press("r")
        assert engine.sampled == 3


async def test_a_failure_and_a_bug_are_both_survived(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        engine.reading = HomeNotFoundError("/gone")
        await desk.press("r")
        assert "/gone does not exist" in desk.bar("attention")

        def broken(changed: object = None) -> ConsoleSnapshot:
            raise ZeroDivisionError

        engine.snapshot = broken  # type: ignore[assignment, method-assign]  # a bug
        await desk.press("r")
        assert "a reading failed, which is a bug" in desk.bar("attention")
        assert desk.app.is_running


async def test_plus_and_minus_stop_at_their_ends(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press(*["plus"] * 8)
        assert desk.app.readings.interval == INTERVALS[-1]
        await desk.press(*["minus"] * 9)
        assert desk.app.readings.interval == INTERVALS[0]
        assert "refreshing every 1 s" in desk.bar("keys")


async def test_a_session_that_is_as_it_was_is_the_same_object(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        before = desk.app.snapshot
        assert before is not None
        engine.reading = replace(before, sessions=tuple(map(copy.copy, before.sessions)))
        desk.app.readings.request()
        await desk.settle()
        assert desk.app.snapshot is not before
        assert desk.app.snapshot is not None
        assert desk.app.snapshot.sessions is before.sessions
