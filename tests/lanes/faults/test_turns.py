"""The samples of the lane: turns behind one another try every fault."""

from __future__ import annotations

from tests.lanes.faults.lane import chosen


def test_turns_behind_one_another_come_to_every_fault_of_a_command() -> None:
    everything = chosen(5, None, 0, "reindex")
    turns = [chosen(5, 8, turn, "reindex") for turn in range(8)]
    assert {fault for turn in turns for fault in turn} == set(everything)
    assert [len(set(turn)) for turn in turns] == [8] * 8
    assert chosen(5, 8, 2, "reindex") == turns[2]
    assert len(chosen(1, 24, 3, "alerts test")) == len(chosen(1, None, 0, "alerts test")) == 7


def test_a_command_without_a_call_has_no_fault() -> None:
    assert not chosen(0, 24, 1, "status")
