"""Categories of memory files."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.memory.categories import CATEGORIES, OTHER, by_category, category_of
from memconsole.domain.memory.files import Category
from memconsole.domain.settings.headings import CategoryRule


def test_the_rows_stand_in_the_order_of_the_specification() -> None:
    assert [f"{rule.emoji} {rule.name}" for rule in CATEGORIES] == [
        "🔑 Core State",
        "🏢 Domain",
        "📋 Plans & Procedures",
        "⚙️ Config & Credentials",
        "🔬 Research Reports",
        "🏗️ Project Setup",
        "📅 Session Logs",
        "📁 Other",
    ]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("memory/ACTIVE_CONTEXT.md", "Core State"),
        ("memory/observations.md", "Core State"),
        ("memory/favorites.md", "Core State"),
        ("memory/overnight-run-state.md", "Core State"),
        ("memory/old-mission-control-notes.md", "Core State"),
        ("memory/plan-garden.md", "Plans & Procedures"),
        ("memory/procedure-backup.md", "Plans & Procedures"),
        ("memory/move-checklist-2.md", "Plans & Procedures"),
        ("memory/mail-config.md", "Config & Credentials"),
        ("memory/mail-config-old.md", "Other"),
        ("memory/credentials-mail.md", "Config & Credentials"),
        ("memory/research-batteries.md", "Research Reports"),
        ("memory/Research-Batteries.MD", "Research Reports"),
        ("memory/printer-setup.md", "Project Setup"),
        ("memory/2026-01-26.md", "Session Logs"),
        ("memory/archive/observations/2026-01-26.md", "Session Logs"),
        ("memory/2026-01-26-api-design.md", "Session Logs"),
        ("memory/1999-01-26.md", "Other"),
        ("memory/2026-1-26.md", "Other"),
        ("memory/my-2026-01-26.md", "Other"),
        ("memory/research-x/notes.md", "Other"),
        ("MEMORY.md", "Other"),
    ],
)
def test_a_file_goes_where_its_name_says(path: str, name: str) -> None:
    assert category_of(path).name == name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("plan-mission-control.md", "Core State"),
        ("plan-x-config.md", "Plans & Procedures"),
        ("credentials-setup.md", "Config & Credentials"),
        ("research-setup.md", "Research Reports"),
        ("2026-01-26-api-setup.md", "Project Setup"),
    ],
)
def test_the_first_row_that_matches_wins(path: str, name: str) -> None:
    assert category_of(path).name == name


def test_other_rows_may_be_given() -> None:
    rules = (CategoryRule("Domain", "🏢", ("acme-*",)), *CATEGORIES)
    assert category_of("memory/ACME-plan.md", rules).name == "Domain"
    assert category_of("x.md", ()) is OTHER


def test_sums_in_the_order_of_the_rows() -> None:
    files = [("a.md", 1), ("2026-01-26.md", 2), ("memory/ACTIVE_CONTEXT.md", 4), ("b.md", 8)]
    assert by_category(files) == (
        Category("Core State", 1, 4),
        Category("Session Logs", 1, 2),
        Category("Other", 2, 9),
    )


@given(st.lists(st.tuples(st.text(), st.integers(0, 1000))))
def test_every_file_is_in_exactly_one_category(files: list[tuple[str, int]]) -> None:
    found = by_category(files)
    assert sum(category.files for category in found) == len(files)
    assert sum(category.size_bytes for category in found) == sum(size for _, size in files)
    order = [rule.name for rule in CATEGORIES]
    assert all(order.index(a.name) < order.index(b.name) for a, b in pairwise(found))
