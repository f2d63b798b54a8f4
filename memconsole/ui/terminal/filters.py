"""The last hand on every cell before it becomes bytes: no colour, or nothing above ASCII.

Textual alone keeps sending colours under `NO_COLOR` (greys, or 39 and 49); these filters see all
that widgets draw, Textual's own included, because every strip passes the app's line filters.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.filter import LineFilter

if TYPE_CHECKING:
    from textual.color import Color

_PLAIN = {
    "╭╮╰╯┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋": "+",
    "─━═╌╍┄┅┈┉▔▁": "-",
    "│┃║╎╏┆┇┊┋▏▕": "|",
    "█▉▊▋▌▐▄▀▅▆▇▃▂▙▛▜▟": "#",
    "▍▎░▒▓": ":",
    "▸▶►❯›»→▹": ">",
    "◂◀◄❮‹«←": "<",
    "▲△↑▴": "^",
    "▼▽↓▾": "v",
    "●•◉■◆▪⏺": "*",
    "○◌◦□◇▫": "o",
    "✓✔": "+",
    "✗✘×": "x",
    "…": "~",
    "·": "-",
    "–—―": "-",
    "‘’": "'",
    "“”": '"',
    "\u00a0": " ",
}
TO_ASCII = str.maketrans({sign: plain for signs, plain in _PLAIN.items() for sign in signs})
"""What we and Textual draw with, to one cell of ASCII each; letters of people are left alone."""


@lru_cache(4096)
def _without_colour(style: Style) -> Style:
    return Style(
        bold=style.bold,
        dim=style.dim,
        italic=style.italic,
        underline=style.underline,
        reverse=style.reverse,
        strike=style.strike,
    )


class NoColour(LineFilter):
    """Takes every colour away; bold, dim, underline and reverse stay."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without colours; `background` has none either."""
        del background
        return [
            Segment(text, None if style is None else _without_colour(style), control)
            for text, style, control in segments
        ]


class AsciiOnly(LineFilter):
    """Draws frames, bars and signs with ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with our drawing in ASCII."""
        del background
        return [
            Segment(text if text.isascii() else text.translate(TO_ASCII), style, control)
            for text, style, control in segments
        ]
