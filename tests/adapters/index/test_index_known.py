"""Taking in files that are known to have changed, without a look at the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.errors import LockedError
from tests.adapters.index.index_stage import STATIC, Stage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.domain.search.indexing import SyncReport


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    found = Stage(tmp_path, STATIC)
    found.write("a.md", "- the staging database is orion\n")
    found.write("b.md", "- tomatoes want water\n")
    found.sync()
    found.read.clear()
    return found


def take_in(stage: Stage, *paths: Path) -> SyncReport | None:
    changed = stage.reader.changed(stage.workspace, paths)
    assert changed is not None
    return stage.index.take_in(stage.scope, changed, stage.reader.read, stage.settings)


def test_it_is_the_same_as_a_comparison(stage: Stage) -> None:
    paths = [stage.write("a.md", "- the database is vega\n"), stage.write("deep/c.md", "- new\n")]
    report = take_in(stage, *paths)
    assert report is not None
    assert (report.files_changed, report.chunks_added, report.chunks_removed) == (2, 2, 1)
    assert not stage.pending().is_any
    assert stage.find("vega") == ["memory/a.md"]
    assert stage.find("orion") == []
    cosines = stage.cosines("which storage server?")
    stage.sync(is_full=True)
    assert stage.cosines("which storage server?").keys() == cosines.keys()


def test_a_file_that_went_meanwhile_is_taken_out(stage: Stage) -> None:
    path = stage.write("a.md", "- changed\n")
    changed = stage.reader.changed(stage.workspace, [path])
    assert changed is not None
    path.unlink()
    report = stage.index.take_in(stage.scope, changed, stage.reader.read, stage.settings)
    assert report is not None
    assert report.files_removed == 1
    assert stage.find("orion") == []


def test_an_index_that_cannot_be_used_is_left_to_a_comparison(stage: Stage) -> None:
    path = stage.write("a.md", "- changed\n")
    other = replace(stage.settings, chunk_tokens=100)
    changed = stage.reader.changed(stage.workspace, [path]) or ()
    assert stage.index.take_in(stage.scope, changed, stage.reader.read, other) is None
    stage.path.write_bytes(b"")
    assert take_in(stage, path) is None
    stage.path.unlink()
    assert take_in(stage, path) is None
    assert not stage.path.exists()


def test_one_process_writes_at_a_time(stage: Stage) -> None:
    path = stage.write("a.md", "- changed\n")
    stage.held = True
    with pytest.raises(LockedError):
        take_in(stage, path)


def gone(stage: Stage) -> Path:
    return stage.workspace / "memory" / "gone.md"


def linked(stage: Stage) -> Path:
    path = stage.workspace / "memory" / "link.md"
    path.symlink_to(stage.workspace / "memory" / "a.md")
    return path


def below_a_link(stage: Stage) -> Path:
    (stage.workspace / "memory" / "real").mkdir()
    (stage.workspace / "memory" / "alias").symlink_to(stage.workspace / "memory" / "real")
    stage.write("real/x.md", "- x\n")
    return stage.workspace / "memory" / "alias" / "x.md"


def named_twice(stage: Stage) -> Path:
    path = stage.workspace / "memory" / "twin.md"
    path.hardlink_to(stage.workspace / "memory" / "a.md")
    return path


def twin_of_the_root_file(stage: Stage) -> Path:
    path = stage.workspace / "memory.md"
    path.write_text("- twin\n", encoding="utf-8")
    return path


def beside(stage: Stage) -> Path:
    path = stage.workspace / "notes.md"
    path.write_text("- no memory\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "make",
    [
        gone,
        linked,
        below_a_link,
        named_twice,
        twin_of_the_root_file,
        beside,
        lambda stage: stage.write(".hidden/x.md", "-"),
        lambda stage: stage.write("node_modules/x.md", "-"),
        lambda stage: stage.write("._x.md", "-"),
        lambda stage: stage.write("x.txt", "-"),
        lambda stage: stage.folder / "elsewhere.md",
    ],
)
def test_what_only_a_walk_can_tell(stage: Stage, make: Callable[[Stage], Path]) -> None:
    assert stage.reader.changed(stage.workspace, [make(stage)]) is None


def test_plain_files_are_told_as_by_a_walk(stage: Stage) -> None:
    paths = [stage.write("a.md", "-"), stage.write("archive/B.MD", "- old")]
    for name in ("MEMORY.md", "USER.md"):
        paths.append(stage.workspace / name)
        paths[-1].write_text("- root\n", encoding="utf-8")
    found = stage.reader.changed(stage.workspace, paths)
    every = {one.path: one for one in stage.documents}
    assert found is not None
    assert [one.path for one in found] == [
        "memory/a.md",
        "memory/archive/B.MD",
        "MEMORY.md",
        "USER.md",
    ]
    assert all(every[one.path] == one for one in found)


def test_a_generated_index_is_no_document(stage: Stage) -> None:
    assert stage.reader.changed(stage.workspace, [stage.write("INDEX.md", "# Index\n")]) == ()
