"""Folders of a workspace: what is listed, what is removed, and what never is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.workspace.folders import DiskFolders
from memconsole.errors import WorkspaceError

if TYPE_CHECKING:
    from pathlib import Path

FOLDERS = DiskFolders()


def test_ordinary_files_are_listed_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "memory" / "backups"
    folder.mkdir(parents=True)
    for name in ("b.md", "a.md"):
        (folder / name).write_text("x")
    (folder / "sub").mkdir()
    (folder / "link.md").symlink_to(folder / "a.md")
    os.mkfifo(folder / "pipe.md")
    assert FOLDERS.names(tmp_path, "memory/backups") == ("a.md", "b.md")
    assert FOLDERS.names(tmp_path, "memory/none") == ()


def test_nothing_outside_the_workspace_is_touched(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (tmp_path / "secret.md").write_text("x")
    (root / "way").symlink_to(tmp_path)
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    for relative in ("../secret.md", "way/secret.md", "link.md"):
        with pytest.raises(WorkspaceError):
            FOLDERS.remove(root, relative)
    with pytest.raises(WorkspaceError):
        FOLDERS.names(root, "way")
    assert (tmp_path / "secret.md").exists()
