"""What consolidation remembers, in `state.db` (port `ConsolidationLog`, mission §20)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.stores.state_values import instant, known_text, name, rows_of, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from memconsole.domain.search_log import Find
    from memconsole.sqlite import Connection, Row
    from memconsole.stores.state import StateDatabase

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
    """Answers `consolidation_ports.ConsolidationLog`."""

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

    from memconsole.domain.search_log import Find  # noqa: PLC0415

    entry, path, query, day, score, at = row
    found_at, named = instant(at), known_text(day)
    if found_at is None or named is None or not isinstance(score, float):
        return None
    try:
        return Find(str(entry), str(path), str(query), date.fromisoformat(named), score, found_at)
    except ValueError:
        return None
