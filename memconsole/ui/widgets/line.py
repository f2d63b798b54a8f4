"""A widget whose lines are drawn by us: only cells that changed are written again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol, cast

from rich.segment import Segment
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from memconsole.text import cells
from memconsole.ui.drawing.spans import fill_line, merge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.geometry import Offset

    from memconsole.ui.drawing.spans import Line, Role
    from memconsole.ui.drawing.themes import SpanStyles


_ONE_CELL_EACH = re.compile(r"[ -~·…←-⇿─-◿✓-✘]*")
"""Text of which every character is a cell and stands alone; frames, figures and most names."""


def changed_cells(before: Line, after: Line, width: int) -> tuple[int, int]:
    """Return where two drawings of a line begin to differ, and in how many cells.

    All of `width` where a character may be more or less than a cell, or lean on its neighbour.
    """
    if not before:
        return 0, width
    old, new = _cells(before), _cells(after)
    if old is None or new is None or len(old) != len(new) or len(new) != width:
        return 0, width
    different = [x for x in range(width) if old[x] != new[x]]
    return (different[0], different[-1] - different[0] + 1) if different else (0, 0)


def _cells(line: Line) -> list[tuple[str, Role, bool]] | None:
    spans = merge(line)
    if not all(_ONE_CELL_EACH.fullmatch(span.text) for span in spans):
        return None
    return [(one, span.role, span.is_cursor) for span in spans for one in span.text]


class HasSpanStyles(Protocol):
    """A console that knows how each role looks."""

    span_styles: SpanStyles


class TakesClicks:
    """Stands before what answers the mouse: a click is the left button, down and up in one place.

    To Textual each release above the widget of the press is one. But whoever draws the mouse along
    a line wants its text, and must not rotate what the mouse comes to rest on.
    """

    _down: Offset | None = None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Remember where the button went down."""
        self._down = event.screen_offset if event.button == 1 else None

    def is_click(self, event: events.Click) -> bool:
        """Whether the button came up where it went down; a hand may shake by a cell."""
        down, up = self._down, event.screen_offset
        return down is not None and down.y == up.y and abs(down.x - up.x) <= 1


class Drawn(TakesClicks, Widget, inherit_bindings=False):
    """Shows lines of spans; the console knows how each role looks."""

    def __init__(self, name: str, *, classes: str | None = None) -> None:
        super().__init__(id=name, classes=classes)
        self._lines: Sequence[Line] = ()

    @property
    def lines(self) -> Sequence[Line]:
        """What is drawn."""
        return self._lines

    @property
    def text(self) -> str:
        """What is drawn, line by line, without the roles."""
        return "\n".join("".join(span.text for span in line) for line in self._lines)

    def draw(self, lines: Sequence[Line]) -> None:
        """Show these lines, each as wide as the widget; write what differs."""
        before, self._lines = self._lines, lines
        changed = []
        for y, line in enumerate(lines):
            old = before[y] if y < len(before) else ()
            if old != line:
                x, width = changed_cells(old, line, self.size.width)
                if width:
                    changed.append(Region(x, y, width, 1))
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        """Return one drawn line."""
        if y >= len(self._lines):
            return Strip.blank(self.size.width, self.rich_style)
        look = cast("HasSpanStyles", self.app).span_styles.of
        strip = Strip([Segment(span.text, look(span)) for span in merge(self._lines[y])])
        width = self.size.width
        # Textual asks all ancestors for the style of the blanks: only where there are some.
        fits = strip.cell_length == width
        return strip if fits else strip.adjust_cell_length(width, self.rich_style)


class Bar(Drawn, inherit_bindings=False):
    """Draws one line for whatever width it has; a click presses the key under the mouse."""

    class Pressed(Message):
        """A key was pressed with the mouse."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, name: str, *, key: str = "") -> None:
        """Make the line.

        Args:
            name: Its id.
            key: What a click presses where the line itself names none.
        """
        super().__init__(name)
        self._key = key
        self._make: Callable[[int], Line] | None = None

    def show(self, make: Callable[[int], Line]) -> None:
        """Show the line that `make` returns for a width in cells."""
        self._make = make
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """Press the key that stands under the mouse."""
        if not self.is_click(event):
            return
        end, key = 0, ""
        for span in self.lines[0] if self.lines else ():
            end += cells.width(span.text)
            if event.x < end:
                key = span.key
                break
        if key or self._key:
            self.post_message(self.Pressed(key or self._key))

    def on_resize(self) -> None:
        """Draw for the new width."""
        self.repaint()

    def repaint(self) -> None:
        """Draw again, and write the line when it differs."""
        if self._make is not None and self.size.width:
            self.draw([fill_line(self._make(self.size.width), self.size.width)])
