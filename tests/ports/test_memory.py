"""What edits of memory leave in our own database: undo, consolidation, and what is erased."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.consolidate.note_hits import NoteHit
from memconsole.domain.memory.edits import (
    ActionKind,
    FileEdit,
    MemoryAction,
    ReflectionRecord,
    Span,
)
from memconsole.errors import StateError
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ports.conftest import Logs

MAIN = AgentRef(HomeRef("/home/operator/.openclaw"), "main")
FIND = NoteHit("d-1a2b3c4d", "memory/2026-01-20.md", "0123456789abcdef", NOW.date(), 0.5, NOW)
LONG_AGO = NOW - timedelta(days=60)
EDIT = FileEdit("MEMORY.md", False, "abc", (Span(3, "a\r\n\ud800ß", "", "x", "y"),))
ACTION = MemoryAction(0, "/ws", ActionKind.FORGET, NOW, ("m-1", "m-2"), (EDIT,))
SAVED = Capture(MAIN, "s", "k", NOW, "h", "# A\nzebra\nkept\n", True, None, "/ws")
REFLECTION = ReflectionRecord(0, "/ws", NOW, 9, 5, "memory/b/1.md", 30, "abc", (EDIT,))


def without_zebra(text: str) -> str:
    return text.replace("zebra\n", "")


def test_actions_come_back_as_they_were(logs: Logs) -> None:
    assert logs.edits.actions("/ws") == ()
    for kind in ActionKind:
        logs.edits.add(replace(ACTION, kind=kind))
    expected = [replace(ACTION, id=at, kind=kind) for at, kind in enumerate(ActionKind, 1)]
    assert logs.edits.actions("/ws") == tuple(reversed(expected))
    assert logs.edits.actions("/elsewhere") == ()


def test_an_action_that_was_undone_is_none_any_more(logs: Logs) -> None:
    for _ in range(2):
        logs.edits.add(ACTION)
    newest, oldest = logs.edits.actions("/ws")
    logs.edits.undone(newest, NOW)
    assert logs.edits.actions("/ws") == (oldest,)


def test_actions_are_erased_by_number_alone(logs: Logs) -> None:
    for _ in range(2):
        logs.edits.add(ACTION)
    newest, oldest = logs.edits.actions("/ws")
    logs.edits.erase([], ["/ws"], str)
    assert logs.edits.actions("/ws") == (newest, oldest)
    logs.edits.erase([newest.id], [], str)
    assert logs.edits.actions("/ws") == (oldest,)


def test_what_checkpoints_saved_loses_lines_only_where_it_shall(logs: Logs) -> None:
    other = replace(SAVED, workspace="/other", session_id="other")
    for capture in (SAVED, other):
        logs.captures.add(capture)
    logs.edits.erase([], ["/ws", MAIN.home.path], without_zebra)
    assert logs.edits.blocks("/ws") == ("# A\nkept\n",)
    assert logs.edits.blocks("/other") == (other.block,)
    assert logs.captures.last(MAIN, "s") == replace(SAVED, block="# A\nkept\n")


def test_a_consolidation_of_an_erased_place_cannot_be_undone(logs: Logs) -> None:
    logs.reflections.add(REFLECTION)
    logs.edits.erase([], ["/ws"], str)
    assert logs.reflections.last("/ws") == replace(REFLECTION, id=1, edits=())


def test_places_that_hold_text_are_known(logs: Logs) -> None:
    assert logs.edits.places() == frozenset()
    logs.edits.add(replace(ACTION, workspace="/edited"))
    logs.captures.add(replace(SAVED, workspace="/saved"))
    logs.reflections.add(replace(REFLECTION, workspace="/consolidated"))
    logs.reflections.add(replace(REFLECTION, workspace="/taken-back"))
    taken_back = logs.reflections.last("/taken-back")
    assert taken_back is not None
    logs.reflections.undone(taken_back, NOW)
    assert logs.edits.places() == {"/edited", "/saved", "/consolidated"}


def test_one_question_counts_once_a_day_with_its_best_score(logs: Logs) -> None:
    assert logs.consolidation.hits("/ws") == ()
    later = replace(FIND, score=0.9, at=NOW + timedelta(hours=1))
    logs.consolidation.add("/ws", [later, replace(FIND, score=0.4)], keep_since=LONG_AGO)
    logs.consolidation.add("/ws", [replace(later, score=0.3)], keep_since=LONG_AGO)
    assert logs.consolidation.hits("/ws") == (later,)
    assert logs.consolidation.hits("/elsewhere") == ()


def test_other_questions_days_and_notes_count_on_their_own(logs: Logs) -> None:
    hits = [
        FIND,
        replace(FIND, query="f" * 16),
        replace(FIND, day=FIND.day + timedelta(days=1), at=NOW + timedelta(days=1)),
        replace(FIND, entry="d-00000000", at=NOW + timedelta(days=2)),
    ]
    logs.consolidation.add("/ws", hits, keep_since=LONG_AGO)
    assert sorted(map(repr, logs.consolidation.hits("/ws"))) == sorted(map(repr, hits))


def test_what_is_old_goes(logs: Logs) -> None:
    old = replace(FIND, entry="d-00000000", at=NOW - timedelta(days=61))
    logs.consolidation.add("/ws", [old], keep_since=NOW - timedelta(days=62))
    assert logs.consolidation.hits("/ws") == (old,)
    logs.consolidation.add("/ws", [FIND], keep_since=LONG_AGO)
    assert logs.consolidation.hits("/ws") == (FIND,)


def test_what_was_declined_stays_declined(logs: Logs) -> None:
    assert logs.consolidation.declined("/ws") == frozenset()
    logs.consolidation.decline("/ws", ["d-1a2b3c4d"], NOW)
    logs.consolidation.decline("/ws", ["d-1a2b3c4d", "d-00000000"], NOW)
    assert logs.consolidation.declined("/ws") == {"d-1a2b3c4d", "d-00000000"}
    assert logs.consolidation.declined("/elsewhere") == frozenset()


def test_the_last_report_is_remembered(logs: Logs) -> None:
    assert logs.consolidation.last("/ws") is None
    logs.consolidation.reported("/ws", "one", NOW)
    logs.consolidation.reported("/ws", "two", NOW + timedelta(days=1))
    assert logs.consolidation.last("/ws") == ("two", NOW + timedelta(days=1))
    assert logs.consolidation.last("/elsewhere") is None


def test_what_cannot_be_stored_is_said_and_is_not_there(closed_logs: Logs) -> None:
    edits, log = closed_logs.edits, closed_logs.consolidation
    writes: list[Callable[[], None]] = [
        lambda: edits.add(ACTION),
        lambda: edits.undone(ACTION, NOW),
        lambda: edits.erase([1], [], str),
        lambda: log.add("/ws", [FIND], keep_since=LONG_AGO),
        lambda: log.decline("/ws", ["d-1a2b3c4d"], NOW),
        lambda: log.reported("/ws", "one", NOW),
    ]
    for write in writes:
        with pytest.raises(StateError):
            write()
    assert edits.actions("/ws") == ()
    assert (log.hits("/ws"), log.declined("/ws"), log.last("/ws")) == ((), frozenset(), None)
