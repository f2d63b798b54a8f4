"""Actions on memory that can be undone, in `state.db` (port `MemoryLog`, mission §19)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.stores.state_values import instant, marks, name, rows_of, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    from memconsole.domain.memory_edit import MemoryAction
    from memconsole.sqlite import Connection, Row, SqlValue
    from memconsole.stores.state import StateDatabase

_KEPT = 200
"""Actions of one workspace; older ones cannot be undone any more."""

_COLUMNS = "workspace, kind, at, entries, edits"


class StateMemory:
    """Answers `capture_ports.MemoryLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def actions(self, workspace: str) -> tuple[MemoryAction, ...]:
        """Return the actions in a workspace that were not undone, the newest first."""
        statement = (
            f"SELECT id, {_COLUMNS} FROM memory_action "
            "WHERE workspace = ? AND undone_at IS NULL ORDER BY id DESC"
        )
        rows = rows_of(self._database, statement, (name(workspace),))
        return tuple(one for row in rows if (one := _action(row, workspace)) is not None)

    def add(self, action: MemoryAction) -> None:
        """Store one action.

        Raises:
            StateError: It cannot be stored.
        """
        from memconsole.stores.state_memory_text import packed  # noqa: PLC0415 - writers only

        values = (
            name(action.workspace),
            action.kind.value,
            stamp(action.at),
            " ".join(action.entries),
            packed(action.edits),
        )

        def change(connection: Connection) -> None:
            statement = f"INSERT INTO memory_action ({_COLUMNS}) VALUES ({marks(values)})"
            connection.execute(statement, values)
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(
                "DELETE FROM memory_action WHERE workspace = ?1 AND id NOT IN "
                "(SELECT id FROM memory_action WHERE workspace = ?1 ORDER BY id DESC LIMIT ?2)",
                (values[0], _KEPT),
            )

        self._database.record(change)

    def undone(self, action: MemoryAction, at: datetime) -> None:
        """Store that an action was taken back; what it held is not kept any longer.

        Raises:
            StateError: It cannot be stored.
        """
        values: tuple[SqlValue, ...] = (stamp(at), action.id)

        def change(connection: Connection) -> None:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(
                "UPDATE memory_action SET undone_at = ?, edits = '[]' WHERE id = ?", values
            )

        self._database.record(change)

    def erase(self, actions: Collection[int], clean: Callable[[str], str]) -> None:
        """Remove actions for good, and lines of what checkpoints saved: overwritten, not only free.

        Raises:
            StateError: They cannot be removed.
        """
        numbers = tuple(actions)

        def change(connection: Connection) -> None:
            connection.execute("PRAGMA secure_delete = ON")
            for number, block in connection.execute("SELECT id, block FROM capture").fetchall():
                if isinstance(block, str) and (cleaned := clean(block)) != block:
                    values = (cleaned, number)
                    connection.execute("UPDATE capture SET block = ? WHERE id = ?", values)
            connection.execute("UPDATE reflection SET edits = NULL WHERE edits IS NOT NULL")
            connection.execute(f"DELETE FROM memory_action WHERE id IN ({marks(numbers)})", numbers)

        self._database.write(change)


def _action(row: Row, workspace: str) -> MemoryAction | None:
    """Return one action; None for a row that another program spoiled."""
    from memconsole.domain.memory_edit import ActionKind, MemoryAction  # noqa: PLC0415
    from memconsole.stores.state_memory_text import unpacked  # noqa: PLC0415

    number, _, kind, at, entries, edits = row
    happened_at = instant(at)
    found = unpacked(edits)
    if not isinstance(number, int) or happened_at is None or found is None:
        return None
    if kind not in set(ActionKind):
        return None
    return MemoryAction(
        id=number,
        workspace=workspace,
        kind=ActionKind(kind),
        at=happened_at,
        entries=tuple(str(entries).split()),
        edits=found,
    )
