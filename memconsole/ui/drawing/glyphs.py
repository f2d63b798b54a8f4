"""The characters that memconsole draws with, and their plain twins for `--ascii`."""

from __future__ import annotations

from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of drawing characters.

    Attributes:
        corners: Top left, top right, bottom left, bottom right.
        thumb: The part of a frame that shows where one is in a long list.
        blocks: From empty to full, in equal steps; gauges take them left to right.
        sparks: From low to high, for small plots.
        brackets: Around a gauge, where shade alone would not show its ends.
        ends: In a gauge: where a flush begins, where a session is due, where it is compacted.
    """

    corners: tuple[str, str, str, str] = ("╭", "╮", "╰", "╯")
    horizontal: str = "─"
    vertical: str = "│"
    thumb: str = "┃"
    cursor: str = "▸"
    mark: str = "•"
    rising: str = "▲"
    falling: str = "▼"
    ellipsis: str = "…"
    dot: str = "·"
    none: str = "–"
    done: str = "✓"
    failed: str = "✗"
    skipped: str = "–"
    running: str = "▶"
    on: str = "●"
    half: str = "◐"
    off: str = "○"
    arrow: str = "→"
    blocks: str = " ▏▎▍▌▋▊▉█"
    sparks: str = "▁▂▃▄▅▆▇█"
    brackets: tuple[str, str] = ("", "")
    ends: tuple[str, str, str] = ("┆", "│", "┃")
    branch: str = "├ "
    last_branch: str = "└ "
    trunk: str = "│ "


UNICODE = Glyphs()

ASCII = Glyphs(
    corners=("+", "+", "+", "+"),
    horizontal="-",
    vertical="|",
    thumb="#",
    cursor=">",
    mark="*",
    rising="^",
    falling="v",
    ellipsis="~",
    dot="-",
    none="-",
    done="+",
    failed="x",
    skipped="-",
    running=">",
    on="*",
    half="%",
    off="o",
    arrow=">",
    blocks="-#",
    sparks="_.-=+*#@",
    brackets=("[", "]"),
    ends=(":", "|", "]"),
    branch="|-",
    last_branch="`-",
    trunk="| ",
)


def gauge(fill: float | None, cells: int, glyphs: Glyphs) -> tuple[str, str]:
    """Return the drawn part of a gauge and its empty rest, together `cells` wide.

    Args:
        fill: 0 to 1, more is shown as full; None when nobody knows: all blank, unlike 0.
        cells: Width in cells, brackets included.
        glyphs: What to draw with.
    """
    left, right = glyphs.brackets
    room = cells - len(left) - len(right)
    if fill is None or room <= 0:
        return " " * cells, ""
    bar, empty = blocks(fill, room, glyphs)
    return left + bar, empty + right


def blocks(fill: float, cells: int, glyphs: Glyphs) -> tuple[str, str]:
    """Return the blocks of a gauge and its empty rest, together `cells` wide; some is never none.

    Args:
        fill: 0 to 1, more is shown as full.
        cells: Width in cells, without brackets.
        glyphs: What to draw with.
    """
    steps = len(glyphs.blocks) - 1
    drawn = round(min(max(fill, 0.0), 1.0) * cells * steps)
    if fill > 0 and drawn == 0:
        drawn = 1
    whole, part = divmod(drawn, steps)
    bar = glyphs.blocks[-1] * whole + (glyphs.blocks[part] if part else "")
    return bar, glyphs.blocks[0] * (cells - len(bar))
