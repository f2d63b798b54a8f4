"""Opens our own database, `state.db` in the state folder.

Reading never creates or changes it: it is read like a database of somebody else, and one that is
missing or broken is empty. Writing makes it when needed. Each reading and each writing opens it
anew, so that console, scheduler and commands can work at once, any of them may be killed, and the
file may be replaced. A process that lives long keeps one more connection (`keep_open`).
"""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from memconsole.adapters.sqlite.choice import library
from memconsole.adapters.sqlite.own import keep_own, open_own, transaction
from memconsole.adapters.sqlite.read_only import keep_open, read_platform
from memconsole.adapters.state.migrations import migrate, require_known
from memconsole.domain.agents import Notice
from memconsole.errors import StateError, StateNewerError, StoreError
from memconsole.system.folders import require_state_folder, state_folder_refusal
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from memconsole.adapters.sqlite.choice import Connection, Row, SqlValue
    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.adapters.sqlite.ways import Copies
    from memconsole.adapters.state.table import Table

T = TypeVar("T")

NAME = "state.db"
UNWRITABLE, NEWER = "state-unwritable", "state-newer"
"""Codes of what keeps the database from being written; the attention line knows both."""


class Turn(threading.local):
    """What this thread is writing into a workspace, as the journal knows it.

    Attributes:
        name: None outside of a turn.
        has_intents: Something was written that no record stands for yet.
        is_forward: What is written is finished after a kill, not taken back.
    """

    name: str | None = None
    workspace: str = ""
    has_intents: bool = False
    is_forward: bool = False

    def begin(self, name: str, workspace: str, *, is_forward: bool) -> None:
        """Begin a turn."""
        self.name, self.workspace, self.is_forward = name, workspace, is_forward
        self.has_intents = False

    def end(self) -> None:
        """End it; what is written from here on is nobody's intent."""
        self.name, self.is_forward = None, False


class StateDatabase:
    """Opens the database for its views; safe from any thread.

    Args:
        folder: The state folder; made when something is written.
        copies: For reading it where it cannot be opened in place.
    """

    def __init__(self, folder: Path, copies: Copies) -> None:
        self.path = folder / NAME
        self.turn = Turn()
        self._copies = copies

    def read(self, query: Callable[[ReadOnlyDatabase], T], empty: T) -> T:
        """Run a query; `empty` when there is no database, or none that can be read."""
        try:
            self.path.lstat()
            return read_platform(self.path, query, self._copies)
        except (StoreError, OSError):
            return empty

    def rows(self, statement: str, values: Sequence[SqlValue] = ()) -> list[Row]:
        """Return the rows of one query; none when the database cannot be read."""
        return self.read(lambda opened: list(opened.rows(statement, values)), [])

    def find(
        self, table: Table[T], tail: str = "", values: Sequence[SqlValue] = (), **equal: object
    ) -> tuple[T, ...]:
        """Return the values of a table; none when they cannot be read, and no spoiled one.

        Args:
            table: What is looked for.
            tail: The rest of the condition, order and limit.
            values: What the marks in `tail` stand for.
            **equal: What columns must hold; None does not matter.
        """
        return tuple(value for _, value in self.entries(table, tail, values, **equal))

    def first(
        self, table: Table[T], tail: str = "", values: Sequence[SqlValue] = (), **equal: object
    ) -> T | None:
        """Return the first of what `find` would; None when it is spoiled."""
        found = self.find(table, f"{tail} LIMIT 1", values, **equal)
        return found[0] if found else None

    def entries(
        self, table: Table[T], tail: str = "", values: Sequence[SqlValue] = (), **equal: object
    ) -> Iterator[tuple[dict[str, Any], T]]:
        """Yield (what is beside it in its row, value) of what `find` would return."""
        wanted = {name: value for name, value in equal.items() if value is not None}
        tail = f"{table.where(wanted)} {tail}"

        def query(opened: ReadOnlyDatabase) -> list[Row]:
            version = opened.user_version if table.has_grown else None
            statement = table.select(tail, version=version)
            return list(opened.rows(statement, (*table.encoded(wanted), *values)))

        yield from table.entries(self.read(query, []))

    def require_readable(self) -> None:
        """Tell a database that cannot be read from one that was never made.

        Raises:
            StateError: It, or its folder, may not be looked at, or it is broken.
        """
        try:
            is_made = self.path.lstat().st_size > 0
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise self._unreadable(error.strerror or "no reason given") from error
        try:
            if is_made:
                read_platform(self.path, lambda one: one.user_version, self._copies)
        except StoreError as error:
            raise self._unreadable(str(error)) from error

    def _unreadable(self, reason: str) -> StateError:
        return StateError(
            one_line(f"what was recorded in {self.path} cannot be read: {reason}"),
            hint="Check owner and mode of the state folder; nothing is known of earlier runs.",
        )

    def write(self, change: Callable[[Connection], T]) -> T:
        """Run a change as one transaction, whole or not at all, and return what it does.

        Raises:
            StateNewerError: A newer memconsole made it.
            StateError: The folder cannot be written, or the database is broken.
        """
        try:
            require_state_folder(self.path.parent)
            with open_own(self.path) as connection:
                migrate(connection, self.path)
                with transaction(connection):
                    return change(connection)
        except OSError as error:
            raise self._cannot(error.strerror or "no reason given") from error
        except library().error as error:
            raise self._cannot(str(error)) from error

    def record(self, change: Callable[[Connection], object]) -> None:
        """Remember what was written: with the record its intents go, both or neither.

        Raises:
            StateNewerError: A newer memconsole made it.
            StateError: The folder cannot be written, or the database is broken.
        """
        turn = self.turn.name if self.turn.has_intents else None

        def settled(connection: Connection) -> None:
            change(connection)
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("DELETE FROM intent WHERE turn = ?", (turn,))

        self.write(change if turn is None else settled)
        self.turn.has_intents = False

    def put_log_away(self) -> None:
        """Leave nothing in the write-ahead log, where what was overwritten still stands.

        Somebody who reads at this moment keeps it; whoever closes last takes it away then.
        """
        with suppress(OSError, library().error), open_own(self.path) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def durable(self) -> Iterator[None]:
        """Keep one connection of this thread for the block; what it writes is on the disk at once.

        Raises:
            StateNewerError: A newer memconsole made it.
            StateError: The folder cannot be written, or the database is broken.
        """
        with ExitStack() as stack:
            try:
                require_state_folder(self.path.parent)
                stack.enter_context(keep_own(self.path))
                connection = stack.enter_context(open_own(self.path))
                migrate(connection, self.path)
                connection.execute("PRAGMA synchronous = FULL")
            except OSError as error:
                raise self._cannot(error.strerror or "no reason given") from error
            except library().error as error:
                raise self._cannot(str(error)) from error
            stack.callback(connection.execute, "PRAGMA synchronous = NORMAL")
            yield

    @contextmanager
    def keep_open(self) -> Iterator[None]:
        """Let this thread read and write with one connection each for the block.

        What keeps the database from being opened is told by the next write.
        """
        with ExitStack() as stack, keep_open(self.path):
            with suppress(StateError, OSError, library().error):
                require_state_folder(self.path.parent)
                stack.enter_context(keep_own(self.path))
            yield

    def require_known(self) -> None:
        """Refuse to go on when a newer memconsole made the database, before anything is written.

        Raises:
            StateNewerError: A newer memconsole made it.
        """
        require_known(self.read(lambda one: one.user_version, 0), self.path)

    def problem(self) -> Notice | None:
        """Return what keeps the database from being read or written; None when nothing does."""
        try:
            is_made = self.path.lstat().st_size > 0
        except OSError:
            is_made = False
        if not is_made:  # a process may have been killed between making and filling it
            return self._folder_problem()
        try:
            version = read_platform(self.path, lambda one: one.user_version, self._copies)
            require_known(version, self.path)
        except StateNewerError as error:
            return self._notice(NEWER, str(error))
        except (StoreError, StateError) as error:
            return self._notice(UNWRITABLE, str(error))
        return self._folder_problem()

    def _folder_problem(self) -> Notice | None:
        place = self.path.parent
        while not os.path.lexists(place) and place != place.parent:
            place = place.parent
        if refusal := state_folder_refusal(self.path.parent):
            return self._notice(
                UNWRITABLE,
                f"the state folder {self.path.parent} is not written into as it should: {refusal}",
            )
        if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
            return None
        return self._notice(
            UNWRITABLE,
            f"the state folder {self.path.parent} cannot be written: runs, checkpoints and growth "
            "are not remembered",
        )

    def _notice(self, code: str, message: str) -> Notice:
        return Notice(code, one_line(message), str(self.path))

    def _cannot(self, reason: str) -> StateError:
        return StateError(
            one_line(f"{self.path} cannot be written: {reason}"),
            hint="Check owner, mode and free space of the state folder; reading commands work on.",
        )
