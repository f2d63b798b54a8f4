"""A framed list: it draws its own frame, so that title, age and rows cost no widget each.

Only lines whose text or look changed are written again; cursor, marks, filter and scroll position
belong to row keys and survive every refresh and resize (`console.md`, Moving quietly).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.message import Message

from memconsole.ui.glyphs import UNICODE
from memconsole.ui.listing import Listing
from memconsole.ui.widgets.drawn import Drawn
from memconsole.ui.widgets.frame import GUTTER, Look, draw
from memconsole.ui.widgets.keeps_keys import KeepsKeys
from memconsole.ui.widgets.place import Place

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType

    from memconsole.ui.glyphs import Glyphs
    from memconsole.ui.spans import Row

_WHEEL = 3


class Pane(KeepsKeys, Drawn, can_focus=True, inherit_bindings=False):
    """A panel with a cursor that keeps its place."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="up", tooltip="One line up"),
        Binding("down,j", "move(1)", "Down", show=False, id="down", tooltip="One line down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="page-up", tooltip="One page up"),
        Binding(
            "pagedown", "page(1)", "Page down", show=False, id="page-down", tooltip="One page down"
        ),
        Binding("g,home", "first", "First", show=False, id="first", tooltip="To the first line"),
        Binding("G,end", "last", "Last", show=False, id="last", tooltip="To the last line"),
    ]

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

        @property
        def control(self) -> Pane:
            """The pane, for handlers of a certain one."""
            return self.pane

    class Resized(Message):
        """The width for text is another one: what is wrapped must be wrapped again."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

        @property
        def control(self) -> Pane:
            """The pane, for handlers of a certain one."""
            return self.pane

    class Opened(Message):
        """A row was asked to open, by the mouse."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

        @property
        def control(self) -> Pane:
            """The pane, for handlers of a certain one."""
            return self.pane

    def __init__(
        self,
        name: str,
        *,
        glyphs: Glyphs = UNICODE,
        finds: bool = False,
        always_active: bool = False,
        classes: str | None = None,
    ) -> None:
        super().__init__(name, classes=classes)
        self.glyphs = glyphs
        self.hint = ""
        self._room = (0, 0)
        self._always_active = always_active
        self.listing = Listing("")
        self.place = Place(finds=finds)

    def show(self, listing: Listing) -> None:
        """Show another reading; what did not change is not written."""
        before = self.place.cursor
        self.listing = listing
        self.place.take(listing.rows)
        self.repaint()
        if self.place.cursor != before:
            self.post_message(self.Moved(self))

    @property
    def is_active(self) -> bool:
        """Whether the keys go here: the cursor is a bar then, not only a sign."""
        return self.has_focus or self._always_active

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.place.row

    def select(self, key: str) -> bool:
        """Put the cursor on a row; False when there is no such row."""
        if not self.place.select(key):
            return False
        self._moved()
        return True

    def filter(self, needle: str) -> None:
        """Show only rows that hold the text, or find it where nothing may be hidden."""
        self.place.filter(needle)
        self._moved()

    def find(self, step: int) -> None:
        """Go to the next match, or the one before."""
        self.place.find(step)
        self._moved()

    def mark(self) -> None:
        """Mark the row under the cursor, or take its mark away, and go on."""
        self.place.toggle_mark()
        self._moved()

    def unmark(self) -> None:
        """Take all marks away."""
        self.place.marks = frozenset()
        self._moved()

    def action_move(self, step: int) -> None:
        """Move the cursor; without one, scroll."""
        self.place.move(step)
        self._moved()

    def action_page(self, pages: int) -> None:
        """Move by a screenful."""
        self.place.move(pages * max(1, self.place.height - 1))
        self._moved()

    def action_first(self) -> None:
        """Go to the first row."""
        self.place.move(-len(self.place.rows))
        self._moved()

    def action_last(self) -> None:
        """Go to the last row."""
        self.place.move(len(self.place.rows))
        self._moved()

    def _moved(self) -> None:
        self.repaint()
        self.post_message(self.Moved(self))

    def on_click(self, event: events.Click) -> None:
        """Select the row under the mouse; a second click opens it."""
        row = self.place.at(event.y - self.listing.rows_top)
        if row is None or event.y >= self.size.height - 1:
            return
        self.select(row.key)
        if event.chain == 2:
            self.post_message(self.Opened(self))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll, the cursor stays in view."""
        event.stop()
        self.place.scroll(_WHEEL)
        self._moved()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll, the cursor stays in view."""
        event.stop()
        self.place.scroll(-_WHEEL)
        self._moved()

    def on_resize(self) -> None:
        """Draw for the new size; the cursor stays in view."""
        self.repaint()
        if self.room != self._room:
            self._room = self.room
            self.post_message(self.Resized(self))

    @property
    def room(self) -> tuple[int, int]:
        """Cells for the text of a row, and rows in view."""
        width, height = self.size
        return max(0, width - 4 - GUTTER), max(0, height - 1 - self.listing.rows_top)

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show whether keys go here."""
        super().watch_has_focus(has_focus)
        self.repaint()

    def repaint(self) -> None:
        """Draw again, and write the lines that differ."""
        width, height = self.size
        self.place.resize(height - 1 - self.listing.rows_top)
        look = Look(
            width,
            height,
            glyphs=self.glyphs,
            hint=self.hint,
            is_focused=self.is_active,
        )
        self.draw(draw(self.listing, self.place, look))
