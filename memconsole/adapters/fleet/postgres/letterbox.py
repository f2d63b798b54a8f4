"""The letters of one host: taken out of the table, begun once, answered."""

from __future__ import annotations

import json
import time
from datetime import datetime
from typing import TYPE_CHECKING

from memconsole.adapters.fleet.postgres.connect import (
    WrongAnswerError,
    answered,
    connect,
    rows,
    said,
    table_of,
    time_of,
    value,
)
from memconsole.adapters.fleet.signing import is_signed
from memconsole.domain.fleet.letters import Letter, LetterState, Received, letter_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import psycopg

    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.domain.fleet.shapes import Json

CHANNEL = "fleet_commands"
_CALM_S = 0.2


class PostgresLetters:
    """The letters for one home of this host; answers the port `LetterBox`.

    Args:
        address: Of the fleet, with the role of this host.
        passwords: Our password file.
        home: Identity of the home; those for others are left to the processes of these.
    """

    def __init__(self, address: ServerAddress, passwords: Path, home: str) -> None:
        self._home = home
        self._address = address
        self._passwords = passwords
        self._connection: psycopg.Connection | None = None
        self._mine = ""

    def open(self, wait_s: float) -> tuple[Received, ...]:
        """Return the letters that have no end yet; waits for one that long when there is none.

        Raises:
            SourceAwayError: The server is away.
            FleetError: The server refuses.
        """
        try:
            with said("no command is taken"):
                connection = self._connected()
                found = self._read(connection)
                if (
                    not found
                    and wait_s
                    and heard(connection, wait_s, lambda one: one == self._mine)
                ):
                    found = self._read(connection)
                    if not found:  # anybody can say so, as often as they like
                        time.sleep(_CALM_S)
                return found
        except BaseException:
            self.close()
            raise

    def begin(self, letter_id: str) -> bool:
        """Note that a letter is being carried out; False when it has an end already."""
        with said("a command was not begun"):
            return value(self._connected(), bool, "SELECT fleet.begin(%s)", letter_id)

    def finish(self, letter_id: str, state: LetterState, code: int, outcome: Json) -> None:
        """Tell what came of a letter."""
        with said("an outcome was not told"):
            self._connected().execute(
                "SELECT fleet.finish(%s, %s, %s, %s::jsonb)",
                (letter_id, state.value, code, json.dumps(outcome)),
            )

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> psycopg.Connection:
        if self._connection is None:
            self._connection = connect(self._address, self._passwords)
            self._connection.execute(f"LISTEN {CHANNEL}")
            self._mine = f"host {value(self._connection, object, 'SELECT fleet.me()')}"
        return self._connection

    def _read(self, connection: psycopg.Connection) -> tuple[Received, ...]:
        found = rows(
            connection,
            "SELECT id::text, state, verb, body::text, operator_key, signature, clock_timestamp()"
            " FROM fleet.commands WHERE state IN ('sent', 'begun') AND home ="
            " (SELECT id FROM fleet.homes WHERE identity = %s) ORDER BY sent_at, id LIMIT 100",
            (self._home,),
            *(str, str, str, str, str, str, datetime),
        )
        return tuple(
            _received(*row, key=key, signature=signature, now=time_of(now))
            for *row, key, signature, now in found
        )


def heard(connection: psycopg.Connection, wait_s: float, is_meant: Callable[[str], bool]) -> bool:
    """Wait for a notice that is meant for us; False when there was none in that time.

    Every host and everybody who waits hears all of them: of 500 hosts one is meant.
    """
    with answered():
        return any(is_meant(found.payload) for found in connection.notifies(timeout=wait_s))


def _received(
    letter_id: str,
    state: str,
    verb: str,
    body: str,
    *,
    key: str,
    signature: str,
    now: datetime | None,
) -> Received:
    if now is None or state not in (LetterState.SENT, LetterState.BEGUN):
        raise WrongAnswerError
    try:
        letter: Letter | None = letter_of(table_of(body) or {})
    except (ValueError, RecursionError):
        letter = None
    # What was granted is the verb of the row; what is done is the one that was signed.
    if letter is not None and (letter.id, letter.verb) != (letter_id, verb):
        letter = None
    is_true = letter is not None and is_signed(letter, key, signature)
    return Received(letter_id, LetterState(state), letter, key, is_true, now)
