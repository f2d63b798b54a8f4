"""One picture of the screen as data: what stands where, in which style.

Textual exports a screen as SVG; that is read back here, because every output of ours (still, film,
recording) needs the cells, and none of them may name a font on a remote host as the export does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from rich.cells import cell_len

from tests.demo.pictures.shapes import DRAWN

if TYPE_CHECKING:
    from collections.abc import Iterator

_SVG: Final = "{http://www.w3.org/2000/svg}"
_CELL_WIDTH: Final = 12.2
_LINE_HEIGHT: Final = 24.4
_SHAPES: Final = "".join(sorted(DRAWN))
_PIECE: Final = re.compile(rf"([{_SHAPES}])\1*|[^ {_SHAPES}]+(?: [^ {_SHAPES}]+)*")
_RULE: Final = re.compile(r"\.[\w-]+-(r\d+) \{([^}]*)\}")


@dataclass(frozen=True, slots=True, order=True)
class Run:
    """Text of one style.

    Attributes:
        row: From 0.
        column: Of its first cell, from 0.
        cells: How wide it is.
        style: CSS, such as `fill: #c8cdd3;font-weight: bold`.
    """

    row: int
    column: int
    cells: int
    text: str
    style: str


@dataclass(frozen=True, slots=True, order=True)
class Ground:
    """A stretch of background, one row high."""

    row: int
    column: int
    cells: int
    colour: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A screen at one moment; `background` is the colour of everything else."""

    columns: int
    rows: int
    background: str
    runs: tuple[Run, ...]
    grounds: tuple[Ground, ...]


def read_frame(svg: str, columns: int, rows: int) -> Frame:
    """Read an exported screen."""
    root = ET.fromstring(svg)
    styles = dict(_RULE.findall(svg))
    rects = [
        Ground(
            _row(float(rect.get("y", 0)) - 1.5),
            round(float(rect.get("x", 0)) / _CELL_WIDTH),
            round(float(rect.get("width", 0)) / _CELL_WIDTH),
            rect.get("fill", ""),
        )
        for rect in root.iter(f"{_SVG}rect")
        if rect.get("shape-rendering") == "crispEdges"
    ]
    sizes: dict[str, int] = {}
    for one in rects:
        sizes[one.colour] = sizes.get(one.colour, 0) + one.cells
    background = max(sizes, key=lambda colour: sizes[colour], default="#000000")
    runs = (
        run
        for text in root.iter(f"{_SVG}text")
        if text.get("clip-path")
        for run in _runs(text, styles)
    )
    grounds = [one for one in rects if one.colour != background]
    return Frame(columns, rows, background, tuple(sorted(runs)), tuple(sorted(grounds)))


def _runs(element: ET.Element, styles: dict[str, str]) -> Iterator[Run]:
    """Yield what an element says: words between wide gaps, and rows of what is drawn as shapes."""
    text = (element.text or "").replace("\u00a0", " ")
    column = round(float(element.get("x", 0)) / _CELL_WIDTH)
    row = _row(float(element.get("y", 0)) - 20)
    style = styles[element.get("class", "").rpartition("-")[2]].strip(" ;")
    for found in _PIECE.finditer(text):
        start = column + cell_len(text[: found.start()])
        yield Run(row, start, cell_len(found[0]), found[0], style)


def _row(y: float) -> int:
    return round(y / _LINE_HEIGHT)
