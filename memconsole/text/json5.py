"""Finds the places of values in JSON5 text, without decoding them (for `config fix`).

A reader of JSON5 gives values and forgets where they stood; to change one value and leave every
other byte alone, its place is needed. Text that was decoded before is expected: this only finds
places, and what it does not understand it refuses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANK = re.compile(r"(?:[\s\ufeff]+|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", re.DOTALL)
_WORD = re.compile(r"[^\s\ufeff,:{}\[\]\"'/]+")
_IN_BRACKETS = re.compile(r"[^\"'/{}\[\]]+")
_ESCAPE = re.compile(
    r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(\r\n|[\n\r\u2028\u2029])|(.))", re.DOTALL
)
_NAMED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}


class UnknownTextError(ValueError):
    """The text at hand is not what was expected; nothing of it is told, it may be a secret."""

    def __init__(self, position: int) -> None:
        super().__init__(f"unknown text at character {position}")
        self.position = position


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: positions are of characters, ends are behind them.

    Attributes:
        key: Decoded.
        start: Where its key begins.
        value: Where its value begins.
        end: Where its value ends.
    """

    key: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """An object in the text.

    Attributes:
        start: Of its opening brace.
        close: Of its closing brace.
        has_last_comma: A comma stands behind the last member.
    """

    start: int
    close: int
    members: tuple[Member, ...]
    has_last_comma: bool

    def find(self, key: str) -> Member | None:
        """Return the member that counts: of equal keys the last."""
        return next((one for one in reversed(self.members) if one.key == key), None)


def root_start(text: str) -> int:
    """Return where the root value begins."""
    return _after_blank(text, 0)


def read_block(text: str, start: int) -> Block | None:
    """Return the object that begins there; None when something else does.

    Raises:
        UnknownTextError: It has no end, or holds what no JSON5 does.
    """
    if text[start : start + 1] != "{":
        return None
    members: list[Member] = []
    position = _after_blank(text, start + 1)
    has_comma = False
    while text[position : position + 1] != "}":
        if members and not has_comma:
            raise UnknownTextError(position)
        member = _member(text, position)
        members.append(member)
        position = _after_blank(text, member.end)
        has_comma = text[position : position + 1] == ","
        if has_comma:
            position = _after_blank(text, position + 1)
    return Block(start, position, tuple(members), has_comma)


def comma_behind(text: str, member: Member) -> int | None:
    """Return where the comma behind a member stands; None when there is none."""
    place = _after_blank(text, member.end)
    return place if text[place : place + 1] == "," else None


def _member(text: str, start: int) -> Member:
    found = _STRING.match(text, start) or _WORD.match(text, start)
    if found is None:
        raise UnknownTextError(start)
    colon = _after_blank(text, found.end())
    if text[colon : colon + 1] != ":":
        raise UnknownTextError(colon)
    value = _after_blank(text, colon + 1)
    return Member(_key(found[0]), start, value, _value_end(text, value))


def _key(raw: str) -> str:
    return _ESCAPE.sub(_unescaped, raw[1:-1] if raw[0] in "\"'" else raw)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        return chr(int(code, 16))
    return "" if found[3] else _NAMED.get(found[4], found[4])


def _value_end(text: str, start: int) -> int:
    first = text[start : start + 1]
    if first in ("{", "["):
        return _bracket_end(text, start)
    found = _STRING.match(text, start) or _WORD.match(text, start)
    if found is None:
        raise UnknownTextError(start)
    return found.end()


def _bracket_end(text: str, start: int) -> int:
    depth = 0
    for position, mark in _marks(text, start):
        depth += 1 if mark in "{[" else -1
        if not depth:
            return position + 1
    raise UnknownTextError(start)


def _marks(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield brackets and their places, past strings and comments."""
    position = start
    while position < len(text):
        mark = text[position]
        if mark in "{}[]":
            yield position, mark
            position += 1
        elif mark in "\"'":
            found = _STRING.match(text, position)
            if found is None:
                raise UnknownTextError(position)
            position = found.end()
        elif mark == "/":
            position = _after_comment(text, position)
        else:
            found = _IN_BRACKETS.match(text, position)
            assert found is not None  # the marks above are all that it does not take
            position = found.end()


def _after_comment(text: str, position: int) -> int:
    end = _after_blank(text, position)
    if end == position:
        raise UnknownTextError(position)
    return end


def _after_blank(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return position if found is None else found.end()
