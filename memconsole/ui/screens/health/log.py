"""Our own log, as far as this console kept it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.text import cells, figures
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal_block
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.screens.base import ListScreen
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Row
    from memconsole.ui.terminal.log import LogBuffer

_ROLES = {"WARNING": Role.WARNING, "ERROR": Role.DUE, "CRITICAL": Role.DUE}


def log_listing(logbook: LogBuffer, context: Context, width: int) -> Listing:
    """Return the log, newest last, wrapped for a width in cells."""
    rows: list[Row] = []
    for entry in logbook:
        time = figures.clock(entry.at, context.zone)
        role = _ROLES.get(entry.level, Role.MUTED)
        text = literal_block(entry.text)
        for place, piece in enumerate(cells.wrap(text, max(width - 15, 8))):
            head = f"{time} {entry.level:<8} " if place == 0 else " " * 15
            rows.append(
                text_row(f"{entry.number}:{place}", Span(head, role), Span(piece), value=text)
            )
    return Listing(
        title="Log",
        about=f"{context.glyphs.dot} of this console",
        rows=tuple(rows),
        empty=("nothing was logged",),
    )


class LogScreen(ListScreen):
    """The log; a cursor at the end follows it."""

    def __init__(self) -> None:
        super().__init__("log")
        self._seen = (-1, -1)

    @property
    def where(self) -> str:
        """The name of the screen."""
        return "log"

    def body(self) -> ComposeResult:
        """Yield a list that is searched, not filtered."""
        yield Pane("list", glyphs=self.desk.glyphs, finds=True, classes="-current")

    def show_snapshot(self) -> None:
        """Show what was logged since."""
        pane = self.named("list")
        seen = (self.desk.logbook.count, pane.room[0])
        if seen != self._seen:
            place = pane.place
            is_at_end = self._seen[0] < 0 or place.number == len(place.rows) - 1
            self._seen = seen
            pane.show(log_listing(self.desk.logbook, self.context(), pane.room[0]))
            if is_at_end:
                pane.action_last()
        super().show_snapshot()

    def on_pane_resized(self) -> None:
        """Wrap for the new width."""
        if self.is_open:
            self.show_snapshot()
