"""The journal of what is about to be written into workspaces, in `state.db` (port `Journal`).

An intent is durable before the file is touched, and goes in the transaction that remembers what the
write was for: `StateDatabase.record`. What is left behind is of a run that ended in between.

What shall be erased is a row of its own: `after` says what, `path` in which home, `start` when it
was promised (seconds since 1970, 0 where nobody wrote it down), `before` why the last try failed.
"""

from __future__ import annotations

import json
import logging
import os
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.adapters.state.table import name as masked
from memconsole.adapters.state.tables import INTENTS
from memconsole.domain.memory.intents import Erasure, OpenErasure
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection, Row
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.memory.intents import Intent

logger = logging.getLogger(__name__)

_ERASE = "erase"
_IS_PROMISE = f"kind = '{_ERASE}'"
_PROMISED = f"{_IS_PROMISE} AND workspace = ? AND after = ?"


class StateJournal:
    """Answers the port `Journal`, and keeps the intents of the writer into workspaces."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    @contextmanager
    def turn(self, root: Path, *, is_forward: bool = False) -> Iterator[None]:
        """Let what the block writes into a workspace stand with its record, or not at all.

        Raises:
            StateError: Our own database cannot be written; nothing was done.
        """
        turn = self._database.turn
        with self._database.durable():
            name = f"{os.getpid()}-{os.urandom(6).hex()}"
            turn.begin(name, _place(root), is_forward=is_forward)
            try:
                yield
            except BaseException:
                turn.end()
                self._undo(root, name)
                raise
            else:
                if turn.has_intents:
                    self._forget("turn = ?", name)
            finally:
                turn.end()

    def close(self, root: Path) -> tuple[Erasure, ...]:
        """Take back what runs left that ended half way; return what has to be finished."""
        found: list[Row] = []

        def look(connection: Connection) -> None:
            statement = "SELECT turn, kind, after FROM intent WHERE workspace = ? ORDER BY id DESC"
            found.extend(connection.execute(statement, (_place(root),)).fetchall())

        self._database.write(look)
        for name in dict.fromkeys(str(row[0]) for row in found if row[1] != _ERASE):
            logger.warning("a run in %s ended half way; what it wrote is taken back", root)
            self._undo(root, name)
        return tuple(_erasure(row[2]) for row in found if row[1] == _ERASE)

    def intend(self, intent: Intent) -> int | None:
        """Store an intent of this thread's turn; None outside of one.

        Raises:
            StateError: It cannot be stored; nothing must be written.
        """
        turn = self._database.turn
        if turn.name is None or turn.is_forward:
            return None
        number = self._database.write(
            lambda connection: INTENTS.add(
                connection, intent, turn=turn.name, workspace=turn.workspace
            )
        )
        turn.has_intents = True
        return number

    def drop(self, number: int | None) -> None:
        """Strike out an intent of which nothing was done."""
        if number is not None:
            self._forget("id = ?", number)

    def promise(self, root: Path, erasure: Erasure, at: datetime, *, home: Path) -> None:
        """Store that something shall be gone; from here on the turn is finished, not taken back."""
        row = {
            "turn": "",
            "workspace": _place(root),
            "path": _place(home),
            "kind": _ERASE,
            "after": _payload(erasure),
            "start": round(at.timestamp()),
        }
        self._database.write(lambda connection: INTENTS.insert(connection, row))
        self._database.turn.is_forward = True

    def kept(self, root: Path, erasure: Erasure) -> None:
        """Strike out one thing that was promised: it is done, and no word of it stays."""
        self._forget(_PROMISED, _place(root), _payload(erasure))
        self._database.put_log_away()

    def failed(self, root: Path, erasure: Erasure, why: str) -> None:
        """Remember why a promise is not kept yet; where that is refused, the log says so."""
        values = (why.encode("utf-8", "replace"), _place(root), _payload(erasure))
        statement = f"UPDATE intent SET before = ? WHERE {_PROMISED}"
        try:
            self._database.write(lambda connection: connection.execute(statement, values))
        except MemconsoleError as error:
            logger.warning("why an erasure is not finished yet cannot be kept: %s", error)

    def unfinished(self) -> tuple[OpenErasure, ...]:
        """Return what is promised, the oldest first; nothing where nobody can look."""
        statement = f"SELECT workspace, start, before, path FROM intent WHERE {_IS_PROMISE}"
        return tuple(
            OpenErasure(
                str(place),
                datetime.fromtimestamp(start, UTC) if isinstance(start, int) and start else None,
                why.decode("utf-8", "replace") if isinstance(why, bytes) else "",
                str(home),
            )
            for place, start, why, home in self._database.rows(f"{statement} ORDER BY id")
        )

    def _undo(self, root: Path, name: str) -> None:
        """Take a turn back, the last step first; what cannot be done now stays for the next run."""
        from memconsole.adapters.workspace.rollback import roll_back  # noqa: PLC0415 - hardly ever needed

        try:
            for intent in self._intents(name):
                if not roll_back(root, intent):
                    logger.warning("%s was changed since; nothing more is taken back", intent.path)
                    break
            self._forget("turn = ?", name)
        except MemconsoleError as error:
            logger.warning("what a run left half done stays for the next one: %s", error)

    def _intents(self, name: str) -> list[Intent]:
        rows: list[Row] = []

        def look(connection: Connection) -> None:
            statement = INTENTS.select("WHERE turn = ? ORDER BY id DESC")
            rows.extend(connection.execute(statement, (name,)).fetchall())

        self._database.write(look)
        return [intent for _, intent in INTENTS.entries(rows)]

    def _forget(self, which: str, *values: str | int | bytes) -> None:
        def change(connection: Connection) -> None:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"DELETE FROM intent WHERE {which}", values)

        self._database.write(change)


def _place(root: Path) -> str:
    return masked(str(root.resolve()))


def _payload(erasure: Erasure) -> bytes:
    found = {
        "agent": erasure.agent,
        "paths": erasure.paths,
        "ids": sorted(erasure.ids),
        "words": sorted(erasure.words),
    }
    return json.dumps(found).encode()


def _erasure(payload: object) -> Erasure:
    found = json.loads(payload if isinstance(payload, bytes) else b"{}")
    return Erasure(
        found["agent"], tuple(found["paths"]), frozenset(found["ids"]), frozenset(found["words"])
    )
