"""What one pane shows: decided by pure functions, drawn by the pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Final, overload

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Rich, Role, Row, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from memconsole.ui.drawing.spans import Column, Line
    from memconsole.ui.drawing.table import Fitted


@dataclass(frozen=True, slots=True)
class Sort:
    """An order of rows.

    Attributes:
        name: Which one; a column with the same name shows the arrow.
        falling: Largest first.
    """

    name: str
    falling: bool = True


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything a pane needs to draw itself.

    Attributes:
        title: Name of the panel.
        about: What it is about, behind the title.
        source: Where it comes from, at the right end of the frame.
        age: How old it is, behind the source; stays where only one of them fits.
        number: Key that jumps here.
        columns: Empty for panes of free lines.
        rows: In the order they are shown.
        sort: The order, when there is a choice.
        empty: Lines to show when there are no rows: what that means, and what to do.
        is_stale: The source is older than twice its interval; the pane greys out.
        problem: What went wrong with the source, shown on the lower frame.
        fixed: Lines above the rows that do not scroll.
        pinned: Rows at the beginning that stay in view while the others scroll.
        shows_value: The value of the row under the cursor stands on the lower frame.
        drawn: Rows as they were drawn, by the columns that fitted and by key: a step of the cursor
            changes two of them.
    """

    title: str
    about: str = ""
    source: str = ""
    age: str = ""
    number: int | None = None
    columns: tuple[Column, ...] = ()
    rows: Sequence[Row] = ()
    sort: Sort | None = None
    empty: tuple[str, ...] = ()
    is_stale: bool = False
    problem: str = ""
    fixed: tuple[Line, ...] = ()
    pinned: int = 0
    shows_value: bool = False
    drawn: dict[Fitted, dict[str, tuple[Row, Line]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @property
    def has_header(self) -> bool:
        """Whether the columns have headings."""
        return any(column.title for column in self.columns)

    @property
    def rows_top(self) -> int:
        """Lines above the first row, the frame included."""
        return 1 + len(self.fixed) + self.has_header


class LateRows(Sequence[Row]):
    """Rows that are made when they are looked at: most of a long list never are.

    Each of them is a thing of its own, on one line.

    Attributes:
        places: Of the rows, by their keys.
    """

    def __init__(
        self, keys: Sequence[str], places: Mapping[str, int], make: Callable[[int], Row]
    ) -> None:
        self._keys = keys
        self._make = make
        self._made: dict[int, Row] = {}
        self.places = places

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._keys)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        """Return one row, or some."""
        places = range(len(self._keys))[index]
        return self._row(places) if isinstance(places, int) else tuple(map(self._row, places))

    def _row(self, place: int) -> Row:
        row = self._made.get(place)
        if row is None:
            row = self._made[place] = self._make(place)
        return row


def text_row(key: str, *spans: Span, value: str = "", is_heading: bool = False) -> Row:
    """Make a row of a pane without columns."""
    return Row(key, (Rich(spans),), value=value, is_heading=is_heading)


def note(text: str, role: Role = Role.MUTED) -> Line:
    """Return one line of a single role."""
    return (Span(text, role),)


def line_keys(lines: Iterable[str]) -> Iterator[str]:
    """Yield a key for each line of a page that is broken anew for each width.

    It counts the letters above the line, so a cursor finds the same words again in another width.
    """
    above = 0
    for line in lines:
        yield f"at:{above}"
        above += max(1, sum(map(str.isalnum, line)))


LABEL: Final = 12
_LEAST: Final = 8


def fact_rows(facts: Iterable[tuple[str, str]], width: int) -> tuple[Row, ...]:
    """Return labels and values on lines of their own; what has no value is left out.

    Args:
        facts: Label and value, which may be foreign.
        width: Of the pane, in cells.
    """
    rows = []
    for label, value in facts:
        pieces = cells.wrap(literal(value), max(width - LABEL, _LEAST)) if value else ()
        for place, piece in enumerate(pieces):
            head = Span(f"{'' if place else label:<{LABEL}}", Role.MUTED)
            rows.append(text_row(f"{label}:{place}", head, Span(piece), value=value))
    return tuple(rows)
