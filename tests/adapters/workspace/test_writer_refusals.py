"""Where the one writer does not go: links, pipes, folders, other places."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.workspace.writer import DiskWorkspace
from memconsole.errors import WorkspaceError
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONTEXT = "memory/ACTIVE_CONTEXT.md"

ACTIONS: dict[str, Callable[[DiskWorkspace, Path, str], object]] = {
    "read": lambda workspace, root, path: workspace.read(root, path),
    "replace": lambda workspace, root, path: workspace.replace(root, path, "x\n", seen=None),
    "append": lambda workspace, root, path: workspace.append(root, path, "x\n", header="# h\n"),
}
WRITES = ("replace", "append")

needs_someone_else = pytest.mark.skipif(os.geteuid() != 0, reason="needs files of another user")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "ACTIVE_CONTEXT.md").write_text("not ours\n")
    return folder


def refuse(action: str, root: Path, path: str, *words: str) -> None:
    """Expect one sentence that names the path and says why."""
    with pytest.raises(WorkspaceError) as caught:
        ACTIONS[action](DiskWorkspace(), root, path)
    message = str(caught.value)
    assert "\n" not in message
    for word in (str(root), *words):
        assert word in message


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("path", ["../x.md", "/etc/x.md", "memory/../../x.md", "", ".", "a\0b"])
def test_a_path_that_leaves_the_workspace(action: str, path: str, root: Path) -> None:
    with pytest.raises(WorkspaceError, match="it lies outside the workspace"):
        ACTIONS[action](DiskWorkspace(), root, path)
    assert sorted(one.name for one in root.parent.iterdir()) == ["user", "workspace"]


@pytest.mark.parametrize("action", ACTIONS)
def test_a_linked_folder_inside(action: str, root: Path, outside: Path) -> None:
    (root / "memory").rmdir()
    (root / "memory").symlink_to(outside)
    refuse(action, root, CONTEXT, str(root / "memory"), "symbolic link")
    assert (outside / "ACTIVE_CONTEXT.md").read_text() == "not ours\n"


@pytest.mark.parametrize("action", ACTIONS)
def test_a_link_to_a_folder_inside_the_workspace_is_one_too(action: str, root: Path) -> None:
    (root / "memory").rename(root / "real")
    (root / "memory").symlink_to("real")
    refuse(action, root, CONTEXT, "symbolic link")


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("target", ["../../outside/ACTIVE_CONTEXT.md", "nowhere.md", "other.md"])
def test_a_linked_file(action: str, target: str, root: Path, outside: Path) -> None:
    (root / "memory/other.md").write_text("other\n")
    (root / CONTEXT).symlink_to(target)
    refuse(action, root, CONTEXT, str(root / CONTEXT), "symbolic link")
    assert (outside / "ACTIVE_CONTEXT.md").read_text() == "not ours\n"
    assert (root / "memory/other.md").read_text() == "other\n"
    assert not (root / "memory/nowhere.md").exists()


@pytest.mark.parametrize("action", WRITES)
def test_a_file_with_another_name(action: str, root: Path, outside: Path) -> None:
    (root / CONTEXT).hardlink_to(outside / "ACTIVE_CONTEXT.md")
    refuse(action, root, CONTEXT, "1 more name")
    assert (outside / "ACTIVE_CONTEXT.md").read_text() == "not ours\n"


@pytest.mark.parametrize("action", ACTIONS)
def test_a_pipe_does_not_make_us_wait(action: str, root: Path) -> None:
    os.mkfifo(root / CONTEXT)
    refuse(action, root, CONTEXT, "named pipe")


@pytest.mark.parametrize("action", ACTIONS)
def test_a_socket(action: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root / "memory")  # socket paths must be short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("ACTIVE_CONTEXT.md")
        refuse(action, root, CONTEXT, "socket")


@pytest.mark.parametrize("action", ACTIONS)
def test_a_folder_in_place_of_the_file(action: str, root: Path) -> None:
    (root / CONTEXT).mkdir()
    refuse(action, root, CONTEXT, "is a folder")


@pytest.mark.parametrize("action", ACTIONS)
def test_a_file_in_place_of_the_folder(action: str, root: Path) -> None:
    (root / "memory").rmdir()
    (root / "memory").write_text("a file\n")
    refuse(action, root, CONTEXT, str(root / "memory"), "is a file")
    assert (root / "memory").read_text() == "a file\n"


@pytest.mark.parametrize("action", ACTIONS)
def test_a_missing_workspace_is_never_made(action: str, tmp_path: Path) -> None:
    refuse(action, tmp_path / "gone", CONTEXT, "does not exist")
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize("action", ACTIONS)
def test_a_workspace_that_is_a_file(action: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    refuse(action, tmp_path / "file", CONTEXT, "not a directory")


def test_a_workspace_behind_a_link_is_used(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    DiskWorkspace().replace(tmp_path / "link", CONTEXT, "x\n", seen=None)
    assert (root / CONTEXT).read_text() == "x\n"


@pytest.mark.parametrize("step", ["temporary-made", "compared"])
def test_a_folder_swapped_for_a_link_meanwhile(root: Path, outside: Path, step: str) -> None:
    def swap(now: str) -> None:
        if now == step:
            (root / "memory").rename(root / "moved")
            (root / "memory").symlink_to(outside)

    DiskWorkspace(swap).replace(root, CONTEXT, "ours\n", seen=None)
    assert (outside / "ACTIVE_CONTEXT.md").read_text() == "not ours\n"
    assert (root / "moved/ACTIVE_CONTEXT.md").read_text() == "ours\n"


@pytest.mark.parametrize("action", WRITES)
def test_a_folder_we_may_not_write(action: str) -> None:
    with reachable_folder() as root:
        (root / "memory").mkdir()
        (root / "memory").chmod(0o555)
        with powerless():
            refuse(action, root, CONTEXT, "permission denied")
        assert list((root / "memory").iterdir()) == []


def test_a_workspace_in_which_we_may_not_make_a_folder() -> None:
    with reachable_folder() as root:
        root.chmod(0o555)
        with powerless():
            refuse("append", root, CONTEXT, str(root / "memory"), "permission denied")


@needs_someone_else
@pytest.mark.parametrize("action", ACTIONS)
def test_a_file_we_may_not_open(action: str) -> None:
    with reachable_folder() as root:
        (root / "memory").mkdir()
        (root / "memory").chmod(0o777)
        (root / CONTEXT).write_text("theirs\n")
        (root / CONTEXT).chmod(0o600)
        with powerless():
            refuse(action, root, CONTEXT, "permission denied")
        assert (root / CONTEXT).read_text() == "theirs\n"


@needs_someone_else
def test_a_folder_we_may_not_enter() -> None:
    with reachable_folder() as root:
        (root / "memory").mkdir()
        (root / "memory").chmod(0o600)
        with powerless():
            refuse("read", root, CONTEXT, "permission denied")


class TestLeftovers:
    """Temporary files of killed runs go with the next write; nothing else does."""

    @pytest.fixture
    def dead(self) -> int:
        with subprocess.Popen([sys.executable, "-c", ""]) as process:
            process.wait()
        return process.pid

    @staticmethod
    def leave(root: Path, pid: int, name: str = "0123456789ab") -> Path:
        path = root / "memory" / f".memconsole-{pid}-{name}.tmp"
        path.write_text("half")
        return path

    @pytest.mark.parametrize("action", WRITES)
    def test_of_the_dead_go(self, action: str, root: Path, dead: int) -> None:
        path = self.leave(root, dead)
        ACTIONS[action](DiskWorkspace(), root, CONTEXT)
        assert not path.exists()

    def test_of_an_earlier_run_with_our_number_go(self, root: Path) -> None:
        path = self.leave(root, os.getpid())
        ACTIONS["replace"](DiskWorkspace(), root, CONTEXT)
        assert not path.exists()

    def test_of_the_living_stay_while_they_are_young(self, root: Path) -> None:
        path = self.leave(root, os.getppid())
        ACTIONS["replace"](DiskWorkspace(), root, CONTEXT)
        assert path.exists()
        hours_ago = time.time() - 2 * 3600
        os.utime(path, (hours_ago, hours_ago))
        ACTIONS["append"](DiskWorkspace(), root, CONTEXT)
        assert not path.exists()

    def test_a_number_beyond_all_processes_is_no_proof_of_death(self, root: Path) -> None:
        path = self.leave(root, 9_999_999_999)
        ACTIONS["replace"](DiskWorkspace(), root, CONTEXT)
        assert path.exists()

    def test_what_is_not_ours_stays(self, root: Path, dead: int, outside: Path) -> None:
        linked = root / "memory" / f".memconsole-{dead}-aaaaaaaaaaaa.tmp"
        linked.symlink_to(outside / "ACTIVE_CONTEXT.md")
        kept = [
            self.leave(root, dead, "0123"),
            root / "memory/.memconsole-notes.md",
            root / "memory/memconsole-1-0123456789ab.tmp",
        ]
        for path in kept:
            path.write_text("mine\n")
        ACTIONS["append"](DiskWorkspace(), root, CONTEXT)
        assert [path.exists() for path in (*kept, linked)] == [True] * 4

    def test_two_writers_of_one_process_spare_each_other(self, root: Path) -> None:
        def nested(now: str) -> None:
            if now == "temporary-synced":
                DiskWorkspace().append(root, "memory/2026-04-12.md", "x\n", header="")

        DiskWorkspace(nested).replace(root, CONTEXT, "ours\n", seen=None)
        assert (root / CONTEXT).read_text() == "ours\n"
