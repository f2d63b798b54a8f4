"""What the owner of a fleet does: make its schema, bring it to this version, let hosts in and out.

All of it runs as `fleet_owner`, which nobody logs in as; who may, is who made the fleet.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Final, LiteralString

from memconsole.adapters.fleet.postgres.connect import (
    WrongAnswerError,
    connect,
    number_of,
    rows,
    said,
    texts_of,
    time_of,
    value,
)
from memconsole.domain.fleet.members import Event, Member, Pruned
from memconsole.errors import UsageError
from memconsole.text.compiled import compiled
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta
    from pathlib import Path

    import psycopg

    from memconsole.domain.fleet.server import ServerAddress

KNOWN: Final = 4
"""Version of the schema that this memconsole makes and needs at most."""

CHUNKS: Final = 3
"""Version of the schema from which chunks can be published."""

OWNER: Final = "fleet_owner"


def script(number: int) -> str:
    """Return the SQL that brings the schema from the version before to this one; 0 is the roles."""
    name = "roles.sql" if number == 0 else f"{number:03}.sql"
    return (files(__package__) / "schema" / name).read_text("utf-8")


def vectors_script(schema: str = "public") -> str:
    """Return the SQL that adds vectors; `schema` is where pgvector is."""
    text = (files(__package__) / "schema" / "vectors.sql").read_text("utf-8")
    return text.replace("@vector@", '"' + schema.replace('"', '""') + '"')


def doors_script() -> str:
    """Return the SQL that takes back what every login of a database may do by itself."""
    return (files(__package__) / "schema" / "doors.sql").read_text("utf-8")


def whole_script(since: int = -1) -> str:
    """Return everything that `init` runs, or `upgrade` from a version on."""
    parts = [script(number) for number in range(since + 1, KNOWN + 1)]
    if since >= 0:
        return "\n".join(parts)
    return "\n".join([parts[0], doors_script(), f"SET ROLE {OWNER};", *parts[1:]])


class PostgresOwner:
    """The fleet in one database, as its owner.

    Args:
        address: Whose role may act as `fleet_owner`.
        passwords: As for `connect`.
    """

    def __init__(self, address: ServerAddress, passwords: Path | None) -> None:
        self._address = address
        self._passwords = passwords

    def init(self, *, dry_run: bool) -> int | None:
        """Make the schema; returns the version that was there, None when there was none.

        Raises:
            SourceAwayError: The server is away, or does not let us.
        """
        import psycopg  # noqa: PLC0415 - only where there is a fleet

        with connect(self._address, self._passwords) as connection:
            found = version(connection)
            if found is not None or dry_run:
                return found
            with suppress(psycopg.Error):  # the fleet goes without it: words only
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            with said("the fleet was not made"), connection.transaction():
                connection.execute(whole_script())
                connection.execute("UPDATE fleet.meta SET schema = %s", (KNOWN,))
                _add_vectors(connection)
        return None

    def upgrade(self, *, dry_run: bool) -> tuple[int, int]:
        """Bring the schema to this version; returns the versions before and after.

        Raises:
            SourceAwayError: The server is away, or does not let us.
            UsageError: There is no fleet yet.
        """
        with connect(self._address, self._passwords, is_patient=True) as connection:
            found = version(connection)
            if found is None:
                raise UsageError(
                    "there is no fleet in this database", hint="`memconsole fleet init`"
                )
            if found > KNOWN or dry_run:
                return found, max(found, KNOWN)
            with said("the fleet was not changed"), connection.transaction():
                connection.execute("SET LOCAL statement_timeout = 0")  # chunks may be many
                connection.execute(doors_script())
                connection.execute(f"SET LOCAL ROLE {OWNER}")
                if found < KNOWN:
                    connection.execute(whole_script(found))
                    connection.execute("UPDATE fleet.meta SET schema = %s", (KNOWN,))
                    _note(connection, "upgrade", str(KNOWN))
                _add_vectors(connection)
        return found, KNOWN

    def invite(
        self, name: str, labels: Sequence[str], *, is_operator: bool, within: timedelta
    ) -> tuple[str, str]:
        """Make the login of a host or a person; returns its role and a secret for one time.

        Who was invited and did not come is invited anew.

        Raises:
            SourceAwayError: The server is away, or does not let us.
            UsageError: Somebody of that name has joined.
        """
        role = f"{self._address.database}_{name}"[:63]
        secret = _secret()
        with self._owner() as connection, said("nobody was invited"), connection.transaction():
            self._require_new(connection, name, _OPERATOR if is_operator else _HOST)
            table = "operators" if is_operator else "hosts"
            if rows(connection, _TAKEN[table], {"role": role, "name": name}, object):
                raise UsageError(
                    f"the role {role} is there already, and of somebody else",
                    hint="Take another name.",
                )
            if is_operator:
                connection.execute(
                    "INSERT INTO fleet.operators (role, name) VALUES (%s, %s)"
                    " ON CONFLICT (name) DO NOTHING",
                    (role, name),
                )
            else:
                connection.execute(
                    "INSERT INTO fleet.hosts (role, name, labels) VALUES (%s, %s, %s) ON CONFLICT"
                    " (name) DO UPDATE SET labels = excluded.labels, joined_at = NULL,"
                    " left_at = NULL, invited_at = clock_timestamp()",
                    (role, name, list(labels)),
                )
            group = "fleet_operator" if is_operator else "fleet_host"
            _make_login(connection, role, group, secret, within)
            _note(connection, "invite", name)
        return role, secret

    def _require_new(self, connection: psycopg.Connection, name: str, query: str) -> None:
        if rows(connection, query, (name,), object):
            raise UsageError(
                f"{name} has joined already",
                hint="`memconsole fleet hosts --all` lists who is there.",
            )

    def grant(
        self, operator: str, verbs: Sequence[str], label: str, *, takes_back: bool = False
    ) -> None:
        """Let an operator ask something of hosts with a label, or no longer.

        Raises:
            SourceAwayError: The server is away, or does not let us.
            UsageError: Nobody of that name was invited.
        """
        with self._owner() as connection, said("nothing was granted"), connection.transaction():
            query: LiteralString = "SELECT role FROM fleet.operators WHERE name = %s"
            found = rows(connection, query, (operator,), str)
            if not found:
                raise UsageError(
                    f"there is no operator {operator!r}",
                    hint=f"`memconsole fleet invite {operator} --operator` makes one.",
                )
            for verb in verbs:
                if takes_back:
                    connection.execute(
                        "DELETE FROM fleet.grants WHERE operator = %s AND label = %s AND verb = %s",
                        (found[0][0], label, verb),
                    )
                else:
                    connection.execute(
                        "INSERT INTO fleet.grants (operator, label, verb) VALUES (%s, %s, %s)"
                        " ON CONFLICT DO NOTHING",
                        (found[0][0], label, verb),
                    )
            what = "revoke" if takes_back else "grant"
            _note(connection, what, f"{operator} {' '.join(verbs)} {label}")

    def forget(self, name: str, *, is_operator: bool, dry_run: bool) -> int:
        """Remove a host and everything it published, or a person; returns how many rows that were.

        Raises:
            SourceAwayError: The server is away, or does not let us.
            UsageError: There is nobody of that name.
        """
        with self._owner() as connection, said("nothing was removed"), connection.transaction():
            query = _PERSON_ROWS if is_operator else _HOST_ROWS
            found = rows(connection, query, (name,), str, int)
            if not found:
                kind = "operator" if is_operator else "host"
                raise UsageError(f"there is no {kind} {name!r} in the fleet")
            if not dry_run:
                _remove(connection, "operators" if is_operator else "hosts", name, found[0][0])
                _note(connection, "forget", name)
        return int(found[0][1])

    def audit(self, since: timedelta) -> tuple[Event, ...]:
        """Return who did what with the fleet since then, newest first: events and commands.

        Raises:
            SourceAwayError: The server is away, or does not let us.
        """
        with self._owner() as connection, said("the audit cannot be read"):
            kinds = (datetime, str, str, str, str | None, str | None)
            found = rows(connection, _AUDIT, {"since": since}, *kinds)
        return tuple(map(Event._make, found))

    def prune(self, older: timedelta, *, dry_run: bool) -> Pruned:
        """Delete what the audit keeps for longer, and hosts that lists leave out.

        Raises:
            SourceAwayError: The server is away, or does not let us.
        """
        with self._owner() as connection, said("nothing was deleted"), connection.transaction():
            hidden = [one.name for one in read_members(connection) if one.is_hidden]
            commands, events = (value(connection, int, query, older) for query in _OLD_COUNTS)
            found = Pruned(commands, events, tuple(hidden))
            if dry_run or not any(found):
                return found
            for query in _OLD_DELETED:
                connection.execute(query, (older,))
            for name in hidden:
                for role, _ in rows(connection, _HOST_ROWS, (name,), str, int):
                    _remove(connection, "hosts", name, role)
            _note(connection, "prune", found.text)
        return found

    def members(self) -> tuple[Member, ...]:
        """Return all hosts, those that left too.

        Raises:
            SourceAwayError: The server is away, or does not let us.
        """
        with self._owner() as connection:
            return read_members(connection)

    def _owner(self) -> psycopg.Connection:
        return connect(self._address, self._passwords, role=OWNER)


def _add_vectors(connection: psycopg.Connection) -> None:
    """Make what holds vectors, where there is pgvector and it is not there; hosts publish anew."""
    found = rows(
        connection,
        "SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
        " WHERE extname = 'vector' AND string_to_array(extversion, '.')::int[] >= '{0,8}'"
        " AND to_regclass('fleet.vectors') IS NULL",
        (),
        str,
    )
    if found:
        connection.execute(vectors_script(found[0][0]))
        connection.execute("DELETE FROM fleet.indexes")


def _remove(connection: psycopg.Connection, table: str, name: str, role: str) -> None:
    """Remove a host or a person, with what is theirs and their login."""
    from psycopg.sql import SQL, Identifier  # noqa: PLC0415 - only where there is a fleet

    connection.execute(
        SQL("DELETE FROM fleet.{} WHERE name = %s").format(Identifier(table)), (name,)
    )
    connection.execute(SQL("DROP ROLE IF EXISTS {}").format(Identifier(role)))


def _make_login(
    connection: psycopg.Connection, role: str, group: str, secret: str, within: timedelta
) -> None:
    """Make a role that can log in for a while, or give it another secret."""
    from psycopg.sql import SQL, Identifier, Literal  # noqa: PLC0415 - only where there is a fleet

    until = value(connection, datetime, "SELECT clock_timestamp() + %s", within)
    found = rows(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", (role,), object)
    verifier = connection.pgconn.encrypt_password(secret.encode(), role.encode(), _SCRAM).decode()
    login = SQL("{} ROLE {} LOGIN PASSWORD {} VALID UNTIL {} CONNECTION LIMIT {}").format(
        SQL("ALTER" if found else "CREATE"),
        Identifier(role),
        Literal(verifier),
        Literal(str(until)),
        Literal(_MOST_CONNECTIONS),
    )
    connection.execute(login)
    connection.execute(SQL("GRANT {} TO {}").format(Identifier(group), Identifier(role)))


_SCRAM = b"scram-sha-256"
_MOST_CONNECTIONS = 60
"""Of one login, so that one that was stolen leaves some for others; a home takes two or three."""
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def _secret() -> str:
    """Return five groups of five letters, 123 bits, that can be read out."""
    groups = ("".join(secrets.choice(_LETTERS) for _ in range(5)) for _ in range(5))
    return "-".join(groups)


_HOST = "SELECT 1 FROM fleet.hosts WHERE name = %s AND joined_at IS NOT NULL AND left_at IS NULL"
_TAKEN: Final[dict[str, LiteralString]] = {
    table: f"SELECT 1 FROM pg_roles WHERE rolname = %(role)s AND NOT EXISTS"
    f" (SELECT FROM fleet.{table} WHERE role = %(role)s AND name = %(name)s)"
    for table in ("hosts", "operators")
}
"""A role of the server, of the fleet itself, or of another host or person: inviting would give it
another secret."""
_HOST_ROWS: Final = (
    "SELECT h.role::text, (SELECT count(*) FROM fleet.facts f JOIN fleet.homes o"
    " ON o.id = f.home WHERE o.host = h.id) + (SELECT count(*) FROM fleet.chunks c"
    " JOIN fleet.indexes i ON i.id = c.index_id JOIN fleet.homes o ON o.id = i.home"
    " WHERE o.host = h.id) FROM fleet.hosts h WHERE h.name = %s"
)
_PERSON_ROWS: Final = (
    "SELECT role::text, (SELECT count(*) FROM fleet.grants WHERE operator = role)"
    " FROM fleet.operators WHERE name = %s"
)
_OLD_COUNTS: Final = (
    "SELECT count(*) FROM fleet.commands WHERE sent_at < clock_timestamp() - %s",
    "SELECT count(*) FROM fleet.events WHERE at < clock_timestamp() - %s",
)
_OLD_DELETED: Final = (
    "DELETE FROM fleet.commands WHERE sent_at < clock_timestamp() - %s",
    "DELETE FROM fleet.events WHERE at < clock_timestamp() - %s",
)
_AUDIT: Final = """
SELECT at, by::text, what, details, NULL, NULL FROM fleet.events
  WHERE at > clock_timestamp() - %(since)s
UNION ALL
SELECT sent_at, sent_by::text, verb, host_name || ' ' || home_path, state, id::text
  FROM fleet.commands WHERE sent_at > clock_timestamp() - %(since)s
ORDER BY 1 DESC LIMIT 10000
"""
_OPERATOR = "SELECT 1 FROM fleet.operators WHERE name = %s AND joined_at IS NOT NULL"


def version(connection: psycopg.Connection) -> int | None:
    """Return the version of the schema; None where there is no fleet.

    Raises:
        SourceAwayError: We may not look.
    """
    with said("cannot look at the fleet"):
        if value(connection, object, "SELECT to_regclass('fleet.meta')::text") is None:
            return None
        return value(connection, int, "SELECT schema FROM fleet.meta")


def read_members(connection: psycopg.Connection) -> tuple[Member, ...]:
    """Return the hosts that this role may see, by name."""
    with said("cannot look at the fleet"):
        query: LiteralString = (
            "SELECT name, labels, version, wire, beat_s, seen_at, skew_ms, joined_at, left_at,"
            " clock_timestamp(), allows, (SELECT least_wire FROM fleet.meta)"
            " FROM fleet.hosts ORDER BY name"
        )
        return tuple(map(_member, rows(connection, query, (), *[object] * 12)))


def _member(row: Sequence[object]) -> Member:
    """Return a host; what it says of itself is worth something or nothing, and fails no other.

    Raises:
        WrongAnswerError: It has no name, or the server no time.
    """
    name, labels, release, wire, beat_s, seen, skew_ms, joined, left, at, allows, least = row
    now = time_of(at)
    if not isinstance(name, str) or not compiled(_NAME).fullmatch(name) or now is None:
        raise WrongAnswerError
    return Member(
        name,
        texts_of(labels),
        one_line(release[:_MOST_RELEASE]) if isinstance(release, str) else None,
        number_of(wire, 0, _MOST_WIRE),
        number_of(beat_s, 1, _MOST_BEAT_S) or _MOST_BEAT_S,
        time_of(seen),
        number_of(skew_ms, -_MOST_SKEW_MS, _MOST_SKEW_MS),
        time_of(joined),
        time_of(left),
        now,
        texts_of(allows),
        number_of(least, 0, _MOST_WIRE) or 0,
    )


_NAME = "[a-z0-9][a-z0-9.-]{0,62}"
_MOST_RELEASE = 64
_MOST_WIRE = 2**31
_MOST_BEAT_S = 86_400
_MOST_SKEW_MS = 10 * 366 * 86_400_000


def _note(connection: psycopg.Connection, what: str, details: str) -> None:
    connection.execute("INSERT INTO fleet.events (what, details) VALUES (%s, %s)", (what, details))
