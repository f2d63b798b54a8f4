"""Finds the secrets of a table's column: the word stands at its head, the values in rows below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.text.compiled import compiled
from memconsole.text.redaction.patterns import PLACEHOLDER, REFERENCE, TECHNICAL_WORD
from memconsole.text.redaction.values import ValueTraits, is_harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

_END = r"[ \t*_`\"']{0,40}(?:[|\u2502\u2503]|\r?(?:\n|\Z))"
"""What closes the field of a word that is alone in it."""

_DRESS = " \t\r*_`\"'"
_RULE = r"[ \t>]*[|+:\u2500-\u257f-][ \t|+=:\u2500-\u257f-]*\r?"
"""The line between the head of a table and its rows."""

_FIELD = r"[|\u2502\u2503]"
_WIDEST = 2000
"""Characters of a row that are looked at."""

_ROWS = 100
"""Rows that are looked at."""

_SHORTEST = 6
"""Characters of a value: fewer are a number, or say yes or no."""


def below(text: str, word: tuple[int, int], *, is_password: bool) -> Iterator[tuple[int, int]]:
    """Yield where secrets stand below the word, where it is the head of a column."""
    if (column := _column(text, *word)) is None:
        return
    start = text.find("\n", word[1]) + 1
    traits = ValueTraits(is_password=is_password, is_strict=True, is_certain=False)
    for _ in range(_ROWS if start else 0):
        end = text.find("\n", start, start + _WIDEST)
        row = text[start : end if end >= 0 else start + _WIDEST]
        if compiled(_RULE).fullmatch(row) is None:
            if compiled(_FIELD).search(row) is None:
                return
            first, value = _field(row, column)
            if _is_secret(value, traits):
                yield start + first, start + first + len(value)
        if end < 0:
            return
        start = end + 1


def _field(row: str, number: int) -> tuple[int, str]:
    """Return where the value of a field begins, and the value; a row may have fewer fields."""
    edges = [0, *(one.end() for one in compiled(_FIELD).finditer(row)), len(row) + 1]
    if number + 1 >= len(edges):
        return 0, ""
    field = row[edges[number] : edges[number + 1] - 1]
    value = field.strip(_DRESS)
    return edges[number] + field.find(value), value


def _column(text: str, start: int, end: int) -> int | None:
    """Return the signs in front of the word's field; None when it is no head of a column.

    The head is the first line of its table or stands above a rule. A word in the first field
    above no rule names its row instead.
    """
    if compiled(_END).match(text, end) is None:
        return None
    feed = text.find("\n", end, end + _WIDEST)
    line = text.rfind("\n", max(0, start - _WIDEST), start) + 1
    *before, head = compiled(_FIELD).split(text[line:start])
    if feed < 0 or head.strip(_DRESS):
        return None
    under = text[feed + 1 : feed + 1 + _WIDEST].partition("\n")[0]
    if compiled(_RULE).fullmatch(under) is not None:
        return len(before)
    above = text[max(0, line - _WIDEST) : max(0, line - 1)].rpartition("\n")[2]
    is_first = compiled(_FIELD).search(above) is None
    return len(before) if is_first and len(before) > 1 else None


def _is_secret(value: str, traits: ValueTraits) -> bool:
    return (
        len(value) >= _SHORTEST
        and not any(map(str.isspace, value))
        and all(compiled(one).fullmatch(value) is None for one in (PLACEHOLDER, TECHNICAL_WORD))
        and compiled(REFERENCE).match(value) is None
        and not is_harmless(value, traits)
    )
