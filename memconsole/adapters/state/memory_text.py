"""How edits of memory files are written into a column, and how they come back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memconsole.domain.memory.edits import FileEdit, Span, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.adapters.sqlite.choice import SqlValue


def packed(edits: Iterable[FileEdit]) -> str:
    """Return edits as JSON of plain ASCII, so that text of every kind comes back as it was."""
    return json.dumps(
        [
            {
                "path": edit.path,
                "is_new": edit.is_new,
                "after": edit.after,
                "before": edit.before,
                "mode": edit.stood.mode,
                "folders": edit.stood.folders,
                "spans": [
                    [span.offset, span.removed, span.added, span.above, span.below]
                    for span in edit.spans
                ],
            }
            for edit in edits
        ]
    )


def unpacked(value: SqlValue) -> tuple[FileEdit, ...] | None:
    """Return the edits of a column; None when another program spoiled it."""
    try:
        return tuple(
            FileEdit(
                str(row["path"]),
                bool(row["is_new"]),
                str(row["after"]),
                tuple(
                    Span(int(offset), str(removed), str(added), str(above), str(below))
                    for offset, removed, added, above, below in row["spans"]
                ),
                str(row["before"]),
                Standing(row.get("mode"), tuple(row.get("folders", ()))),
            )
            for row in json.loads(value if isinstance(value, str) else "")
        )
    except (ValueError, TypeError, KeyError):
        return None
