"""What captures leave in our own database: what goes in comes out, for its agent only."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.cleanup import OldKind, Step, TakenFile
from memconsole.domain.flush import Cycle, FlushMark, Stage
from memconsole.domain.memory.edits import ReflectionRecord
from memconsole.domain.observe.rules import Cursor
from memconsole.domain.summarize.handover import Handover
from memconsole.domain.summarize.text import SummaryRecord
from memconsole.errors import StateError
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ports.conftest import Logs

MAIN = AgentRef(HomeRef("/home/operator/.openclaw"), "main")
WORK = replace(MAIN, id="work")
ELSEWHERE = replace(MAIN, home=HomeRef("/elsewhere"))
KEY = "agent:main:main"
CAPTURE = Capture(MAIN, "a0b7", KEY, NOW, "0" * 64, "# Active Context\n", True, "day.md", "/ws")
FLUSH = FlushMark(Cycle("s-1", 0, NOW), frozenset({Stage.EARLY}), NOW)
HERE = Cursor("0a", 4711, NOW)
NAMELESS = Cursor(None, 7, None, is_whole=True)
REFLECTION = ReflectionRecord(0, "/ws", NOW, 9_000, 5_000, "memory/b/1.md", 30_000, "abc")
HANDOVER = Handover(MAIN, KEY, "memory/handover-a.md", "s-1", NOW)
TAKEN = TakenFile(
    0, MAIN, NOW, Path("/x/caf\udce9.jsonl"), OldKind.RESET, Step.DELETE, "ab", 9, 0o640, 7
)
SUMMARY = SummaryRecord(MAIN, "s-1", KEY, NOW, NOW - timedelta(hours=1), "memory/a.md", "new")


def later(**step: float) -> Capture:
    return replace(CAPTURE, at=NOW + timedelta(**step))


def test_a_capture_comes_back_as_it_was(logs: Logs) -> None:
    bare = replace(later(minutes=1), session_key=None, day_file=None, is_logged=False)
    assert logs.captures.last(MAIN) is None
    for capture in (CAPTURE, bare):
        logs.captures.add(capture)
        assert logs.captures.last(MAIN) == capture


def test_captures_are_told_apart(logs: Logs) -> None:
    first = replace(CAPTURE, session_id="one")
    second = replace(later(minutes=5), session_id="two", is_logged=False)
    others = [replace(CAPTURE, agent=agent) for agent in (ELSEWHERE, WORK)]
    for capture in (first, second, *others):
        logs.captures.add(capture)
    assert logs.captures.last(MAIN) == second
    assert logs.captures.last(MAIN, "one") == first
    assert logs.captures.last(MAIN, "three") is None
    assert logs.captures.last_logged(MAIN) == first
    assert logs.captures.last_logged(MAIN, "two") is None
    assert logs.captures.last(ELSEWHERE) == others[0]
    assert logs.captures.latest_by_agent(MAIN.home.path) == {"main": second, "work": others[1]}
    by_session = logs.captures.latest_by_session(MAIN.home.path)
    assert by_session["main", second.session_id] == second.at
    assert by_session["work", others[1].session_id] == others[1].at


def test_checkpoints_come_newest_first_and_not_all(logs: Logs) -> None:
    assert logs.captures.history(MAIN, 3) == ()
    saved = [replace(later(minutes=number), session_id=f"s{number}") for number in range(4)]
    for capture in (*saved, replace(CAPTURE, agent=WORK)):
        logs.captures.add(capture)
    assert logs.captures.history(MAIN, 3) == tuple(saved[:0:-1])


def test_looks_that_found_nothing_new_do_not_pile_up(logs: Logs) -> None:
    looks = [
        replace(later(minutes=minute), is_logged=False, day_file=None) for minute in range(1, 6)
    ]
    for capture in (CAPTURE, *looks):
        logs.captures.add(capture)
    assert logs.captures.history(MAIN, 9) == (looks[-1], CAPTURE)


@pytest.mark.parametrize(
    "mark",
    [
        FLUSH,
        FlushMark(Cycle("s-1", 3, NOW), frozenset(Stage), NOW),
        FlushMark(Cycle(), frozenset(), NOW),
    ],
)
def test_a_flush_comes_back_as_it_was(logs: Logs, mark: FlushMark) -> None:
    assert logs.flushes.last(MAIN, KEY) is None
    logs.flushes.store(MAIN, KEY, mark)
    assert logs.flushes.last(MAIN, KEY) == mark


def test_the_newest_flush_replaces_the_one_before(logs: Logs) -> None:
    second = FlushMark(Cycle("s-1", 1, NOW), frozenset(), NOW)
    for mark in (FLUSH, second):
        logs.flushes.store(MAIN, KEY, mark)
    assert logs.flushes.last(MAIN, KEY) == second
    assert logs.flushes.last(ELSEWHERE, KEY) is None
    assert logs.flushes.last(MAIN, "agent:main:other") is None


def test_how_far_the_observer_came_is_known_of_each_agent(logs: Logs) -> None:
    assert (logs.observer.last(MAIN), logs.observer.cursors(MAIN)) == (None, {})
    logs.observer.advance(MAIN, "h1", {"s1": HERE, "s2": NAMELESS}, NOW)
    assert logs.observer.last(MAIN) == ("h1", NOW)
    assert logs.observer.cursors(MAIN) == {"s1": HERE, "s2": NAMELESS}
    assert (logs.observer.last(WORK), logs.observer.cursors(WORK)) == (None, {})


def test_a_later_observation_replaces_what_it_saw_and_keeps_the_rest(logs: Logs) -> None:
    then = NOW + timedelta(hours=1)
    logs.observer.advance(MAIN, "h1", {"s1": HERE, "s2": NAMELESS}, NOW)
    logs.observer.advance(MAIN, "h2", {"s1": Cursor("0b", 9_000, then)}, then)
    assert logs.observer.cursors(MAIN) == {"s1": Cursor("0b", 9_000, then), "s2": NAMELESS}
    assert logs.observer.last(MAIN) == ("h2", then)


def test_fingerprints_are_kept_each_once(logs: Logs) -> None:
    for mark in ("a", "b", "a"):
        logs.recovery.remember(MAIN, "s-1", mark, NOW)
    assert logs.recovery.fingerprints(MAIN, "s-1") == {"a", "b"}
    assert logs.recovery.fingerprints(MAIN, "s-2") == frozenset()
    assert logs.recovery.fingerprints(WORK, "s-1") == frozenset()


def test_keys_of_sessions_are_known_from_looks_and_from_captures(logs: Logs) -> None:
    logs.recovery.note(MAIN, {"s-1": KEY}, NOW)
    logs.recovery.note(MAIN, {"s-1": KEY, "s-2": "agent:main:dashboard:x"}, NOW)
    logs.captures.add(replace(CAPTURE, session_id="s-3"))
    logs.captures.add(replace(CAPTURE, session_id="nameless", session_key=None))
    logs.summaries.add(replace(SUMMARY, session_id="s-4"))
    direct = "agent:main:telegram:direct:7"
    logs.flushes.store(MAIN, direct, FlushMark(Cycle("s-5", 0, NOW), frozenset(), NOW))
    assert logs.recovery.keys(MAIN) == {
        "s-1": KEY,
        "s-2": "agent:main:dashboard:x",
        "s-3": KEY,
        "s-4": KEY,
        "s-5": direct,
    }
    assert logs.recovery.keys(ELSEWHERE) == {}


def test_the_newest_summary_of_a_session_is_found(logs: Logs) -> None:
    assert logs.summaries.last(MAIN, "s-1") is None
    newest = replace(SUMMARY, until=NOW, path="memory/b.md", session_key=None)
    logs.summaries.add(SUMMARY)
    logs.summaries.add(newest)
    assert logs.summaries.last(MAIN, "s-1") == newest
    assert logs.summaries.last(MAIN, "s-2") is None
    assert logs.summaries.last(ELSEWHERE, "s-1") is None


def test_a_start_is_given_the_newest_hand_over_of_its_session_once(logs: Logs) -> None:
    assert logs.handovers.waiting(MAIN, KEY) is None
    newest = replace(HANDOVER, path="memory/handover-b.md", window="s-2")
    for one in (HANDOVER, newest, replace(HANDOVER, agent=WORK)):
        logs.handovers.add(one)
    assert logs.handovers.waiting(MAIN, KEY) == newest
    other = replace(HANDOVER, session_key="agent:main:other")
    logs.handovers.add(other)
    assert logs.handovers.of_agent(MAIN) == (other, newest)
    logs.handovers.given(newest, NOW)
    assert logs.handovers.of_agent(MAIN) == (other,)
    assert logs.handovers.of_agent(ELSEWHERE) == ()
    assert logs.handovers.waiting(MAIN, KEY) is None
    assert logs.handovers.waiting(WORK, KEY) is not None
    assert logs.handovers.waiting(ELSEWHERE, KEY) is None


def test_the_newest_reflection_that_was_not_undone_is_found(logs: Logs) -> None:
    assert logs.reflections.last("/ws") is None
    then = replace(REFLECTION, at=NOW + timedelta(minutes=5))
    for record in (REFLECTION, then):
        logs.reflections.add(record)
    newest = logs.reflections.last("/ws")
    assert newest == replace(then, id=2)
    logs.reflections.undone(newest, NOW)
    assert logs.reflections.last("/ws") == replace(REFLECTION, id=1)
    assert logs.reflections.last("/elsewhere") is None


def test_what_cannot_be_stored_is_said_and_is_not_there(closed_logs: Logs) -> None:
    logs = closed_logs
    writes: list[Callable[[], None]] = [
        lambda: logs.captures.add(CAPTURE),
        lambda: logs.flushes.store(MAIN, KEY, FLUSH),
        lambda: logs.observer.advance(MAIN, "h", {}, NOW),
        lambda: logs.recovery.remember(MAIN, "s-1", "a", NOW),
        lambda: logs.recovery.note(MAIN, {"s-1": KEY}, NOW),
        lambda: logs.reflections.add(REFLECTION),
        lambda: logs.reflections.undone(REFLECTION, NOW),
        lambda: logs.summaries.add(SUMMARY),
        lambda: logs.handovers.add(HANDOVER),
        lambda: logs.handovers.given(HANDOVER, NOW),
    ]
    for write in writes:
        with pytest.raises(StateError):
            write()
    assert logs.captures.last(MAIN) is None
    assert logs.flushes.last(MAIN, KEY) is None
    assert logs.observer.last(MAIN) is None
    assert logs.recovery.fingerprints(MAIN, "s-1") == frozenset()
    assert logs.recovery.keys(MAIN) == {}
    assert logs.reflections.last("/ws") is None
    assert logs.summaries.last(MAIN, "s-1") is None


def test_what_was_taken_away_is_found_by_its_very_name_until_it_is_dropped(logs: Logs) -> None:
    first = logs.taken.add(TAKEN)
    second = logs.taken.add(replace(TAKEN, path=Path("/x/two"), step=Step.COMPRESS, kept=""))
    logs.taken.add(replace(TAKEN, agent=WORK))
    assert first == replace(TAKEN, id=first.id)
    logs.taken.done(first)
    assert logs.taken.of(MAIN) == (second, replace(first, is_done=True))
    waited = replace(first, is_done=True, waited_s=4.5, looked_at=NOW, passed_s=1e6)
    logs.taken.looked([waited])
    assert logs.taken.of(MAIN) == (second, waited)
    logs.taken.looked([replace(first, is_done=True, looked_at=NOW, passed_s=0.0)])
    first = replace(first, looked_at=NOW, passed_s=0.0)
    logs.taken.drop(second)
    assert logs.taken.of(MAIN) == (replace(first, is_done=True),)
    assert logs.taken.of(ELSEWHERE) == ()
