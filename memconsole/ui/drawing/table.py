"""Fits columns into a width and draws rows and headings of a table."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells
from memconsole.ui.drawing.spans import Role, Span, fill_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Column, Line, Row


@dataclass(frozen=True, slots=True)
class Fitted:
    """Columns that fit a width: which ones, and how wide each is."""

    indexes: tuple[int, ...]
    widths: tuple[int, ...]
    width: int = field(default=0)


_MEASURED = 100
"""Rows of a list that give its columns their widths: a home of ten thousand has no time for all."""


def measured(
    columns: Sequence[Column], rows: Sequence[Row], sort: str | None = None
) -> tuple[Column, ...]:
    """Return the columns, those that are measured as wide as their widest cell.

    Args:
        columns: All columns.
        rows: All rows, those first that matter most.
        sort: The order, whose column has an arrow in its heading.
    """
    return tuple(
        replace(
            column,
            width=max(
                cells.width(column.title) + (sort is not None and column.sort == sort),
                *map(cells.width, {row.cells[place].text for row in rows[:_MEASURED]}),
                0,
            ),
        )
        if column.is_measured
        else column
        for place, column in enumerate(columns)
    )


def measured_again(
    columns: tuple[Column, ...], total: int, view: Sequence[Row]
) -> tuple[Column, ...]:
    """Return the columns wide enough for the rows in view, where not all rows were measured.

    Args:
        columns: As they were measured.
        total: Rows of the list.
        view: Rows in view.
    """
    if total <= _MEASURED:
        return columns
    return tuple(
        replace(
            column, width=max(column.width, *(cells.width(row.cells[place].text) for row in view))
        )
        if column.is_measured and view
        else column
        for place, column in enumerate(columns)
    )


def fit(columns: Sequence[Column], width: int) -> Fitted:
    """Choose the columns that fit, and share what is left among the flexible ones."""
    chosen = list(range(len(columns)))
    while len(chosen) > 1 and _needed(columns, chosen) > width:
        worst = max(chosen, key=lambda index: columns[index].drop)
        if columns[worst].drop == 0:
            break
        chosen.remove(worst)
    widths = {index: columns[index].width for index in chosen}
    _share(columns, chosen, widths, width - _needed(columns, chosen))
    return Fitted(tuple(chosen), tuple(widths[index] for index in chosen), width)


def _needed(columns: Sequence[Column], chosen: Sequence[int]) -> int:
    gaps = sum(columns[index].gap for index in chosen[1:])
    return sum(columns[index].width for index in chosen) + gaps


def _share(
    columns: Sequence[Column], chosen: Sequence[int], widths: dict[int, int], spare: int
) -> None:
    if spare < 0:
        # Too narrow even so: the first column gives way, down to one cell.
        widths[chosen[0]] = max(1, widths[chosen[0]] + spare)
        return
    growing = [index for index in chosen if columns[index].flex]
    while spare > 0 and growing:
        total = sum(columns[index].flex for index in growing)
        given = 0
        for index in tuple(growing):
            share = spare * columns[index].flex // total or 1
            most = columns[index].most
            if most is not None and widths[index] + share >= most:
                share = most - widths[index]
                growing.remove(index)
            share = min(share, spare - given)
            widths[index] += share
            given += share
        spare -= given


def draw_row(row: Row, columns: Sequence[Column], fitted: Fitted, glyphs: Glyphs) -> Line:
    """Return a row in exactly the fitted width."""
    spans: list[Span] = []
    for place, (index, width) in enumerate(zip(fitted.indexes, fitted.widths, strict=True)):
        if place:
            spans.append(Span(" " * columns[index].gap))
        spans += row.cells[index].draw(width, glyphs, right=columns[index].right)
    return fill_line(tuple(spans), fitted.width, ellipsis=glyphs.ellipsis)


def draw_header(
    columns: Sequence[Column], fitted: Fitted, glyphs: Glyphs, *, sort: str | None, falling: bool
) -> Line:
    """Return the headings; the leading one carries an arrow."""
    spans: list[Span] = []
    for place, (index, width) in enumerate(zip(fitted.indexes, fitted.widths, strict=True)):
        column = columns[index]
        title = column.title
        if sort is not None and column.sort == sort:
            title += glyphs.falling if falling else glyphs.rising
        if place:
            spans.append(Span(" " * column.gap, Role.HEADER))
        spans.append(Span(cells.pad(title, width, right=column.right), Role.HEADER))
    return fill_line(tuple(spans), fitted.width, ellipsis=glyphs.ellipsis)
