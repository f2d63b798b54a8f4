"""How each role looks, from the stylesheet: asked of the screen, once for all that it shows.

Textual works out component classes for every widget that has some, whenever that widget's classes
or focus change; a score of roles on each of ten widgets made every key slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widget import Widget

from memconsole.ui.spans import Role

if TYPE_CHECKING:
    from rich.style import Style

    from memconsole.ui.spans import Span


class Looks(Widget):
    """For screens: gives the look of a span."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"look--{role.value}" for role in Role} | {
        "look--cursor"
    }

    _looks: dict[tuple[Role, bool], Style] | None = None

    def look(self, span: Span) -> Style:
        """Return the style of a span, as the theme has it now."""
        if self._looks is None:
            self._looks = {}
        key = (span.role, span.is_cursor)
        style = self._looks.get(key)
        if style is None:
            style = self.get_component_rich_style(f"look--{span.role.value}")
            if span.is_cursor:
                style += self.get_component_rich_style("look--cursor", partial=True)
            self._looks[key] = style
        return style

    def notify_style_update(self) -> None:
        """Forget the looks of the old theme."""
        super().notify_style_update()
        self._looks = None
