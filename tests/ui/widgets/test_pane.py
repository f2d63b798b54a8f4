"""The lines of a pane, as values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.ui.drawing.glyphs import UNICODE, Glyphs
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.spans import Cell, Column, Row
from memconsole.ui.widgets.pane import PaneStyle, draw
from memconsole.ui.widgets.place import Place

if TYPE_CHECKING:
    from memconsole.ui.drawing.spans import Line

DRAWN: list[str] = []


class Noted(Cell):
    """Remembers that it was drawn."""

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Draw as usual."""
        DRAWN.append(self.text)
        return super().draw(width, glyphs, right=right)


def told(listing: Listing, place: Place, width: int = 30) -> list[str]:
    """Return what was drawn anew for these lines, behind the row that has the cursor."""
    DRAWN.clear()
    lines = draw(listing, place, PaneStyle(width, 6, is_focused=True, glyphs=UNICODE))
    here = ["".join(span.text for span in line if span.is_cursor).strip() for line in lines]
    return [*filter(None, here), *DRAWN]


def test_a_step_of_the_cursor_draws_no_row_anew() -> None:
    rows = tuple(Row(name, (Noted(name),)) for name in ("ann", "ben", "cem"))
    listing = Listing("People", columns=(Column("", 8),), rows=rows)
    place = Place(height=4)
    place.take(rows)
    assert told(listing, place) == ["▸ ann", "ann", "ben", "cem"]
    place.move(1)
    assert told(listing, place) == ["▸ ben"]
    assert told(listing, place, width=9) == ["▸ ben", "ann", "ben", "cem"]
    assert told(replace(listing, title="All"), place) == ["▸ ben", "ann", "ben", "cem"]


def test_a_row_that_took_the_key_of_another_is_drawn() -> None:
    rows = tuple(Row(name, (Noted(name),)) for name in ("ann", "ben"))
    listing = Listing("People", columns=(Column("", 8),), rows=rows)
    place = Place(height=4)
    place.take(rows)
    told(listing, place)
    place.take((rows[0], Row("ben", (Noted("bea"),))))
    assert told(listing, place) == ["▸ ann", "bea"]
