"""Index files that are empty, cut, foreign, in use or cannot be written."""

from __future__ import annotations

import errno
import os
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.choice import library
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.search.indexing import IndexState
from memconsole.errors import IndexUnavailableError, LockedError, StoreError
from tests.adapters.index.index_stage import Stage
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.domain.search.indexing import Document, DocumentText


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    found = Stage(tmp_path)
    for number in range(30):
        found.write(f"n{number}.md", f"# Note {number}\n\n{'filler ' * 100}needle{number}\n")
    found.sync()
    return found


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def foreign(path: Path) -> None:
    path.write_bytes(b"this is no database at all" * 1000)


def older(path: Path) -> None:
    with closing(
        library().module.connect(str(path), timeout=1, isolation_level=None, uri=False)
    ) as one:
        one.execute("PRAGMA user_version = 0")


def without_tables(path: Path) -> None:
    with closing(
        library().module.connect(str(path), timeout=1, isolation_level=None, uri=False)
    ) as one:
        one.execute("DROP TABLE meta")


@pytest.mark.parametrize("damage", [empty, cut, foreign, older, without_tables])
def test_what_is_damaged_is_built_anew(stage: Stage, damage: Callable[[Path], None]) -> None:
    damage(stage.path)
    status = stage.index.status(stage.scope, stage.settings)
    if damage is not cut:  # its first pages may still say what it is
        assert status.state is IndexState.UNAVAILABLE
        assert status.because
        assert stage.pending().must_build
    stage.sync(is_full=damage is cut)
    assert stage.find("needle7") == ["memory/n7.md"]


def test_damage_that_a_search_meets_is_an_expected_failure(stage: Stage) -> None:
    size = stage.path.stat().st_size
    with stage.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    with pytest.raises(IndexUnavailableError):
        stage.find("needle7")


def test_a_locked_index_is_no_reason_to_build_another(stage: Stage) -> None:
    holder = library().module.connect(str(stage.path), timeout=1, isolation_level=None, uri=False)
    with closing(holder):
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(IndexUnavailableError, match="in use"):
            stage.pending()
        assert stage.index.status(stage.scope, stage.settings).state is IndexState.UNAVAILABLE
        holder.execute("ROLLBACK")
    assert not stage.pending().is_any


def test_one_process_writes_at_a_time(stage: Stage) -> None:
    stage.held = True
    with pytest.raises(LockedError, match="the index of main"):
        stage.sync()
    assert stage.find("needle7") == ["memory/n7.md"]


def test_a_folder_that_cannot_be_written_leaves_the_index_readable() -> None:
    with reachable_folder() as folder:
        stage = Stage(folder)
        stage.write("old.md", "needle\n")
        stage.sync()
        stage.write("new.md", "new\n")
        stage.path.chmod(0o444)
        for path in (stage.path.parent, stage.path.parent.parent):
            path.chmod(0o555)
        with powerless():
            with pytest.raises(IndexUnavailableError):
                stage.sync()
            with pytest.raises(IndexUnavailableError, match="cannot be written"):
                stage.sync(is_full=True)
            assert stage.find("needle") == ["memory/old.md"]


@pytest.mark.parametrize("is_full", [True, False])
def test_a_full_disk_leaves_the_old_index(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, is_full: bool
) -> None:
    stage.write("n1.md", "other\n")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("memconsole.adapters.index.build._note", fail)
    with pytest.raises(IndexUnavailableError, match="No space left"):
        stage.sync(is_full=is_full)
    assert stage.find("needle1") == ["memory/n1.md"]
    assert [path.name for path in stage.path.parent.iterdir()] == [stage.path.name]


def test_a_killed_build_leaves_the_old_index_and_its_rubbish_goes(stage: Stage) -> None:
    rubbish = stage.path.with_name(f".{stage.path.name}.building")
    rubbish.write_bytes(b"half a file")
    assert stage.find("needle1") == ["memory/n1.md"]
    stage.sync(is_full=True)
    assert not rubbish.exists()


def test_a_journal_of_a_killed_writer_does_not_outlive_a_rebuild(stage: Stage) -> None:
    journal = stage.path.with_name(f"{stage.path.name}-journal")
    journal.write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(1016))
    stage.sync(is_full=True)
    assert not journal.exists()
    assert stage.find("needle1") == ["memory/n1.md"]


def test_a_file_that_vanishes_or_cannot_be_read_harms_no_other(stage: Stage) -> None:
    documents = stage.documents

    def read(document: Document) -> DocumentText:
        if document.path.endswith("n1.md"):
            raise FileNotFoundError(document.path)
        if document.path.endswith("n2.md"):
            raise StoreError("n2 cannot be read")
        return stage.reader.read(document)

    report = stage.index.sync(stage.scope, documents, read, stage.settings, is_full=True)
    assert [one.path for one in report.notices] == ["memory/n2.md"]
    assert stage.find("needle1") == []
    assert stage.find("needle3") == ["memory/n3.md"]
    assert {one.path for one in stage.pending().changed} == {"memory/n1.md", "memory/n2.md"}


def test_a_file_that_changes_while_it_is_read_is_read_again(stage: Stage) -> None:
    path = stage.write("n1.md", "before\n")
    documents = stage.documents

    def read(document: Document) -> DocumentText:
        text = stage.reader.read(document)
        if document.path.endswith("n1.md"):
            path.write_text("changed meanwhile\n", encoding="utf-8")
        return text

    stage.index.sync(stage.scope, documents, read, stage.settings)
    assert [one.path for one in stage.pending().changed] == ["memory/n1.md"]
    stage.sync()
    assert stage.find("meanwhile") == ["memory/n1.md"]
    assert stage.find("before") == []


def test_sixty_megabytes_of_one_line_are_left_out_and_told(stage: Stage) -> None:
    path = stage.write("giant.md", "giant")
    with path.open("r+b") as file:
        file.truncate(60_000_000)
    report = stage.sync()
    assert [(one.code, one.path) for one in report.notices] == [("oversized", "memory/giant.md")]
    assert stage.find("giant") == []
    assert stage.find("needle7") == ["memory/n7.md"]


def test_a_line_of_megabytes_costs_nothing(stage: Stage) -> None:
    stage.write("giant.md", b"x" * 12_000_000 + b" tail\n" + b"after the giant\n")
    stage.sync()
    assert stage.find("giant") == ["memory/giant.md"]
    assert stage.path.stat().st_size < 1_000_000


def test_base64_is_no_text(stage: Stage) -> None:
    stage.write("picture.md", "![](data:image/png;base64," + "QUJDREVGR0hJ" * 5000 + ")\ncaption\n")
    stage.sync()
    assert stage.find("QUJDREVGR0hJ") == []
    assert stage.find("caption") == ["memory/picture.md"]


def test_the_index_of_a_workspace_that_stands_nowhere_any_more_is_dropped(tmp_path: Path) -> None:
    before, other = Stage(tmp_path / "a"), Stage(tmp_path / "b")
    before.write("a.md", "- the zebra crossing\n")
    before.sync()
    other.index = before.index
    other.write("b.md", "- tomatoes want water\n")
    other.sync()
    gone, kept = before.path, other.path
    before.index.drop_gone(other.scope)
    assert gone.exists()
    before.workspace.rename(tmp_path / "moved")
    before.held = True
    before.index.drop_gone(other.scope)
    assert gone.exists()
    before.held = False
    before.index.drop_gone(other.scope)
    assert not gone.exists()
    assert kept.exists()


def test_the_index_of_a_workspace_under_the_name_of_a_former_agent_is_dropped(
    tmp_path: Path,
) -> None:
    """Nobody asks it any more, and what was forgotten for good would be left in it."""
    before, other = Stage(tmp_path / "a"), Stage(tmp_path / "b")
    for stage in (before, other):
        stage.index = before.index
        stage.write("a.md", "- the zebra crossing\n")
        stage.sync()
    former, kept = before.path, other.path
    ref = AgentRef(HomeRef(str(before.folder)), "ada")
    before.scope = before.scope._replace(agent=ref)
    before.sync()
    assert before.path != former
    before.held = True
    with pytest.raises(LockedError):
        before.index.drop_gone(before.scope)
    before.held = False
    assert former.exists()
    before.index.drop_gone(before.scope)
    assert not former.exists()
    assert (before.path.exists(), kept.exists()) == (True, True)
