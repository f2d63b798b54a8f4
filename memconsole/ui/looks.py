"""How each role looks, from the stylesheet: asked of the screen, once for all that it shows.

Textual works out component classes for every widget that has some, whenever that widget's classes
or focus change; a score of roles on each of ten widgets made every key slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.ui.spans import Role

if TYPE_CHECKING:
    from rich.style import Style
    from textual.widget import Widget

    from memconsole.ui.spans import Span

LOOKS = {f"look--{role.value}" for role in Role} | {"look--cursor"}
"""Component classes of every screen."""


class Looks:
    """Gives the look of a span, as the theme has it now."""

    def __init__(self, screen: Widget) -> None:
        self._screen = screen
        self._known: dict[tuple[Role, bool], Style] = {}

    def of(self, span: Span) -> Style:
        """Return the style of a span."""
        key = (span.role, span.is_cursor)
        style = self._known.get(key)
        if style is None:
            style = self._screen.get_component_rich_style(f"look--{span.role.value}")
            # What was found stays seen under the cursor.
            if span.is_cursor and span.role is not Role.FOUND:
                style += self._screen.get_component_rich_style("look--cursor", partial=True)
            self._known[key] = style
        return style

    def forget(self) -> None:
        """Forget the looks of the old theme."""
        self._known.clear()
