"""Blocks and lines as shapes: a font of somebody's browser would leave gaps between them."""

from __future__ import annotations

from typing import Final

CELL: Final = 8.4
LINE: Final = 17.0

_LEFT: Final = "▏▎▍▌▋▊▉█"
_LOWER: Final = "▁▂▃▄▅▆▇"
_X, _Y, _R = CELL / 2, LINE / 2, 4
_LINES: Final = {
    "─": f"M0 {_Y}h{CELL}",
    "━": f"M0 {_Y}h{CELL}",
    "│": f"M{_X} 0v{LINE}",
    "┃": f"M{_X} 0v{LINE}",
    "╭": f"M{CELL} {_Y}h{-_X + _R}q{-_R} 0 {-_R} {_R}V{LINE}",
    "╮": f"M0 {_Y}h{_X - _R}q{_R} 0 {_R} {_R}V{LINE}",
    "╰": f"M{CELL} {_Y}h{-_X + _R}q{-_R} 0 {-_R} {-_R}V0",
    "╯": f"M0 {_Y}h{_X - _R}q{_R} 0 {_R} {-_R}V0",
    "├": f"M{_X} 0v{LINE}M{_X} {_Y}h{_X}",
    "└": f"M{_X} 0v{_Y}h{_X}",
}
_THICK: Final = "━┃"

DRAWN: Final = frozenset(_LEFT + _LOWER + "".join(_LINES))
"""Characters that are drawn, one by one or in a row of equal ones."""


def shape(text: str, x: float, y: float, style: str) -> str:
    """Draw one or several equal characters with their cell's corner at (x, y)."""
    character, count = text[0], len(text)
    if character in _LINES:
        width = 3 if character in _THICK else 1.2
        look = f'style="fill:none;stroke:{_colour(style)};stroke-width:{width}"'
        if character in "─━":
            return f'<path d="M{x:g} {y + _Y:g}h{count * CELL:g}" {look}/>'
        return "".join(
            f'<path transform="translate({x + number * CELL:g} {y:g})" '
            f'd="{_LINES[character]}" {look}/>'
            for number in range(count)
        )
    width, height = count * CELL, LINE
    if character in _LOWER:
        height = LINE * (_LOWER.index(character) + 1) / 8
    else:
        width -= CELL * (7 - _LEFT.index(character)) / 8
    return (
        f'<rect x="{x:g}" y="{y + LINE - height:g}" width="{width:g}" height="{height:g}" '
        f'fill="{_colour(style)}" shape-rendering="crispEdges"/>'
    )


def _colour(style: str) -> str:
    fields = dict(part.split(":", 1) for part in style.replace(" ", "").split(";") if ":" in part)
    return fields.get("fill", "#c8cdd3")
