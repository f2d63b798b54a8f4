"""What a bug report would hold, section by section; `e` writes all of it into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from memconsole.domain.report import markdown
from memconsole.text import cells, figures
from memconsole.ui.drawing.listing import Listing, line_keys, note, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span
from memconsole.ui.keys import panel_keys
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.report import Section

TITLE = "memconsole report"

_COLUMNS = (
    Column("section", 20, flex=1),
    Column("size", 8, right=True),
    Column("problem", 20, drop=1),
)


class ReportScreen(ConsoleScreen):
    """The sections of a report, and the text of the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [*panel_keys(("sections", "text"))]

    def __init__(self, sections: Callable[[], Iterator[Section]]) -> None:
        super().__init__("report")
        self._make = sections
        self._loader: Loader[tuple[Section, ...]] = Loader(self, "report")

    @property
    def where(self) -> str:
        """The name of the screen."""
        return "report"

    def body(self) -> ComposeResult:
        """Yield the sections, and one of them in full."""
        yield Pane("list", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("one", glyphs=self.desk.glyphs, finds=True)

    def opened(self) -> None:
        """Make the report; it writes nothing."""
        self._loader.ask(lambda: tuple(self._make()))

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was made."""
        self._loader.take(message)
        self.show_snapshot()

    def show_snapshot(self) -> None:
        """Show what was made; a new reading changes nothing of it."""
        sections = self._loader.value
        if sections is None:
            said = self._loader.failure or "making the report"
            self.named("list").show(Listing("Report", number=1, empty=(said,)))
        else:
            self.named("list").show(report_listing(sections, self.desk.glyphs.dot))
        self._show_one()
        super().show_snapshot()

    @on(Pane.Moved, "#list")
    @on(Pane.Resized, "#one")
    def _show_one(self) -> None:
        row, pane = self.named("list").row, self.named("one")
        one = next((it for it in self._loader.value or () if row and it.id == row.key), None)
        lines = [] if one is None else literal_lines(one.markdown, pane.room[0])
        keys = line_keys(lines)
        rows = tuple(text_row(key, Span(line)) for key, line in zip(keys, lines, strict=True))
        pane.show(Listing("Text", number=2, rows=rows, empty=("no section is selected",)))

    def action_export(self) -> None:
        """Ask where the whole report is written, whatever panel has the keys."""
        rows = [
            text_row(f"{place}", Span(line))
            for place, line in enumerate(markdown(TITLE, self._loader.value or ()).splitlines()[2:])
        ]
        self.desk.go.export(Listing(TITLE), rows)

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add that it must be made before it is written."""
        if action == "export" and self._loader.value is None and self.is_open:
            return "the report is not made yet"
        return super().why_not(action, parameters)


def literal_lines(text: str, width: int) -> list[str]:
    """Return lines of text, long ones broken between words."""
    return [
        piece
        for line in text.splitlines()
        for piece in (cells.wrap(literal(line), max(width, 8)) if line.strip() else ("",))
    ]


def report_listing(sections: tuple[Section, ...], dot: str) -> Listing:
    """Return what a report holds: its sections with their sizes, and what could not be told."""
    total = sum(one.size_bytes for one in sections)
    return Listing(
        title="Report",
        about=f"{dot} {figures.plural(len(sections), 'section')}, {figures.size_words(total)}",
        age="secrets, names, paths and what was said stay here",
        number=1,
        columns=_COLUMNS,
        rows=tuple(
            Row(
                key=one.id,
                cells=(
                    Cell(one.title),
                    Cell(figures.size_words(one.size_bytes), Role.MUTED),
                    Cell(literal(one.problem or ""), Role.WARNING),
                ),
                value=one.title,
            )
            for one in sections
        ),
        fixed=(note("  e writes all of it into a file"),),
    )
