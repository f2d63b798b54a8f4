"""What was found, on one line: the part around the matched words, and those words marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells
from memconsole.ui.drawing.spans import Role, Span, fill_line, line_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file that was found.

    Attributes:
        first: First line of what was found, from 1.
        last: Last line of it.
        text: Of the line that is meant, cleaned and masked; empty for the first one.
    """

    path: str
    first: int
    last: int
    text: str = ""


Marks = tuple[tuple[int, int], ...]

_BLANKS = re.compile(r"\s+")
_LEAD_SHARE = 4
"""The first marked word stands behind at most one part in so many of the width."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A cell that shows the part of a text that holds most of its marks.

    Attributes:
        text: Cleaned and masked; line ends become blanks.
        marks: (start, end) of matched words, in order and apart from each other.
        lead: Said before the text, such as that it is a weak match.
    """

    text: str
    marks: Marks = ()
    lead: Line = ()
    role: Role = Role.PLAIN

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the excerpt in exactly `width` cells."""
        del right
        text, marks = _on_one_line(self.text, self.marks)
        room = width - line_width(self.lead)
        start = _start(text, marks, room)
        spans = [*self.lead]
        if start:
            spans.append(Span(glyphs.ellipsis, Role.MUTED))
        spans += marked(text, marks, self.role, start)
        return fill_line(tuple(spans), width, ellipsis=glyphs.ellipsis)


def marked(text: str, marks: Marks, role: Role = Role.PLAIN, start: int = 0) -> Iterator[Span]:
    """Yield a text from a position on, its marked words as found."""
    for begin, end in marks:
        if begin < start:
            continue
        if begin > start:
            yield Span(text[start:begin], role)
        yield Span(text[begin:end], Role.FOUND)
        start = end
    if start < len(text):
        yield Span(text[start:], role)


def _on_one_line(text: str, marks: Marks) -> tuple[str, Marks]:
    """Return the text with every run of blanks as one, and where its marks stand then."""
    parts: list[str] = []
    moved: list[tuple[int, int]] = []
    length = place = 0
    for begin, end in (*marks, (len(text), len(text))):
        plain = _BLANKS.sub(" ", text[place:begin])
        if not length or parts[-1].endswith(" "):
            plain = plain.lstrip(" ")
        if plain:
            parts.append(plain)
            length += len(plain)
        word = _BLANKS.sub(" ", text[begin:end])
        if word:
            parts.append(word)
            moved.append((length, length + len(word)))
            length += len(word)
        place = end
    return "".join(parts), tuple(moved)


def _start(text: str, marks: Marks, width: int) -> int:
    """Return where to begin so that most marks are seen; 0 when they are from the beginning."""
    if not marks or cells.width(text) <= width:
        return 0
    lead = max(width // _LEAD_SHARE, 1)
    best, most = 0, sum(end <= width for _, end in marks)
    for begin, _ in marks:
        start = _word_start(text, max(0, begin - lead), begin)
        seen = sum(start <= a and b <= start + width - 1 for a, b in marks)
        if seen > most:
            best, most = start, seen
    spare = width - 1 - cells.width(text[best:])
    if spare <= 0:
        return best
    # The text ends before its room does: begin earlier instead of leaving blanks.
    start = _word_start(text, max(0, best - spare), best)
    while start < best and cells.width(text[start:]) >= width:
        start = _word_start(text, start + 1, best)  # wide characters took more
    return start


def _word_start(text: str, position: int, most: int) -> int:
    """Return the next beginning of a word, so that none is cut at the left."""
    if position == 0:
        return 0
    blank = text.find(" ", position, most)
    return most if blank < 0 else blank + 1
