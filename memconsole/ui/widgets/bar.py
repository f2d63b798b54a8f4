"""One line of the screen: title, attention or keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.ui.spans import fill_line
from memconsole.ui.widgets.drawn import Drawn

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.ui.spans import Line


class Bar(Drawn, inherit_bindings=False):
    """Draws one line for whatever width it has."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._make: Callable[[int], Line] | None = None

    def show(self, make: Callable[[int], Line]) -> None:
        """Show the line that `make` returns for a width in cells."""
        self._make = make
        self.repaint()

    def on_resize(self) -> None:
        """Draw for the new width."""
        self.repaint()

    def repaint(self) -> None:
        """Draw again, and write the line when it differs."""
        if self._make is not None and self.size.width:
            self.draw([fill_line(self._make(self.size.width), self.size.width)])
