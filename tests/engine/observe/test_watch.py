"""Counting what is said, and when it is looked at."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.observe.watch import LineCount
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.settings.sections import WatcherSettings
from memconsole.domain.transcripts.records import EntryKind
from memconsole.engine.engine import Engine
from memconsole.engine.observe.watch import ObserverWatch
from memconsole.errors import HomeNotFoundError
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, fake_agent, talk
from tests.scheduler.stage import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.agents import Home

AGENT = fake_agent()
CHANGED = frozenset({AGENT.sessions_dir / "s-1.jsonl"})


def stored(session_id: str, key: str) -> StoredSession:
    ref = TranscriptRef(AGENT.ref, session_id, TranscriptKind.FILE, HOME / f"{session_id}.jsonl")
    return StoredSession(
        AGENT.ref,
        parse_key(key, owner="main"),
        session_id,
        SessionState.LIVE,
        TranscriptState.PRESENT,
        transcript=ref,
    )


class Stage:
    """One agent, one talk, one group."""

    def __init__(self) -> None:
        self.world = World(AGENT)
        self.world.sessions.hold(
            stored("s-1", "agent:main:main"), stored("g-1", "agent:main:telegram:group:-1")
        )
        self.say(10)
        self.world.sessions.transcripts["g-1"] = []
        self.watch = self.watching(self.world.platform.read)
        self.watch.note(frozenset({HOME}))

    def watching(self, home: Callable[[], Home]) -> ObserverWatch:
        return ObserverWatch(home, sessions=self.world.sessions, clock=self.world.clock)

    def say(self, lines: int, session_id: str = "s-1") -> None:
        self.world.sessions.transcripts[session_id] = talk(*(f"line {n}" for n in range(lines)))

    def due(self, lines: int, session_id: str = "s-1") -> list[str]:
        self.say(lines, session_id)
        self.watch.note(CHANGED)
        return [one.agent.id for one in self.watch.take_due()]


def test_forty_new_lines_are_looked_at_and_what_was_there_before_is_not_news() -> None:
    stage = Stage()
    assert stage.watch.due_in_s() is None
    assert stage.due(10 + 39) == []
    assert stage.due(10 + 40) == ["main"]
    assert stage.due(10 + 41) == []


def test_lines_inside_the_pause_are_looked_at_when_it_ends() -> None:
    stage = Stage()
    assert stage.due(50) == ["main"]
    stage.world.clock.advance(timedelta(seconds=100))
    assert stage.due(90) == []
    assert stage.watch.due_in_s() == 200
    stage.world.clock.advance(timedelta(seconds=200))
    assert [one.agent.id for one in stage.watch.take_due()] == ["main"]


def test_any_other_run_of_the_observer_starts_anew() -> None:
    stage = Stage()
    stage.due(49)
    stage.watch.observed()
    assert stage.due(51) == []
    assert stage.due(49 + 40) == []
    stage.world.clock.advance(timedelta(minutes=5))
    assert [one.agent.id for one in stage.watch.take_due()] == ["main"]


def test_groups_and_half_lines_do_not_count() -> None:
    stage = Stage()
    assert stage.due(80, "g-1") == []
    entries = talk(*(f"line {n}" for n in range(50)))
    half = replace(entries[-1], kind=EntryKind.IN_PROGRESS)
    stage.world.sessions.transcripts["s-1"] = [*entries[:-1], half]
    stage.watch.note(CHANGED)
    assert stage.watch.take_due() == ()
    stage.world.sessions.transcripts["s-1"] = entries
    stage.watch.note(CHANGED)
    assert len(stage.watch.take_due()) == 1


def test_a_new_session_counts_from_its_beginning_and_a_cut_one_begins_anew() -> None:
    stage = Stage()
    stage.world.sessions.hold(stored("s-2", "agent:main:main"))
    assert stage.due(40, "s-2") == ["main"]
    stage.world.clock.advance(timedelta(minutes=6))
    assert stage.due(5, "s-2") == []
    assert stage.due(5 + 40, "s-2") == ["main"]


def test_files_of_others_and_a_missing_home_change_nothing() -> None:
    stage = Stage()
    stage.say(99)
    stage.watch.note(frozenset({Path("/elsewhere/file")}))
    assert stage.watch.take_due() == ()

    def gone() -> Home:
        raise HomeNotFoundError("/gone")

    stage.watching(gone).note(CHANGED)
    stage.world.sessions.broken.add("s-1")
    stage.watch.note(CHANGED)
    assert stage.watch.take_due() == ()


@pytest.mark.parametrize(
    ("count", "now", "wait"),
    [
        (LineCount(39), 0.0, None),
        (LineCount(40), 0.0, 0.0),
        (LineCount(40, 0.0), 299.0, 1.0),
        (LineCount(40, 0.0), 300.0, 0.0),
        (LineCount(40, 0.0).observed(5.0), 900.0, None),
    ],
)
def test_the_rule_by_itself(count: LineCount, now: float, wait: float | None) -> None:
    assert count.due_in_s(now, WatcherSettings()) == wait


def test_each_agent_has_its_own_threshold_and_one_may_be_off() -> None:
    stage = Stage()
    usual = replace(SETTINGS, watcher=WatcherSettings(line_threshold=5))
    for watcher, due in (
        (WatcherSettings(line_threshold=20), ["main"]),
        (WatcherSettings(line_threshold=21), []),
        (WatcherSettings(line_threshold=5, is_enabled=False), []),
    ):
        settings = replace(usual, agents={"main": replace(usual, watcher=watcher)})
        stage.watch = Engine(stage.world.ports, settings).watches.sessions()
        stage.say(10)
        stage.watch.begin()
        assert stage.due(30) == due
