"""Labelled facts about one thing, wrapped to the width of their pane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.ui import cells
from memconsole.ui.listing import text_row
from memconsole.ui.literal import literal
from memconsole.ui.spans import Role, Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.ui.spans import Row

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
            rows.append(text_row(f"{label}-{place}", head, Span(piece), value=value))
    return tuple(rows)
