"""Renders INDEX.md: what an agent's memory holds, in few words, in its exact shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import local_day, local_time
from memconsole.domain.memory.categories import category_of, with_own
from memconsole.domain.memory.files import EMOJI, MARKER_TAGS, is_utf8
from memconsole.domain.settings.headings import CategoryRule
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in
from memconsole.text.figures import size_column
from memconsole.text.graphemes import cut
from memconsole.text.markdown import quote_line
from memconsole.text.outgoing import let_out, name_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.calendar import Zone
    from memconsole.domain.memory.files import PoolItem
    from memconsole.domain.settings.sections import IndexMdSettings

INDEX: Final = "memory/INDEX.md"
_FOLDER: Final = "memory/"

TITLE_CHARS: Final = 60
_NAME_CHARS: Final = 120

_PLURALS: Final = {
    "DECISION": "decisions",
    "GOTCHA": "gotchas",
    "SOLUTION": "solutions",
    "PATTERN": "patterns",
    "TRADEOFF": "tradeoffs",
    "FACT": "facts",
    "PREFERENCE": "preferences",
    "TODO": "todos",
}
_DESCRIPTIONS: Final = {
    "Core State": "What is going on now; read these first",
    "Domain": "What the work is about",
    "Plans & Procedures": "What is to be done, and how",
    "Config & Credentials": "How things are set up; where keys are kept, never the keys",
    "Research Reports": "What was found out",
    "Project Setup": "How projects are laid out",
    "Session Logs": "What happened, day by day; search them",
    "Other": "Everything else",
}
_OWN: Final = "Files that the operator's configuration puts here"
_HOW_TO: Final = (
    "Do not load everything: this index says what there is.",
    "Search first (memory_search), then read the lines around a hit (memory_get).",
    "Always read ACTIVE_CONTEXT.md: it says what was going on last.",
    "Markers: " + ", ".join(f"{EMOJI[tag]} {tag}" for tag in MARKER_TAGS) + ".",
)
_SHORTEST_ROW: Final = len("| a | a | 0B | ~0 | — | ? |\n")
_FOLDED_FIRST: Final = ("Session Logs", "Other")
_STAMP: Final = re.compile(r"(?<=> \*\*Generated\*\*: )[^|\n]*")


@dataclass(frozen=True, slots=True)
class IndexText:
    """A rendered index.

    Attributes:
        text: The whole file.
        files: Files that were catalogued; `shown` of them have a row of their own.
    """

    text: str
    files: int
    shown: int


def catalogued(items: Iterable[PoolItem], rules: IndexMdSettings) -> tuple[PoolItem, ...]:
    """Return the files of a pool that the index lists: those below `memory/` that can be read.

    A link that leads out of the workspace is nothing to send an agent to, and a name that is not
    UTF-8 none by which it could ask for the file.
    """
    return tuple(
        item
        for item in items
        if item.path.startswith(_FOLDER)
        and item.path != INDEX
        and item.is_counted
        and is_utf8(item.path)
        and not _is_left_out(item, rules)
    )


def render_index(
    items: Sequence[PoolItem], *, at: datetime, zone: Zone, rules: IndexMdSettings
) -> IndexText:
    """Return the index of these files; over the budget the oldest rows fold, one a category.

    Args:
        items: What `catalogued` gave.
        at: The time of writing.
        zone: The user's zone.
        rules: Budget and headings.
    """
    page = _Page(_head(items, at, zone), _grouped(items, rules), zone, rules)
    sizes = {rule.name: len(files) for rule, files in page.groups}
    folds = dict.fromkeys(sizes, 0)
    first = [name for name in _FOLDED_FIRST if name in sizes]
    for name in (*first, *(name for name in sizes if name not in first)):
        if page.fits(folds):
            break
        folds[name] = page.least_fold(folds, name, sizes[name])
    shown = sum(size - folds[name] for name, size in sizes.items())
    return IndexText(page.text(folds), len(items), shown)


def is_same_index(one: str, other: str) -> bool:
    """Whether two indexes differ in nothing but the time they were made at."""
    return _STAMP.sub("", one, count=1) == _STAMP.sub("", other, count=1)


def _is_left_out(item: PoolItem, rules: IndexMdSettings) -> bool:
    folders = item.path.removeprefix(_FOLDER).split("/")[:-1]
    return any(part.startswith(".") for part in folders) or (
        bool(folders) and folders[0] in rules.exclude
    )


def _grouped(
    items: Iterable[PoolItem], rules: IndexMdSettings
) -> list[tuple[CategoryRule, list[PoolItem]]]:
    """Return the categories that hold files, in the order of the table; newest file first."""
    prefixes = tuple(f"{prefix}*" for prefix in rules.domain_prefixes)
    table = tuple(
        CategoryRule(rule.name, rule.emoji, prefixes) if rule.name == "Domain" else rule
        for rule in with_own(rules.categories)
    )
    held: dict[str, list[PoolItem]] = {rule.name: [] for rule in table}
    for item in items:
        held[category_of(item.path, table).name].append(item)
    for files in held.values():
        files.sort(key=lambda item: item.path)
        files.sort(key=_age, reverse=True)
    return [(rule, held[rule.name]) for rule in table if held[rule.name]]


def _age(item: PoolItem) -> float:
    return item.modified_at.timestamp() if item.modified_at is not None else 0.0


@dataclass(frozen=True, slots=True)
class _Page:
    """What a rendering is made of."""

    head: str
    groups: Sequence[tuple[CategoryRule, list[PoolItem]]]
    zone: Zone
    rules: IndexMdSettings

    def fits(self, folds: Mapping[str, int]) -> bool:
        """Whether it keeps to the budget with so many rows folded.

        Rows that are too many, however short they were, are not written out to be counted.
        """
        rows = sum(len(files) - folds[rule.name] for rule, files in self.groups)
        if rows * _SHORTEST_ROW > 4 * self.rules.max_tokens:
            return False
        return tokens_in(self.text(folds)) <= self.rules.max_tokens

    def least_fold(self, folds: Mapping[str, int], name: str, size: int) -> int:
        """Return how many of a category's oldest rows must fold; all when that is too few."""
        low, high = 2, size  # one row folded into one row saves nothing
        while low < high:
            middle = (low + high) // 2
            if self.fits({**folds, name: middle}):
                high = middle
            else:
                low = middle + 1
        return high if size > 1 else 0

    def text(self, folds: Mapping[str, int]) -> str:
        """Return the whole file."""
        lines = [self.head]
        for rule, files in self.groups:
            lines += [
                f"### {rule.emoji} {quote_line(rule.name)}",
                f"_{_DESCRIPTIONS.get(rule.name, _OWN)}_",
                "",
            ]
            if rule.name == "Domain" and not folds[rule.name]:
                lines += self._domains(files)
            else:
                lines += _table(files, folds[rule.name], self.zone)
        return "\n".join(lines)

    def _domains(self, files: Sequence[PoolItem]) -> Iterator[str]:
        left = list(files)
        for prefix in self.rules.domain_prefixes:
            mine = [item for item in left if _name(item).lower().startswith(prefix.lower())]
            left = [item for item in left if item not in mine]
            if mine:
                yield f"#### {quote_line(prefix)}"
                yield from _table(mine, 0, self.zone)


def _tags(items: Iterable[PoolItem]) -> tuple[str, ...]:
    """Return the usual tags and those of `markers.extra` that occur."""
    found = {tag for item in items for tag in item.markers}
    return (*MARKER_TAGS, *sorted(found.difference(MARKER_TAGS)))


def _sign(tag: str) -> str:
    return EMOJI.get(tag, f"[{tag}]")


def _head(items: Sequence[PoolItem], at: datetime, zone: Zone) -> str:
    size = sum(item.size_bytes for item in items)
    sums = ((tag, sum(item.markers.get(tag, 0) for item in items)) for tag in _tags(items))
    counts = " | ".join(
        f"{sum_}{_sign(tag)} {_PLURALS.get(tag, '')}".rstrip() for tag, sum_ in sums
    )
    return "\n".join(
        [
            "# Memory Index",
            f"> **Generated**: {local_time(at, zone):%Y-%m-%d %H:%M %Z} | **Files**: {len(items)}"
            f" | **Size**: {size_column(size)} | **~Tokens**: {_tokens(items)}",
            f"> **Observations**: {counts}",
            "",
            "## How to Use",
            *(f"- {line}" for line in _HOW_TO),
            "",
        ]
    )


def _table(files: Sequence[PoolItem], folded: int, zone: Zone) -> Iterator[str]:
    yield "| File | Title | Size | Tokens | Observations | Modified |"
    yield "|------|-------|------|--------|--------------|----------|"
    shown = files[: len(files) - folded]
    for item in shown:
        yield _row(
            quote_line(cut(name_out(item.path.removeprefix(_FOLDER)), _NAME_CHARS)),
            quote_line(cut(let_out(item.title or _stem(item)), TITLE_CHARS)),
            [item],
            zone,
        )
    if folded:
        yield _row(f"… {folded} older files", "", files[len(shown) :], zone)
    yield ""


def _row(name: str, title: str, files: Sequence[PoolItem], zone: Zone) -> str:
    size = sum(item.size_bytes for item in files)
    counts = ((tag, sum(item.markers.get(tag, 0) for item in files)) for tag in _tags(files))
    marks = " ".join(f"{count}{_sign(tag)}" for tag, count in counts if count) or "—"
    times = [item.modified_at for item in files if item.modified_at is not None]
    day = local_day(max(times), zone).isoformat() if times else "?"
    return f"| {name} | {title} | {size_column(size)} | ~{_tokens(files)} | {marks} | {day} |"


def _tokens(items: Iterable[PoolItem]) -> int:
    return sum(item.tokens for item in items)


def _name(item: PoolItem) -> str:
    return item.path.rpartition("/")[2]


def _stem(item: PoolItem) -> str:
    return _name(item).rpartition(".")[0] or _name(item)
