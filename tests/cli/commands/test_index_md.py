"""`index-md`: thresholds, printing, and nothing written twice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Notice, PlatformConfig
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


def test_a_file_that_is_not_listed_for_its_name_is_told(world: World, call: Caller) -> None:
    hold(world, 60_000)
    root = world.platform.agents[0].workspace
    notices = (
        Notice("not-utf8", "it has no name to be called by", "memory/bad\udcff.md"),
        Notice("not-utf8", "what cannot be read was replaced", "memory/latin.md"),
    )
    world.memory.pools[root] = replace(world.memory.pools[root], notices=notices)
    for options in (("--dry-run",), ()):
        warnings = call.json("index-md", "--agent", "main", *options).envelope["warnings"]
        assert [one["message"] for one in warnings] == ["it has no name to be called by"]


def test_printing_writes_nothing(world: World, call: Caller) -> None:
    hold(world, 100)
    result = call("index-md", "--agent", "main", "--force", "--print")
    assert result.out.startswith("# Memory Index\n")
    [row] = call.json("index-md", "--agent", "main", "--force", "--print").data
    assert (row["status"], row["details"]["text"][:14]) == ("planned", "# Memory Index")
    assert world.workspace.writes == []
