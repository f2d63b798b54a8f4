"""INDEX.md: its exact shape, its order, and its budget."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain import index_md
from memconsole.domain.index_md import IndexText, catalogued, is_same_index, render_index
from memconsole.domain.memory.files import PoolItem
from memconsole.domain.settings.sections import IndexMdSettings

NOW = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)


def item(path: str, *, days: int = 0, size: int = 4096, **more: object) -> PoolItem:
    values: dict[str, object] = {
        "path": path,
        "size_bytes": size,
        "tokens": size // 4,
        "is_generated": False,
        "is_counted": True,
        "modified_at": NOW - timedelta(days=days),
        **more,
    }
    return PoolItem(**values)  # type: ignore[arg-type]  # names are checked by the dataclass itself


def render(*items: PoolItem, rules: IndexMdSettings | None = None) -> IndexText:
    rules = rules or IndexMdSettings()
    return render_index(catalogued(items, rules), at=NOW, zone=None, rules=rules)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")


def test_the_shape_is_exact() -> None:
    found = render(
        item("memory/2026-01-25.md", days=1, size=2048, title="Sunday"),
        item("memory/2026-01-26.md", size=300, markers={"DECISION": 2, "TODO": 1}),
        item("memory/ACTIVE_CONTEXT.md", title="Active Context — main"),
        item("memory/plan-move.md", size=3 * 1024 * 1024, title="The move"),
        item("memory/INDEX.md"),
        item("MEMORY.md"),
    )
    assert found.text == (
        "# Memory Index\n"
        "> **Generated**: 2026-01-26 13:20 UTC | **Files**: 4 | **Size**: 3MB"
        " | **~Tokens**: 788043\n"
        "> **Observations**: 2🟤 decisions | 0🔴 gotchas | 0🟡 solutions | 0🔵 patterns"
        " | 0⚖️ tradeoffs | 0🟢 facts | 0🟣 preferences | 1⚪ todos\n"
        "\n"
        "## How to Use\n"
        "- Do not load everything: this index says what there is.\n"
        "- Search first (memory_search), then read the lines around a hit (memory_get).\n"
        "- Always read ACTIVE_CONTEXT.md: it says what was going on last.\n"
        "- Markers: 🟤 DECISION, 🔴 GOTCHA, 🟡 SOLUTION, 🔵 PATTERN, ⚖️ TRADEOFF, 🟢 FACT,"
        " 🟣 PREFERENCE, ⚪ TODO.\n"
        "\n"
        "### 🔑 Core State\n"
        "_What is going on now; read these first_\n"
        "\n"
        "| File | Title | Size | Tokens | Observations | Modified |\n"
        "|------|-------|------|--------|--------------|----------|\n"
        "| ACTIVE_CONTEXT.md | Active Context — main | 4KB | ~1024 | — | 2026-01-26 |\n"
        "\n"
        "### 📋 Plans & Procedures\n"
        "_What is to be done, and how_\n"
        "\n"
        "| File | Title | Size | Tokens | Observations | Modified |\n"
        "|------|-------|------|--------|--------------|----------|\n"
        "| plan-move.md | The move | 3MB | ~786432 | — | 2026-01-26 |\n"
        "\n"
        "### 📅 Session Logs\n"
        "_What happened, day by day; search them_\n"
        "\n"
        "| File | Title | Size | Tokens | Observations | Modified |\n"
        "|------|-------|------|--------|--------------|----------|\n"
        "| 2026-01-26.md | 2026-01-26 | 300B | ~75 | 2🟤 1⚪ | 2026-01-26 |\n"
        "| 2026-01-25.md | Sunday | 2KB | ~512 | — | 2026-01-25 |\n"
    )


def test_what_is_no_memory_for_reading_is_left_out() -> None:
    left_out = (
        "memory/archive/2025.md",
        "memory/observation-backups/observations-20260101-000000.md",
        "memory/dreaming/x.md",
        "memory/.hidden/x.md",
    )
    link = item("memory/outside.md", is_counted=False, because="link leads out of the workspace")
    found = render(*(item(path) for path in left_out), link, item("memory/projects/archive.md"))
    assert (found.files, "projects/archive.md" in found.text) == (1, True)


def test_a_name_that_nobody_can_write_down_is_not_listed() -> None:
    found = render(item("memory/bad\udcff.md"), item("memory/good.md"))
    assert (found.files, "bad" in found.text) == (1, False)


def test_over_the_budget_the_oldest_logs_fold_first_then_the_others() -> None:
    logs = [
        item(f"memory/{NOW - timedelta(days=n):%Y-%m-%d}.md", days=n, markers={"FACT": 1})
        for n in range(200)
    ]
    others = [item(f"memory/note-{n}.md", days=n) for n in range(20)]
    found = render(*logs, *others)
    assert -(-len(found.text) // 4) <= 2000
    assert "| note-19.md |" in found.text
    assert "| 2026-01-26.md |" in found.text
    folded = found.files - found.shown
    assert f"| … {folded} older files |  |" in found.text
    oldest = NOW - timedelta(days=200 - folded)
    assert f"{folded}🟢 | {oldest:%Y-%m-%d} |" in found.text


@pytest.mark.parametrize("number", [2_000, 5_000])
def test_thousands_of_files_keep_to_the_budget(number: int) -> None:
    items = [item(f"memory/area-{n % 40}/note-{n}.md", days=n % 700) for n in range(number)]
    found = render(*items)
    assert found.files == number
    assert -(-len(found.text) // 4) <= 2000


@pytest.mark.parametrize("tokens", [200, 700, 1_500, 4_000])
def test_what_is_not_written_out_to_be_counted_would_not_have_fitted(
    tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [f"memory/{'' if n % 3 else '2026-01-'}{n % 31 + 1:02d}{n}.md" for n in range(300)]
    items = [item(path, days=n, size=n, modified_at=None) for n, path in enumerate(paths)]
    rules = IndexMdSettings(max_tokens=tokens)
    quick = render(*items, rules=rules)
    monkeypatch.setattr(index_md, "_SHORTEST_ROW", 0)
    assert render(*items, rules=rules) == quick
    row = "| a | a | 0B | ~0 | — | ? |\n"
    assert f"\n{row}" in render(item("memory/a", size=0, modified_at=None)).text


def test_domains_have_a_heading_each() -> None:
    rules = IndexMdSettings(domain_prefixes=("inventory-", "labels-"))
    text = render(item("memory/labels-queue.md"), item("memory/inventory-db.md"), rules=rules).text
    assert text.index("### 🏢 Domain") < text.index("#### inventory-") < text.index("#### labels-")


def test_titles_and_names_cannot_break_the_table() -> None:
    hostile = "a | b <!-- [link](x) `code` # h \x1b[2J"
    text = render(item("memory/x|y.md", title=hostile), item("memory/z.md", title="t" * 99)).text
    rows = [line for line in text.split("\n") if line.startswith("| ") and "File" not in line]
    assert len(rows) == 2
    assert all(row.replace("\\|", "").count("|") == 7 for row in rows)
    assert "\x1b" not in text
    assert f"{'t' * 59}…" in text


@given(st.lists(st.tuples(st.text(max_size=40), st.text(max_size=80)), max_size=8))
def test_any_names_make_a_table(names: list[tuple[str, str]]) -> None:
    items = [item(f"memory/{name}.md", title=title or None) for name, title in names]
    text = render(*items).text
    for line in text.split("\n"):
        if line.startswith("| "):
            assert line.replace("\\\\", "").replace("\\|", "").count("|") == 7


def test_only_the_time_makes_no_difference() -> None:
    later = render_index(
        [item("memory/a.md")], at=NOW + timedelta(days=1), zone=None, rules=IndexMdSettings()
    )
    now = render(item("memory/a.md"))
    assert later.text != now.text
    assert is_same_index(later.text, now.text)
    assert not is_same_index(render(item("memory/b.md")).text, now.text)
