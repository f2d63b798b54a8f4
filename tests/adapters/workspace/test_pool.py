"""Memory pools of whole workspaces."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.workspace.pool import DiskMemory
from memconsole.domain.agents import PlatformConfig
from memconsole.domain.memory.files import MARKER_TAGS, Category, Limit, Marker, Pool, PoolItem
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
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
