"""One memory file to read: rendered, as it is written, or entry by entry."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal, literal_block
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.excerpt import Location


_MOST_CHARS = 1_000_000
"""Characters of a plain file that are shown: more would hold every key up."""


class View(StrEnum):
    """How a file is shown; the words stand in its title."""

    RENDERED = ""
    PLAIN = "plain text"
    ENTRIES = "entries"


@dataclass(frozen=True, slots=True)
class File:
    """A file in rows.

    Attributes:
        view: Plain when it was asked for, is too large, or no Markdown.
    """

    rows: tuple[Row, ...]
    view: View

    def key_of(self, spot: Location) -> str:
        """Return the row of the line that is meant, else of the first line; for plain files."""
        for row in self.rows if spot.text else ():
            line = row.key.partition(":")[0]
            if (
                line.isdigit()
                and spot.first <= int(line) <= spot.last
                and row.value.strip() == spot.text.strip()
            ):
                return row.key
        return f"{spot.first}:0"


_ENTRY_COLUMNS = (
    Column("id", 10),
    Column("day", 10, drop=2),
    Column("line", 5, right=True, drop=3),
    Column("entry", 30, flex=1),
)

_EMPTY = {
    View.RENDERED: "this file is empty",
    View.PLAIN: "this file is empty",
    View.ENTRIES: "no entry of this file can be named: it is empty, an archive, or made by "
    "memconsole",
}


def entry_words(entry: MemoryEntry) -> str:
    """Return what an entry says, on one safe line, without the day that stands beside it."""
    return literal(entry.text).removeprefix(f"{entry.date}: ")


def read_entries(entries: Sequence[MemoryEntry]) -> File:
    """Lay entries out, one a row; blocks with the same words share an id, and each has its row."""
    rows: dict[str, Row] = {}
    for entry in entries:
        key = entry.id if entry.id not in rows else f"{entry.id} {entry.line}"
        said = entry_words(entry)
        rows[key] = Row(
            key=key,
            cells=(
                Cell(entry.id, Role.ACCENT),
                Cell(entry.date or "", Role.MUTED),
                Cell(str(entry.line), Role.MUTED),
                Cell(said),
            ),
            value=said,
            search=f"{entry.id} {entry.date or ''} {said}",
        )
    return File(tuple(rows.values()), View.ENTRIES)


def read_file(text: str | None, path: str, width: int, *, is_plain: bool) -> File | None:
    """Clean, mask and lay out a file; it takes its time, for the thread that loads.

    Args:
        text: As it was read; None when it is gone.
        path: Decides by its ending whether it is Markdown.
        width: Cells of a line.
        is_plain: Lay it out as it is written.
    """
    # Rich's Markdown is slow to load, and the first screen has none.
    from memconsole.ui.drawing.document import RENDERED_UP_TO, rendered  # noqa: PLC0415

    if text is None:
        return None
    safe = literal_block(text)
    if is_plain or not path.lower().endswith(".md") or len(safe.encode()) > RENDERED_UP_TO:
        return File(tuple(_plain(safe, width)), View.PLAIN)
    return File(rendered(safe, width), View.RENDERED)


def _plain(text: str, width: int) -> Iterator[Row]:
    shown = text[:_MOST_CHARS]
    for number, line in enumerate(shown.split("\n") if shown else (), 1):
        for place, piece in enumerate(cells.wrap(line, max(width - 6, 8))):
            head = f"{number:>5} " if place == 0 else " " * 6
            yield text_row(f"{number}:{place}", Span(head, Role.MUTED), Span(piece), value=line)
    if len(text) > len(shown):
        left = f"{len(text) - len(shown):,} more characters are not shown"
        yield text_row("more", Span(left, Role.MUTED))


def file_listing(file: File, path: str, context: Context) -> Listing:
    """Return a file as a pane shows it."""
    kind = f", {file.view}" if file.view else ""
    is_listed = file.view is View.ENTRIES
    count = f" {context.glyphs.dot} {len(file.rows):,}" if is_listed else ""
    return Listing(
        title="File",
        about=f"{context.glyphs.dot} {literal(path)}{kind}{count}",
        source="files",
        number=2,
        columns=_ENTRY_COLUMNS if is_listed else (),
        rows=file.rows,
        empty=(_EMPTY[file.view],),
    )
