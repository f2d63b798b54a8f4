"""Writes a list or a page as it is shown as Markdown, CSV or JSON.

A list has its columns and all its rows, also those out of view, but none that a filter hides; a
page has its lines. Gauges are figures. Everything is masked, as it is on screen.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text.outgoing import let_out
from memconsole.text.plain import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.ui.drawing.listing import Listing
    from memconsole.ui.drawing.spans import AnyCell, Column, Row


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
    import csv  # noqa: PLC0415 - few write a file
    import io  # noqa: PLC0415 - likewise

    into = io.StringIO()
    writer = csv.writer(into, lineterminator="\n")
    writer.writerow(what.columns or ("line",))
    writer.writerows(map(_harmless, what.rows))
    return into.getvalue()


def _harmless(row: Sequence[str]) -> list[str]:
    """Return a row in which no cell is a formula."""
    return [f"'{text}" if text.startswith(_FORMULA) and len(text) > 1 else text for text in row]


def _json(what: Shown) -> str:
    import json  # noqa: PLC0415 - few write a file

    body: dict[str, object] = {"title": what.title, "source": what.source}
    if what.columns:
        body["rows"] = [dict(zip(what.columns, row, strict=True)) for row in what.rows]
    else:
        body["lines"] = [line for [line] in what.rows]
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"
