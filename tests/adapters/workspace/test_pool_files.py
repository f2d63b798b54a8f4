"""Which files belong to a memory pool."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.workspace.pool_files import LINK_NOWHERE, LINK_OUT, FoundFile, scan
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    return folder


@pytest.fixture
def reachable() -> Iterator[Path]:
    with reachable_folder() as folder:
        (folder / "memory").mkdir()
        yield folder


def write(workspace: Path, *names: str) -> None:
    for name in names:
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.fsencode(name))


def counted(workspace: Path) -> list[str]:
    return [file.path for file in scan(workspace).files if file.because is None]


def uncounted(workspace: Path) -> dict[str, str]:
    return {file.path: file.because for file in scan(workspace).files if file.because is not None}


def test_all_markdown_below_memory_and_three_files_beside_it(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "memory.md", "USER.md", "AGENTS.md", "Memory.md", "notes.md")
    write(workspace, "memory/a.md", "memory/B.MD", "memory/c.Md", "memory/x.txt", "memory/md")
    write(workspace, "memory/deep/er/d.md", "memory/archive/e.md", "memory/INDEX.md")
    write(workspace, "memory/observation-backups/observations-20260101-000000.md")
    assert counted(workspace) == [
        "MEMORY.md",
        "USER.md",
        "memory.md",
        "memory/B.MD",
        "memory/INDEX.md",
        "memory/a.md",
        "memory/archive/e.md",
        "memory/c.Md",
        "memory/deep/er/d.md",
        "memory/observation-backups/observations-20260101-000000.md",
    ]
    assert uncounted(workspace) == {}


def test_hidden_and_vendored_folders_and_side_files_are_left_out(workspace: Path) -> None:
    write(workspace, "memory/.git/info/a.md", "memory/.obsidian/b.md", "memory/.md/c.md")
    write(workspace, "memory/x/node_modules/pkg/readme.md", "memory/._a.md", "memory/.#a.md")
    write(workspace, "memory/.draft.md", "memory/node_modules.md")
    assert counted(workspace) == ["memory/.draft.md", "memory/node_modules.md"]


def test_folders_and_pipes_with_a_file_s_name_are_no_files(workspace: Path) -> None:
    write(workspace, "memory/folder.md/inside.md")
    os.mkfifo(workspace / "memory" / "pipe.md")
    os.mkfifo(workspace / "MEMORY.md")
    assert counted(workspace) == ["memory/folder.md/inside.md"]
    why = "no file, but a pipe, a socket or a device"
    assert uncounted(workspace) == {"MEMORY.md": why, "memory/pipe.md": why}


def test_folders_in_the_place_of_single_files_are_not_entered(workspace: Path) -> None:
    write(workspace, "MEMORY.md/inside.md", "docs/guide.md", "AGENTS.md/inside.md")
    (workspace / "USER.md").symlink_to("docs")
    assert scan(workspace, ["AGENTS.md"]).files == ()
    assert scan(workspace, ["AGENTS.md"]).beside == ()
    (workspace / "memory").rmdir()
    write(workspace, "memory")
    assert scan(workspace).files == ()


def test_a_hard_link_counts_once(workspace: Path) -> None:
    write(workspace, "memory/b.md")
    os.link(workspace / "memory/b.md", workspace / "memory/c.md")
    os.link(workspace / "memory/b.md", workspace / "memory/a.md")
    assert counted(workspace) == ["memory/a.md"]
    assert uncounted(workspace) == {
        "memory/b.md": "same file as memory/a.md",
        "memory/c.md": "same file as memory/a.md",
    }


def test_two_spellings_of_one_file_are_one_file(workspace: Path) -> None:
    write(workspace, "MEMORY.md")
    os.link(workspace / "MEMORY.md", workspace / "memory.md")
    assert counted(workspace) == ["MEMORY.md"]
    assert uncounted(workspace) == {}


def test_the_real_name_wins_over_a_link(workspace: Path) -> None:
    write(workspace, "memory/z/real.md")
    (workspace / "memory/a.md").symlink_to("z/real.md")
    (workspace / "MEMORY.md").symlink_to("memory/z/real.md")
    assert counted(workspace) == ["memory/z/real.md"]
    assert uncounted(workspace) == {
        "MEMORY.md": "same file as memory/z/real.md",
        "memory/a.md": "same file as memory/z/real.md",
    }


def test_links_inside_the_workspace_are_followed(workspace: Path) -> None:
    write(workspace, "docs/guide.md", "docs/more/b.md", "docs/plain.txt")
    (workspace / "memory/guide.md").symlink_to("../docs/guide.md")
    (workspace / "memory/more").symlink_to("../docs/more")
    (workspace / "memory/again").symlink_to("../docs/more")
    (workspace / "memory/named.md").symlink_to("../docs/plain.txt")
    (workspace / "memory/guide").symlink_to("../docs/guide.md")
    assert counted(workspace) == ["memory/again/b.md", "memory/guide.md", "memory/named.md"]


def test_links_out_of_the_workspace_are_named_and_not_followed(workspace: Path) -> None:
    outside = workspace.parent / "outside"
    write(outside, "secret.md", "folder/x.md")
    (workspace / "memory/secret.md").symlink_to(outside / "secret.md")
    (workspace / "memory/folder").symlink_to(outside / "folder")
    (workspace / "memory/plain").symlink_to(outside / "secret.md")
    (workspace / "memory/gone.md").symlink_to(outside / "gone.md")
    (workspace / "USER.md").symlink_to("/etc/hostname")
    assert counted(workspace) == []
    names = ["USER.md", "memory/folder", "memory/gone.md", "memory/secret.md"]
    assert uncounted(workspace) == dict.fromkeys(names, LINK_OUT)


def test_a_folder_beside_the_workspace_with_a_similar_name_is_outside(workspace: Path) -> None:
    write(workspace.parent / "workspace-2", "a.md")
    (workspace / "memory/a.md").symlink_to(workspace.parent / "workspace-2" / "a.md")
    assert uncounted(workspace) == {"memory/a.md": LINK_OUT}


def test_loops_and_dangling_links_end(workspace: Path) -> None:
    write(workspace, "memory/a.md", "memory/deep/b.md", "top.md")
    (workspace / "memory/self").symlink_to(".")
    (workspace / "memory/up").symlink_to("..")
    (workspace / "memory/deep/up").symlink_to("..")
    (workspace / "memory/one.md").symlink_to("two.md")
    (workspace / "memory/two.md").symlink_to("one.md")
    (workspace / "memory/gone.md").symlink_to("nowhere.md")
    assert counted(workspace) == ["memory/a.md", "memory/deep/b.md"]
    names = ["memory/gone.md", "memory/one.md", "memory/two.md"]
    assert uncounted(workspace) == dict.fromkeys(names, LINK_NOWHERE)


def test_the_memory_folder_may_be_a_link_inside_and_not_outside(workspace: Path) -> None:
    (workspace / "memory").rmdir()
    write(workspace, "store/a.md")
    (workspace / "memory").symlink_to("store")
    assert counted(workspace) == ["memory/a.md"]
    (workspace / "memory").unlink()
    (workspace / "memory").symlink_to(workspace.parent)
    assert uncounted(workspace) == {"memory": LINK_OUT}


def test_the_workspace_itself_may_be_a_link(workspace: Path, tmp_path: Path) -> None:
    write(workspace, "memory/a.md")
    link = tmp_path / "link"
    link.symlink_to(workspace)
    assert scan(link).root == workspace.resolve()
    assert counted(link) == ["memory/a.md"]


@pytest.mark.parametrize("name", ["gone", "file", "nul\0byte", "x" * 5000])
def test_what_is_no_folder_does_not_exist(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    found = scan(tmp_path / name)
    assert not found.exists
    assert found.files == ()


def test_names_of_any_bytes_survive(workspace: Path) -> None:
    names = [b"line\nfeed.md", b"\x1b[31mred.md", b"bad-\xff\xfe.md", b"[/bad] notes.md", b"-.md"]
    for name in names:
        write(workspace, f"memory/{os.fsdecode(name)}")
    assert sorted(map(os.fsencode, counted(workspace))) == sorted(b"memory/" + n for n in names)


def test_files_beside_are_found_when_they_are_real(workspace: Path) -> None:
    write(workspace, "AGENTS.md", "other/SOUL.md")
    (workspace / "SOUL.md").symlink_to("other/SOUL.md")
    (workspace / "TOOLS.md").symlink_to("/etc/hostname")
    found = scan(workspace, ["AGENTS.md", "SOUL.md", "TOOLS.md", "HEARTBEAT.md"])
    assert [file.path for file in found.beside] == ["AGENTS.md", "SOUL.md"]
    assert found.files == ()


def test_the_mark_changes_with_any_file(workspace: Path) -> None:
    write(workspace, "memory/a.md", "AGENTS.md")
    marks = [scan(workspace, ["AGENTS.md"]).mark]

    def changed() -> bool:
        marks.append(scan(workspace, ["AGENTS.md"]).mark)
        return marks[-1] != marks[-2]

    assert not changed()
    os.utime(workspace / "memory/a.md", ns=(1, 1))
    assert changed()
    write(workspace, "memory/b.md")
    assert changed()
    (workspace / "memory/b.md").rename(workspace / "memory/c.md")
    assert changed()
    (workspace / "AGENTS.md").write_text("longer than before")
    assert changed()
    write(workspace, "memory/no.txt", "memory/.git/x.md")
    assert not changed()
    (workspace / "memory/link.md").symlink_to("/nowhere.md")
    assert changed()


def test_folders_that_cannot_be_listed_are_named(reachable: Path) -> None:
    write(reachable, "memory/a.md", "memory/shut/b.md", "memory/blind/c.md")
    (reachable / "memory/shut").chmod(0o000)
    (reachable / "memory/blind").chmod(0o444)
    with powerless():
        found = scan(reachable)
    assert [file.path for file in found.files] == ["memory/a.md"]
    assert found.unread == (
        ("memory/blind/c.md", "Permission denied"),
        ("memory/shut/", "Permission denied"),
    )


def test_a_workspace_that_may_not_be_entered_is_named(reachable: Path) -> None:
    write(reachable, "MEMORY.md")
    reachable.chmod(0o444)
    with powerless():
        found = scan(reachable)
    assert found.exists
    assert found.files == ()
    assert ("memory", "Permission denied") in found.unread


@pytest.mark.parametrize(
    ("mtime", "year"), [(0, 1970), (1_775_984_400, 2026), (10**12, None), (-(10**12), None)]
)
def test_a_time_that_no_calendar_holds_is_unknown(mtime: int, year: int | None) -> None:
    status = os.stat_result([0, 0, 0, 0, 0, 0, 0, 0, mtime, 0])
    modified_at = FoundFile("memory/a.md", "/a.md", status).modified_at
    assert (None if modified_at is None else modified_at.year) == year
