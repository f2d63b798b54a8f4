"""Asks where a list or a page is written, and how; then says the whole path.

A list has its columns and all its rows, also those out of view, but none that a filter hides; a
page has its lines. Gauges are figures. Everything is masked, as it is on screen.
"""

from __future__ import annotations

import csv
import io
import json
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on

from memconsole.lazy_dataclass import dataclass
from memconsole.system.atomic_file import EXPORTS, whole_path, write_new
from memconsole.text import cells, figures
from memconsole.text.compiled import compiled
from memconsole.text.outgoing import let_out
from memconsole.text.plain import clean
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.keys import bind
from memconsole.ui.screens.base import Dialog
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.ui.drawing.spans import AnyCell, Column, Line, Row


class Form(StrEnum):
    """How a file is written; the value is the end of its name."""

    MARKDOWN = "md"
    CSV = "csv"
    JSON = "json"


_FORMULA = ("=", "+", "@", "-")
"""A spreadsheet would run what begins so, and texts are those of others."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a panel shows, without its looks.

    Attributes:
        title: Of the panel, and what it is about.
        source: Where it was read, and how long ago.
        columns: Their names; empty for a page.
        rows: A text a column; of a page its lines, a text each.
    """

    title: str
    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def written(self, form: Form) -> str:
        """Return the text of a file."""
        match form:
            case Form.MARKDOWN:
                return _markdown(self)
            case Form.CSV:
                return _csv(self)
            case Form.JSON:
                return _json(self)


def shown(listing: Listing, rows: Sequence[Row]) -> Shown:
    """Return what a panel shows.

    Args:
        listing: Its frame and columns.
        rows: Its rows, in order; headings of a list are left out.
    """
    title = " ".join(filter(None, (listing.title, listing.about)))
    source = ", ".join(filter(None, (listing.source, listing.age)))
    if not listing.columns:
        fixed = ["".join(span.text for span in line) for line in listing.fixed]
        lines = [*fixed, *("".join(map(_said, row.cells)) for row in rows)]
        return Shown(title, source, (), tuple((_out(line.rstrip()),) for line in lines))
    names = _names(listing.columns)
    told = [tuple(map(_said, row.cells)) for row in rows if not row.is_heading]
    used = [place for place in range(len(names)) if not told or any(row[place] for row in told)]
    return Shown(
        title,
        source,
        tuple(names[place] for place in used),
        tuple(tuple(_out(row[place]) for place in used) for row in told),
    )


def _said(cell: AnyCell) -> str:
    return str(getattr(cell, "said", cell.text))


def _out(text: str) -> str:
    return let_out(clean(text))


def _names(columns: Sequence[Column]) -> list[str]:
    """Return a name for each column, no two the same."""
    found: list[str] = []
    for number, column in enumerate(columns, 1):
        name = column.name or column.title or f"column {number}"
        found.append(f"{name} {number}" if name in found else name)
    return found


def _markdown(what: Shown) -> str:
    head = [f"# {what.title}", "", *((what.source, "") if what.source else ())]
    if not what.columns:
        return "\n".join([*head, *(line for [line] in what.rows), ""])
    rule = tuple("---" for _ in what.columns)
    table = [
        f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |"
        for row in (what.columns, rule, *what.rows)
    ]
    return "\n".join([*head, *table, ""])


def _csv(what: Shown) -> str:
    into = io.StringIO()
    writer = csv.writer(into, lineterminator="\n")
    writer.writerow(what.columns or ("line",))
    writer.writerows(map(_harmless, what.rows))
    return into.getvalue()


def _harmless(row: Sequence[str]) -> list[str]:
    """Return a row in which no cell is a formula."""
    return [f"'{text}" if text.startswith(_FORMULA) and len(text) > 1 else text for text in row]


def _json(what: Shown) -> str:
    body: dict[str, object] = {"title": what.title, "source": what.source}
    if what.columns:
        body["rows"] = [dict(zip(what.columns, row, strict=True)) for row in what.rows]
    else:
        body["lines"] = [line for [line] in what.rows]
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


_WIDTH: Final = 84

_FRAME: Final = 6

_WORDS: Final = {Form.MARKDOWN: "Markdown", Form.CSV: "CSV", Form.JSON: "JSON"}

_ENDS: Final = r"\.(md|csv|json)$"


class ExportScreen(Dialog[None]):
    """Writes one panel into a file; Esc writes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape", "back", "close", "Close; nothing more is written", name="back"),
        bind("enter", "done", "write", "Write the file, or close", name="done"),
        bind("tab,down", "form(1)", "next", "The next way to write it", name="form"),
        bind("shift+tab,up", "form(-1)", "previous", "The way before", name="form-back"),
        bind("y,Y", "copy", "copy", "Copy the path", name="copy"),
    ]

    def __init__(self, listing: Listing, rows: Sequence[Row], folder: Path, stamp: str) -> None:
        """Make the dialog.

        Args:
            listing: What is exported.
            rows: Its rows, those that a filter hides left out.
            folder: Our own state folder.
            stamp: Day and time, for the name of the file.
        """
        super().__init__("export")
        self._listing, self._rows = listing, rows
        self._form = Form.MARKDOWN
        self._written: Path | None = None
        self._complaint = ""
        name = "-".join(compiled(r"[a-z0-9]+").findall(listing.title.lower())) or "list"
        path = folder / EXPORTS / f"{name}-{stamp}.{self._form.value}"
        self._file = LineInput("export-file", value=str(path))

    def compose(self) -> ComposeResult:
        """Yield the form."""
        self._dialog = Pane("dialog", glyphs=self.desk.glyphs, always_active=True)
        self._dialog.can_focus = False
        with self._dialog:
            yield self._file

    def on_mount(self) -> None:
        """Give the path the keys."""
        self._file.focus()
        self.on_resize()

    def on_resize(self) -> None:
        """Fit the screen."""
        width = min(_WIDTH, max(self.size.width - 2, 10))
        lines = list(self._lines(width - _FRAME))
        self._dialog.styles.width = width
        self._dialog.styles.height = min(len(lines) + 2, max(self.size.height - 2, 4))
        title = "Exported" if self._written else "Export"
        self._dialog.show(
            Listing(f"{title} {self._listing.title}", age="esc closes", fixed=tuple(lines))
        )

    def _lines(self, width: int) -> Iterator[Line]:
        if self._written is not None:
            yield (Span(f"{self.desk.glyphs.done} {self._count()} written to", Role.OK),)
            for piece in cells.wrap(literal(str(self._written)), width):
                yield (Span(piece, Role.STRONG),)
            yield ()
            yield (Span("y copies the path, Esc closes", Role.MUTED),)
            return
        yield ()  # the path stands here
        yield tuple(
            Span(f"{_WORDS[form]}   ", Role.STRONG if form is self._form else Role.MUTED)
            if form is not self._form
            else Span(f"[{_WORDS[form]}] ", Role.STRONG)
            for form in Form
        )
        yield ()
        said = f"{self._count()}. Tab: another way to write it. No file is ever overwritten."
        for piece in cells.wrap(self._complaint or said, width):
            yield (Span(piece, Role.WARNING if self._complaint else Role.MUTED),)

    def _count(self) -> str:
        return figures.plural(sum(not row.is_heading for row in self._rows), "line")

    # ---- keys ----------------------------------------------------------------------------

    def action_form(self, step: int) -> None:
        """Take another form; the end of the name follows."""
        forms = tuple(Form)
        self._form = forms[(forms.index(self._form) + step) % len(forms)]
        typed = compiled(_ENDS).sub("", self._file.value)
        self._file.value = f"{typed}.{self._form.value}"
        self._file.action_end()
        self.on_resize()

    @on(LineInput.Changed)
    def follow(self) -> None:
        """The end of the name that is typed decides; a complaint was about another one."""
        if found := compiled(_ENDS).search(self._file.value):
            self._form = Form(found[1])
        self._complaint = ""
        self.on_resize()

    @on(LineInput.Submitted)
    def action_done(self) -> None:
        """Write the file; once it is written, close."""
        if self._written is not None:
            self.dismiss()
            return
        try:
            self._written = self._write(self._file.value.strip())
        except FileExistsError:
            self._complain("there is such a file already, and it stays: take another name")
        except OSError as error:
            self._complain(f"nothing was written: {literal(error.strerror or str(error))}")
        else:
            self._file.remove()
            self.set_focus(None)
        self.on_resize()

    def _complain(self, why: str) -> None:
        self._complaint = why
        self._file.reopen()

    def _write(self, typed: str) -> Path:
        if not typed or typed.endswith("/"):
            raise OSError(0, "name a file")
        path = whole_path(typed)
        if not path.suffix:
            path = path.with_name(f"{path.name}.{self._form.value}")
        snapshot = self.desk.snapshot
        closed = [] if snapshot is None else [snapshot.home.path]
        closed += [] if snapshot is None else [one.agent.workspace for one in snapshot.agents]
        text = shown(self._listing, self._rows).written(self._form)
        data = text.encode("utf-8", "surrogateescape")
        write_new(path, data, state_dir=self.desk.settings.state_dir, closed=closed)
        return path

    def action_copy(self) -> None:
        """Copy the path of the file that was written."""
        if self._written is not None:
            self.desk.copy(str(self._written))

    def action_back(self) -> None:
        """Close the dialog."""
        self.dismiss()
