"""Sets single values in JSON5 text, or takes them away, and leaves every other byte as it is.

Comments, unknown keys, order, quotes, indentation and line ends stay; what is added is written as
its neighbours are. Whoever uses it decodes the result and compares, before anything is written.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text.json5 import UnknownTextError, comma_behind, read_block, root_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memconsole.domain.config_check.finding import Change, Settable
    from memconsole.text.json5 import Block, Member

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_INDENT = "  "
_LINE_END = re.compile(r"[ \t]*(?=[\r\n])")


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
    """Set values in a text, or take them away; those that stand there already make no edit.

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
        *path, last = change.keys
        if change.value is not None:
            value = change.value
            _inner(made, path)[last] = list(value) if isinstance(value, tuple) else value
        elif _is_there(made, change.keys):
            del _inner(made, path)[last]
    return made


def _inner(made: dict[str, object], path: Iterable[str]) -> dict[str, object]:
    """Return a copy of the object there, which stands in its place; what is none becomes one."""
    block = made
    for key in path:
        inner = block.get(key)
        block[key] = inner = dict(inner) if isinstance(inner, dict) else {}
        block = inner
    return block


def _is_there(root: object, keys: Iterable[str]) -> bool:
    for key in keys:
        if not isinstance(root, dict) or key not in root:
            return False
        root = root[key]
    return True


def _edits(text: str, change: Change) -> list[Edit]:
    """Return the edits of one change, those further back first."""
    start = root_start(text)
    root = block = read_block(text, start)
    if block is None or root is None:
        raise EditError("it holds no object")
    *path, last = change.keys
    for depth, key in enumerate(path):
        member = block.find(key)
        inner = None if member is None else read_block(text, member.value)
        if inner is not None:
            block = inner
        elif change.value is None:
            return []
        elif member is None:
            return _insertion(text, root, block, change, depth)
        elif text[member.value : member.end] == "null":
            return _replacement(text, _Style(text, root, block), member, change, depth)
        else:
            raise EditError(f"{'.'.join(change.keys[: depth + 1])} is no object")
    return _last_edits(text, root, block, block.find(last), change)


def _last_edits(
    text: str, root: Block, block: Block, member: Member | None, change: Change
) -> list[Edit]:
    """Return the edits in the object that holds the key itself, or shall hold it."""
    if change.value is None:
        return [] if member is None else _removal(text, block, member, change)
    depth = len(change.keys) - 1
    if member is None:
        return _insertion(text, root, block, change, depth)
    return _replacement(text, _Style(text, root, block), member, change, depth)


def _replacement(
    text: str, style: _Style, member: Member, change: Change, depth: int
) -> list[Edit]:
    old = text[member.value : member.end]
    if isinstance(change.value, tuple) and old[0] == "[" and ("//" in old or "/*" in old):
        raise EditError(f"the list {change.key} holds comments")
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


def _removal(text: str, block: Block, member: Member, change: Change) -> list[Edit]:
    """Take a member away with its comma, and its lines where nothing else stands in them."""
    comma = comma_behind(text, member)
    end = member.end if comma is None else comma + 1
    start = max(text.rfind("\n", 0, member.start), text.rfind("\r", 0, member.start)) + 1
    line_end = _LINE_END.match(text, end)
    if not text[start : member.start].strip() and line_end is not None:
        # The line before loses its end too: behind the last member nothing may change.
        start -= text[:start].endswith(("\n", "\r")) + text[:start].endswith("\r\n")
        end = line_end.end()
    elif comma is None:
        start = len(text[: member.start].rstrip(" \t"))
    else:
        start = member.start
        end += len(text[end:]) - len(text[end:].lstrip(" \t"))
    made = [_edit(text, start, text[start:end], "", change)]
    place = block.members.index(member)
    before = comma_behind(text, block.members[place - 1]) if place and comma is None else None
    if before is not None:
        made.append(_edit(text, before, ",", "", change))
    return made


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
        value = _written(change.value, quote or self._quote or '"')
        if not self.is_multiline:
            for key in reversed(rest):
                value = f"{{ {self.key(key)}: {value} }}"
            return value
        for number in range(len(rest), 0, -1):
            outer = self.indent + self.unit * (number - 1)
            inner = f"{outer}{self.unit}{self.key(rest[number - 1])}: {value}"
            value = f"{{{self.line_end}{inner}{self.line_end}{outer}}}"
        return value


def _written(value: Settable, quote: str) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_quoted(one, quote) for one in value)}]"
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
