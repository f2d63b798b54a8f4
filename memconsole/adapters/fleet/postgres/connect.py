"""Connects to the fleet's PostgreSQL, and says in one sentence why not.

libpq does what it is for: TLS, names in certificates, SCRAM, passwords in files that nobody else
may read. It takes no password that could be read on the way (`require_auth`), and nothing in the
place of TLS (`gssencmode`), which would prove another name than `sslmode` asks for.

What the server says is foreign: who took it over may answer without an end, not at all, or with
something else. That is one sentence, and nothing that was kept is given up for it.
"""

from __future__ import annotations

import json
import logging
import socket
import sys
import time
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, LiteralString, TypeVar

from memconsole.errors import FleetError, SourceAwayError, UsageError
from memconsole.text.plain import cut, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import UnionType

    import psycopg
    from psycopg.abc import Buffer, PQGen
    from psycopg.sql import Composed
    from psycopg.waiting import Ready

    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.domain.fleet.shapes import Json

logger = logging.getLogger(__name__)

T = TypeVar("T")

PASSWORDS: Final = "passwords"
"""In the folder `fleet` of our state folder; a password file of libpq, mode 0600."""

OTHERS: Final = 0o077
"""Bits of a mode that let others at a secret."""

LEAST_SERVER: Final = 160000
_FIXED = {
    "require_auth": "scram-sha-256,none",
    "gssencmode": "disable",
    "connect_timeout": "10",
    "application_name": "memconsole",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
    "options": "-c search_path=pg_catalog -c statement_timeout=30000 -c timezone=UTC "
    "-c client_min_messages=warning",
}
_HINT = "Try `memconsole fleet doctor`."
_NO_DRIVER = "a fleet over PostgreSQL needs the package psycopg, which is not installed"
_INSTALL = (
    "Install it: `pipx inject memconsole 'psycopg[binary]'`, or `pip install 'memconsole[fleet]'`."
)


def connect(
    address: ServerAddress,
    passwords: Path | None,
    *,
    role: str | None = None,
    password: str | None = None,
    is_patient: bool = False,
) -> psycopg.Connection:
    """Return a connection; every statement is a transaction of its own until told otherwise.

    Args:
        address: Where, and as whom.
        passwords: File of ours with passwords; what is not in it libpq finds in its usual places.
        role: What it does everything as.
        password: Of an invitation; None for the one that is kept.
        is_patient: Waits for each answer as long as it takes.

    Raises:
        UsageError: The extra is not installed.
        SourceAwayError: There is none, or it does not let us in; says why.
    """
    if find_spec("psycopg") is None:
        raise UsageError(_NO_DRIVER, hint=_INSTALL)
    import psycopg  # noqa: PLC0415 - 0.2 s, and only where there is a fleet
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415 - likewise
    from psycopg.sql import SQL, Identifier  # noqa: PLC0415 - likewise

    with said("cannot reach the fleet"):
        parameters = {
            "host": address.host,
            "port": str(address.port),
            "dbname": address.database,
            "sslmode": address.mode,
            **_FIXED,
            **_who(address, passwords, password),
            **dict(address.files),
        }
        kind = psycopg.Connection if is_patient else _guarded()
        with answered():
            made = kind.connect(make_conninfo("", **parameters), autocommit=True)
            server = made.info.server_version
        _bear_every_time(made)
        if server < LEAST_SERVER:
            made.close()
            raise SourceAwayError(f"PostgreSQL {LEAST_SERVER // 10000} or later is needed")
        if role is not None:
            made.execute(SQL("SET ROLE {}").format(Identifier(role)))
    return made


@cache
def _guarded() -> type[psycopg.Connection]:
    """Return a kind of connection that gives up on a server which is silent, or never ends."""
    from psycopg import Connection, waiting  # noqa: PLC0415 - as above

    class Guarded(Connection):
        def wait(self, gen: PQGen[T], *args: Any, **named: Any) -> T:
            named.setdefault("interval", _LOOK_S)
            try:
                return waiting.wait(_bounded(gen, self), self.pgconn.socket, *args, **named)
            except KeyboardInterrupt:  # the driver would wait until the server has ended its work
                self.pgconn.finish()
                raise

    return Guarded


def _bounded(gen: PQGen[T], connection: psycopg.Connection) -> PQGen[T]:
    """Go on with one exchange of the driver, as long as it has an end.

    The server is told to end a statement after 30 s, which one that was taken over does not do.
    """
    import psycopg  # noqa: PLC0415 - as above

    start = heard = time.monotonic()
    before = _received(connection)
    ready: Ready | int | None = None
    while True:
        try:
            state = next(gen) if ready is None else gen.send(ready)
        except StopIteration as end:
            result: T = end.value
            return result
        ready = yield state
        now = time.monotonic()
        heard = now if ready else heard
        why = ""
        if now - heard > _SILENT_S or now - start > _LONGEST_S:
            why = f"it did not answer within {now - start:.0f} s"
        elif before is not None and (_received(connection) or 0) - before > MOST_HEARD:
            why = f"its answer is longer than {MOST_HEARD // 2**20} MiB"
        if why:
            connection.pgconn.finish()
            raise psycopg.OperationalError(why)


MOST_HEARD: Final = 256 * 2**20
"""Of one answer; what a console over 500 hosts reads first is a fifth of it."""

_LOOK_S = 0.1
_SILENT_S = 45.0
_LONGEST_S = 3600.0
_BYTES_RECEIVED = 128
"""Where in `struct tcp_info` of Linux that stands, a number of 64 bits."""


def _received(connection: psycopg.Connection) -> int | None:
    """Return how many bytes came over a connection; None where the system does not count them."""
    option = getattr(socket, "TCP_INFO", None)
    if option is None or connection.pgconn.socket < 0:
        return None
    way = socket.socket(fileno=connection.pgconn.socket)
    try:
        found = way.getsockopt(socket.IPPROTO_TCP, option, _BYTES_RECEIVED + 8)
    except OSError:  # a socket of the file system
        return None
    finally:
        way.detach()
    is_known = len(found) == _BYTES_RECEIVED + 8
    return int.from_bytes(found[_BYTES_RECEIVED:], sys.byteorder) if is_known else None


def _bear_every_time(connection: psycopg.Connection) -> None:
    """Read times that no calendar of ours has as None: one row would fail those of everybody."""
    import psycopg  # noqa: PLC0415 - as above
    from psycopg.types.datetime import TimestamptzLoader  # noqa: PLC0415 - as above

    class Loader(TimestamptzLoader):
        def load(self, data: Buffer) -> datetime | None:  # type: ignore[override]
            with suppress(psycopg.DataError):
                return super().load(data)
            return None

    connection.adapters.register_loader("timestamptz", Loader)


def _who(address: ServerAddress, passwords: Path | None, password: str | None) -> dict[str, str]:
    """Return as whom, and the password or where it is."""
    user = {"user": address.user} if address.user else {}
    if password is not None:
        return {**user, "password": password}
    if passwords is None or not address.user:
        return user
    try:
        lines, mode = passwords.read_text("utf-8").splitlines(), passwords.stat().st_mode
    except OSError:
        return user
    if mode & OTHERS:
        raise SourceAwayError(f"others may read {passwords}", hint=f"`chmod 600 {passwords}`")
    prefix = password_line(address, "")
    mine = [line.removeprefix(prefix) for line in lines if line.startswith(prefix)]
    return {**user, "password": mine[-1]} if mine else user


def password_line(address: ServerAddress, password: str) -> str:
    """Return the line of a password file."""
    return f"{_place(address)}:{password}"


def _place(address: ServerAddress) -> str:
    escaped = (
        str(part).replace("\\", "\\\\").replace(":", "\\:")
        for part in (address.host, address.port, address.database, address.user)
    )
    return ":".join(escaped)


@contextmanager
def said(doing: str) -> Iterator[None]:
    """Tell failures of the server in the block as one sentence.

    Raises:
        FleetError: The server refuses; says why.
        SourceAwayError: It is not there, or does not let us in.
    """
    import psycopg  # noqa: PLC0415 - as above

    try:
        yield
    except psycopg.Error as error:
        said = cut(one_line(error.diag.message_primary or _reason(str(error))), _MOST_SAID)
        if error.sqlstate is None or error.sqlstate[:2] in _AWAY:
            raise SourceAwayError(f"{doing}: {said}", hint=_HINT) from error
        raise FleetError(f"{doing}: {said}", hint=_HINT) from error
    except WrongAnswerError as error:
        logger.debug("what the server answered", exc_info=True)
        raise FleetError(f"{doing}: {error}", hint=_HINT) from error


_MOST_SAID = 500


class WrongAnswerError(FleetError):
    """The server answered something other than was asked for, in number or in kind.

    Who reads an answer looks before it is used, so that what fails later is a bug and stays one.
    """

    def __init__(self) -> None:
        super().__init__("the fleet's database is not as it was made", hint=_HINT)


@contextmanager
def answered() -> Iterator[None]:
    """Tell what the driver makes of bytes that it cannot read; holds calls of the driver only.

    Raises:
        WrongAnswerError: It could not read them.
    """
    try:
        yield
    except _UNREAD as error:
        raise WrongAnswerError from error


_UNREAD = (
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
    AssertionError,
    RecursionError,
)

_AWAY = ("08", "57", "53")
"""Classes of failures that pass: the connection, an operator's intervention, no room."""


def _reason(text: str) -> str:
    """Return what libpq said, without what it was doing."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("Is the server running")]
    last = lines[-1] if lines else "it gave no reason"
    for mark in ("FATAL:", "failed: "):
        if mark in last:
            return last.rpartition(mark)[2].strip()
    return last


def table_of(text: object) -> dict[str, Json] | None:
    """Return the JSON object that somebody else wrote; None when it is none, or too deep.

    The driver is asked for text: what it cannot decode would fail the rows of everybody.
    """
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def texts_of(found: object) -> tuple[str, ...]:
    """Return the texts in a list that somebody else wrote; what is none is left out."""
    texts = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
    return tuple(line_of(one[:_MOST_TEXT]) for one in texts)


line_of = lru_cache(1000)(one_line)
"""Kept: names of most agents, and paths of homes, are the same."""

_MOST_TEXT = 200


def number_of(found: object, least: int, most: int) -> int | None:
    """Return a number that somebody else wrote, no less and no more than that; None for none."""
    return max(least, min(found, most)) if type(found) is int else None


def time_of(found: object) -> datetime | None:
    """Return a time that somebody else wrote; None for one that no clock of ours can be near."""
    if not isinstance(found, datetime) or found.tzinfo is None or found.year not in _YEARS:
        return None
    return found


_YEARS = range(1970, 2200)


def rows(
    connection: psycopg.Connection,
    query: LiteralString | Composed,
    values: Sequence[object] | Mapping[str, object],
    *kinds: type | UnionType,
    is_binary: bool = False,
) -> list[tuple[Any, ...]]:
    """Return the rows of a question.

    Args:
        connection: Whom to ask.
        query: The question.
        values: Of its places.
        kinds: What stands in each column.
        is_binary: The values come as they are, and not as texts.

    Raises:
        WrongAnswerError: They are other than that.
    """
    cursor = connection.execute(query, values, binary=is_binary)
    with answered():
        found: list[tuple[Any, ...]] = cursor.fetchall()
    if not all(len(row) == len(kinds) and all(map(isinstance, row, kinds)) for row in found):
        raise WrongAnswerError
    return found


def value(
    connection: psycopg.Connection, kind: type[T], query: LiteralString, *values: object
) -> T:
    """Return the one value that a question has.

    Raises:
        WrongAnswerError: There is none of that kind.
    """
    found = rows(connection, query, values, kind)
    if not found:
        raise WrongAnswerError
    first: T = found[0][0]
    return first
