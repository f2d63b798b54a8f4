"""Sorts memory files into the headings of INDEX.md (mission §8 table)."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from memconsole.domain.memory import Category

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class CategoryRule:
    """One row of the table.

    Attributes:
        name: Heading in words.
        emoji: What stands before the name in INDEX.md.
        patterns: Shell patterns for the file name; letter case does not matter.
    """

    name: str
    emoji: str
    patterns: tuple[str, ...]


OTHER = CategoryRule("Other", "📁", ("*",))
"""Takes what no other rule wants; always the last row."""

CATEGORIES = (
    CategoryRule(
        "Core State",
        "🔑",
        (
            "ACTIVE_CONTEXT.md",
            "observations.md",
            "favorites.md",
            "overnight-run-state.md",
            "*mission-control*",
        ),
    ),
    CategoryRule("Domain", "🏢", ()),
    CategoryRule("Plans & Procedures", "📋", ("plan-*", "procedure-*", "*-checklist*")),
    CategoryRule("Config & Credentials", "⚙️", ("*-config.md", "credentials-*")),
    CategoryRule("Research Reports", "🔬", ("research-*",)),
    CategoryRule("Project Setup", "🏗️", ("*-setup*",)),
    CategoryRule("Session Logs", "📅", ("20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]*",)),
    OTHER,
)
"""The rows in their order; the first one that matches a file takes it."""


def category_of(path: str, rules: Sequence[CategoryRule] = CATEGORIES) -> CategoryRule:
    """Return the first rule that takes the file; `OTHER` when none does.

    Args:
        path: Path with `/`; only its last part counts.
        rules: Rows in order of preference.
    """
    name = path.rpartition("/")[2].lower()
    for rule in rules:
        if any(fnmatchcase(name, pattern.lower()) for pattern in rule.patterns):
            return rule
    return OTHER


def by_category(
    files: Iterable[tuple[str, int]], rules: Sequence[CategoryRule] = CATEGORIES
) -> tuple[Category, ...]:
    """Return the categories that hold a file, in the order of the rows.

    Args:
        files: (path, size in bytes) of each file.
        rules: Rows in order of preference.
    """
    sizes: dict[str, list[int]] = {rule.name: [] for rule in (*rules, OTHER)}
    for path, size_bytes in files:
        sizes[category_of(path, rules).name].append(size_bytes)
    return tuple(Category(name, len(held), sum(held)) for name, held in sizes.items() if held)
