"""Pieces of a drawn line, and columns that share a width between them.

Everything here is plain values: what a line says is decided, and tested, without a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias, overload

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells, figures
from memconsole.ui.drawing.glyphs import UNICODE, gauge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memconsole.ui.drawing.glyphs import Glyphs


class Role(StrEnum):
    """What a piece of text is; the stylesheet gives each role its look."""

    PLAIN = "plain"
    MUTED = "muted"
    STRONG = "strong"
    ACCENT = "accent"
    OK = "ok"
    WARNING = "warning"
    DUE = "due"
    FRAME = "frame"
    FOCUSED_FRAME = "focused-frame"
    TITLE = "title"
    FOCUSED_TITLE = "focused-title"
    HEADER = "header"
    TRACK = "track"
    OK_BAR = "ok-bar"
    WARNING_BAR = "warning-bar"
    DUE_BAR = "due-bar"
    STALE_BAR = "stale-bar"
    OK_FILL = "ok-fill"
    WARNING_FILL = "warning-fill"
    DUE_FILL = "due-fill"
    FOUND = "found"
    BADGE = "badge"


@dataclass(frozen=True, slots=True)
class Span:
    """Literal text with a role; never markup.

    Attributes:
        is_cursor: It lies under the cursor bar.
        key: The key that a click on it presses; empty where there is nothing to press.
    """

    text: str
    role: Role = Role.PLAIN
    is_cursor: bool = False
    key: str = ""


Line: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """Text in a column.

    Attributes:
        is_id: Shortened in the middle instead of at its end.
    """

    text: str = ""
    role: Role = Role.PLAIN
    is_id: bool = False

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the cell in exactly `width` cells."""
        shorten = cells.cut_middle if self.is_id else cells.cut
        text = shorten(self.text, width, ellipsis=glyphs.ellipsis)
        return (Span(cells.pad(text, width, right=right), self.role),)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that is broken into lines.

    Attributes:
        text: All of it, for filters and files.
        shown: What stands in this line.
    """

    text: str
    shown: str
    role: Role = Role.PLAIN

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the part in exactly `width` cells."""
        return Cell(self.shown, self.role).draw(width, glyphs, right=right)


@dataclass(frozen=True, slots=True)
class Gauge:
    """How full something is.

    Attributes:
        fill: 0 to 1 and above; None is drawn as nothing at all, because it is not zero.
        is_share: Part of a whole, where being full is no alarm.
    """

    fill: float | None
    is_share: bool = False

    @property
    def text(self) -> str:
        """What a filter looks at: nothing."""
        return ""

    @property
    def said(self) -> str:
        """What it shows, in figures."""
        return figures.UNKNOWN if self.fill is None else figures.percent(self.fill * 100)

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the gauge in exactly `width` cells."""
        del right
        bar, rest = gauge(self.fill, width, glyphs)
        if self.fill is None:
            return (Span(bar),)
        role = Role.OK_BAR if self.is_share else bar_role(self.fill)
        return tuple(span for span in (Span(bar, role), Span(rest, Role.TRACK)) if span.text)


@dataclass(frozen=True, slots=True)
class Rich:
    """A cell of several pieces, cut at its end."""

    spans: Line

    @property
    def text(self) -> str:
        """What a filter looks at."""
        return "".join(span.text for span in self.spans)

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the pieces in exactly `width` cells."""
        del right
        return fill_line(self.spans, width, ellipsis=glyphs.ellipsis)


class AnyCell(Protocol):
    """What a row is made of."""

    @property
    def text(self) -> str:
        """What a filter looks at."""

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the cell in exactly `width` cells."""
        ...


def bar_role(fill: float) -> Role:
    """Return the role of a gauge: calm, warning from 75 %, due from 100 %."""
    if fill >= 1:
        return Role.DUE_BAR
    return Role.WARNING_BAR if fill >= 0.75 else Role.OK_BAR


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a list.

    Attributes:
        title: Its heading; units belong here, not into the cells.
        width: Cells it needs.
        flex: Its share of what is left over; 0 stays at `width`.
        most: Cells it takes at most, however much is left; None without a limit.
        right: Aligned on the right.
        drop: Columns with the highest number are left out first when there is no room; 0 never.
        sort: Name of the order in which this column leads.
        gap: Blanks before it, when it is not the first.
        is_measured: It is as wide as its widest cell: a number is never cut, its column goes.
        name: What it is called in a file, where it has no heading.
    """

    title: str
    width: int
    flex: int = 0
    most: int | None = None
    right: bool = False
    drop: int = 0
    sort: str | None = None
    gap: int = 2
    is_measured: bool = False
    name: str = ""


class LateCells(Sequence["AnyCell"]):
    """Cells that are made when they are drawn or measured: of most rows of a long list, never."""

    def __init__(self, make: Callable[[], Sequence[AnyCell]]) -> None:
        self._make = make
        self._made: Sequence[AnyCell] | None = None

    def _cells(self) -> Sequence[AnyCell]:
        if self._made is None:
            self._made = self._make()
        return self._made

    @overload
    def __getitem__(self, index: int) -> AnyCell: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[AnyCell]: ...

    def __getitem__(self, index: int | slice) -> AnyCell | Sequence[AnyCell]:
        """Return one cell, or some."""
        return self._cells()[index]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._cells())


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list.

    Attributes:
        key: Names the row across refreshes.
        cells: One for each column.
        value: What `y` copies.
        is_heading: Not a thing of its own: the cursor passes over it.
        search: Text that a filter looks at, or what makes it; the cells' text when empty.
        reason: Why it shows what it shows; on the lower frame while the cursor is here.
        goes_on: Key of the row above whose text it goes on with: one thing on two lines. Empty for
            a row of its own.
    """

    key: str
    cells: Sequence[AnyCell]
    value: str = ""
    is_heading: bool = False
    search: str | Callable[[], str] = ""
    reason: str = ""
    goes_on: str = ""

    @property
    def text(self) -> str:
        """What a filter looks at, in small letters."""
        search = self.search if isinstance(self.search, str) else self.search()
        return (search or " ".join(cell.text for cell in self.cells)).casefold()


def line_width(line: Iterable[Span]) -> int:
    """Return how many cells a line takes."""
    return sum(cells.width(span.text) for span in line)


def cut_line(line: Line, width: int, *, ellipsis: str = UNICODE.ellipsis) -> Line:
    """Return the line in at most `width` cells."""
    taken = 0
    kept: list[Span] = []
    for span in line:
        size = cells.width(span.text)
        if taken + size > width:
            text = cells.cut(span.text, width - taken, ellipsis=ellipsis)
            kept.append(replace(span, text=text))
            break
        kept.append(span)
        taken += size
    return tuple(span for span in kept if span.text)


def fill_line(line: Line, width: int, *, ellipsis: str = UNICODE.ellipsis) -> Line:
    """Return the line in exactly `width` cells: cut at its end, or filled with blanks."""
    kept = cut_line(line, width, ellipsis=ellipsis)
    missing = width - line_width(kept)
    return (*kept, Span(" " * missing)) if missing > 0 else kept


def between(left: Line, right: Line, width: int, *, gap: Span | None = None) -> Line:
    """Return two pieces at the two ends of a line; the left one is cut when both do not fit.

    Args:
        left: At the beginning.
        right: At the end; left out when not even it fits.
        width: Cells of the whole.
        gap: One character that fills the middle.
    """
    filler = gap or Span(" ")
    right_width = line_width(right)
    if right_width + 1 > width:
        right, right_width = (), 0
    room = width - right_width
    left_width = line_width(left)
    if left_width > room:
        return (*fill_line(left, room), *right)
    return (*left, Span(filler.text * (room - left_width), filler.role), *right)


FILLED = frozenset(
    {
        Role.TRACK,
        Role.OK_BAR,
        Role.WARNING_BAR,
        Role.DUE_BAR,
        Role.STALE_BAR,
        Role.OK_FILL,
        Role.WARNING_FILL,
        Role.DUE_FILL,
        Role.FOUND,
        Role.BADGE,
    }
)
"""Roles with a background of their own: blanks in them are seen."""


def merge(line: Line) -> Line:
    """Return the line in as few pieces as look the same: each piece costs bytes on the wire."""
    merged: list[Span] = []
    texts: list[str] = []
    for span in line:
        last = merged[-1] if merged else None
        if last is not None and last.is_cursor == span.is_cursor and _may_join(last, span):
            texts[-1] += span.text
            if last.text.isspace():  # blanks take the role of what they lean on
                merged[-1] = span
        else:
            merged.append(span)
            texts.append(span.text)
    return tuple(
        span if span.text == text else Span(text, span.role, span.is_cursor)
        for span, text in zip(merged, texts, strict=True)
    )


def _may_join(left: Span, right: Span) -> bool:
    if left.role is right.role:
        return True
    if left.role in FILLED or right.role in FILLED:
        return False
    return left.text.isspace() or right.text.isspace()
