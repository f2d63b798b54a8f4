"""A text field of one line: still cursor, and no key that screen or tmux takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding
from textual.widgets import Input

from memconsole.text.plain import clean
from memconsole.ui.widgets.pane import KeepsKeys

if TYPE_CHECKING:
    from textual.binding import BindingType


class LineInput(KeepsKeys, Input, inherit_bindings=False):
    """Textual's input without its frame, its blinking and its Ctrl+A."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "cursor_left", "Left", show=False, id="input-left"),
        Binding("right", "cursor_right", "Right", show=False, id="input-right"),
        Binding("ctrl+left", "cursor_left_word", "Word left", show=False, id="input-word-left"),
        Binding("ctrl+right", "cursor_right_word", "Word right", show=False, id="input-word-right"),
        Binding("home", "home", "To the start", show=False, id="input-home"),
        Binding("end,ctrl+e", "end", "To the end", show=False, id="input-end"),
        Binding("backspace", "delete_left", "Delete left", show=False, id="input-backspace"),
        Binding("delete,ctrl+d", "delete_right", "Delete right", show=False, id="input-delete"),
        Binding("ctrl+w", "delete_left_word", "Delete word", show=False, id="input-delete-word"),
        Binding("ctrl+u", "delete_left_all", "Delete all", show=False, id="input-delete-all"),
        Binding("enter", "submit", "done", id="input-submit", tooltip="Keep what was typed"),
        Binding("escape", "screen.back", "cancel", id="input-cancel", tooltip="One step back"),
    ]

    def __init__(self, name: str, *, value: str = "", placeholder: str = "") -> None:
        super().__init__(value, placeholder, id=name, compact=True, select_on_focus=False)
        self.cursor_blink = False
        self._is_done = False

    def reopen(self) -> None:
        """Take letters again: Enter led nowhere."""
        self._is_done = False
        self.focus()

    async def _on_key(self, event: events.Key) -> None:
        """Type a letter; one that came right behind Enter is meant for what has the keys next."""
        self._is_done = self._is_done or event.key == "enter"
        if self._is_done and event.is_printable:
            event.stop()
            event.prevent_default()
            self.app.post_message(events.Key(event.key, event.character))
        else:
            await super()._on_key(event)

    def validate_value(self, value: str) -> str:
        """Take control characters out: what is pasted is text of others too."""
        return clean(value).replace("\n", " ").replace("\t", " ")
