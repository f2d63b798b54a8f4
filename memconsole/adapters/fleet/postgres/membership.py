"""A host or a person joins a fleet and leaves it, and looks at the way there."""

from __future__ import annotations

import math
import secrets
import time
from typing import TYPE_CHECKING, LiteralString

from memconsole.adapters.fleet.postgres import owner
from memconsole.adapters.fleet.postgres.connect import (
    PASSWORDS,
    WrongAnswerError,
    connect,
    password_line,
    rows,
    said,
    value,
)
from memconsole.domain.fleet.members import Finding, Way
from memconsole.domain.fleet.wire import WIRE
from memconsole.errors import StateError, UsageError
from memconsole.system.atomic_file import replace_file
from memconsole.system.folders import open_state_folder
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import psycopg

    from memconsole.domain.fleet.server import ServerAddress

FOLDER = "fleet"


def passwords_of(state_dir: Path) -> Path:
    """Return where our password file is."""
    return state_dir / FOLDER / PASSWORDS


class Membership:
    """The membership of one state folder.

    Args:
        address: Of the fleet, with the role that was invited.
        state_dir: Ours; passwords are kept there.
    """

    def __init__(self, address: ServerAddress, state_dir: Path) -> None:
        self._address = address
        self._state_dir = state_dir

    def join(self, secret: str, *, dry_run: bool) -> Way:
        """Take the place that was kept for us, with a password that nobody but us knows.

        Nothing is published by it.

        Raises:
            SourceAwayError: The server is away or refuses.
            UsageError: The way there is not as it must be.
            StateError: The password cannot be kept.
        """
        import psycopg  # noqa: PLC0415 - only where there is a fleet

        with said("the fleet refuses the invitation"):
            way = self._looked_at(secret)
            if wrong := [found for found in way.findings if found.is_refusal]:
                raise UsageError(wrong[0].text, hint=wrong[0].hint)
            if dry_run:
                return way
            password = secrets.token_urlsafe(32)
            with self._connected(secret) as connection:
                verifier = connection.pgconn.encrypt_password(
                    password.encode(), (self._address.user).encode(), b"scram-sha-256"
                ).decode()
                # Kept first: a password that the server has and we have not is lost.
                self._keep(password)
                try:
                    connection.execute("SELECT fleet.enter(%s)", (verifier,))
                except psycopg.Error as error:
                    if error.sqlstate is not None:  # else nobody knows whether it was done
                        self._keep(None)
                    raise
        return way

    def leave(self, *, erase: bool, dry_run: bool) -> int | None:
        """Leave the fleet, with everything of ours when that is wanted.

        Returns:
            The rows of ours; None where we had left already, and only our password is removed.

        Raises:
            SourceAwayError: The server is away or refuses.
        """
        with connect(self._address, passwords_of(self._state_dir)) as connection, said("not left"):
            found = owner.version(connection) or 0
            more = " + (SELECT count(*) FROM fleet.chunks)" if found >= owner.CHUNKS else ""
            count: LiteralString = f"SELECT (SELECT count(*) FROM fleet.facts){more}"
            found_rows = value(connection, int, count)
            has_left = _is_of(connection, "fleet_host") and (
                value(connection, object, "SELECT fleet.me()") is None
            )
            if not dry_run:
                if not has_left:
                    connection.execute("SELECT fleet.leave(%s)", (erase,))
                self._keep(None)
            if has_left:
                return None
        return found_rows

    def look(self) -> Way:
        """Look at the way to the fleet, with the password that is kept.

        Raises:
            SourceAwayError: The server is away or refuses.
        """
        with said("cannot look at the fleet"):
            return self._looked_at(None)

    def _connected(self, secret: str | None) -> psycopg.Connection:
        if secret is None:
            return connect(self._address, passwords_of(self._state_dir))
        return connect(self._address, None, password=secret)

    def _looked_at(self, secret: str | None) -> Way:
        with self._connected(secret) as one_way, self._connected(secret) as other:
            return Way(
                server=one_line((one_way.info.parameter_status("server_version") or "?")[:64]),
                schema=owner.version(one_way),
                latency_ms=_latency_ms(one_way),
                skew_ms=skew_ms(one_way),
                role=one_way.info.user,
                is_encrypted=one_way.pgconn.ssl_in_use,
                is_person=_is_of(one_way, "fleet_operator"),
                findings=tuple(_findings(one_way, other, self._address)),
            )

    def _keep(self, password: str | None) -> None:
        """Put our password into the file of passwords, or take it out.

        Raises:
            StateError: The file cannot be written.
        """
        path = passwords_of(self._state_dir)
        prefix = password_line(self._address, "")
        try:
            before = path.read_text("utf-8").splitlines() if path.exists() else []
            kept = [line for line in before if not line.startswith(prefix)]
            if password is not None:
                kept.append(password_line(self._address, password))
            with open_state_folder(self._state_dir, FOLDER) as folder:
                replace_file(folder, PASSWORDS, "".join(f"{one}\n" for one in kept).encode())
        except OSError as error:
            raise StateError(
                f"the password of the fleet cannot be kept in {path}: {error.strerror or error}"
            ) from None


def _latency_ms(connection: psycopg.Connection) -> float:
    start = time.perf_counter()
    value(connection, object, "SELECT 1")
    return (time.perf_counter() - start) * 1000


def skew_ms(connection: psycopg.Connection, clock: Callable[[], float] = time.time) -> int:
    """Return how far a clock is ahead of the server's, with half the way there taken off."""
    start = clock()
    there = value(connection, float, "SELECT extract(epoch FROM clock_timestamp())::float8")
    end = clock()
    off = ((start + end) / 2 - there) * 1000
    if not math.isfinite(off):
        raise WrongAnswerError
    return round(off)


def is_pooled(one_way: psycopg.Connection, other: psycopg.Connection) -> bool:
    """Tell whether a pooler gives away the server's session between two transactions.

    Nothing that is of a session works then: no notification comes, and a lock is somebody else's.
    """
    query: LiteralString = "SELECT pg_backend_pid()"
    before = value(one_way, int, query)
    with other.transaction():
        held = value(other, int, query)
        return held == before or value(one_way, int, query) != before


def _findings(
    one_way: psycopg.Connection, other: psycopg.Connection, address: ServerAddress
) -> Iterator[Finding]:
    if is_pooled(one_way, other):
        yield Finding(
            "pooler",
            "a connection pooler in transaction mode is between: notices and locks of a session "
            "do not pass it",
            "Name the server itself, or a pool in session mode.",
            is_refusal=True,
        )
    yield from _of_another_edition(one_way)
    if not address.is_here and not one_way.pgconn.ssl_in_use:
        yield Finding("tls", "the connection is not encrypted", "", is_refusal=True)
    if abs(skew := skew_ms(one_way)) > 30_000:
        way = "ahead of" if skew > 0 else "behind"
        yield Finding("clock-skew", f"our clock is {abs(skew) // 1000} s {way} the fleet's", "")
    if not rows(
        one_way,
        "SELECT 1 FROM pg_extension WHERE extname = 'vector'"
        " AND string_to_array(extversion, '.')::int[] >= '{0,8}'",
        (),
        object,
    ):
        hint = "`CREATE EXTENSION vector`, then `memconsole fleet upgrade`"
        yield Finding("vectors", "text only: no pgvector 0.8 or later", hint)


def _is_of(connection: psycopg.Connection, group: str) -> bool:
    """Tell whether we are one of the hosts, or of the people; a server without a fleet has none."""
    query = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = %s)"
    is_made = value(connection, bool, query, group)
    return is_made and value(connection, bool, "SELECT pg_has_role(%s, 'USAGE')", group)


def _of_another_edition(connection: psycopg.Connection) -> Iterator[Finding]:
    found = owner.version(connection)
    if found is None:
        yield Finding(
            "schema", "there is no fleet in this database", "`memconsole fleet init`", True
        )
    elif found > owner.KNOWN:
        yield Finding("schema", f"the fleet is of a newer memconsole (schema {found})", "")
    elif found < owner.KNOWN:
        yield Finding(
            "schema",
            f"the fleet is of an older memconsole (schema {found})",
            "`memconsole fleet upgrade`",
        )
    query: LiteralString = "SELECT least_wire > %s FROM fleet.meta"
    if found is not None and value(connection, bool, query, WIRE):
        yield Finding(
            "too-old", "the fleet wants a newer memconsole", "Update it on this host.", True
        )
