"""Every command that writes, killed at each change of the disk, and run again.

Afterwards the workspace is what one undisturbed run leaves: nothing lost, nothing twice, no file,
folder or lock too many; and the journal is empty.
"""

from __future__ import annotations

import shutil
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.own import open_own
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.consolidate import Consolidate, Propose
from memconsole.domain.commands.flush import Flush
from memconsole.domain.commands.index_md import IndexMd
from memconsole.domain.commands.memory import Layer, MemoryAdd, MemoryForget, MemoryUndo, Promote
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Failed, Skipped
from memconsole.domain.commands.recover import Recover
from memconsole.domain.commands.reflect import Reflect
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.commands.restore import Restore
from memconsole.domain.commands.summarize import Summarize
from memconsole.domain.consolidate.note_hits import NoteHit
from memconsole.domain.memory.entries import entries_of
from memconsole.domain.search.values import SearchRequest
from tests.doubles.platform import NOW
from tests.dying import Dying
from tests.engine.capture_place import KEY, Place
from tests.engine.reflect.test_on_disk import OLD

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome

SECRET = "The zebra code is purple"
MEMORY = f"# Memory\n\n## Notes\n\n- {SECRET}\n- Ada prefers tea\n"
NOTES = "memory/2026-01-20.md"
NOTE = "- [FACT] Port 8443 is the gateway\n"
UNDONE = ("add", "add-daily", "forget", "promote", "consolidate", "reflect")


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
    with open_own(place.settings.state_dir / "state.db") as connection:
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


def have_copies(place: Place) -> None:
    """Leave the words in archive, backups, undo records, a checkpoint's block and the index."""
    memory = place.workspace / "memory"
    for name in ("archive/old.md", "observation-backups/observations-1.md"):
        path = memory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Kept\n\n- 🟡 10:00 {SECRET}\n- 🟡 11:00 Something else\n")
    place.run(forget(place.agent))
    place.run(MemoryUndo(place.agent))
    place.run(Reindex(place.agent))


def have_found(place: Place) -> None:
    (place.workspace / NOTES).write_text(NOTE)
    find = NoteHit(note(), NOTES, "0" * 16, NOW.date(), 0.9, NOW)
    log = place.engine()._ports.consolidation
    log.add(str(place.workspace.resolve()), [find], keep_since=NOW)


def note() -> str:
    return entries_of(NOTES, NOTE)[0].id


def have_ended(place: Place) -> None:
    """End the talk after its summary, with words behind that; the platform begins another one."""
    place.run(Summarize(place.agent, KEY))
    place.run(Recover(place.agent))
    place.clock.advance(timedelta(hours=1))
    place.say("And one thing more: the boat is blue.", "Noted.")
    place.end()


COMMANDS: dict[str, tuple[Callable[[Place], None], Callable[[AgentRef], Command]]] = {
    "checkpoint": (nothing, Checkpoint),
    "observe": (nothing, Observe),
    "observe-more": (make_observations, Observe),
    "summarize": (nothing, lambda agent: Summarize(agent, KEY)),
    "restore": (have_ended, lambda agent: Restore(agent, KEY)),
    "index-md": (nothing, lambda agent: IndexMd(agent, is_forced=True)),
    "reflect": (make_observations, lambda agent: Reflect(agent, is_forced=True)),
    "reflect-undo": (have_reflected, lambda agent: Reflect(agent, is_undo=True)),
    "consolidate": (make_observations, Consolidate),
    "add": (nothing, lambda agent: MemoryAdd(agent, "Port 8443 is the gateway", Layer.LONG)),
    "add-daily": (nothing, lambda agent: MemoryAdd(agent, "It rains", Layer.DAILY)),
    "forget": (nothing, forget),
    "forget-hard": (have_copies, lambda agent: forget(agent, is_hard=True)),
    "promote": (have_found, lambda agent: Promote(agent, (note(),))),
    "propose": (make_observations, Propose),
    "recover": (have_ended, Recover),
    "flush": (nothing, lambda agent: Flush(agent, KEY)),
    "undo-forget": (have_forgotten, MemoryUndo),
    "undo-add": (have_added, MemoryUndo),
    "undo-consolidate": (have_consolidated, MemoryUndo),
}
STRIDES = {"recover": 7, "flush": 5, "forget-hard": 7}
"""Commands of several turns: each turn is one of the others, and what is between them counts."""

STRIDE = 3
"""Of the others: `make test-faults` ends each command before each of its writes."""

FAILING = ("checkpoint", "observe", "summarize", "reflect", "forget", "forget-hard", "undo-add")


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


class Rehearsal:
    """One command in a home that can be set up again and again, and what it leaves undisturbed."""

    def __init__(self, folder: Path, dying: Dying, name: str) -> None:
        prepare, self._command = COMMANDS[name]
        self._kept, self._folder = folder / "kept", folder / "place"
        self._number = count()
        self.place = made(self._folder)
        prepare(self.place)
        self.place.run(IndexMd(self.place.agent))  # the database is made
        self._folder.rename(self._kept)
        self.set_up()
        self.before = tree(self.place.workspace)
        dying.done = 0
        self.run()
        self.changes, self.wanted = dying.done, tree(self.place.workspace)
        assert self.wanted != self.before

    def set_up(self) -> None:
        if self._folder.exists():
            self._folder.rename(self._kept.with_name(f"used-{next(self._number)}"))
        shutil.copytree(self._kept, self._folder, symlinks=True)

    def run(self) -> Outcome:
        return self.place.run(self._command(self.place.agent))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_at_any_change_and_a_second_run_leave_what_one_run_leaves(
    tmp_path: Path, dying: Dying, name: str
) -> None:
    one = Rehearsal(tmp_path, dying, name)
    for number in range(0, one.changes, STRIDES.get(name, STRIDE)):
        one.set_up()
        with dying.after(number):
            one.run()
        one.run()
        assert tree(one.place.workspace) == one.wanted, number
        assert intents(one.place) == 0, number


@pytest.mark.parametrize("name", FAILING)
def test_a_full_disk_leaves_nothing_twice_however_often_it_is_tried(
    tmp_path: Path, dying: Dying, name: str
) -> None:
    one = Rehearsal(tmp_path, dying, name)
    for number in range(0, one.changes, 4):
        one.set_up()
        with dying.full(number):
            first = one.run()
            one.run()
            after = tree(one.place.workspace)
        if isinstance(first, Failed) and name not in STRIDES:
            after.pop("memory/ACTIVE_CONTEXT.md", None)
            assert after == one.before, number
        one.run()
        assert tree(one.place.workspace) == one.wanted, number
        assert intents(one.place) == 0, number


@pytest.mark.parametrize("name", [name for name in COMMANDS if name in UNDONE])
def test_undo_leaves_the_tree_as_it_was(tmp_path: Path, dying: Dying, name: str) -> None:
    one = Rehearsal(tmp_path, dying, name)
    assert not isinstance(one.place.run(MemoryUndo(one.place.agent)), Failed | Skipped)
    assert tree(one.place.workspace) == one.before


def test_an_erasure_that_was_killed_is_finished_by_whatever_runs_next(
    tmp_path: Path, dying: Dying
) -> None:
    one = Rehearsal(tmp_path, dying, "forget-hard")
    state = one.place.settings.state_dir
    for number in range(0, one.changes, 2):
        one.set_up()
        with dying.after(number):
            one.run()
        begun = intents(one.place) > 0 or tree(one.place.workspace) == one.wanted
        one.place.run(Checkpoint(one.place.agent))
        holding = [
            str(path)
            for folder in (one.place.workspace, state)
            for path in folder.rglob("*")
            if path.is_file() and SECRET.encode() in path.read_bytes()
        ]
        assert (holding == []) is begun, number
        found = one.place.engine().search.find(SearchRequest(text=SECRET, agent_id="main")).hits
        assert (found == ()) is begun, number
