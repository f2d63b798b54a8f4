"""A widget whose lines are drawn by us: only those that changed are written again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from memconsole.ui.spans import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style

    from memconsole.ui.spans import Line, Span


class Drawn(Widget, inherit_bindings=False):
    """Shows lines of spans; the stylesheet gives each role its look."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"drawn--{role.value}" for role in Role} | {
        "drawn--cursor"
    }

    def __init__(self, name: str, *, classes: str | None = None) -> None:
        super().__init__(id=name, classes=classes)
        self._lines: Sequence[Line] = ()
        self._looks: dict[tuple[Role, bool], Style] = {}

    @property
    def text(self) -> str:
        """What is drawn, line by line."""
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

    def notify_style_update(self) -> None:
        """Forget the looks of the old theme."""
        super().notify_style_update()
        self._looks.clear()

    def render_line(self, y: int) -> Strip:
        """Return one drawn line."""
        if y >= len(self._lines):
            return Strip.blank(self.size.width, self.rich_style)
        segments = [Segment(span.text, self._look(span)) for span in self._lines[y]]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    def _look(self, span: Span) -> Style:
        key = (span.role, span.is_cursor)
        look = self._looks.get(key)
        if look is None:
            look = self.get_component_rich_style(f"drawn--{span.role.value}")
            if span.is_cursor:
                look += self.get_component_rich_style("drawn--cursor", partial=True)
            self._looks[key] = look
        return look
