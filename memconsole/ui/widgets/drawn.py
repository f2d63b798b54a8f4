"""A widget whose lines are drawn by us: only those that changed are written again."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from memconsole.ui.spans import merge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.ui.screens.panels import PanelScreen
    from memconsole.ui.spans import Line


class Drawn(Widget, inherit_bindings=False):
    """Shows lines of spans; its screen knows how each role looks."""

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
        """Show these lines, each as wide as the widget; write those that differ."""
        before, self._lines = self._lines, lines
        changed = [
            Region(0, y, self.size.width, 1)
            for y, line in enumerate(lines)
            if y >= len(before) or before[y] != line
        ]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        """Return one drawn line."""
        if y >= len(self._lines):
            return Strip.blank(self.size.width, self.rich_style)
        look = cast("PanelScreen", self.screen).looks.of
        segments = [Segment(span.text, look(span)) for span in merge(self._lines[y])]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)
