"""The letters of one host: taken out of the table, begun once, answered; and how to send one."""

from __future__ import annotations

import json
import time
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.fleet.postgres.connect import connect, one, said, table_of
from memconsole.adapters.fleet.signing import is_signed
from memconsole.domain.fleet.letters import Letter, LetterState, Received, Sent, letter_of
from memconsole.domain.fleet.wire import WIRE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import psycopg

    from memconsole.adapters.fleet.signing import Signer
    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.domain.fleet.shapes import Json

CHANNEL = "fleet_commands"
_LOOK_S = 1.0
_ENDED = frozenset(set(LetterState) - {LetterState.SENT, LetterState.BEGUN})


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
                if not found and wait_s:
                    for _ in connection.notifies(timeout=wait_s, stop_after=1):
                        pass
                    found = self._read(connection)
                return found
        except BaseException:
            self.close()
            raise

    def begin(self, letter_id: str) -> bool:
        """Note that a letter is being carried out; False when it has an end already."""
        with said("a command was not begun"):
            return bool(one(self._connected(), "SELECT fleet.begin(%s)", letter_id)[0])

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
        return self._connection

    def _read(self, connection: psycopg.Connection) -> tuple[Received, ...]:
        rows = connection.execute(
            "SELECT id::text, state, verb, body::text, operator_key, signature, clock_timestamp()"
            " FROM fleet.commands WHERE state IN ('sent', 'begun') AND home ="
            " (SELECT id FROM fleet.homes WHERE identity = %s) ORDER BY sent_at, id LIMIT 100",
            (self._home,),
        ).fetchall()
        return tuple(
            _received(*row, key=key, signature=signature, now=now)
            for *row, key, signature, now in rows
        )


def _received(
    letter_id: str, state: str, verb: str, body: str, *, key: str, signature: str, now: datetime
) -> Received:
    try:
        letter: Letter | None = letter_of(table_of(body) or {})
    except (ValueError, RecursionError):
        letter = None
    # What was granted is the verb of the row; what is done is the one that was signed.
    if letter is not None and (letter.id, letter.verb) != (letter_id, verb):
        letter = None
    is_true = letter is not None and is_signed(letter, key, signature)
    return Received(letter_id, LetterState(state), letter, key, is_true, now)


def send_and_wait(
    address: ServerAddress,
    passwords: Path,
    signer: Signer,
    *,
    home: int,
    host: str,
    identity: str,
    words: Sequence[str],
    timeout: timedelta,
) -> tuple[LetterState, int | None, Mapping[str, Json] | None]:
    """Send a letter and wait for its end; returns how it ended, its exit code and its answer.

    It is not begun any more when the time is over; one that was begun is waited for as long again.

    Raises:
        SourceAwayError: The server is away; nobody knows what became of it.
        FleetError: The server refuses.
    """
    with connect(address, passwords) as connection, said("nothing was sent"):
        now = one(connection, "SELECT clock_timestamp()")[0]
        assert isinstance(now, datetime)
        deadline = (now + timeout).astimezone(UTC).replace(microsecond=0)
        letter = Letter(str(uuid.uuid4()), host, identity, tuple(words), deadline)
        body = {
            "id": letter.id,
            "host": host,
            "home": identity,
            "words": list(words),
            "deadline": letter.deadline.isoformat(),
        }
        connection.execute(f"LISTEN {CHANNEL}")
        connection.execute(
            "SELECT fleet.send(%s, %s, %s, %s::jsonb, %s, %s, %s, %s)",
            (
                letter.id,
                home,
                letter.verb,
                json.dumps(body),
                WIRE,
                signer.key,
                signer.sign(letter),
                letter.deadline,
            ),
        )
        return _outcome(connection, letter.id, timeout)


def _outcome(
    connection: psycopg.Connection, letter_id: str, timeout: timedelta
) -> tuple[LetterState, int | None, Mapping[str, Json] | None]:
    end = time.monotonic() + 2 * timeout.total_seconds()
    while True:
        connection.execute("SELECT fleet.expire()")
        state, code, outcome = one(connection, _STATE, letter_id)
        found = LetterState(str(state))
        if found in _ENDED or time.monotonic() > end:
            return found, code if isinstance(code, int) else None, table_of(outcome)
        for _ in connection.notifies(timeout=_LOOK_S, stop_after=1):
            pass


_STATE = "SELECT state, code, outcome::text FROM fleet.commands WHERE id = %s"


def read_sent(address: ServerAddress, passwords: Path, since: timedelta) -> list[Sent]:
    """Return what was sent since then that this role may see, newest first.

    Raises:
        SourceAwayError: The server is away.
        FleetError: The server refuses.
    """
    with connect(address, passwords) as connection, said("cannot read the commands"):
        rows = connection.execute(
            "SELECT id::text, host_name, home_path, state, sent_by::text, operator_key, sent_at,"
            " deadline, begun_at, ended_at, code, body::text, outcome::text FROM fleet.commands"
            " WHERE sent_at > clock_timestamp() - %s ORDER BY sent_at DESC LIMIT 1000",
            (since,),
        ).fetchall()
    return [
        Sent._make((*row[:3], _words(row[11]), LetterState(row[3]), *row[4:11], _message(row[12])))
        for row in rows
    ]


def _words(body: object) -> tuple[str, ...]:
    found = (table_of(body) or {}).get("words")
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _message(text: object) -> str:
    """Return what came of it: of its outcomes, or why there is none."""
    if (outcome := table_of(text)) is None:
        return ""
    if isinstance(error := outcome.get("error"), dict):
        return str(error.get("message", ""))
    data = outcome.get("data")
    rows = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    return "; ".join(f"{one.get('agent')} {one.get('status')}" for one in rows)
