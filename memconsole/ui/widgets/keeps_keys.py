"""What keeps the keys of a widget while a terminal is too small to show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.events import Hide


class KeepsKeys:
    """Stands before Textual's own widget among the bases.

    Textual takes the keys away from what it hides, and may tell it so when it is seen again
    already. Of ours, what loses the keys for good is removed, or its screen gives them elsewhere.
    """

    def on_hide(self, event: Hide) -> None:
        """Let Textual not take the keys away."""
        event.prevent_default()
