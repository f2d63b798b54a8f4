"""`index-md`: thresholds, printing, and nothing written twice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.memory.files import PoolItem
from tests.cli.contract import check_envelope
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

INDEX = "memory/INDEX.md"


def hold(world: World, size: int) -> None:
    root = world.platform.agents[0].workspace
    empty = world.memory.pool(root, ("main",), config=PlatformConfig(), now=NOW)
    one = PoolItem("memory/2026-01-25.md", size, size // 4, False, True, modified_at=NOW)
    world.memory.pools[root] = replace(empty, files=1, size_bytes=size, items=(one,))


@pytest.mark.parametrize(("size", "status"), [(51_199, "skipped"), (51_200, "done")])
def test_large_memories_have_an_index(size: int, status: str, world: World, call: Caller) -> None:
    hold(world, size)
    result = call.json("index-md", "--agent", "main")
    check_envelope(result.envelope)
    [row] = result.data
    assert (result.code, row["command"], row["status"]) == (0, "index-md", status)


def test_it_is_written_only_when_something_changed(world: World, call: Caller) -> None:
    hold(world, 60_000)
    call.json("index-md", "--agent", "main")
    [again] = call.json("index-md", "--agent", "main").data
    assert (again["status"], again["reason"]) == ("skipped", "nothing-new")
    hold(world, 70_000)
    [changed] = call.json("index-md", "--agent", "main").data
    assert changed["status"] == "done"


def test_printing_writes_nothing(world: World, call: Caller) -> None:
    hold(world, 100)
    result = call("index-md", "--agent", "main", "--force", "--print")
    assert result.out.startswith("# Memory Index\n")
    [row] = call.json("index-md", "--agent", "main", "--force", "--print").data
    assert (row["status"], row["details"]["text"][:14]) == ("planned", "# Memory Index")
    assert world.workspace.writes == []
