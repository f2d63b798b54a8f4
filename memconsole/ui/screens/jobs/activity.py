"""How runs and times are drawn wherever they are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text import figures
from memconsole.ui.drawing import cells
from memconsole.ui.drawing.spans import Cell, Column, Role

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line


_FIRST = 100
"""Share of the room that is left, against those of `_COLUMNS`."""


@dataclass(frozen=True, slots=True)
class When:
    """A time that says as much as there is room for.

    Attributes:
        text: The time of today, day and time of any other day.
        short: The time of today, the day of any other.
    """

    text: str
    short: str

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the time in exactly `width` cells."""
        fits = cells.width(self.text) <= width
        cell = Cell(self.text if fits else self.short, Role.MUTED)
        return cell.draw(width, glyphs, right=right)


def when_column(times: Sequence[datetime], context: Context) -> Column:
    """Return the column of the times: it grows first, where days have to be told as well."""
    drawn = [when_cell(at, context) for at in times]
    least = max((cells.width(one.short) for one in drawn), default=0)
    most = max((cells.width(one.text) for one in drawn), default=0)
    return Column("", least, flex=_FIRST if least < most else 0, most=most, name="when")


def when_cell(at: datetime, context: Context) -> When:
    """Return a time for the screen."""
    return When(
        figures.moment(at, context.now, context.zone), figures.when(at, context.now, context.zone)
    )


def status_sign(status: str, glyphs: Glyphs) -> tuple[str, Role]:
    """Return the sign and role of a status word."""
    match status:
        case "done":
            return glyphs.done, Role.OK
        case "failed":
            return glyphs.failed, Role.DUE
        case "running":
            return glyphs.running, Role.ACCENT
        case _:
            return glyphs.skipped, Role.MUTED
