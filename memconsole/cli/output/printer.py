"""Lays out what people read: lines of styled cells, and tables that fit the width.

Tables are laid out here and not by Rich's table, which takes a millisecond a row and cuts cells at
their end only: ten thousand sessions must appear at once, and ids are cut in the middle. Rich is
loaded when there is colour to paint, and counts cells always.
"""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from memconsole.domain.calendar import Zone


_GAP = "  "

_STYLES = {
    "head": "bold",
    "title": "bold cyan",
    "dim": "dim",
    "ok": "green",
    "warn": "yellow",
    "due": "bold red",
    "mark": "bold underline",
}
"""Sixteen colours only: the terminal's own theme decides what they look like."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Text, already safe to show, and one of the style words of this module."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes:
        right: Numbers align on the right.
        cut: `middle` or `end` when the column may shrink; empty when it may not.
        least: Cells that a shrinking column keeps.
        rank: Columns of the highest rank leave first when the width is too small; 0 never leaves.
    """

    name: str
    right: bool = False
    cut: str = ""
    least: int = 8
    rank: int = 0


@dataclass(frozen=True, slots=True)
class PrintStyle:
    """How this call may draw.

    Attributes:
        width: Cells of a line; None when nothing has to be cut.
        has_color: Escape sequences are wanted.
        is_ascii: No character above 127 in our own drawing.
    """

    width: int | None
    has_color: bool
    is_ascii: bool

    @property
    def ellipsis(self) -> str:
        """What stands for text that was cut."""
        return ".." if self.is_ascii else "…"


class Printer:
    """Collects the lines of an answer; `lines` hands them over, painted when there is colour."""

    def __init__(
        self, style: PrintStyle, *, now: datetime, zone: Zone, text: Callable[[str], str]
    ) -> None:
        """Make an empty page.

        Args:
            style: How to draw.
            now: The moment that ages are counted from.
            zone: The operator's time zone, None for the host's.
            text: Makes foreign text safe, as one line.
        """
        self.style = style
        self.now = now
        self.zone = zone
        self.text = text
        self._lines: list[Sequence[Cell]] = []

    def write(self, *parts: Cell | str) -> None:
        """Add one line; it is not cut."""
        self._lines.append([Cell(one) if isinstance(one, str) else one for one in parts])

    def gap(self) -> None:
        """Add an empty line, unless the page is empty."""
        if self._lines:
            self.write()

    def title(self, text: str, note: str = "") -> None:
        """Add the heading of a section."""
        self.gap()
        self.write(Cell(text, "title"), Cell(f"  {note}" if note else "", "dim"))

    def field(self, name: str, *values: Cell | str) -> None:
        """Add a name and its value, values below each other on the same column."""
        self.write(Cell(name.ljust(16), "dim"), *values)

    def sentence(self, first: Cell, text: str, style: str = "") -> None:
        """Add a sentence behind a first cell; on a terminal it is broken between words below it."""
        indent = cells.width(first.text)
        width = self.style.width
        room = None if width is None else max(20, width - indent)
        rows = [text] if room is None else wrap(text, room, break_on_hyphens=False) or [""]
        self.write(first, Cell(rows[0], style))
        for row in rows[1:]:
            self.write(" " * indent, Cell(row, style))

    def cut(self, text: str, used: int = 0) -> str:
        """Return a sentence cut to what is left of the line."""
        width = self.style.width
        return (
            text
            if width is None
            else cells.cut(text, max(8, width - used), ellipsis=self.style.ellipsis)
        )

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[Cell | str]]) -> None:
        """Add a table, every row of it."""
        lines = [[Cell(one) if isinstance(one, str) else one for one in row] for row in rows]
        shown, widths = _fit(columns, lines, self.style.width)
        self._lines.append([_head(columns[at], widths[at], at == shown[-1]) for at in shown])
        for row in lines:
            self._lines.append(
                [self._cell(columns[at], row[at], widths[at], at == shown[-1]) for at in shown]
            )

    def lines(self) -> list[str]:
        """Return the page, one string a line."""
        if self.style.has_color:
            return _painted(self._lines)
        return ["".join(cell.text for cell in line).rstrip() for line in self._lines]

    def _cell(self, column: Column, cell: Cell, width: int, is_last: bool) -> Cell:
        cut = cells.cut_middle if column.cut == "middle" else cells.cut
        text = cut(cell.text, width, ellipsis=self.style.ellipsis)
        if is_last and not column.right:
            return Cell(text, cell.style)
        return Cell(
            cells.pad(text, width, right=column.right) + ("" if is_last else _GAP), cell.style
        )


def _head(column: Column, width: int, is_last: bool) -> Cell:
    text = cells.pad(column.name, width, right=column.right)
    return Cell(text + ("" if is_last else _GAP), "head")


def _fit(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int | None
) -> tuple[list[int], dict[int, int]]:
    """Return the columns to show and their widths in cells."""
    shown = list(range(len(columns)))
    natural = {at: cells.width(columns[at].name) for at in shown}
    for row in rows:
        for at, cell in enumerate(row):
            natural[at] = max(natural[at], cells.width(cell.text))
    if width is None:
        return shown, natural
    while (
        _least(columns, natural, shown) > width and (leaver := _leaver(columns, shown)) is not None
    ):
        shown.remove(leaver)
    return shown, _shrunk(columns, natural, shown, width)


def _least(columns: Sequence[Column], natural: dict[int, int], shown: list[int]) -> int:
    least = sum(
        min(natural[at], columns[at].least) if columns[at].cut else natural[at] for at in shown
    )
    return least + len(_GAP) * (len(shown) - 1)


def _leaver(columns: Sequence[Column], shown: list[int]) -> int | None:
    rank, at = max((columns[at].rank, at) for at in shown)
    return at if rank else None


def _shrunk(
    columns: Sequence[Column], natural: dict[int, int], shown: list[int], width: int
) -> dict[int, int]:
    """Take cells from the widest column that may shrink, until the line fits."""
    widths = {at: natural[at] for at in shown}
    excess = sum(widths.values()) + len(_GAP) * (len(shown) - 1) - width
    while excess > 0:
        able = [at for at in shown if columns[at].cut and widths[at] > columns[at].least]
        if not able:
            break
        widest = max(able, key=lambda at: widths[at])
        widths[widest] -= 1
        excess -= 1
    return widths


def _painted(lines: Iterable[Sequence[Cell]]) -> list[str]:
    from rich.color import ColorSystem  # noqa: PLC0415  # only for colour
    from rich.style import Style  # noqa: PLC0415

    styles = {word: Style.parse(text) for word, text in _STYLES.items()}
    painted = []
    for line in lines:
        parts = [
            styles[cell.style].render(cell.text, color_system=ColorSystem.STANDARD)
            if cell.style and cell.text
            else cell.text
            for cell in line
        ]
        painted.append("".join(parts).rstrip())
    return painted
