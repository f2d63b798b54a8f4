"""What a person asks of hosts: letters are sent, waited for all together, listed and taken back.

Where the server goes away while something is waited for, it is asked again until the time is over:
the letter lies in its table, and the host begins it once, whoever waits.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, LiteralString, NamedTuple

from memconsole.adapters.fleet.postgres.connect import (
    WrongAnswerError,
    connect,
    number_of,
    rows,
    said,
    table_of,
    time_of,
    value,
)
from memconsole.adapters.fleet.postgres.letterbox import CHANNEL, heard
from memconsole.domain.fleet.letters import Letter, LetterState, Sent
from memconsole.domain.fleet.wire import WIRE
from memconsole.errors import FleetError, MemconsoleError, SourceAwayError, UsageError
from memconsole.text.plain import cut, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import psycopg

    from memconsole.adapters.fleet.signing import Signer
    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.domain.fleet.shapes import Json

logger = logging.getLogger(__name__)

_LOOK_S = 1.0
_STOP_S = 0.2
_AT_ONCE = 8
"""Connections that send; of a hundred that a server has by itself."""
_MOST_SHORT = 8 * 2**10
_MOST_BYTES = 64 * 2**10
"""Of an outcome that a list reads a sentence out of."""


class Ended(NamedTuple):
    """How far a letter came.

    Attributes:
        state: None when the fleet's table knows nothing of it.
        code: Exit code there.
        answer: Of the host; None when there is none.
    """

    state: LetterState | None
    code: int | None = None
    answer: Mapping[str, Json] | None = None


class Draft(NamedTuple):
    """What is asked of a home.

    Attributes:
        home: Number of the home in the fleet.
        host: Its name.
        identity: Of the home.
        words: What is asked.
    """

    home: int
    host: str
    identity: str
    words: tuple[str, ...]


class Post:
    """Sends letters and waits for what comes of them, over one connection for all that wait.

    Args:
        address: Of the fleet, with the role of this person.
        passwords: Our password file.
        signer: Has the key of this person.
        within: A letter that is not begun by then never is.
        patience: What was begun is waited for as long beyond that. A dry run is waited for only so
            long: what a host would do later is no plan.
    """

    def __init__(
        self,
        address: ServerAddress,
        passwords: Path,
        signer: Callable[[], Signer],
        *,
        within: timedelta,
        patience: timedelta,
    ) -> None:
        self._address = address
        self._passwords = passwords
        self._signer = signer
        self._within = within
        self._patience = patience
        self._senders = threading.BoundedSemaphore(_AT_ONCE)
        self._changed = threading.Condition()
        self._waited: dict[str, Ended | MemconsoleError | None] = {}
        self._begun: set[str] = set()
        self._is_listening = False

    def ask(
        self,
        draft: Draft,
        stop: Callable[[], bool] | None = None,
        begun: Callable[[], None] | None = None,
    ) -> Ended:
        """Send a letter and wait for its end.

        Args:
            draft: What is asked of whom.
            stop: Tells that nobody waits any more: the letter is taken back unless it is begun.
            begun: Hears that the host has begun it.

        Raises:
            SourceAwayError: The server is away; nothing was sent.
            FleetError: The server refuses.
        """
        is_dry = "--dry-run" in draft.words
        within = min(self._within, self._patience) if is_dry else self._within
        number = self._send(draft, within)
        end = time.monotonic() + (within + self._patience).total_seconds()
        with self._changed:
            self._waited[number] = None
            if not self._is_listening:
                self._is_listening = True
                threading.Thread(target=self._listen, name="fleet post", daemon=True).start()
            while self._waited[number] is None and time.monotonic() < end:
                if stop is not None and stop():
                    break
                if begun is not None and number in self._begun:
                    begun()
                    begun = None
                self._changed.wait(_STOP_S)
            found = self._waited.pop(number)
            self._begun.discard(number)
        if isinstance(found, MemconsoleError):
            raise found
        if found is not None:
            return found
        if stop is not None and stop():
            return self._taken_back(number, draft)
        return Ended(LetterState.BEGUN)

    def _send(self, draft: Draft, within: timedelta) -> str:
        with (
            self._senders,
            connect(self._address, self._passwords) as connection,
            said("nothing was sent"),
        ):
            now = time_of(value(connection, datetime, "SELECT clock_timestamp()"))
            if now is None:
                raise WrongAnswerError
            deadline = (now + within).astimezone(UTC).replace(microsecond=0)
            letter = Letter(str(uuid.uuid4()), *draft[1:], deadline)
            body = {
                "id": letter.id,
                "host": letter.host,
                "home": letter.home,
                "words": list(letter.words),
                "deadline": letter.deadline.isoformat(),
            }
            signer = self._signer()
            values = (letter.id, draft.home, letter.verb, json.dumps(body), WIRE)
            connection.execute(
                "SELECT fleet.send(%s, %s, %s, %s::jsonb, %s, %s, %s, %s)",
                (*values, signer.key, signer.sign(letter), letter.deadline),
            )
        return letter.id

    def _taken_back(self, number: str, draft: Draft) -> Ended:
        verb, host = draft.words[0], draft.host
        try:
            if take_back(self._address, self._passwords, number):
                return Ended(LetterState.CANCELLED)
            logger.warning("%s of %s was begun, and goes on there", verb, host)
        except MemconsoleError as error:
            logger.warning("%s of %s was not taken back: %s", verb, host, error)
        return Ended(LetterState.BEGUN)

    def _listen(self) -> None:
        """Note the ends of the letters that are waited for, for as long as there are any."""
        while self._numbers():
            try:
                with (
                    connect(self._address, self._passwords) as connection,
                    said("what was sent cannot be followed"),
                ):
                    self._follow(connection)
            except SourceAwayError as error:
                logger.info("%s", error)
                time.sleep(_LOOK_S)
            except MemconsoleError as error:
                self._note(dict.fromkeys(self._numbers(), error))

    def _follow(self, connection: psycopg.Connection) -> None:
        connection.execute(f"LISTEN {CHANNEL}")
        while numbers := self._numbers():
            if not self._note(_states(connection, numbers)):
                ours = {f"command {number}" for number in numbers}
                heard(connection, _LOOK_S, ours.__contains__)

    def _numbers(self) -> list[str]:
        """Return the letters that have no end yet; where there is none, the listener ends."""
        with self._changed:
            found = [number for number, ended in self._waited.items() if ended is None]
            self._is_listening = bool(found)
        return found

    def _note(self, found: Mapping[str, Ended | MemconsoleError]) -> bool:
        """Note what became of letters; tells whether one of them has ended."""
        begun = {one for one, state in found.items() if state == Ended(LetterState.BEGUN)}
        ended = {one: state for one, state in found.items() if one not in begun}
        with self._changed:
            self._begun |= begun & self._waited.keys()
            self._waited |= {one: state for one, state in ended.items() if one in self._waited}
            self._changed.notify_all()
        return bool(ended)


def _states(connection: psycopg.Connection, numbers: Sequence[str]) -> dict[str, Ended]:
    """Return what came of those of some letters that were begun, have an end or are not there."""
    connection.execute("SELECT fleet.expire()")
    query: LiteralString = (
        "SELECT id::text, state, code, outcome::text FROM fleet.commands WHERE id = ANY (%s)"
    )
    kinds = (str, str, int | None, str | None)
    found = {
        number: Ended(_state(state), code, table_of(outcome))
        for number, state, code, outcome in rows(connection, query, (list(numbers),), *kinds)
    }
    return {
        number: found.get(number, Ended(None))
        for number in numbers
        if number not in found or found[number].state is not LetterState.SENT
    }


def take_back(address: ServerAddress, passwords: Path, number: str) -> bool:
    """Take back a letter of ours; False when it was begun, or has an end.

    Raises:
        SourceAwayError: The server is away.
        FleetError: The server refuses.
    """
    with connect(address, passwords) as connection, said("nothing was taken back"):
        return value(connection, bool, "SELECT fleet.cancel(%s)", number)


def cancel(address: ServerAddress, passwords: Path, start: str, *, dry_run: bool) -> Sent:
    """Take back the letter whose number begins so; returns it as it was.

    Raises:
        SourceAwayError: The server is away.
        FleetError: It is begun, or somebody else sent it.
        UsageError: There is none, or more than one.
    """
    with connect(address, passwords) as connection, said("cannot read the commands"):
        found = _read(connection, "starts_with(id::text, %s)", start.lower())
        mine = value(connection, str, "SELECT session_user::text")
    if len(found) != 1:
        many = "more than one command has" if found else "there is no command with"
        raise UsageError(
            f"{many} an id that begins with {start!r}", hint="`memconsole fleet commands`"
        )
    [sent] = found
    if sent.state in (LetterState.SENT, LetterState.BEGUN) and sent.by != mine:
        raise FleetError(f"{sent.by} sent it", hint="Only who sent a command takes it back.")
    is_open = sent.state is LetterState.SENT
    if is_open and not dry_run:
        is_open = take_back(address, passwords, sent.id)
    if sent.state is LetterState.BEGUN or (sent.state is LetterState.SENT and not is_open):
        raise FleetError(
            f"{sent.host} has begun it, and goes on",
            hint="`memconsole fleet commands` tells what came of it.",
        )
    return sent


def read_sent(address: ServerAddress, passwords: Path, since: timedelta) -> list[Sent]:
    """Return what was sent since then that this role may see, newest first.

    Raises:
        SourceAwayError: The server is away.
        FleetError: The server refuses.
    """
    with connect(address, passwords) as connection, said("cannot read the commands"):
        return _read(connection, "sent_at > clock_timestamp() - %s", since)


def _read(connection: psycopg.Connection, which: LiteralString, asked: object) -> list[Sent]:
    from psycopg.sql import SQL  # noqa: PLC0415 - only where there is a fleet

    query = SQL(_SENT).format(_MOST_BYTES, which=SQL(which))
    return [_sent(row) for row in rows(connection, query, (asked,), *_ROW)]


def read_going(connection: psycopg.Connection) -> list[Sent]:
    """Return what waits for hosts or is begun, and what ended within the hour; newest first.

    Of each who sends a few: who sends many hides no other. What only looks is left out.
    """
    from psycopg.sql import SQL  # noqa: PLC0415 - only where there is a fleet

    query = SQL(_GOING).format(_MOST_SHORT)
    return [_sent(row) for row in rows(connection, query, (), *_ROW)]


_ROW = (
    *(str, str, str, str, str, str, datetime | None, datetime | None, datetime | None),
    *(datetime | None, int | None, str, str | None),
)


def _state(text: str) -> LetterState:
    """Return how far a letter is.

    Raises:
        WrongAnswerError: That is no state.
    """
    if text not in LetterState.__members__.values():
        raise WrongAnswerError
    return LetterState(text)


def _sent(row: Sequence[Any]) -> Sent:
    """Return a row of the audit.

    Raises:
        WrongAnswerError: It is none.
    """
    id_, host, home, by, key = (one_line(one[:_MOST_TEXT]) for one in (*row[:3], *row[4:6]))
    sent_at, deadline, begun_at, ended_at = map(time_of, row[6:10])
    if sent_at is None or deadline is None:
        raise WrongAnswerError
    return Sent(
        id_,
        host,
        home,
        words=_words(row[11]),
        state=_state(row[3]),
        by=by,
        key=key,
        sent_at=sent_at,
        deadline=deadline,
        begun_at=begun_at,
        ended_at=ended_at,
        code=number_of(row[10], -999, 999),
        message=cut(one_line(_message(row[12])), _MOST_TEXT),
    )


_MOST_TEXT = 4096


_COLUMNS: LiteralString = """
SELECT id::text, host_name, home_path,
  CASE WHEN state = 'sent' AND deadline < clock_timestamp() THEN 'expired' ELSE state END,
  sent_by::text, operator_key, sent_at, deadline, begun_at, ended_at, code, body::text,
  CASE WHEN octet_length(outcome::text) <= {} THEN outcome::text END
"""
"""What nobody waits for any more ends at its deadline, whether that was noted or not."""

_SENT: LiteralString = (
    f"{_COLUMNS}FROM fleet.commands WHERE {{which}} ORDER BY sent_at DESC LIMIT 1000"
)
_GOING: LiteralString = f"""{_COLUMNS}FROM (
  SELECT c.*, row_number() OVER (PARTITION BY sent_by ORDER BY sent_at DESC) AS n
  FROM fleet.commands c WHERE sent_at > clock_timestamp() - interval '25 hours'
    AND (state IN ('sent', 'begun') OR ended_at > clock_timestamp() - interval '1 hour')
    AND NOT coalesce(body -> 'words' ? '--dry-run', false)) AS going
WHERE n <= 50 ORDER BY sent_at DESC LIMIT 500
"""


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
