"""Which folders are watched, and which events in them matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.changes.folders import (
    ADDED,
    DELETED,
    MODIFIED,
    find_folders,
    is_interesting,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "name",
    [
        "sessions.json",
        "ab12.jsonl",
        "ab12-topic-3.jsonl",
        "ab12.jsonl.reset.2026-01-01T00-00-00.000Z",
        "ab12.jsonl.deleted.2026-01-01.zst",
        "openclaw-agent.sqlite",
        "openclaw-agent.sqlite-wal",
        "openclaw.json",
        "MEMORY.md",
        "UPPER.MD",
    ],
)
def test_names_that_matter(name: str) -> None:
    assert is_interesting(name)


@pytest.mark.parametrize(
    "name",
    [
        "sessions.json.123.abc.tmp",
        "sessions.json.lock",
        "ab12.jsonl.lock",
        "ab12.trajectory.jsonl",
        "openclaw-agent.sqlite-shm",
        "notes.txt",
        "openclaw.json.bak",
        "auth-profiles.json",
        "md",
    ],
)
def test_names_that_do_not_matter(name: str) -> None:
    assert not is_interesting(name)


def test_only_the_folders_that_matter_are_watched(home: Path) -> None:
    for name in ("workspace/src/deep", "workspace/node_modules/x", "agents/main/sessions/prompts"):
        (home / name).mkdir(parents=True)
    for name in ("workspace/memory/.git/refs", "workspace/memory/node_modules", "media"):
        (home / name).mkdir(parents=True)
    (home / "workspace/memory/loop").symlink_to("..")
    (home / "agents/file").write_text("")
    workspace = home / "workspace"
    folders = find_folders([home, workspace, home / "gone", home / "agents/file"])
    assert set(folders.folders) == {
        str(home),
        str(home / "agents"),
        str(home / "agents/main"),
        str(home / "agents/main/agent"),
        str(home / "agents/main/sessions"),
        str(workspace),
        str(workspace / "memory"),
        str(workspace / "memory/deep"),
        str(workspace / "memory/deep/er"),
    }
    assert folders.files == {str(home / "agents/file"): home / "agents/file"}
    assert folders.marks[home / "gone"] is None


def test_a_memory_folder_may_be_a_root_and_a_link(home: Path, tmp_path: Path) -> None:
    (home / "workspace/memory/out").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "memory").symlink_to(home / "workspace/memory")
    folders = find_folders([tmp_path / "memory"])
    assert folders.folders[str(home / "workspace/memory/deep")] == (tmp_path / "memory/deep",)
    assert folders.folders[str(tmp_path / "elsewhere")] == (tmp_path / "memory/out",)
    events = [(MODIFIED, str(home / "workspace/memory/deep/a.md"))]
    assert folders.changed(events) == {tmp_path / "memory/deep/a.md"}


def test_events_are_named_as_the_roots_were_given(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home / "workspace")
    folders = find_folders([home / "workspace", tmp_path / "link"])
    events = [(ADDED, str(home / "workspace/MEMORY.md")), (ADDED, str(home / "workspace/x.py"))]
    assert folders.changed(events) == {
        home / "workspace/MEMORY.md",
        tmp_path / "link/MEMORY.md",
    }


def test_when_the_watch_must_be_set_up_anew(home: Path) -> None:
    folders = find_folders([home])
    (home / "agents/new").mkdir()
    assert folders.may_grow_by([(ADDED, str(home / "agents/new"))])
    assert not folders.may_grow_by([(MODIFIED, str(home / "agents/new"))])
    assert not folders.may_grow_by([(ADDED, str(home / "a.md"))])
    assert folders.is_broken_by([(DELETED, str(home / "agents/main"))])
    assert not folders.is_broken_by([(DELETED, str(home / "a.md"))])


def test_hundreds_of_nested_folders_are_no_problem(tmp_path: Path) -> None:
    (tmp_path / "memory" / "/".join("d" * 700)).mkdir(parents=True)
    assert len(find_folders([tmp_path]).folders) == 702
