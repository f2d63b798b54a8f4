"""What edits of memory remember, in `state.db`: undo, consolidation, reflection."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.adapters.state.table import marks
from memconsole.adapters.state.tables import (
    ACTIONS,
    DECLINED_NOTES,
    FOUND_NOTES,
    PROPOSED,
    REFLECTIONS,
    Seen,
)
from memconsole.domain.memory.edits import FileEdit, PathState, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from datetime import datetime

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.consolidate.note_hits import NoteHit
    from memconsole.domain.memory.edits import MemoryAction, ReflectionRecord


_KEPT = 200
"""Actions of one workspace; older ones cannot be undone any more."""

_BLOCK_OF = "coalesce(workspace, home)"
_PLACES = (
    "SELECT workspace FROM memory_action UNION SELECT workspace FROM reflection "
    f"WHERE edits IS NOT NULL UNION SELECT {_BLOCK_OF} FROM capture WHERE block IS NOT NULL"
)


class StateMemory:
    """Answers the port `MemoryLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def actions(self, workspace: str) -> tuple[MemoryAction, ...]:
        """Return the actions in a workspace that were not undone, the newest first."""
        newest = "AND undone_at IS NULL ORDER BY id DESC"
        found = self._database.find(ACTIONS, newest, workspace=workspace)
        return tuple(replace(one, workspace=workspace) for one in found)

    def add(self, action: MemoryAction) -> None:
        """Store one action."""

        def change(connection: Connection) -> None:
            ACTIONS.add(connection, action)
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(
                "DELETE FROM memory_action WHERE workspace = ?1 AND id NOT IN "
                "(SELECT id FROM memory_action WHERE workspace = ?1 ORDER BY id DESC LIMIT ?2)",
                (*ACTIONS.encoded({"workspace": action.workspace}), _KEPT),
            )

        self._database.record(change)

    def undone(self, action: MemoryAction, at: datetime) -> None:
        """Store that an action was taken back; what it held is not kept any longer."""

        def change(connection: Connection) -> None:
            connection.execute("PRAGMA secure_delete = ON")
            ACTIONS.change(connection, {"undone_at": at, "edits": ()}, id=action.id)

        self._database.record(change)

    def places(self) -> frozenset[str]:
        """Return the workspaces, by their paths, of which something is stored that holds text."""
        return frozenset(str(row[0]) for row in self._database.rows(_PLACES))

    def blocks(self, workspace: str) -> tuple[str, ...]:
        """Return what checkpoints saved of a workspace."""
        statement = f"SELECT block FROM capture WHERE {_BLOCK_OF} = ?"
        rows = self._database.rows(statement, ACTIONS.encoded({"workspace": workspace}))
        return tuple(row[0] for row in rows if isinstance(row[0], str))

    def erase(
        self, actions: Collection[int], places: Collection[str], clean: Callable[[str], str]
    ) -> None:
        """Remove actions for good, and lines of what checkpoints saved: overwritten, not only free.

        Raises:
            StateError: They cannot be removed.
        """
        numbers = tuple(actions)
        names = tuple(ACTIONS.encoded({"workspace": one})[0] for one in places)
        saved = f"SELECT id, block FROM capture WHERE {_BLOCK_OF} IN ({marks(names)})"
        held = f"edits IS NOT NULL AND workspace IN ({marks(names)})"

        def change(connection: Connection) -> None:
            connection.execute("PRAGMA secure_delete = ON")
            for number, block in connection.execute(saved, names).fetchall():
                if isinstance(block, str) and (cleaned := clean(block)) != block:
                    values = (cleaned, number)
                    connection.execute("UPDATE capture SET block = ? WHERE id = ?", values)
            connection.execute(f"UPDATE reflection SET edits = NULL WHERE {held}", names)
            connection.execute(f"DELETE FROM memory_action WHERE id IN ({marks(numbers)})", numbers)

        self._database.write(change)


class StateConsolidation:
    """Answers the port `ConsolidationLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def hits(self, workspace: str) -> tuple[NoteHit, ...]:
        """Return what was found in a workspace, the oldest first."""
        return self._database.find(FOUND_NOTES, "ORDER BY at", workspace=workspace)

    def add(self, workspace: str, hits: Sequence[NoteHit], *, keep_since: datetime) -> None:
        """Store what a search found, and let go what is older."""
        newer = (
            "ON CONFLICT DO UPDATE SET path = excluded.path, score = max(score, excluded.score), "
            "at = max(at, excluded.at)"
        )

        def change(connection: Connection) -> None:
            for one in hits:
                FOUND_NOTES.add(connection, one, tail=newer, workspace=workspace)
            FOUND_NOTES.forget(connection, keep_since)

        self._database.record(change)

    def declined(self, workspace: str) -> frozenset[str]:
        """Return the ids of notes that shall not be proposed."""
        found = self._database.find(DECLINED_NOTES, workspace=workspace)
        return frozenset(str(one["entry"]) for one in found)

    def decline(self, workspace: str, entries: Collection[str], at: datetime) -> None:
        """Store that notes shall not be proposed any more."""

        def change(connection: Connection) -> None:
            for one in entries:
                row = {"workspace": workspace, "entry": one, "at": at}
                DECLINED_NOTES.insert(connection, row, "ON CONFLICT DO NOTHING")

        self._database.record(change)

    def last(self, workspace: str) -> tuple[str, datetime] | None:
        """Return the input of the last report, and when it was written."""
        return self._database.first(PROPOSED, workspace=workspace)

    def reported(self, workspace: str, input_hash: str, at: datetime) -> None:
        """Store that a report was written."""
        report = Seen(input_hash, at)
        self._database.record(
            lambda connection: PROPOSED.put(connection, report, workspace=workspace)
        )


class StateReflections:
    """Answers the port `ReflectionLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, workspace: str) -> ReflectionRecord | None:
        """Return the newest consolidation of a workspace that was not undone."""
        newest = "AND undone_at IS NULL ORDER BY id DESC"
        found = self._database.first(REFLECTIONS, newest, workspace=workspace)
        return None if found is None else replace(found, workspace=workspace)

    def add(self, record: ReflectionRecord) -> None:
        """Store one consolidation."""
        self._run(lambda connection: REFLECTIONS.add(connection, record))

    def undone(self, record: ReflectionRecord, at: datetime) -> None:
        """Store that a consolidation was taken back."""
        row = {"undone_at": at, "edits": None}
        self._run(lambda connection: REFLECTIONS.change(connection, row, id=record.id))

    def _run(self, change: Callable[[Connection], object]) -> None:
        def overwriting(connection: Connection) -> None:
            connection.execute("PRAGMA secure_delete = ON")
            change(connection)

        self._database.record(overwriting)


def packed_edits(edits: Iterable[FileEdit]) -> str:
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


def unpacked_edits(stored: str) -> tuple[FileEdit, ...]:
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
