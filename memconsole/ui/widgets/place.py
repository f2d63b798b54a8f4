"""Where one is in a list: cursor, scroll position, marks and filter, all by row key."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.ui.drawing.listing import LateRows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memconsole.ui.drawing.spans import Row


@dataclass
class Place:
    """A place that survives when rows come, go and change their order.

    Attributes:
        finds: A search text leads to its matches instead of hiding the other rows.
        rows: The rows that are shown, in order.
        cursor: Key of the row under the cursor; None when no row can be selected.
        offset: Index of the first row in view.
        height: Rows that fit.
        marks: Keys of marked rows; a key that is gone keeps its mark until it is taken away.
        needle: Text of the filter, empty without one.
        pinned: Rows at the beginning that stay in view while the others scroll.
        is_led: Somebody moved the cursor or the view; until then the first rows are in view, as
            many as leave room for the cursor, however rows and height change.
        has_broken: Some row stands on more than one line.
    """

    finds: bool = False
    rows: Sequence[Row] = ()
    cursor: str | None = None
    offset: int = 0
    height: int = 1
    marks: frozenset[str] = frozenset()
    needle: str = ""
    pinned: int = 0
    is_led: bool = False
    has_broken: bool = False
    _all: Sequence[Row] = ()
    _index: Mapping[str, int] = field(default_factory=dict)

    def take(self, rows: Sequence[Row]) -> None:
        """Take new rows; the cursor stays on its row, or near its old place when that is gone."""
        self._all = rows
        self._show()

    def _show(self) -> None:
        old = self._index.get(self.cursor or "")
        self.rows = self._all
        if self.needle and not self.finds:
            shown = {row.key for row in self._all if row.is_heading or self.matches(row)}
            self.rows = tuple(row for row in self._all if (row.goes_on or row.key) in shown)
        if isinstance(self.rows, LateRows):
            self._index, self.has_broken = self.rows.places, False
        else:
            self._index = {row.key: place for place, row in enumerate(self.rows)}
            self.has_broken = any(row.goes_on for row in self.rows)
        if self.cursor not in self._index:
            self.cursor = self._same_thing(self.cursor or "") or self._near(old or 0)
        self._keep_in_view()

    def matches(self, row: Row) -> bool:
        """Tell whether a row holds the search text."""
        return bool(self.needle) and self.needle.casefold() in row.text

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        index = self._index.get(self.cursor or "")
        return None if index is None else self.rows[index]

    @property
    def number(self) -> int | None:
        """Place of the cursor among the rows, from 0."""
        return self._index.get(self.cursor or "")

    @property
    def stays(self) -> int:
        """How many rows stay: at most half of what fits, and none that a filter has moved."""
        return 0 if self.needle else min(self.pinned, max(self.height, 1) // 2)

    @property
    def view(self) -> tuple[Row, ...]:
        """The rows in view, in order."""
        end = self.offset + max(self.height, 0)
        return (*self.rows[: self.stays], *self.rows[self.offset + self.stays : end])

    def at(self, line: int) -> Row | None:
        """Return the row on a line of the view, if it can be selected."""
        index = line if line < self.stays else self.offset + line
        if line < 0 or not 0 <= index < len(self.rows):
            return None
        row = self.rows[self._index.get(self.rows[index].goes_on, index)]
        return None if row.is_heading else row

    def select(self, key: str) -> bool:
        """Put the cursor on a row."""
        if key not in self._index:
            return False
        self.cursor = key
        self._keep_in_view()
        return True

    def move(self, step: int) -> None:
        """Move the cursor over rows that can be selected; without one, scroll."""
        self.is_led, index = True, self.number
        if index is None:
            self.offset += step
            self._clamp()
            return
        places = self._places()
        now = places.index(index)
        self.cursor = self.rows[places[min(max(now + step, 0), len(places) - 1)]].key
        self._keep_in_view()
        if places[0] == self.number and step < 0:
            self.offset, self.is_led = 0, False

    def scroll(self, step: int) -> None:
        """Scroll the view; the cursor follows only when it would leave it."""
        self.offset += step
        self._clamp()
        self.is_led, index = True, self.number
        if index is None or index < self.stays:
            return
        wanted = min(max(index, self.offset + self.stays), self.offset + max(self.height, 1) - 1)
        if wanted != index:
            self.cursor = self._near(wanted)

    def filter(self, needle: str) -> None:
        """Set the search text."""
        self.needle = needle
        if self.finds and needle and (row := self.row) is not None and not self.matches(row):
            self.find(1)
        self._show()

    def find(self, step: int) -> None:
        """Go to the next or the previous match, around the ends."""
        places = [
            place
            for place, row in enumerate(self.rows)
            if not row.is_heading and (self.matches(row) or not self.needle)
        ]
        if not places:
            return
        here = -1 if self.number is None else self.number
        later = [place for place in places if (place > here if step > 0 else place < here)]
        self.is_led = True
        target = (later[0] if step > 0 else later[-1]) if later else places[0 if step > 0 else -1]
        self.select(self.rows[target].key)

    def toggle_mark(self) -> None:
        """Mark the row under the cursor or take the mark away, and go to the next row."""
        if self.cursor is None:
            return
        self.marks ^= {self.cursor}
        self.move(1)

    @property
    def marked(self) -> tuple[str, ...]:
        """Keys of marked rows in the order of the list; those that it does not show come last."""
        last = len(self._index)
        return tuple(sorted(self.marks, key=lambda key: (self._index.get(key, last), key)))

    def _same_thing(self, key: str) -> str | None:
        """Return the line of the same thing, where another width has broken it anew."""
        stem, colon, number = key.rpartition(":")
        if not colon or not number.isdecimal():
            return None
        pairs = (row.key.rpartition(":") for row in self.rows if not row.is_heading)
        places = [int(place) for head, _, place in pairs if head == stem and place.isdecimal()]
        if not places:
            return None
        above = [place for place in places if place <= int(number)]
        return f"{stem}:{max(above) if above else min(places)}"

    def _places(self) -> Sequence[int]:
        """Return where the rows are that can be selected."""
        if isinstance(self.rows, LateRows):
            return range(len(self.rows))
        return [place for place, row in enumerate(self.rows) if not row.is_heading]

    def _near(self, index: int) -> str | None:
        places = self._places()
        if not places:
            return None
        if isinstance(places, range):
            return self.rows[min(max(index, 0), len(places) - 1)].key
        return self.rows[min(places, key=lambda place: abs(place - index))].key

    def _keep_in_view(self) -> None:
        index, height = self.number, max(self.height, 1)
        if not self.is_led:
            self.offset = 0
        if index is not None and index >= self.stays:
            last = index
            while self.has_broken and last + 1 < len(self.rows) and self.rows[last + 1].goes_on:
                last += 1
            self.offset = max(self.offset, last - height + 1)
            self.offset = min(self.offset, index - self.stays)
        self._clamp()

    def _clamp(self) -> None:
        self.offset = max(0, min(self.offset, len(self.rows) - max(self.height, 1)))

    def resize(self, height: int) -> None:
        """Fit another height; the cursor stays in view."""
        self.height = height
        self._keep_in_view()
