"""How edits of memory files are written into a column, and how they come back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memconsole.domain.memory.edits import FileEdit, PathState, Span

if TYPE_CHECKING:
    from collections.abc import Iterable


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


def unpacked(stored: str) -> tuple[FileEdit, ...]:
    """Return the edits of a column.

    Raises:
        ValueError: Another program spoiled it.
    """
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
                PathState(row.get("mode"), tuple(row.get("folders", ()))),
            )
            for row in json.loads(stored)
        )
    except (TypeError, KeyError) as error:
        raise ValueError("no edits") from error
