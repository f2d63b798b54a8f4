"""Sets single values in JSON5 text and leaves every other byte as it is (`config fix`).

Comments, unknown keys, order, quotes, indentation and line ends stay; what is added is written as
its neighbours are. Whoever uses it decodes the result and compares, before anything is written.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text.json5 import UnknownTextError, read_block, root_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memconsole.domain.config_check.finding import Change, Scalar
    from memconsole.text.json5 import Block, Member

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Edit:
    """One place of the text that changes.

    Attributes:
        start: First character that is replaced, in the text before this edit.
        old: What stood there; empty for an insertion.
        new: What stands there then.
        line: Line of it, from 1.
        change: What it sets.
    """

    start: int
    old: str
    new: str
    line: int
    change: Change


class EditError(ValueError):
    """A value cannot be set without touching what is not ours to touch."""


def edit(text: str, changes: Iterable[Change]) -> tuple[str, tuple[Edit, ...]]:
    """Set values in a text; those that stand there already make no edit.

    Raises:
        EditError: A key leads through something that is no object, or the text is not understood.
    """
    edits: list[Edit] = []
    for change in changes:
        try:
            made = _edits(text, change)
        except UnknownTextError as error:
            line = text.count("\n", 0, error.position) + 1
            raise EditError(f"line {line} is not understood") from None
        for one in made:
            text = text[: one.start] + one.new + text[one.start + len(one.old) :]
            edits.append(one)
    return text, tuple(edits)


def with_changes(root: Mapping[str, object], changes: Iterable[Change]) -> dict[str, object]:
    """Return the decoded configuration as it is meant to be after the changes."""
    made: dict[str, object] = dict(root)
    for change in changes:
        block = made
        for key in change.keys[:-1]:
            inner = block.get(key)
            block[key] = inner = dict(inner) if isinstance(inner, dict) else {}
            block = inner
        block[change.keys[-1]] = change.value
    return made


def _edits(text: str, change: Change) -> list[Edit]:
    """Return the edits of one change, those further back first."""
    start = root_start(text)
    root = block = read_block(text, start)
    if block is None or root is None:
        raise EditError("it holds no object")
    last = len(change.keys) - 1
    for depth, key in enumerate(change.keys[:last]):
        member = block.find(key)
        if member is None:
            return _insertion(text, root, block, change, depth)
        if text[member.value : member.end] == "null":
            return _replacement(text, _Style(text, root, block), member, change, depth)
        inner = read_block(text, member.value)
        if inner is None:
            raise EditError(f"{'.'.join(change.keys[: depth + 1])} is no object")
        block = inner
    member = block.find(change.keys[last])
    if member is None:
        return _insertion(text, root, block, change, last)
    return _replacement(text, _Style(text, root, block), member, change, last)


def _replacement(
    text: str, style: _Style, member: Member, change: Change, depth: int
) -> list[Edit]:
    old = text[member.value : member.end]
    quote = old[0] if old[0] in "\"'" else None
    new = style.value(change, depth + 1, quote)
    return [] if old == new else [_edit(text, member.value, old, new, change)]


def _insertion(text: str, root: Block, block: Block, change: Change, depth: int) -> list[Edit]:
    style = _Style(text, root, block)
    member = f"{style.key(change.keys[depth])}: {style.value(change, depth + 1)}"
    if not block.members:
        return [_into_empty(text, block, style, member, change)]
    last = block.members[-1].end
    rest = text[last : block.close]
    place = last + len(rest.rstrip())
    comma = "," if block.has_last_comma else ""
    if not style.is_multiline:
        return [_edit(text, last, "", f", {member}", change)]
    line = f"{style.line_end}{style.indent}{member}{comma}"
    if block.has_last_comma:
        return [_edit(text, place, "", line, change)]
    if place == last:
        return [_edit(text, last, "", f",{line}", change)]
    # A comment stands behind the last value: the comma goes before it, the member behind it.
    return [_edit(text, place, "", line, change), _edit(text, last, "", ",", change)]


def _into_empty(text: str, block: Block, style: _Style, member: str, change: Change) -> Edit:
    inside = text[block.start + 1 : block.close]
    if style.is_multiline:
        place = block.start + 1 + len(inside.rstrip())
        return _edit(text, place, "", f"{style.line_end}{style.indent}{member}", change)
    gap = " " if style.is_spaced or inside else ""
    if inside.strip():
        return _edit(text, block.close, "", f" {member} ", change)
    return _edit(text, block.start + 1, "", gap + member + ("" if inside else gap), change)


class _Style:
    """How the neighbours of an addition are written."""

    def __init__(self, text: str, root: Block, block: Block) -> None:
        first = block.members[0].start if block.members else block.close
        head = text[block.start + 1 : first]
        self.is_multiline = "\n" in head or "\r" in head
        self.line_end = "\r\n" if "\r\n" in text else "\n"
        outer = _indent_at(text, block.start)
        self.unit = _unit(text, root)
        is_known = self.is_multiline and bool(block.members)
        self.indent = _indent_at(text, first) if is_known else outer + self.unit
        sample = block.members or root.members
        raw = text[sample[0].start : sample[0].start + 1] if sample else '"'
        self._quote = raw if raw in "\"'" else ""
        self.is_spaced = self._quote != '"'

    def key(self, key: str) -> str:
        """Return a key as its neighbours are written."""
        if not self._quote and _IDENTIFIER.fullmatch(key):
            return key
        return _quoted(key, self._quote or '"')

    def value(self, change: Change, depth: int, quote: str | None = None) -> str:
        """Return the value, inside of the objects that the path still needs."""
        rest = change.keys[depth:]
        value = _scalar(change.value, quote or self._quote or '"')
        if not self.is_multiline:
            for key in reversed(rest):
                value = f"{{ {self.key(key)}: {value} }}"
            return value
        for number in range(len(rest), 0, -1):
            outer = self.indent + self.unit * (number - 1)
            inner = f"{outer}{self.unit}{self.key(rest[number - 1])}: {value}"
            value = f"{{{self.line_end}{inner}{self.line_end}{outer}}}"
        return value


def _scalar(value: Scalar, quote: str) -> str:
    return _quoted(value, quote) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str, quote: str) -> str:
    made = json.dumps(text, ensure_ascii=False)
    return made if quote == '"' or "'" in text or '"' in text else f"'{made[1:-1]}'"


def _unit(text: str, root: Block) -> str:
    """Return one step of indentation: that of the root's own members."""
    if not root.members:
        return _INDENT
    indent = _indent_at(text, root.members[0].start)
    return indent if indent and not indent.strip() else _INDENT


def _indent_at(text: str, position: int) -> str:
    """Return the blanks at the beginning of the line of a position."""
    start = max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1
    line = text[start:position]
    return line[: len(line) - len(line.lstrip())]


def _edit(text: str, start: int, old: str, new: str, change: Change) -> Edit:
    return Edit(start, old, new, text.count("\n", 0, start) + 1, change)
