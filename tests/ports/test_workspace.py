"""Writing into a workspace, its journal and its locks: what the engine may rely on."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.locks import FileLocks
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.views import StateViews
from memconsole.adapters.workspace.folders import DiskFolders
from memconsole.adapters.workspace.writer import DiskWorkspace
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.memory.edits import PathState
from memconsole.domain.memory.files import WorkspaceText
from memconsole.domain.memory.intents import Erasure, OpenErasure
from memconsole.domain.summarize.text import SummaryRecord
from memconsole.errors import ConcurrentEditError, LockedError, StateError, WorkspaceError
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memconsole.ports.platform import Journal, Locks, Workspace
    from memconsole.ports.state import SummaryLog, WorkspaceFolders

DAY = "memory/2026-01-26.md"
NOTE = "memory/a/note.md"
RECORD = SummaryRecord(AgentRef(HomeRef("/home"), "main"), "s-1", None, NOW, NOW, DAY, "manual")
ERASURE = Erasure("main", ("MEMORY.md",), frozenset({"m-1"}), frozenset({"a secret word"}))


@dataclass(frozen=True)
class Place:
    """A workspace and all that writes into it."""

    root: Path
    workspace: Workspace
    folders: WorkspaceFolders
    journal: Journal
    summaries: SummaryLog
    locks: Locks

    @contextmanager
    def failing_turn(self, *, is_forward: bool = False) -> Iterator[None]:
        """Let a turn end with an error, whatever was done in it."""
        with suppress(ZeroDivisionError), self.journal.turn(self.root, is_forward=is_forward):
            yield
            raise ZeroDivisionError

    def write(self, relative: str, text: str) -> None:
        self.workspace.replace(self.root, relative, text, seen=self.seen(relative))

    def seen(self, relative: str) -> WorkspaceText | None:
        return self.workspace.read(self.root, relative)

    def text(self, relative: str) -> str | None:
        found = self.seen(relative)
        return None if found is None else found.text


def on_disk(folder: Path) -> Place:
    views = StateViews(StateDatabase(folder / "state", PrivateCopies()))
    (folder / "ws").mkdir()
    return Place(
        folder / "ws",
        DiskWorkspace(journal=views.journal),
        DiskFolders(views.journal),
        views.journal,
        views.summaries,
        FileLocks(folder / "locks"),
    )


def doubled(folder: Path, *, is_unwritable: bool = False) -> Place:
    made = World()
    made.journal.is_unwritable = made.locks.is_unwritable = is_unwritable
    return Place(
        folder / "ws", made.workspace, made.folders, made.journal, made.summaries, made.locks
    )


@pytest.fixture(params=["disk", "doubles"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return on_disk(tmp_path) if request.param == "disk" else doubled(tmp_path)


@pytest.fixture(params=["disk", "doubles"])
def closed_place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """One whose state folder nobody can write."""
    for name in ("state", "locks"):
        (tmp_path / name).write_text("a file where the folder should be")
    return on_disk(tmp_path) if request.param == "disk" else doubled(tmp_path, is_unwritable=True)


def test_what_was_written_is_read(place: Place) -> None:
    assert place.seen(NOTE) is None
    written = place.workspace.replace(place.root, NOTE, "größe\n", seen=None)
    assert (written.path, written.size_bytes, written.mode) == (NOTE, 8, "0600")
    assert place.text(NOTE) == "größe\n"


def test_what_others_wrote_meanwhile_is_kept(place: Place) -> None:
    with pytest.raises(ConcurrentEditError):
        place.workspace.replace(place.root, NOTE, "ours\n", seen=WorkspaceText("x", (0, 1, "")))
    assert place.text(NOTE) is None
    place.write(NOTE, "theirs\n")
    for write in (place.workspace.replace, place.workspace.edit):
        with pytest.raises(ConcurrentEditError):
            write(place.root, NOTE, "ours\n", seen=None)
    assert place.text(NOTE) == "theirs\n"


@pytest.mark.parametrize("empty", ["", "  \n"])
def test_nothing_replaces_something_only_where_an_operator_says_so(
    place: Place, empty: str
) -> None:
    place.write(NOTE, "one\n")
    with pytest.raises(WorkspaceError, match="an empty text would replace it"):
        place.write(NOTE, empty)
    assert place.text(NOTE) == "one\n"
    place.workspace.edit(place.root, NOTE, empty, seen=place.seen(NOTE))
    assert place.text(NOTE) == empty


@pytest.mark.parametrize(
    ("old", "added"),
    [
        ("", "# head\n- a\n"),
        ("note", "\n- a\n"),
        ("note\n", "- a\n"),
        ("one\r\ntwo", "\r\n- a\r\n"),
        ("one\r\ntwo\n", "- a\n"),
    ],
)
def test_an_entry_follows_the_line_ending_and_a_new_log_has_a_header(
    place: Place, old: str, added: str
) -> None:
    if old:
        place.write(DAY, old)
    written = place.workspace.append(place.root, DAY, "- a\n", header="# head\n")
    assert place.text(DAY) == old + added
    assert written.size_bytes == len(added)


@pytest.mark.parametrize("path", ["../x.md", "/etc/x.md", "memory/../../x.md", "", ".", "a\0b"])
def test_nothing_outside_the_workspace_is_touched(place: Place, path: str) -> None:
    writer, root = place.workspace, place.root
    acts: list[Callable[[], object]] = [
        lambda: writer.read(root, path),
        lambda: writer.replace(root, path, "x\n", seen=None),
        lambda: writer.edit(root, path, "x\n", seen=None),
        lambda: writer.append(root, path, "x\n", header=""),
        lambda: place.folders.remove(root, path),
        lambda: place.folders.path_state(root, path),
    ]
    for act in acts:
        with pytest.raises(WorkspaceError, match="outside the workspace"):
            act()


def test_files_of_a_folder_are_listed_in_order(place: Place) -> None:
    for name in ("memory/b.md", "memory/a.md", "memory/deep/c.md", "MEMORY.md"):
        place.write(name, "x\n")
    assert place.folders.names(place.root, "memory") == ("a.md", "b.md")
    assert place.folders.names(place.root, "none") == ()
    with pytest.raises(WorkspaceError):
        place.folders.names(place.root, "../elsewhere")


def test_what_stands_at_a_path_is_told(place: Place) -> None:
    state = place.folders.path_state
    assert state(place.root, NOTE) == PathState(None, ("memory", "memory/a"))
    place.write("memory/x.md", "x\n")
    assert state(place.root, NOTE) == PathState(None, ("memory/a",))
    assert state(place.root, "memory/x.md") == PathState(0o600)
    assert state(place.root, "MEMORY.md") == PathState()


def test_a_file_is_removed_once_and_may_be_gone(place: Place) -> None:
    place.write(NOTE, "x\n")
    for _ in range(2):
        place.folders.remove(place.root, NOTE, folders=("memory", "memory/a"))
    assert place.text(NOTE) is None
    assert place.folders.path_state(place.root, NOTE).folders == ("memory", "memory/a")


def test_a_turn_that_ends_well_stands(place: Place) -> None:
    with place.journal.turn(place.root):
        place.write(NOTE, "x\n")
    assert place.journal.close(place.root) == ()
    assert place.text(NOTE) == "x\n"


def test_a_turn_that_fails_is_taken_back(place: Place) -> None:
    for name in ("MEMORY.md", "gone.md", DAY):
        place.write(name, "before\n")
    with place.failing_turn():
        place.write("MEMORY.md", "after\n")
        place.write(NOTE, "new\n")
        place.workspace.append(place.root, DAY, "- a\n", header="")
        place.folders.remove(place.root, "gone.md")
    assert [place.text(name) for name in ("MEMORY.md", "gone.md", DAY)] == ["before\n"] * 3
    assert place.text(NOTE) is None


def test_what_is_final_or_promised_is_not_taken_back(place: Place) -> None:
    for name in ("MEMORY.md", NOTE):
        place.write(name, "before\n")
    with place.failing_turn():
        seen = place.seen("MEMORY.md")
        place.workspace.replace(place.root, "MEMORY.md", "x\n", seen=seen, is_final=True)
        place.folders.remove(place.root, NOTE, is_final=True)
    assert (place.text("MEMORY.md"), place.text(NOTE)) == ("x\n", None)
    with place.failing_turn(is_forward=True):
        place.write(NOTE, "forward\n")
    assert place.text(NOTE) == "forward\n"


def test_a_record_stands_for_what_was_written_before_it(place: Place) -> None:
    with place.failing_turn():
        place.write(DAY, "recorded\n")
        place.summaries.add(RECORD)
        place.write(NOTE, "not recorded\n")
    assert (place.text(DAY), place.text(NOTE)) == ("recorded\n", None)


def test_a_promise_is_told_until_it_is_kept(place: Place, tmp_path: Path) -> None:
    with place.failing_turn():
        place.journal.promise(place.root, ERASURE, NOW, home=HOME)
        place.write(NOTE, "x\n")
    assert place.text(NOTE) == "x\n"
    assert place.journal.close(place.root) == (ERASURE,)
    [told] = place.journal.unfinished()
    assert told == OpenErasure(str(place.root), NOW, "", str(HOME))
    place.journal.failed(place.root, ERASURE, "the disk is full")
    assert place.journal.unfinished() == (replace(told, why="the disk is full"),)
    assert place.journal.close(tmp_path) == ()
    with place.failing_turn():
        place.write(NOTE, "another turn\n")
    assert place.text(NOTE) == "x\n"
    other = replace(ERASURE, words=frozenset({"another"}))
    for root, done in ((tmp_path, ERASURE), (place.root, other)):
        place.journal.kept(root, done)
        assert place.journal.close(place.root) == (ERASURE,)
    place.journal.kept(place.root, ERASURE)
    assert place.journal.close(place.root) == ()
    assert place.journal.unfinished() == ()


def test_nothing_begins_that_could_not_be_taken_back(closed_place: Place) -> None:
    place = closed_place
    for enter in (
        place.journal.turn(place.root),
        place.locks.workspace(place.root),
        place.locks.session("/home", "key"),
    ):
        with pytest.raises(StateError), enter:
            pytest.fail("it began")
    with pytest.raises(StateError):
        place.journal.close(place.root)
    with pytest.raises(StateError):
        place.journal.promise(place.root, ERASURE, NOW, home=HOME)
    with pytest.raises(StateError):
        place.journal.kept(place.root, ERASURE)
    place.journal.failed(place.root, ERASURE, "the disk is full")
    assert place.journal.unfinished() == ()


def test_workspaces_and_sessions_are_held_once_each(place: Place, tmp_path: Path) -> None:
    locks = place.locks
    for _ in range(2):
        with (
            locks.workspace(place.root),
            locks.workspace(tmp_path),
            locks.session("/home", "key"),
            locks.session("/home", "other"),
            locks.session("/elsewhere", "key"),
        ):
            for again in (locks.workspace(place.root), locks.session("/home", "key")):
                with pytest.raises(LockedError):
                    ExitStack().enter_context(again)


def test_an_error_inside_gives_a_lock_back(place: Place) -> None:
    with suppress(ZeroDivisionError), place.locks.workspace(place.root):
        raise ZeroDivisionError
    with place.locks.workspace(place.root):
        pass
