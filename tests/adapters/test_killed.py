"""Every command that writes, killed at each change of the disk, and run again.

Afterwards the workspace is what one undisturbed run leaves: nothing lost, nothing twice, no file,
folder or lock too many; and the journal is empty.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from memconsole import sqlite
from memconsole.domain.commands import (
    Checkpoint,
    IndexMd,
    Layer,
    MemoryAdd,
    MemoryForget,
    MemoryUndo,
    Observe,
    Reflect,
    Summarize,
)
from memconsole.domain.consolidation_commands import Consolidate
from memconsole.domain.entries import entries_of
from tests.adapters.capture_place import KEY, Place
from tests.adapters.dying import Dying
from tests.adapters.test_reflect_disk import OLD

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands import Command

MEMORY = "# Memory\n\n## Notes\n\n- The zebra code is purple\n- Ada prefers tea\n"


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return everything below a folder: mode and bytes by path."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mode & 0o777,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in folder.rglob("*")
    }


def intents(place: Place) -> int:
    with sqlite.open_own(place.settings.state_dir / "state.db") as connection:
        [found] = connection.execute("SELECT count(*) FROM intent").fetchall()
    return int(str(found[0]))


def entry(word: str) -> str:
    return next(one.id for one in entries_of("MEMORY.md", MEMORY) if word in one.text)


def forget(agent: AgentRef, *, is_hard: bool = False) -> MemoryForget:
    return MemoryForget(agent, (entry("zebra"),), is_hard=is_hard)


def nothing(place: Place) -> None:
    """Prepare nothing."""


def make_observations(place: Place) -> None:
    place.file.write_bytes(OLD)


def have_forgotten(place: Place) -> None:
    place.run(forget(place.agent))


def have_added(place: Place) -> None:
    place.run(MemoryAdd(place.agent, "Port 8443 is the gateway", Layer.DAILY))


def have_reflected(place: Place) -> None:
    make_observations(place)
    place.run(Reflect(place.agent, is_forced=True))


def have_consolidated(place: Place) -> None:
    make_observations(place)
    place.run(Consolidate(place.agent))


COMMANDS: dict[str, tuple[Callable[[Place], None], Callable[[AgentRef], Command]]] = {
    "checkpoint": (nothing, Checkpoint),
    "observe": (nothing, Observe),
    "observe-more": (make_observations, Observe),
    "summarize": (nothing, lambda agent: Summarize(agent, KEY)),
    "index-md": (nothing, lambda agent: IndexMd(agent, is_forced=True)),
    "reflect": (make_observations, lambda agent: Reflect(agent, is_forced=True)),
    "reflect-undo": (have_reflected, lambda agent: Reflect(agent, is_undo=True)),
    "consolidate": (make_observations, Consolidate),
    "add": (nothing, lambda agent: MemoryAdd(agent, "Port 8443 is the gateway", Layer.LONG)),
    "add-daily": (nothing, lambda agent: MemoryAdd(agent, "It rains", Layer.DAILY)),
    "forget": (nothing, forget),
    "undo-forget": (have_forgotten, MemoryUndo),
    "undo-add": (have_added, MemoryUndo),
    "undo-consolidate": (have_consolidated, MemoryUndo),
}


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Dying:
    return Dying(monkeypatch)


def made(folder: Path) -> Place:
    place = Place(folder)
    place.say(*(f"Line {number} of what was said. {'x' * 60}" for number in range(8)))
    memory = place.workspace / "MEMORY.md"
    memory.write_text(MEMORY)
    memory.chmod(0o644)
    return place


@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_at_any_change_and_a_second_run_leave_what_one_run_leaves(
    tmp_path: Path, dying: Dying, name: str
) -> None:
    prepare, command = COMMANDS[name]
    template = tmp_path / "place"
    place = made(template)
    prepare(place)
    place.run(IndexMd(place.agent))  # the database is made
    kept = tmp_path / "kept"
    template.rename(kept)

    def again() -> None:
        shutil.rmtree(template, ignore_errors=True)
        shutil.copytree(kept, template)

    again()
    dying.done = 0
    place.run(command(place.agent))
    changes, wanted = dying.done, tree(place.workspace)
    assert wanted != tree(kept / "ws")
    for number in range(changes):
        again()
        with dying.after(number):
            place.run(command(place.agent))
        place.run(command(place.agent))
        assert tree(place.workspace) == wanted, number
        assert intents(place) == 0, number
