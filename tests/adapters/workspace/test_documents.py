"""The files of a pool as the index is given them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.workspace.documents import PoolDocuments
from memconsole.errors import WorkspaceError
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "memory" / "archive").mkdir(parents=True)
    (tmp_path / "MEMORY.md").write_text("# Long\n", "utf-8")
    (tmp_path / "memory" / "INDEX.md").write_text("# Index\n", "utf-8")
    (tmp_path / "memory" / "archive" / "old.md").write_text("old\n", "utf-8")
    (tmp_path / "notes.md").write_text("not memory\n", "utf-8")
    return tmp_path


def paths(reader: PoolDocuments, workspace: Path, *extra: Path) -> list[str]:
    return [one.path for one in reader.documents(workspace, extra)]


def test_the_generated_index_is_left_out_and_archives_are_marked(workspace: Path) -> None:
    found = PoolDocuments().documents(workspace)
    assert [(one.path, one.is_archived) for one in found] == [
        ("MEMORY.md", False),
        ("memory/archive/old.md", True),
    ]


def test_a_missing_workspace_has_no_documents(tmp_path: Path) -> None:
    assert PoolDocuments().documents(tmp_path / "nowhere") == ()


def test_more_paths_are_taken_in_without_links(workspace: Path, tmp_path: Path) -> None:
    more = tmp_path / "more"
    (more / ".git").mkdir(parents=True)
    (more / "deep").mkdir()
    (more / "deep" / "a.md").write_text("a", "utf-8")
    (more / ".git" / "b.md").write_text("b", "utf-8")
    (more / "link.md").symlink_to(workspace / "MEMORY.md")
    (more / "c.txt").write_text("c", "utf-8")
    found = paths(PoolDocuments(), workspace, more, workspace / "notes.md", workspace / "gone")
    assert found[2:] == [str(more / "deep" / "a.md"), str(workspace / "notes.md")]


def test_what_is_no_file_is_refused_by_its_kind(workspace: Path) -> None:
    (workspace / "memory" / "days").mkdir()
    os.mkfifo(workspace / "memory" / "pipe.md")
    os.mkfifo(workspace / "memory" / "pipe")
    reader = PoolDocuments()

    for path, why in (
        ("memory/days", "memory/days is a folder"),
        ("memory", "memory is a folder"),
        ("", "the memory itself is a folder"),
        ("memory/pipe.md", "memory/pipe.md is not read: no file, but a pipe"),
        ("memory/pipe", "memory/pipe is no regular file"),
    ):
        with pytest.raises(WorkspaceError, match=why):
            reader.require_file(workspace, path)
    reader.require_file(workspace, "memory/nothing.md")  # what is not there is no fault


def test_a_stamp_changes_with_the_content(workspace: Path) -> None:
    reader = PoolDocuments()
    before = reader.documents(workspace)[0]
    (workspace / "MEMORY.md").write_text("# Long and longer\n", "utf-8")
    assert reader.documents(workspace)[0].stamp != before.stamp


def test_secrets_are_masked_and_lines_keep_their_numbers(workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(f"one\n{SECRET}\nfive\n", "utf-8")
    reader = PoolDocuments()
    text = reader.read(reader.documents(workspace)[0]).text
    assert "MIIEvQ" not in text
    assert text.split("\n").index("five") == 4
    plain = PoolDocuments(redact=False)
    assert "MIIEvQ" in plain.read(plain.documents(workspace)[0]).text


def test_only_real_line_ends_count(workspace: Path) -> None:
    (workspace / "MEMORY.md").write_bytes("one\u2028still one\x0b\r\ntwo\x1b[31m\n".encode())
    reader = PoolDocuments()
    assert reader.read(reader.documents(workspace)[0]).text == "one still one \ntwo\n"


def test_a_text_that_is_not_utf8_is_read_and_named(workspace: Path) -> None:
    (workspace / "MEMORY.md").write_bytes(b"Gr\xfc\xdfe\n")
    reader = PoolDocuments()
    found = reader.read(reader.documents(workspace)[0])
    assert [one.code for one in found.notices] == ["not-utf8"]
    assert found.text.startswith("Gr")


def test_a_picture_is_named_and_not_read(workspace: Path) -> None:
    (workspace / "MEMORY.md").write_bytes(bytes(range(256)))
    reader = PoolDocuments()
    found = reader.read(reader.documents(workspace)[0])
    assert found.text == ""
    assert [one.message for one in found.notices] == ["MEMORY.md is no text: not indexed"]


def test_a_huge_file_is_named_and_not_read(workspace: Path) -> None:
    (workspace / "MEMORY.md").write_bytes(b"x" * (16 * 1024 * 1024 + 1))
    reader = PoolDocuments()
    found = reader.read(reader.documents(workspace)[0])
    assert (found.text, [one.code for one in found.notices]) == ("", ["oversized"])


def test_what_is_gone_or_closed_is_an_expected_failure() -> None:
    with reachable_folder() as folder:
        (folder / "MEMORY.md").write_text("x", "utf-8")
        reader = PoolDocuments()
        [document] = reader.documents(folder)
        (folder / "MEMORY.md").chmod(0)
        with powerless(), pytest.raises(WorkspaceError, match=r"MEMORY\.md cannot be read"):
            reader.read(document)
        (folder / "MEMORY.md").unlink()
        with pytest.raises(FileNotFoundError):
            reader.read(document)


def test_a_name_that_is_not_utf8_is_left_out_and_named(workspace: Path) -> None:
    reader = PoolDocuments()
    before = reader.documents(workspace)
    odd = workspace / "memory" / os.fsdecode(b"na\xffme.md")
    odd.write_text("[FACT] quetzal\n", "utf-8")
    assert reader.documents(workspace) == before
    assert reader.changed(workspace, [odd]) == ()
    [notice] = reader.left_out(workspace)
    assert (notice.code, notice.message) == (
        "not-utf8",
        "memory/na\\xffme.md has a name that is not UTF-8: not indexed",
    )


def test_what_was_left_out_is_of_the_look_right_before_it_or_a_new_one(workspace: Path) -> None:
    reader = PoolDocuments()
    odd = workspace / "memory" / os.fsdecode(b"na\xffme.md")
    odd.write_text("x", "utf-8")
    reader.documents(workspace)
    odd.unlink()
    assert len(reader.left_out(workspace)) == 1
    assert reader.left_out(workspace) == ()
    reader.documents(workspace)
    odd.write_text("x", "utf-8")
    assert len(reader.left_out(workspace, (workspace / "memory",))) == 2


def test_a_name_in_a_folder_of_its_own_that_is_not_utf8_is_left_out(workspace: Path) -> None:
    more = workspace / "more"
    (more / os.fsdecode(b"\xfe")).mkdir(parents=True)
    (more / os.fsdecode(b"\xfe") / "a.md").write_text("a", "utf-8")
    assert paths(PoolDocuments(), workspace, more)[2:] == []
    assert len(PoolDocuments().left_out(workspace, (more,))) == 1


@pytest.mark.parametrize(
    "folder",
    ["#recycle", "#snapshot", "~snapshot", "@Recycle", "@eaDir", "$RECYCLE.BIN", "__MACOSX"],
)
def test_bins_and_shadow_folders_are_no_memory(workspace: Path, folder: str) -> None:
    reader = PoolDocuments()
    before = reader.documents(workspace)
    binned = workspace / "memory" / folder / "deep" / "old.md"
    binned.parent.mkdir(parents=True)
    binned.write_text("deleted\n", "utf-8")
    assert reader.documents(workspace) == before
    assert reader.changed(workspace, [binned]) is None


@pytest.mark.parametrize("name", [".fuse_hidden0000a1.md", ".nfs0000b2.md"])
def test_a_deleted_file_that_is_still_open_is_no_memory(workspace: Path, name: str) -> None:
    reader = PoolDocuments()
    before = reader.documents(workspace)
    left = workspace / "memory" / name
    left.write_text("deleted\n", "utf-8")
    assert reader.documents(workspace) == before
    assert reader.changed(workspace, [left]) is None


def test_what_cannot_be_read_is_a_document_that_says_so() -> None:
    with reachable_folder() as folder:
        (folder / "memory" / "shut").mkdir(parents=True)
        for name in ("a.md", "shut/b.md", "c.md"):
            (folder / "memory" / name).write_text("words\n", "utf-8")
        (folder / "memory" / "a.md").chmod(0o000)
        (folder / "memory" / "shut").chmod(0o000)
        with powerless():
            found = PoolDocuments().documents(folder)
    assert [(one.path, one.unread) for one in found] == [
        ("memory/a.md", "Permission denied"),
        ("memory/c.md", ""),
        ("memory/shut/", "Permission denied"),
    ]


def test_a_workspace_that_may_not_be_looked_at_is_not_an_empty_one() -> None:
    with reachable_folder() as folder:
        (folder / "closed" / "workspace" / "memory").mkdir(parents=True)
        (folder / "closed").chmod(0o000)
        with powerless():
            found = PoolDocuments().documents(folder / "closed" / "workspace")
    assert {one.path for one in found if one.unread} == {"MEMORY.md", "memory/"}


def test_an_extra_folder_that_cannot_be_listed_is_named() -> None:
    with reachable_folder() as more:
        (more / "shut").mkdir()
        (more / "shut").chmod(0o000)
        with powerless():
            found = PoolDocuments().documents(more / "gone", (more,))
        assert [(one.path, one.unread) for one in found] == [
            (str(more / "shut"), "Permission denied")
        ]


def test_a_file_in_a_folder_that_is_shut_is_not_called_missing() -> None:
    with reachable_folder() as folder:
        (folder / "memory").mkdir()
        (folder / "memory").chmod(0o000)
        with powerless(), pytest.raises(WorkspaceError, match="cannot be read: Permission denied"):
            PoolDocuments().require_file(folder, "memory/a.md")


def test_a_pipe_is_told_of(workspace: Path) -> None:
    os.mkfifo(workspace / "memory" / "pipe.md")
    [notice] = PoolDocuments().left_out(workspace)
    assert notice.code == "memory-unreadable"
    assert notice.message.startswith("memory/pipe.md is no file")
