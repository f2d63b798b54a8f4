"""Consolidations of observations in `state.db` (port `ReflectionLog`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.stores.state_values import instant, marks, name, rows_of, stamp, text

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.captures import ReflectionRecord
    from memconsole.sqlite import Connection, SqlValue
    from memconsole.stores.state import StateDatabase

_COLUMNS = "workspace, at, words_before, words_after, backup, result_chars, result_hash, edits"


class StateReflections:
    """Answers `capture_ports.ReflectionLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def last(self, workspace: str) -> ReflectionRecord | None:
        """Return the newest consolidation of a workspace that was not undone."""
        statement = (
            f"SELECT id, {_COLUMNS} FROM reflection "
            "WHERE workspace = ? AND undone_at IS NULL ORDER BY id DESC LIMIT 1"
        )
        rows = rows_of(self._database, statement, (name(workspace),))
        if not rows:
            return None
        number, _, at, before, after, backup, chars, result, edits = rows[0]
        written_at = instant(at)
        if written_at is None:
            return None
        from memconsole.domain.captures import ReflectionRecord  # noqa: PLC0415 - most find none
        from memconsole.stores.state_memory_text import unpacked  # noqa: PLC0415

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
        from memconsole.stores.state_memory_text import packed  # noqa: PLC0415 - writers only

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
        self._run(f"INSERT INTO reflection ({_COLUMNS}) VALUES ({marks(values)})", values)

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
