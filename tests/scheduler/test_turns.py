"""The order inside one workspace."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from memconsole.scheduler.workspace_queue import Rank, Ticket, WorkspaceQueue

if TYPE_CHECKING:
    from collections.abc import Callable

NEVER = threading.Event()


def in_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_jobs_that_come_together_go_by_their_rank() -> None:
    turns = WorkspaceQueue()
    order: list[str] = []
    ready = threading.Barrier(len(Rank))

    def run(ticket: Ticket, rank: Rank) -> None:
        ready.wait()
        ticket.expect(["a", "b"])
        for place in ("a", "b"):
            with ticket.turn(place, NEVER):
                order.append(f"{rank.name} {place}")
        ticket.leave()

    # Entered in the wrong order, before any of them says what it wants.
    tickets = [(turns.enter(rank), rank) for rank in reversed(Rank)]
    threads = [in_thread(lambda one=one: run(*one)) for one in tickets]  # type: ignore[misc]
    for thread in threads:
        thread.join()
    for place in ("a", "b"):
        of_place = [entry.split()[0] for entry in order if entry.endswith(place)]
        assert of_place == [rank.name for rank in Rank]


def test_one_that_waits_for_a_place_does_not_hold_another_up() -> None:
    turns = WorkspaceQueue()
    first, second = turns.enter(Rank.RECOVERY), turns.enter(Rank.CHECKPOINT)
    first.expect(["a"])
    with first.turn("a", NEVER), second.turn("b", NEVER):
        assert turns.held == {"a", "b"}
    with second.turn("a", NEVER):  # the first one is done with it
        assert turns.held == {"a"}


def test_two_of_one_rank_go_by_their_coming() -> None:
    turns = WorkspaceQueue(patience_s=0)
    first, second = turns.enter(Rank.FLUSH), turns.enter(Rank.FLUSH)
    with second.turn("a", NEVER):
        assert turns.held == set()  # it went ahead without the turn: its patience is over
    first.leave()
    with second.turn("a", NEVER):
        assert turns.held == {"a"}


def test_work_without_a_workspace_waits_for_nobody() -> None:
    turns = WorkspaceQueue()
    turns.enter(Rank.RECOVERY)
    with turns.enter(None).turn("a", NEVER):
        assert turns.held == set()


def test_who_is_told_to_end_stops_waiting() -> None:
    turns, cancel = WorkspaceQueue(), threading.Event()
    turns.enter(Rank.RECOVERY)
    behind = turns.enter(Rank.CHECKPOINT)
    cancel.set()
    with behind.turn("a", cancel):
        assert turns.held == set()


def test_a_failure_gives_the_turn_back() -> None:
    turns = WorkspaceQueue()
    ticket = turns.enter(Rank.CHECKPOINT)
    with pytest.raises(ValueError, match="inside"), ticket.turn("a", NEVER):
        raise ValueError("inside")
    ticket.leave()
    assert (turns.held, turns.queue) == (set(), [])
    ticket.leave()  # twice is once
