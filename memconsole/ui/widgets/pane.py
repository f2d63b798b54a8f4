"""A framed list that draws its own frame, so that title, age and rows cost no widget each.

Only lines whose text or look changed are written again; cursor, marks, filter and scroll position
belong to row keys and survive every refresh and resize, and so do keys that come while the terminal
is too small to show anything.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.message import Message

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells
from memconsole.ui.drawing.glyphs import UNICODE
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span, between, cut_line, fill_line, line_width
from memconsole.ui.drawing.table import draw_header, draw_row, fit, measured_again
from memconsole.ui.widgets.line import Drawn
from memconsole.ui.widgets.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual import events
    from textual.binding import BindingType
    from textual.events import Hide

    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line, Row
    from memconsole.ui.drawing.table import Fitted


GUTTER = 2
"""Cells before a row: the cursor, and the mark."""

_BARS = frozenset(
    {
        Role.OK_BAR,
        Role.WARNING_BAR,
        Role.DUE_BAR,
        Role.OK_FILL,
        Role.WARNING_FILL,
        Role.DUE_FILL,
    }
)

_LEAST_WIDTH, _LEAST_HEIGHT = 8, 3


@dataclass(frozen=True, slots=True)
class PaneStyle:
    """How a pane is to be drawn.

    Attributes:
        is_focused: Keys go here: the cursor is a bar, not only a sign.
        hint: Words on the lower frame, where nothing worse stands.
    """

    width: int
    height: int
    is_focused: bool
    glyphs: Glyphs
    hint: str = ""

    @property
    def frame(self) -> Role:
        """The role of the frame."""
        return Role.FOCUSED_FRAME if self.is_focused else Role.FRAME

    @property
    def title(self) -> Role:
        """The role of the title."""
        return Role.FOCUSED_TITLE if self.is_focused else Role.TITLE


def draw(listing: Listing, place: Place, style: PaneStyle) -> list[Line]:
    """Return the pane's lines; a size without room for a frame gets its title alone."""
    if style.width < _LEAST_WIDTH or style.height < _LEAST_HEIGHT:
        title = fill_line(
            _title(listing, place, style), style.width, ellipsis=style.glyphs.ellipsis
        )
        blank = fill_line((), style.width)
        return [title if y == 0 else blank for y in range(max(style.height, 0))]
    body = [
        *(fill_line(line, style.width - 4) for line in listing.fixed),
        *_body(listing, place, style),
    ]
    if listing.is_stale:
        body = [tuple(_faded(line)) for line in body]
    room = style.height - 2
    body = body[:room] + [fill_line((), style.width - 4)] * (room - len(body))
    thumb = _thumb(place, style)
    return [
        _top(listing, place, style),
        *(_side(line, y, thumb, style) for y, line in enumerate(body)),
        _bottom(listing, place, style),
    ]


def _faded(line: Line) -> Iterator[Span]:
    """Grey out what is too old to act upon; signs of danger stay readable in words."""
    for span in line:
        is_bar = span.role in _BARS
        if is_bar or span.role is Role.TRACK:
            yield replace(span, role=Role.STALE_BAR if is_bar else Role.TRACK)
        else:
            yield replace(span, role=Role.MUTED)


def _top(listing: Listing, place: Place, style: PaneStyle) -> Line:
    glyphs = style.glyphs
    title = _title(listing, place, style)
    room = style.width - 4 - line_width(title)
    # The age says how far the rest can be trusted: the title gives way to it, not it to the title.
    wanted = cells.width(listing.age or listing.source) + 3
    status = _status(listing, glyphs, max(room, min(wanted, style.width // 2)))
    right: Line = (Span(glyphs.corners[1], style.frame),)
    if status:
        right = (Span(f" {status} ", Role.MUTED), *right)
    title = cut_line(title, style.width - 3 - line_width(right), ellipsis=glyphs.ellipsis)
    left = (Span(f"{glyphs.corners[0]} ", style.frame), *title, Span(" ", style.frame))
    return between(left, right, style.width, gap=Span(glyphs.horizontal, style.frame))


def _status(listing: Listing, glyphs: Glyphs, room: int) -> str:
    both = f" {glyphs.dot} ".join(part for part in (listing.source, listing.age) if part)
    for text in (both, listing.age or listing.source):
        if cells.width(text) + 3 <= room:
            return text
    return cells.cut(listing.age, max(room - 2, 0), ellipsis=glyphs.ellipsis)


def _title(listing: Listing, place: Place, style: PaneStyle) -> Line:
    spans: list[Span] = []
    if listing.number is not None:
        spans.append(Span(f"{listing.number} ", Role.ACCENT))
    spans.append(Span(listing.title, style.title))
    if listing.about:
        spans.append(Span(f" {listing.about}", Role.MUTED))
    if place.needle:
        spans.append(Span(f" /{place.needle}", Role.ACCENT))
    return tuple(spans)


def _bottom(listing: Listing, place: Place, style: PaneStyle) -> Line:
    glyphs = style.glyphs
    notes: list[str] = []
    if place.marks:
        notes.append(f"{len(place.marks)} marked")
    if len(place.rows) > place.height > 0:
        here = place.offset if place.number is None else place.number
        notes.append(f"{_things(place, here + 1)}/{_things(place, len(place.rows))}")
    right: Line = (Span(glyphs.corners[3], style.frame),)
    if notes:
        right = (Span(f" {f' {glyphs.dot} '.join(notes)} ", Role.MUTED), *right)
    left: Line = (Span(glyphs.corners[2], style.frame),)
    reason = "" if place.row is None else place.row.reason
    if reason or listing.problem:
        room = style.width - line_width(right) - 4
        text = cells.cut(reason or listing.problem, room, ellipsis=glyphs.ellipsis)
        left = (*left, Span(f" {text} ", Role.WARNING))
    elif listing.shows_value and place.row is not None and place.row.value:
        room = style.width - line_width(right) - 4
        text = cells.cut(literal(place.row.value), room, ellipsis=glyphs.ellipsis)
        left = (*left, Span(f" {text} ", Role.MUTED))
    elif style.hint:
        left = (*left, Span(f" {style.hint} ", Role.MUTED))
    return between(left, right, style.width, gap=Span(glyphs.horizontal, style.frame))


def _things(place: Place, lines: int) -> int:
    """Return how many rows the first lines are, one on two lines counted once."""
    if not place.has_broken:
        return lines
    return lines - sum(bool(one.goes_on) for one in place.rows[:lines])


def _side(line: Line, y: int, thumb: range, style: PaneStyle) -> Line:
    glyphs = style.glyphs
    edge = Span(glyphs.thumb if y in thumb else glyphs.vertical, style.frame)
    return (Span(glyphs.vertical, style.frame), Span(" "), *line, Span(" "), edge)


def _thumb(place: Place, style: PaneStyle) -> range:
    """Return the lines of the frame that show which part of the list is in view."""
    total, shown = len(place.rows), place.height
    if total <= shown or shown < 2:
        return range(0)
    size = max(1, round(shown * shown / total))
    start = round((shown - size) * place.offset / max(1, total - shown))
    first = style.height - 2 - shown
    return range(first + start, first + start + size)


def _body(listing: Listing, place: Place, style: PaneStyle) -> Iterator[Line]:
    room = style.width - 4 - GUTTER
    columns = measured_again(listing.columns, len(place.rows), place.view)
    fitted = fit(columns, room) if columns else None
    if listing.has_header and fitted is not None:
        sort = listing.sort
        header = draw_header(
            listing.columns,
            fitted,
            style.glyphs,
            sort=None if sort is None else sort.name,
            falling=sort is None or sort.falling,
        )
        yield (Span(" " * GUTTER), *header)
    if not place.rows:
        yield from _empty(listing, place, style)
    for row in place.view:
        yield _row(row, listing, place, style, fitted)


def _empty(listing: Listing, place: Place, style: PaneStyle) -> Iterator[Line]:
    lines = ("nothing here matches",) if place.needle and not place.finds else listing.empty
    width = style.width - 4
    for text in lines:
        for piece in cells.wrap(text, width - GUTTER):
            yield fill_line((Span(" " * GUTTER), Span(piece, Role.MUTED)), width)


def _row(row: Row, listing: Listing, place: Place, style: PaneStyle, fitted: Fitted | None) -> Line:
    if fitted is None:
        [cell] = row.cells
        content = cell.draw(style.width - 4 - GUTTER, style.glyphs, right=False)
    else:
        content = _columns(row, listing, style, fitted)
    is_here = place.cursor in (row.key, row.goes_on or row.key)
    if place.finds and place.matches(row):
        content = tuple(_found(content, place.needle))
    line = (
        Span(style.glyphs.cursor if row.key == place.cursor else " ", Role.ACCENT),
        Span(style.glyphs.mark if row.key in place.marks else " ", Role.ACCENT),
        *content,
    )
    if is_here and style.is_focused:
        return tuple(replace(span, is_cursor=True) for span in line)
    return line


def _columns(row: Row, listing: Listing, style: PaneStyle, fitted: Fitted) -> Line:
    known = listing.drawn.setdefault(fitted, {})
    drawn = known.get(row.key)
    if drawn is None or drawn[0] is not row:
        drawn = known[row.key] = row, draw_row(row, listing.columns, fitted, style.glyphs)
    return drawn[1]


def _found(line: Line, needle: str) -> Iterator[Span]:
    """Mark the search text where it stands; case folding that changes lengths marks nothing."""
    wanted = needle.casefold()
    for span in line:
        folded = span.text.casefold()
        if len(folded) != len(span.text) or wanted not in folded:
            yield span
            continue
        start = 0
        while (hit := folded.find(wanted, start)) >= 0:
            if hit > start:
                yield Span(span.text[start:hit], span.role)
            yield Span(span.text[hit : hit + len(wanted)], Role.FOUND)
            start = hit + len(wanted)
        if start < len(span.text):
            yield Span(span.text[start:], span.role)


class KeepsKeys:
    """Stands before Textual's own widget among the bases.

    Textual takes the keys away from what it hides, and may tell it so when it is seen again
    already. Of ours, what loses the keys for good is removed, or its screen gives them elsewhere.
    """

    def on_hide(self, event: Hide) -> None:
        """Let Textual not take the keys away."""
        event.prevent_default()


_WHEEL = 3


class FromPane(Message):
    """Something happened in a pane."""

    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self.pane = pane

    @property
    def control(self) -> Pane:
        """The pane, for handlers of a certain one."""
        return self.pane


class Pane(KeepsKeys, Drawn, can_focus=True, inherit_bindings=False):
    """A panel with a cursor that keeps its place."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="up", tooltip="one line up"),
        Binding("down,j", "move(1)", "Down", show=False, id="down", tooltip="one line down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="page-up", tooltip="one page up"),
        Binding(
            "pagedown", "page(1)", "Page down", show=False, id="page-down", tooltip="one page down"
        ),
        Binding("g,home", "first", "First", show=False, id="first", tooltip="to the first line"),
        Binding("G,end", "last", "Last", show=False, id="last", tooltip="to the last line"),
    ]

    class Moved(FromPane):
        """The cursor stands on another row."""

    class Resized(FromPane):
        """The width for text is another one: what is wrapped must be wrapped again."""

    class Opened(FromPane):
        """A row was asked to open, by the mouse."""

    class TabPressed(Message):
        """The number of another panel on the lower frame was clicked on."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

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
        self._is_due = False
        self._always_active = always_active
        self.listing = Listing("")
        self.place = Place(finds=finds)

    def show(self, listing: Listing) -> None:
        """Show another reading; what did not change is not written."""
        before = self.place.cursor
        self.listing = listing
        self.place.pinned = listing.pinned
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
        """Select the row under the mouse, a second click opens it; on the frame, take a tab."""
        if not self.is_click(event):
            return
        if event.y == self.size.height - 1:
            self._press_tab(event.x)
            return
        row = self.place.at(event.y - self.listing.rows_top)
        if row is None:
            return
        self.select(row.key)
        if event.chain == 2:
            self.post_message(self.Opened(self))

    def _press_tab(self, x: int) -> None:
        """Take a tab of the lower edge, unless something worse stands there in their place."""
        drawn = "".join(span.text for span in self.lines[-1]) if self.lines else ""
        if not drawn.startswith(f" {self.hint} ", 1):
            return
        place = 2  # behind the corner and a blank
        for tab in self.hint.split("  "):
            number = tab.partition(" ")[0]
            if place <= x < place + cells.width(tab) and number.isdigit():
                self.post_message(self.TabPressed(int(number)))
            place += cells.width(tab) + 2

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll, the cursor stays in view."""
        self._scroll_rows(event, _WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll, the cursor stays in view."""
        self._scroll_rows(event, -_WHEEL)

    def _scroll_rows(self, event: events.MouseEvent, step: int) -> None:
        """Scroll; where all rows are in view, leave it to what lies behind."""
        if len(self.place.rows) > self.place.height:
            event.stop()
            self.place.scroll(step)
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
        """Draw again when all is said: a reading and the cursor it moves change a pane thrice."""
        self.place.resize(self.size.height - 1 - self.listing.rows_top)
        if not self._is_due:
            self._is_due = True
            self.call_next(self._draw)

    def _draw(self) -> None:
        """Write the lines that differ."""
        self._is_due = False
        width, height = self.size
        style = PaneStyle(
            width,
            height,
            glyphs=self.glyphs,
            hint=self.hint,
            is_focused=self.is_active,
        )
        self.draw(draw(self.listing, self.place, style))
