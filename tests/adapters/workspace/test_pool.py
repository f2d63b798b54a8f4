"""Memory pools: files, their texts and whole workspaces; a long table of what lies in a memory."""

from __future__ import annotations

import codecs
import os
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.workspace.pool import DiskMemory
from memconsole.adapters.workspace.pool_files import LINK_NOWHERE, LINK_OUT, FoundFile, scan
from memconsole.adapters.workspace.pool_text import FactsCache, TextFacts, decode, facts_of
from memconsole.domain.agents import PlatformConfig
from memconsole.domain.memory.files import MARKER_TAGS, Category, Limit, Marker, Pool, PoolItem
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.ports import platform
    from tests.conftest import FixtureHome, PreparedCase


NOW = datetime(2026, 4, 12, 9, 0, tzinfo=UTC)

MIB = 1024 * 1024


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    return folder


def test_every_memory_file_is_read_whole_and_what_cannot_be_is_named(
    workspace: Path, tmp_path: Path
) -> None:
    (workspace / "MEMORY.md").write_bytes("één\n".encode("utf-16"))
    long = "a line of a note\n" * 40_000
    (workspace / "memory" / "long.md").write_text(long)
    (workspace / "memory" / "INDEX.md").write_text("generated\n")
    (tmp_path / "elsewhere.md").write_text("not ours\n")
    (workspace / "memory" / "out.md").symlink_to(tmp_path / "elsewhere.md")
    found = {one.path: one for one in DiskMemory().texts(workspace)}
    assert set(found) == {"MEMORY.md", "memory/long.md", "memory/out.md"}
    assert "".join(text for _, text in found["MEMORY.md"].pieces).endswith("één\n")
    pieces = list(found["memory/long.md"].pieces)
    assert "".join(text for _, text in pieces) == long
    assert [number for number, _ in pieces][1] == pieces[0][1].count("\n") + 1
    assert found["memory/out.md"].unread == LINK_OUT
    gone = {one.path: one for one in DiskMemory().texts(workspace)}["memory/long.md"]
    (workspace / "memory" / "long.md").unlink()
    with pytest.raises(FileNotFoundError):
        list(gone.pieces)


def read(workspace: Path, *, config: PlatformConfig | None = None, agents: str = "main") -> Pool:
    memory: platform.MemoryReader = DiskMemory()
    return memory.pool(workspace, tuple(agents.split()), config=config or PlatformConfig(), now=NOW)


def item(pool: Pool, path: str) -> PoolItem:
    [found] = [found for found in pool.items if found.path == path]
    return found


def codes(pool: Pool) -> list[tuple[str, str | None]]:
    return [(notice.code, notice.path) for notice in pool.notices]


def test_totals_are_those_of_the_counted_files(workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("# L\n- [FACT] a\n")
    (workspace / "memory/2026-04-11.md").write_text("- [FACT] b\n- [TODO] c\n")
    (workspace / "memory/INDEX.md").write_text("# Memory Index\n- [GOTCHA] no\n")
    (workspace / "memory/ACTIVE_CONTEXT.md").write_text("# Active Context\n")
    os.utime(workspace / "memory/ACTIVE_CONTEXT.md", (NOW.timestamp(), NOW.timestamp()))
    pool = read(workspace)
    assert (pool.root, pool.exists, pool.agents) == (workspace, True, ("main",))
    assert (pool.files, pool.size_bytes, pool.tokens) == (3, 15 + 22 + 17, 3 + 5 + 4)
    assert pool.markers == {tag: {"FACT": 2, "TODO": 1}.get(tag, 0) for tag in MARKER_TAGS}
    assert pool.by_category == (
        Category("Core State", 1, 17),
        Category("Session Logs", 1, 22),
        Category("Other", 1, 15),
    )
    assert (pool.active_context_at, pool.read_at, pool.notices) == (NOW, NOW, ())
    index = item(pool, "memory/INDEX.md")
    assert (index.is_counted, index.is_generated, index.because) == (False, True, "generated")
    assert (index.size_bytes, index.markers) == (29, {})
    active = item(pool, "memory/ACTIVE_CONTEXT.md")
    assert (active.is_counted, active.is_generated) == (True, True)
    assert item(pool, "memory/2026-04-11.md").markers == {"FACT": 1, "TODO": 1}


def test_only_the_index_of_memory_itself_is_generated(workspace: Path) -> None:
    (workspace / "memory/projects").mkdir()
    (workspace / "memory/projects/INDEX.md").write_text("- [FACT] mine\n")
    pool = read(workspace)
    assert (pool.files, pool.markers["FACT"]) == (1, 1)


def test_an_empty_workspace_and_a_missing_one_are_not_alike(workspace: Path) -> None:
    empty = read(workspace)
    assert (empty.exists, empty.files, empty.notices) == (True, 0, ())
    missing = read(workspace / "gone", agents="work main")
    assert (missing.exists, missing.files, missing.items) == (False, 0, ())
    assert missing.agents == ("main", "work")
    [notice] = missing.notices
    assert (notice.code, notice.agent) == ("workspace-missing", None)
    assert notice.message == f"the workspace {workspace / 'gone'} does not exist"
    assert notice.path == str(workspace / "gone")


def test_two_twins_are_two_files_and_said(workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("- [PREFERENCE] tea\n")
    (workspace / "memory.md").write_text("- [PREFERENCE] coffee\n")
    pool = read(workspace)
    assert (pool.files, pool.markers["PREFERENCE"]) == (2, 2)
    assert codes(pool) == [("twin-memory", "memory.md")]
    assert pool.notices[0].agent == "main"


def test_twins_that_are_one_file_count_once(workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("- [PREFERENCE] tea\n")
    (workspace / "memory.md").symlink_to("MEMORY.md")
    pool = read(workspace)
    assert (pool.files, pool.markers["PREFERENCE"], pool.notices) == (1, 1, ())
    assert [found.path for found in pool.items] == ["MEMORY.md"]


def test_a_file_of_other_bytes_is_read_with_a_notice(workspace: Path) -> None:
    (workspace / "memory/latin1.md").write_bytes(b"- [TODO] Stra\xdfe fegen\n")
    pool = read(workspace)
    assert (pool.files, pool.markers["TODO"]) == (1, 1)
    assert codes(pool) == [("not-utf8", "memory/latin1.md")]
    found = item(pool, "memory/latin1.md")
    assert (found.encoding, found.because, found.is_counted) == ("unknown", "not UTF-8", True)


def test_a_file_over_16_mb_counts_by_its_size(workspace: Path) -> None:
    for name, size in (("fits.md", 16 * MIB), ("large.md", 16 * MIB + 1)):
        with (workspace / "memory" / name).open("wb") as file:
            file.write(b"- [FACT] first line\n")
            file.truncate(size)
    pool = read(workspace)
    assert (pool.files, pool.size_bytes, pool.markers["FACT"]) == (2, 32 * MIB + 1, 1)
    large = item(pool, "memory/large.md")
    assert (large.is_counted, large.because, large.tokens) == (True, "too large", 4 * MIB)
    assert codes(pool) == [("oversized", "memory/large.md")]


def test_what_may_not_be_read_is_named_and_counts_by_its_size() -> None:
    with reachable_folder() as folder:
        (folder / "memory/shut").mkdir(parents=True)
        (folder / "memory/a.md").write_text("- [FACT] no\n")
        (folder / "memory/b.md").write_text("- [FACT] yes\n")
        (folder / "memory/a.md").chmod(0o000)
        (folder / "memory/shut").chmod(0o000)
        with powerless():
            pool = read(folder)
    assert (pool.files, pool.size_bytes, pool.markers["FACT"]) == (2, 25, 1)
    assert item(pool, "memory/a.md").because == "cannot be read: Permission denied"
    assert [(notice.code, notice.message) for notice in pool.notices] == [
        ("memory-unreadable", "memory/shut/ cannot be read: Permission denied"),
        ("memory-unreadable", "memory/a.md cannot be read: Permission denied"),
    ]


def test_links_that_are_not_followed_are_named(workspace: Path) -> None:
    (workspace / "memory/a.md").symlink_to(workspace.parent)
    (workspace / "memory/gone.md").symlink_to("nowhere.md")
    pool = read(workspace)
    assert pool.files == 0
    assert [(found.path, found.because) for found in pool.items] == [
        ("memory/a.md", "link leads out of the workspace"),
        ("memory/gone.md", "link leads nowhere"),
    ]


def test_names_are_cleaned_in_messages_and_kept_in_paths(workspace: Path) -> None:
    name = os.fsdecode(b"\x1b[31m\xff[/bad]\n.md")
    folder = workspace / "memory" / name.split("/")[0]
    folder.mkdir()
    (workspace / "memory" / name).write_bytes(b"\xff")
    pool = read(workspace)
    [found] = pool.items
    assert found.path == f"memory/{name}"
    assert {notice.path for notice in pool.notices} == {f"memory/{name}"}
    assert [notice.message for notice in pool.notices] == [
        "memory/\\xff[/bad] .md is not UTF-8; what cannot be read was replaced",
        "memory/\\xff[/bad] .md has a name that is not UTF-8: it is not indexed",
    ]


def test_bootstrap_files_against_their_limit(workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("a" * 120)
    (workspace / "MEMORY.md").write_text("é😀" * 30)
    (workspace / "USER.md").write_text("u")
    pool = read(workspace, config=PlatformConfig(bootstrap_max_chars=100))
    assert pool.limits == (
        Limit("AGENTS.md", 120, 100),
        Limit("USER.md", 1, 100),
        Limit("MEMORY.md", 90, 100),
    )
    assert pool.files == 2  # AGENTS.md is no memory
    assert codes(pool) == [("oversized", "AGENTS.md")]
    assert "120 characters" in pool.notices[0].message


def test_what_is_left_of_the_total_limits_the_later_files(workspace: Path) -> None:
    for name in ("AGENTS.md", "SOUL.md", "USER.md", "MEMORY.md"):
        (workspace / name).write_text("x" * 100)
    config = PlatformConfig(bootstrap_max_chars=80, bootstrap_total_max_chars=200)
    pool = read(workspace, config=config)
    assert [(limit.path, limit.limit) for limit in pool.limits] == [
        ("AGENTS.md", 80),
        ("SOUL.md", 80),
        ("USER.md", 40),
        ("MEMORY.md", 0),
    ]


def test_bootstrap_files_that_cannot_be_measured(workspace: Path) -> None:
    (workspace / "memory/long.md").write_text("x" * 50)
    (workspace / "MEMORY.md").symlink_to("memory/long.md")
    (workspace / "TOOLS.md").symlink_to("/etc/hostname")
    with (workspace / "AGENTS.md").open("wb") as file:
        file.truncate(16 * MIB + 1)
    with (workspace / "USER.md").open("wb") as file:
        file.truncate(16 * MIB + 1)
    pool = read(workspace)
    assert pool.limits == (Limit("MEMORY.md", 50, 20_000),)
    assert codes(pool) == [("oversized", "USER.md"), ("oversized", "AGENTS.md")]


def test_markers_of_the_counted_files_by_path_and_line(workspace: Path) -> None:
    (workspace / "memory/b.md").write_text("# x\n- [FACT] one\n\n- [TODO] two\n")
    (workspace / "memory/INDEX.md").write_text("- [FACT] no\n")
    (workspace / "MEMORY.md").write_text("* [DECISION] three\n")
    (workspace / "memory/c.md").symlink_to("b.md")
    (workspace / "AGENTS.md").write_text("- [FACT] no memory\n")
    assert DiskMemory().markers(workspace) == (
        Marker("DECISION", "MEMORY.md", 1, "[DECISION] three"),
        Marker("FACT", "memory/b.md", 2, "[FACT] one"),
        Marker("TODO", "memory/b.md", 4, "[TODO] two"),
    )
    assert DiskMemory().markers(workspace / "gone") == ()


def test_a_reading_after_a_change_is_a_new_one(workspace: Path) -> None:
    memory = DiskMemory()
    path = workspace / "memory/a.md"
    path.write_text("- [FACT] one\n")

    def facts() -> int:
        return memory.pool(workspace, ("a",), config=PlatformConfig(), now=NOW).markers["FACT"]

    before = memory.fingerprint(workspace)
    assert memory.fingerprint(workspace) == before
    assert facts() == 1
    path.write_text("- [FACT] one\n- [FACT] two\n")
    assert facts() == 2
    path.unlink()
    assert facts() == 0
    assert memory.fingerprint(workspace) != before


def test_a_pool_right_after_a_fingerprint_shows_the_same_moment(workspace: Path) -> None:
    memory = DiskMemory()
    memory.fingerprint(workspace)
    (workspace / "memory/a.md").write_text("x")
    pools = [memory.pool(workspace, ("a",), config=PlatformConfig(), now=NOW) for _ in range(2)]
    assert [pool.files for pool in pools] == [0, 1]


def test_a_file_that_vanishes_between_scan_and_reading_is_no_error(workspace: Path) -> None:
    memory = DiskMemory()
    for name in ("AGENTS.md", "memory/a.md", "memory/b.md"):
        (workspace / name).write_text("- [FACT] x\n")
    memory.fingerprint(workspace)
    (workspace / "memory/a.md").unlink()
    (workspace / "AGENTS.md").unlink()
    pool = memory.pool(workspace, ("a",), config=PlatformConfig(), now=NOW)
    assert [found.path for found in pool.items] == ["memory/b.md"]
    assert (pool.limits, pool.notices) == ((), ())


def test_a_fingerprint_notices_a_workspace_that_comes_and_goes(tmp_path: Path) -> None:
    memory = DiskMemory()
    missing = memory.fingerprint(tmp_path / "w")
    assert memory.fingerprint(tmp_path / "w") == missing
    (tmp_path / "w").mkdir()
    assert memory.fingerprint(tmp_path / "w") != missing


@pytest.mark.shared
def test_encodings_and_twins(prepared_case: PreparedCase) -> None:
    """Every file is read, whatever its encoding or case; a twin counts once."""
    folder, _ = prepared_case("c29-memory-encodings-and-twins")
    pool = read(folder / "home/.openclaw/workspace")
    assert [found.path for found in pool.items if found.is_counted] == [
        "MEMORY.md",
        "memory.md",
        "memory/UPPER.MD",
        "memory/bom.md",
        "memory/crlf.md",
        "memory/empty.md",
        "memory/fence.md",
        "memory/latin1.md",
        "memory/nested/deep/area.md",
        "memory/powershell.md",
    ]
    assert [(found.path, found.because) for found in pool.items if not found.is_counted] == [
        ("memory/INDEX.md", "generated"),
        ("memory/same-as-crlf.md", "same file as memory/crlf.md"),
    ]
    assert pool.markers == {
        "DECISION": 1,
        "GOTCHA": 1,
        "SOLUTION": 1,
        "PATTERN": 1,
        "TRADEOFF": 0,
        "FACT": 2,
        "PREFERENCE": 2,
        "TODO": 1,
    }
    assert codes(pool) == [("not-utf8", "memory/latin1.md"), ("twin-memory", "memory.md")]
    for found in pool.items:
        assert found.size_bytes == (pool.root / found.path).stat().st_size
    assert item(pool, "memory/bom.md").encoding == "utf-8-sig"
    assert item(pool, "memory/powershell.md").encoding == "utf-16"


@pytest.mark.shared
def test_markers_of_a_person_s_notes(prepared_case: PreparedCase) -> None:
    """Markdown inside messages is counted before a checkpoint as after it."""
    folder, _ = prepared_case("c23-markdown-inside-messages")
    markers = read(folder / "home/.openclaw/workspace").markers
    assert (markers["DECISION"], markers["TODO"], markers["GOTCHA"]) == (1, 1, 0)


@pytest.mark.shared
def test_brackets_in_names(prepared_case: PreparedCase) -> None:
    """Square brackets in names and lines are text."""
    folder, _ = prepared_case("c27-square-brackets")
    pool = read(folder / "home/.openclaw/workspace")
    assert [found.path for found in pool.items] == ["memory/[/bad] notes.md", "memory/list.md"]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("release", "workspace", "files", "markers"),
    [
        ("clawdbot-2026.1", "../clawd", 5, {}),
        ("openclaw-2026.3", "workspace", 6, {}),
        ("openclaw-2026.7", "workspace", 6, {}),
        ("openclaw-2026.9", "../ws-main", 5, {"DECISION": 2, "FACT": 3, "TODO": 1}),
    ],
)
def test_pools_of_real_releases(
    fixture_home: FixtureHome, release: str, workspace: str, files: int, markers: dict[str, int]
) -> None:
    pool = read(fixture_home(release) / workspace)
    assert pool.files == files
    assert {tag: count for tag, count in pool.markers.items() if count} == markers
    assert pool.notices == ()


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


def found(path: Path) -> FoundFile:
    return FoundFile(path.name, str(path), path.stat())


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("Stra\u00dfe".encode(), "Stra\u00dfe", "utf-8"),
        (codecs.BOM_UTF8 + b"# a", "# a", "utf-8-sig"),
        (codecs.BOM_UTF16_LE + "h\u00e9".encode("utf-16-le"), "h\u00e9", "utf-16"),
        (codecs.BOM_UTF16_BE + "h\u00e9".encode("utf-16-be"), "h\u00e9", "utf-16"),
        (codecs.BOM_UTF32_LE + "h\u00e9".encode("utf-32-le"), "h\u00e9", "utf-32"),
        (codecs.BOM_UTF32_BE + "h\u00e9".encode("utf-32-be"), "h\u00e9", "utf-32"),
        (b"Stra\xdfe", "Stra\ufffde", "unknown"),
        (codecs.BOM_UTF8 + b"a\xdf", "a\ufffd", "unknown"),
        (codecs.BOM_UTF16_LE + b"a\0b", "a\ufffd", "unknown"),
        (
            codecs.BOM_UTF16_LE + b"- tea, and no UTF-16",
            "\ufffd\ufffd- tea, and no UTF-16",
            "unknown",
        ),
        (codecs.BOM_UTF16_LE + "上中下".encode("utf-16-le"), "上中下", "utf-16"),
        (b"a\0b", "a\0b", "utf-8"),
    ],
)
def test_decoding(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == (text, encoding)


@given(st.binary())
def test_any_bytes_become_text(data: bytes) -> None:
    text, encoding = decode(data)
    if encoding == "utf-8":
        assert text.encode() == data
    assert facts_of(data).chars >= len(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_characters_are_counted_as_the_platform_counts_them(text: str) -> None:
    data = codecs.BOM_UTF8 + text.encode()
    assert facts_of(data).chars == len(text.encode("utf-16-le")) // 2


def test_markers_are_found_in_every_encoding() -> None:
    text = "# x\r\n\r\n- [FACT] \u00e9\r\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert facts_of(text.encode(encoding)).markers == ((3, "FACT", "[FACT] \u00e9"),)


def test_an_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("- [FACT] one")
    before = found(path)
    cache = FactsCache()
    facts = cache.read(before)
    path.unlink()
    assert cache.read(before) is facts


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("- [FACT] one")
    cache = FactsCache()
    before = found(path)
    cache.read(before)
    path.write_text("- [TODO] two")
    os.utime(path, ns=(before.status.st_atime_ns, before.status.st_mtime_ns))
    assert cache.read(found(path)).markers == ((1, "TODO", "[TODO] two"),)


def test_what_changed_since_the_scan_is_remembered_as_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("old")
    before = found(path)
    path.write_text("- [TODO] new")
    cache = FactsCache()
    assert cache.read(before).markers == ((1, "TODO", "[TODO] new"),)
    after = found(path)
    path.unlink()
    assert cache.read(after).markers == ((1, "TODO", "[TODO] new"),)
    with pytest.raises(FileNotFoundError):
        cache.read(before)


def test_what_a_file_was_before_is_forgotten(tmp_path: Path) -> None:
    path, other = tmp_path / "a.md", tmp_path / "b.md"
    other.write_text("- [FACT] another")
    cache = FactsCache(max_files=2)
    beside = found(other)
    kept = cache.read(beside)
    for number in range(50):
        path.write_text(f"- [FACT] {'x' * number}")
        cache.read(found(path))
    other.unlink()
    assert cache.read(beside) is kept
    assert cache._chars == len("[FACT] another") + len("[FACT] ") + 49


@pytest.mark.parametrize("kind", ["gone", "folder", "pipe"])
def test_a_file_that_is_none_any_more_is_gone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    file = found(path)
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(FileNotFoundError):
        FactsCache().read(file)


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    file = found(path)
    path.unlink()
    path.symlink_to("/etc/hostname")
    with pytest.raises(OSError, match="symbolic links"):
        FactsCache().read(file)


def test_the_oldest_readings_are_forgotten_first(tmp_path: Path) -> None:
    files = []
    for name in "abc":
        (tmp_path / name).write_text(f"- [TODO] {name}")
        files.append(found(tmp_path / name))
    cache = FactsCache(max_files=2)
    a, b, c = files
    kept = cache.read(a)
    cache.read(b)
    assert cache.read(a) is kept
    cache.read(c)
    for name in "abc":
        (tmp_path / name).unlink()
    assert cache.read(a) is kept
    assert isinstance(cache.read(c), TextFacts)
    with pytest.raises(FileNotFoundError):
        cache.read(b)


def test_marker_text_is_not_hoarded(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"[TODO] {'x' * 200}")
    file = found(path)
    cache = FactsCache(max_chars=100)
    assert len(cache.read(file).markers) == 1
    path.unlink()
    with pytest.raises(FileNotFoundError):
        cache.read(file)


def test_threads_share_the_cache(tmp_path: Path) -> None:
    files = []
    for number in range(40):
        path = tmp_path / f"{number}.md"
        path.write_text(f"- [FACT] {number}\n")
        files.append(found(path))
    cache = FactsCache(max_files=20)
    wrong: list[int] = []

    def read_all() -> None:
        for _ in range(20):
            for number, file in enumerate(files):
                if cache.read(file).markers != ((1, "FACT", f"[FACT] {number}"),):
                    wrong.append(number)

    threads = [threading.Thread(target=read_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
