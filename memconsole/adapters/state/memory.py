"""What edits of memory remember, in `state.db`: undo, consolidation, reflection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.state.database import (
    instant,
    known_text,
    marks,
    name,
    rows_of,
    stamp,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from memconsole.adapters.sqlite.choice import Connection, Row, SqlValue
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.consolidate.finds import Find
    from memconsole.domain.memory.edits import MemoryAction
    from memconsole.domain.memory.records import ReflectionRecord


_KEPT = 200
"""Actions of one workspace; older ones cannot be undone any more."""

_COLUMNS = "workspace, kind, at, entries, edits"


class StateMemory:
    """Answers the port `MemoryLog`."""

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
        from memconsole.adapters.state.memory_text import packed  # noqa: PLC0415 - writers only

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
    from memconsole.adapters.state.memory_text import unpacked  # noqa: PLC0415
    from memconsole.domain.memory.edits import ActionKind, MemoryAction  # noqa: PLC0415

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


_FINDS = "SELECT entry, path, query, day, score, at FROM found_note WHERE workspace = ? ORDER BY at"
_FOUND = (
    "INSERT INTO found_note (workspace, entry, path, query, day, score, at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET path = excluded.path, "
    "score = max(score, excluded.score), at = max(at, excluded.at)"
)
_DECLINED = (
    "INSERT INTO declined_note (workspace, entry, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
)
_REPORTED = "INSERT OR REPLACE INTO proposed (workspace, input, at) VALUES (?, ?, ?)"


class StateConsolidation:
    """Answers the port `ConsolidationLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def finds(self, workspace: str) -> tuple[Find, ...]:
        """Return what was found in a workspace, the oldest first."""
        rows = rows_of(self._database, _FINDS, (name(workspace),))
        return tuple(one for row in rows if (one := _find(row)) is not None)

    def add(self, workspace: str, finds: Sequence[Find], *, keep_since: datetime) -> None:
        """Store what a search found, and let go what is older.

        Raises:
            StateError: It cannot be stored.
        """
        own = name(workspace)
        rows = [
            (own, one.entry, name(one.path), one.query, one.day.isoformat(), one.score, at)
            for one in finds
            for at in (stamp(one.at),)
        ]

        def change(connection: Connection) -> None:
            connection.executemany(_FOUND, rows)
            connection.execute("DELETE FROM found_note WHERE at < ?", (stamp(keep_since),))

        self._database.record(change)

    def declined(self, workspace: str) -> frozenset[str]:
        """Return the ids of notes that shall not be proposed."""
        statement = "SELECT entry FROM declined_note WHERE workspace = ?"
        return frozenset(
            str(row[0]) for row in rows_of(self._database, statement, (name(workspace),))
        )

    def decline(self, workspace: str, entries: Collection[str], at: datetime) -> None:
        """Store that notes shall not be proposed any more.

        Raises:
            StateError: It cannot be stored.
        """
        rows = [(name(workspace), one, stamp(at)) for one in entries]
        self._write(lambda connection: connection.executemany(_DECLINED, rows))

    def last(self, workspace: str) -> tuple[str, datetime] | None:
        """Return the input of the last report, and when it was written."""
        statement = "SELECT input, at FROM proposed WHERE workspace = ?"
        for row in rows_of(self._database, statement, (name(workspace),)):
            if (at := instant(row[1])) is not None:
                return str(row[0]), at
        return None

    def reported(self, workspace: str, input_hash: str, at: datetime) -> None:
        """Store that a report was written.

        Raises:
            StateError: It cannot be stored.
        """
        values = (name(workspace), input_hash, stamp(at))
        self._write(lambda connection: connection.execute(_REPORTED, values))

    def _write(self, change: Callable[[Connection], object]) -> None:
        def run(connection: Connection) -> None:
            change(connection)

        self._database.record(run)


def _find(row: Row) -> Find | None:
    """Return one find; None for a row that another program spoiled."""
    from datetime import date  # noqa: PLC0415 - most homes have none

    from memconsole.domain.consolidate.finds import Find  # noqa: PLC0415

    entry, path, query, day, score, at = row
    found_at, named = instant(at), known_text(day)
    if found_at is None or named is None or not isinstance(score, float):
        return None
    try:
        return Find(str(entry), str(path), str(query), date.fromisoformat(named), score, found_at)
    except ValueError:
        return None


_REFLECTION_COLUMNS = (
    "workspace, at, words_before, words_after, backup, result_chars, result_hash, edits"
)


class StateReflections:
    """Answers the port `ReflectionLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, workspace: str) -> ReflectionRecord | None:
        """Return the newest consolidation of a workspace that was not undone."""
        statement = (
            f"SELECT id, {_REFLECTION_COLUMNS} FROM reflection "
            "WHERE workspace = ? AND undone_at IS NULL ORDER BY id DESC LIMIT 1"
        )
        rows = rows_of(self._database, statement, (name(workspace),))
        if not rows:
            return None
        number, _, at, before, after, backup, chars, result, edits = rows[0]
        written_at = instant(at)
        if written_at is None:
            return None
        from memconsole.adapters.state.memory_text import unpacked  # noqa: PLC0415
        from memconsole.domain.memory.records import ReflectionRecord  # noqa: PLC0415 - most find none

        return ReflectionRecord(
            id=_whole(number),
            workspace=workspace,
            at=written_at,
            words_before=_whole(before),
            words_after=_whole(after),
            backup=str(backup),
            result_chars=_whole(chars),
            result_hash=str(result),
            edits=unpacked(edits) or (),
        )

    def add(self, record: ReflectionRecord) -> None:
        """Store one consolidation.

        Raises:
            StateError: It cannot be stored.
        """
        from memconsole.adapters.state.memory_text import packed  # noqa: PLC0415 - writers only

        values = (
            name(record.workspace),
            stamp(record.at),
            record.words_before,
            record.words_after,
            text(record.backup),
            record.result_chars,
            record.result_hash,
            packed(record.edits),
        )
        self._run(
            f"INSERT INTO reflection ({_REFLECTION_COLUMNS}) VALUES ({marks(values)})", values
        )

    def undone(self, record: ReflectionRecord, at: datetime) -> None:
        """Store that a consolidation was taken back.

        Raises:
            StateError: It cannot be stored.
        """
        statement = "UPDATE reflection SET undone_at = ?, edits = NULL WHERE id = ?"
        self._run(statement, (stamp(at), record.id))

    def _run(self, statement: str, values: tuple[SqlValue, ...]) -> None:
        def change(connection: Connection) -> None:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(statement, values)

        self._database.record(change)


def _whole(value: SqlValue) -> int:
    return value if isinstance(value, int) else 0
