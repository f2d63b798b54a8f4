"""Connects to the fleet's PostgreSQL, and says in one sentence why not.

libpq does what it is for: TLS, names in certificates, SCRAM, passwords in files that nobody else
may read. It takes no password that could be read on the way (`require_auth`), and nothing in the
place of TLS (`gssencmode`), which would prove another name than `sslmode` asks for.
"""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, LiteralString

from memconsole.errors import FleetError, SourceAwayError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    import psycopg
    from psycopg.abc import Buffer

    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.domain.fleet.shapes import Json

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


def connect(
    address: ServerAddress,
    passwords: Path | None,
    *,
    role: str | None = None,
    password: str | None = None,
) -> psycopg.Connection:
    """Return a connection; every statement is a transaction of its own until told otherwise.

    Args:
        address: Where, and as whom.
        passwords: File of ours with passwords; what is not in it libpq finds in its usual places.
        role: What it does everything as.
        password: Of an invitation; None for the one that is kept.

    Raises:
        UsageError: The extra is not installed.
        SourceAwayError: There is none, or it does not let us in; says why.
    """
    if find_spec("psycopg") is None:
        raise UsageError(
            "a fleet over PostgreSQL needs the package psycopg, which is not installed",
            hint="Install it: `pipx inject memconsole 'psycopg[binary]'`, or "
            "`pip install 'memconsole[fleet]'`.",
        )
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
        made = psycopg.connect(make_conninfo("", **parameters), autocommit=True)
        _bear_every_time(made)
        if made.info.server_version < LEAST_SERVER:
            made.close()
            raise SourceAwayError(f"PostgreSQL {LEAST_SERVER // 10000} or later is needed")
        if role is not None:
            made.execute(SQL("SET ROLE {}").format(Identifier(role)))
    return made


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
        if error.sqlstate is None or error.sqlstate[:2] in _AWAY:
            said = error.diag.message_primary or _reason(str(error))
            raise SourceAwayError(f"{doing}: {said}", hint=_HINT) from error
        raise FleetError(f"{doing}: {error.diag.message_primary}", hint=_HINT) from error


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


def one(
    connection: psycopg.Connection, query: LiteralString, *values: object
) -> tuple[object, ...]:
    """Return the one row of a question.

    Raises:
        FleetError: There is none.
    """
    row = connection.execute(query, values).fetchone()
    if row is None:
        raise FleetError("the fleet's database is not as it was made", hint=_HINT)
    return row
