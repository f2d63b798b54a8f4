"""Sorts memory files into the headings of INDEX.md."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from typing import TYPE_CHECKING

from memconsole.domain.memory.files import Category
from memconsole.domain.settings.headings import CategoryRule

if TYPE_CHECKING:
    from collections.abc import Iterable


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


def with_own(own: tuple[CategoryRule, ...]) -> tuple[CategoryRule, ...]:
    """Return the table with an operator's rows: in the place of a row of the same name, else first.

    `OTHER` stays the last one: something must take what is left.
    """
    by_name = {rule.name.casefold(): rule for rule in own}
    usual = {rule.name.casefold() for rule in CATEGORIES}
    first = (rule for name, rule in by_name.items() if name not in usual)
    kept = (by_name.get(rule.name.casefold(), rule) for rule in CATEGORIES[:-1])
    return (*first, *kept, OTHER)


def category_of(path: str, rules: tuple[CategoryRule, ...] = CATEGORIES) -> CategoryRule:
    """Return the first rule that takes the file; `OTHER` when none does.

    Args:
        path: Path with `/`; only its last part counts.
        rules: Rows in order of preference.
    """
    match = _matcher(rules).match(path.rpartition("/")[2])
    number = match.lastindex if match else None
    return OTHER if number is None else rules[number - 1]


@lru_cache(maxsize=16)
def _matcher(rules: tuple[CategoryRule, ...]) -> re.Pattern[str]:
    """One pattern for all rows: group n is row n, and the first row that matches wins."""
    never = r"(?!)"
    rows = ("|".join(map(translate, rule.patterns)) or never for rule in rules)
    return re.compile("|".join(f"({row})" for row in rows) or never, re.IGNORECASE)


def by_category(
    files: Iterable[tuple[str, int]], rules: tuple[CategoryRule, ...] = CATEGORIES
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
