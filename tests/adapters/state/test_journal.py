"""The journal in `state.db`: what stands, what is taken back, and what others wrote since."""

from __future__ import annotations

import codecs
import errno
import os
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.views import StateViews
from memconsole.adapters.workspace.folders import DiskFolders
from memconsole.adapters.workspace.writer import DiskWorkspace
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.memory.intents import Erasure
from memconsole.domain.summarize.text import SummaryRecord
from memconsole.errors import StateError, WorkspaceError
from tests.doubles.platform import NOW
from tests.dying import Dying

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DAY = "memory/2026-01-26.md"
RECORD = SummaryRecord(AgentRef(HomeRef("/home"), "main"), "s-1", None, NOW, NOW, DAY, "manual")
ENTRY = "- said just now\n"
ERASURE = Erasure("main", ("MEMORY.md",), frozenset({"m-1"}), frozenset({"a secret word"}))


class Place:
    """A workspace, its writers, and the database they tell."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "ws"
        (self.root / "memory").mkdir(parents=True)
        self.database = StateDatabase(folder / "state", PrivateCopies())
        self.views = StateViews(self.database)
        self.journal = self.views.journal
        self.workspace = DiskWorkspace(journal=self.journal)
        self.folders = DiskFolders(self.journal)
        self.journal.close(self.root)

    def turn(self, act: Callable[[], None]) -> None:
        with self.journal.turn(self.root):
            act()

    def append(self, entry: str = ENTRY) -> None:
        self.workspace.append(self.root, DAY, entry, header="# head\n")

    def replace(self, relative: str, text: str) -> None:
        seen = self.workspace.read(self.root, relative)
        self.workspace.edit(self.root, relative, text, seen=seen)

    def tree(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.root)): path.read_bytes() if path.is_file() else b""
            for path in self.root.rglob("*")
        }

    @property
    def intents(self) -> int:
        with open_own(self.database.path) as connection:
            return len(connection.execute("SELECT id FROM intent").fetchall())


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def killed(place: Place, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Run something in a turn that is killed when it is done, before any record."""
    dying = Dying(monkeypatch)

    def run(act: Callable[[], None]) -> None:
        with dying.after(1000), place.journal.turn(place.root):
            act()
            dying.left = 0
            place.views.summaries.add(RECORD)

    return run


def test_a_turn_that_ends_well_stands_without_any_record(place: Place) -> None:
    with place.journal.turn(place.root):
        place.append()
        assert place.intents == 1
    assert place.intents == 0
    assert place.journal.close(place.root) == ()
    assert ENTRY.encode() in place.tree()[DAY]


def test_nothing_is_written_that_could_not_be_taken_back(place: Place) -> None:
    with open_own(place.database.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StateError, match="made by a newer memconsole"):
        place.journal.close(place.root)
    with pytest.raises(StateError), place.journal.turn(place.root):
        place.append()
    assert place.tree() == {"memory": b""}


@pytest.mark.parametrize("relative", ["memory/a/b/x.md", "MEMORY.md", "memory/x.md"])
def test_a_new_file_goes_with_its_folders(
    place: Place, killed: Callable[[Callable[[], None]], None], relative: str
) -> None:
    before = place.tree()
    killed(lambda: place.replace(relative, "text\n"))
    assert place.tree() != before
    place.journal.close(place.root)
    assert place.tree() == before
    assert place.intents == 0


def test_a_folder_that_others_use_meanwhile_stays(
    place: Place, killed: Callable[[Callable[[], None]], None]
) -> None:
    killed(lambda: place.replace("memory/a/b/x.md", "text\n"))
    (place.root / "memory/a/theirs.md").write_text("theirs\n")
    place.journal.close(place.root)
    assert set(place.tree()) == {"memory", "memory/a", "memory/a/theirs.md"}


@pytest.mark.parametrize("old", [b"", b"# Day\r\n\r\nno end", codecs.BOM_UTF16_LE + b"a\0\n\0"])
@pytest.mark.parametrize("torn", [0, 1, 7, None])
def test_an_append_is_cut_off_also_a_torn_one(
    place: Place, killed: Callable[[Callable[[], None]], None], old: bytes, torn: int | None
) -> None:
    file = place.root / DAY
    file.write_bytes(old)
    killed(place.append)
    whole = file.read_bytes()
    assert whole.startswith(old)
    assert whole != old
    file.write_bytes(whole if torn is None else whole[: len(old) + torn])
    place.journal.close(place.root)
    assert file.read_bytes() == old


def test_a_log_of_any_size_is_cut(
    place: Place, killed: Callable[[Callable[[], None]], None]
) -> None:
    file = place.root / DAY
    with file.open("wb") as log:
        log.write(b"# Day\n")
        log.seek(17 << 20)
        log.write(b"a line of text\n" * 5_000)
    size = file.stat().st_size
    killed(place.append)
    assert file.stat().st_size > size
    place.journal.close(place.root)
    assert (file.stat().st_size, place.intents) == (size, 0)


def test_what_others_wrote_behind_an_append_stays(
    place: Place, killed: Callable[[Callable[[], None]], None]
) -> None:
    file = place.root / DAY
    file.write_text("# Day\n")
    killed(place.append)
    file.write_text(file.read_text() + "- theirs\n")
    place.journal.close(place.root)
    assert file.read_text() == "# Day\n- theirs\n"


def test_a_replaced_file_is_what_it_was_with_its_mode(
    place: Place, killed: Callable[[Callable[[], None]], None]
) -> None:
    file = place.root / "MEMORY.md"
    file.write_bytes(b"one\r\ntwo\r\n")
    file.chmod(0o644)
    killed(lambda: place.replace("MEMORY.md", "three\n"))
    assert file.stat().st_mode & 0o777 == 0o600
    place.journal.close(place.root)
    assert file.read_bytes() == b"one\r\ntwo\r\n"
    assert file.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("new", ["one\nthree\n", "one\n", "one\ntwo\nthree\n"])
def test_what_others_wrote_into_a_replaced_file_stays(
    place: Place, killed: Callable[[Callable[[], None]], None], new: str
) -> None:
    file = place.root / "MEMORY.md"
    file.write_text("one\ntwo\n")
    killed(lambda: place.replace("MEMORY.md", new))
    file.write_text("zero\n" + file.read_text())
    place.journal.close(place.root)
    assert file.read_text() == "zero\none\ntwo\n"


def test_what_cannot_be_taken_back_keeps_the_steps_before_it(
    place: Place, killed: Callable[[Callable[[], None]], None]
) -> None:
    """Lines that went from a file are in the archive, whatever became of the file since."""
    file = place.root / "MEMORY.md"
    file.write_text("one\ntwo\n")

    def move() -> None:
        place.append("- two\n")
        place.replace("MEMORY.md", "one\nsee the archive\n")

    killed(move)
    file.write_text("rewritten\n")
    place.journal.close(place.root)
    assert file.read_text() == "rewritten\n"
    assert "- two\n" in (place.root / DAY).read_text()
    assert place.intents == 0


def test_a_removed_file_comes_back(
    place: Place, killed: Callable[[Callable[[], None]], None]
) -> None:
    file = place.root / "memory/x.md"
    file.write_bytes(b"\xff text\n")
    file.chmod(0o640)
    killed(lambda: place.folders.remove(place.root, "memory/x.md"))
    assert not file.exists()
    place.journal.close(place.root)
    assert file.read_bytes() == b"\xff text\n"
    assert file.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_put_right_now_is_put_right_later(
    place: Place, killed: Callable[[Callable[[], None]], None]
) -> None:
    killed(place.append)
    file, parked = place.root / DAY, place.root / "parked"
    file.rename(parked)
    file.mkdir()
    assert place.journal.close(place.root) == ()
    assert place.intents == 1
    file.rmdir()
    parked.rename(file)
    place.journal.close(place.root)
    assert place.tree() == {"memory": b""}


def test_a_folder_that_cannot_be_removed_now_is_removed_later(
    place: Place,
    killed: Callable[[Callable[[], None]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed(lambda: place.replace("memory/a/x.md", "text\n"))

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "rmdir", refuse)
        place.journal.close(place.root)
    assert set(place.tree()) == {"memory", "memory/a"}
    place.journal.close(place.root)
    assert (set(place.tree()), place.intents) == ({"memory"}, 0)


def test_another_workspace_is_not_touched(
    place: Place, killed: Callable[[Callable[[], None]], None], tmp_path: Path
) -> None:
    killed(place.append)
    place.journal.close(tmp_path)
    assert place.intents == 1
    assert ENTRY.encode() in place.tree()[DAY]


def test_a_promise_is_told_until_it_is_kept_and_leaves_no_word(place: Place) -> None:
    def act() -> None:
        place.journal.promise(place.root, ERASURE, NOW, home=place.root)
        place.append()
        raise WorkspaceError("the disk is full")

    with pytest.raises(WorkspaceError):
        place.turn(act)
    assert ENTRY.encode() in place.tree()[DAY]
    assert place.journal.close(place.root) == (ERASURE,)
    assert place.journal.close(place.root) == (ERASURE,)
    place.journal.kept(place.root, ERASURE)
    assert place.journal.close(place.root) == ()
    assert leaks(place) == []


def test_a_promise_names_the_home_by_its_real_path(place: Place, tmp_path: Path) -> None:
    """A home is reached by several ways, and each look at it has to find what it owes."""
    (way := tmp_path / "way").symlink_to(place.root)
    with place.database.keep_open():
        place.journal.promise(place.root, ERASURE, NOW, home=way)
    [told] = place.journal.unfinished()
    assert told.home == str(place.root.resolve())


def test_what_was_erased_is_in_no_log_of_a_database_that_stays_open(place: Place) -> None:
    with place.database.keep_open():
        place.journal.promise(place.root, ERASURE, NOW, home=place.root)
        assert leaks(place) != []
        place.journal.kept(place.root, ERASURE)
        assert leaks(place) == []


def leaks(place: Place) -> list[Path]:
    folder = place.database.path.parent
    return [path for path in folder.iterdir() if b"a secret word" in path.read_bytes()]
