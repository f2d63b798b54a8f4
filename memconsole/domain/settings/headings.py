"""Headings of INDEX.md and markers of the operator's own, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memconsole.domain.settings.kinds import Kind, Texts, shown, toml_value
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled

_KEYS: Final = frozenset({"name", "patterns", "emoji"})
_EMOJI: Final = "🗂️"
_TAG: Final = r"[A-Z][A-Z0-9_-]{0,30}"


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

    def __str__(self) -> str:
        """Return what `config show` says of it."""
        return f"{self.name}: {', '.join(self.patterns)}"


class Categories(Kind):
    """The tables `[[index_md.category]]`."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name of the kind."""
        return "list of tables, each an [[index_md.category]]"

    def parse(self, raw: object) -> tuple[CategoryRule, ...]:
        """Take tables with a name and patterns; of two with one name nobody could choose."""
        if not isinstance(raw, list | tuple) or not all(isinstance(one, Mapping) for one in raw):
            raise ValueError(f"must be a {self.label}")
        found = tuple(_category(number, table) for number, table in enumerate(raw, 1))
        names = [one.name.casefold() for one in found]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"has the name {shown(twice)} twice")
        return found

    def from_text(self, text: str) -> object:
        """Accept a TOML array of inline tables."""
        return toml_value(text)


class Tags(Texts):
    """Words of capitals, as they stand in brackets."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name with an example."""
        return 'list of words in capitals such as ["RISK", "IDEA"]'

    def parse(self, raw: object) -> tuple[str, ...]:
        """Take words of capital letters, digits, hyphens and underscores, each once."""
        tags = super().parse(raw)
        if wrong := next((tag for tag in tags if not compiled(_TAG).fullmatch(tag)), None):
            raise ValueError(f"must be a {self.label}, not {shown(wrong)}")
        return tuple(dict.fromkeys(tags))


def _category(number: int, table: Mapping[str, object]) -> CategoryRule:
    if unknown := next((key for key in table if key not in _KEYS), None):
        raise ValueError(f"number {number} has an unknown key {shown(unknown)}")
    name, emoji = table.get("name"), table.get("emoji", _EMOJI)
    if not isinstance(name, str) or not name.strip() or not isinstance(emoji, str):
        raise ValueError(f"number {number} needs a name, and an emoji is a text")
    try:
        patterns = Texts().parse(table.get("patterns"))
    except ValueError as error:
        raise ValueError(f"number {number}: patterns {error}") from None
    return CategoryRule(name.strip(), emoji.strip(), patterns)
