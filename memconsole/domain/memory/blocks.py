r"""Cuts Markdown into the blocks that entries are made of.

Lines keep their numbers, whatever their ends are; what stands in code fences and comments forms
no blocks of its own.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.text.fences import hidden_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LINE: Final = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_DAY: Final = re.compile(r" {0,3}\*{0,2}Date:\*{0,2} *\d{4}-\d{2}-\d{2}")
_RULE: Final = re.compile(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,}|=+ *)$")
_TOP_ITEM: Final = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)")
_NOTE: Final = re.compile(r"## \d{1,2}:\d{2} - Note(?: \([^()]*\))?[ \t]*$")
_DEEP: Final = 2
"""Columns from which a line belongs to the list item above it."""


class Piece(NamedTuple):
    """One line with its end, and where it begins in the text."""

    text: str
    end: str
    start: int


class _Hidden(NamedTuple):
    """What a line is inside of: nothing, or a fence or comment that begins there or goes on."""

    is_inside: bool = False
    begins: bool = False
    is_comment: bool = False


_SHOWN: Final = _Hidden()


def pieces_of(text: str) -> list[Piece]:
    """Return the lines with their ends; together they are the text again."""
    found = [Piece(match[1], match[2], match.start()) for match in _LINE.finditer(text)]
    while found and not found[-1].text and not found[-1].end:
        found.pop()
    return found


def lines_of(text: str) -> list[str]:
    """Return the lines without their ends."""
    return [piece.text for piece in pieces_of(text)]


def is_heading(line: str) -> bool:
    """Whether a line is a heading, as far as the line alone tells."""
    return _HEADING.match(line) is not None


def shown_lines(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it stands outside of fences and comments."""
    return [not one.is_inside for one in _hidden(lines)]


def blocks_of(text: str, *, has_notes: bool = False) -> list[tuple[int, int]]:
    """Return the blocks as line numbers from 0, the end excluded.

    Args:
        text: Markdown with line ends of any kind.
        has_notes: A heading `## HH:MM - Note` belongs to the one block below it.
    """
    lines = lines_of(text)
    hidden = _hidden(lines)
    blocks = _Blocks(lines, hidden).found()
    if not has_notes:
        return blocks
    return list(_with_notes(lines, hidden, blocks))


def _hidden(lines: Sequence[str]) -> list[_Hidden]:
    spans = iter(hidden_spans("\n".join(lines)))
    span = next(spans, None)
    found = []
    start = 0
    for line in lines:
        while span is not None and span[1] <= start:
            span = next(spans, None)
        lead = start + len(line) - len(line.lstrip())
        if span is not None and span[0] <= lead and start < span[1]:
            begins = span[0] >= start
            found.append(_Hidden(True, begins, line.lstrip().startswith("<!--")))
        else:
            found.append(_SHOWN)
        start += len(line) + 1
    return found


class _Blocks:
    """Walks the lines once; the open block is its state."""

    def __init__(self, lines: Sequence[str], hidden: Sequence[_Hidden]) -> None:
        self._lines = lines
        self._hidden = hidden
        self._found: list[tuple[int, int]] = []
        self._start = -1
        self._end = -1
        self._is_item = False

    def found(self) -> list[tuple[int, int]]:
        first = _behind_front_matter(self._lines)
        for number in range(first, len(self._lines)):
            hidden = self._hidden[number]
            if hidden.is_inside:
                self._inside(number, hidden)
            else:
                self._shown(number, self._lines[number])
        self._close()
        return self._found

    def _inside(self, number: int, hidden: _Hidden) -> None:
        if not hidden.begins:
            if self._start >= 0 and self._end == number:
                self._end = number + 1
            return
        is_deep = self._is_item and _columns(self._lines[number]) >= _DEEP
        if self._start >= 0 and (self._end == number or is_deep):
            self._end = number + 1
        elif hidden.is_comment:
            self._close()
        else:
            self._open(number, is_item=False)

    def _shown(self, number: int, line: str) -> None:
        if not line.strip():
            if not self._is_item:
                self._close()
        elif _HEADING.match(line) or _RULE.match(line) or _DAY.match(line):
            self._close()
        elif self._continues(number, line):
            self._end = number + 1
        else:
            self._open(number, is_item=_TOP_ITEM.match(line) is not None)

    def _continues(self, number: int, line: str) -> bool:
        if self._start < 0:
            return False
        if self._is_item and _columns(line) >= _DEEP:
            return True
        return self._end == number and not _TOP_ITEM.match(line)

    def _open(self, number: int, *, is_item: bool) -> None:
        self._close()
        self._start, self._end, self._is_item = number, number + 1, is_item

    def _close(self) -> None:
        if self._start >= 0:
            self._found.append((self._start, self._end))
        self._start, self._is_item = -1, False


def _behind_front_matter(lines: Sequence[str]) -> int:
    if lines and lines[0].lstrip("\ufeff").rstrip() == "---":
        for number, line in enumerate(lines[1:], 1):
            if line.rstrip() in ("---", "..."):
                return number + 1
    return 0


def _columns(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip(" "))


def _with_notes(
    lines: Sequence[str], hidden: Sequence[_Hidden], blocks: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the blocks; one alone under the heading of a note takes the heading in."""
    headings = [
        number
        for number, line in enumerate(lines)
        if not hidden[number].is_inside and _HEADING.match(line)
    ]
    ends = pairwise([*headings, len(lines)])
    notes = {number: end for number, end in ends if _NOTE.match(lines[number])}
    above: dict[int, int] = {}
    for heading, end in notes.items():
        inside = [start for start, _ in blocks if heading < start < end]
        if len(inside) == 1:
            above[inside[0]] = heading
    for start, stop in blocks:
        yield above.get(start, start), stop
