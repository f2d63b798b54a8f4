"""Hosts and a fleet of different releases: what each of them knows goes on."""

from __future__ import annotations

import uuid
from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from memconsole.adapters.fleet.postgres import owner
from memconsole.errors import FleetError
from tests.lanes.postgres.fleet import Fleet
from tests.lanes.postgres.test_publishing import IDENTITY, copy_of, sessions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lanes.postgres.server import Server

pytestmark = pytest.mark.postgres

OTHER = uuid.UUID(int=5)
FIRST = (
    "SELECT home FROM fleet.claim(%(identity)s, '/home/old', %(publisher)s, 'old pid 1')",
    "SELECT fleet.next_generation(%(home)s, %(publisher)s)",
    "INSERT INTO fleet.facts (home, kind, key, place, generation, hash, body)"
    " VALUES (%(home)s, 'agent', 'main', 0, 1, decode(repeat('00', 16), 'hex'), '{}'::jsonb)"
    " ON CONFLICT (home, kind, key) DO UPDATE SET place = excluded.place,"
    " generation = excluded.generation, hash = excluded.hash, body = excluded.body",
    "SELECT kind, key, hash FROM fleet.facts WHERE home = %(home)s",
    "DELETE FROM fleet.facts WHERE home = %(home)s AND kind = 'agent' AND key = 'main'",
    "SELECT fleet.beat('0.1.0', 1, 30, 0, '{checkpoint}', ARRAY[%(home)s], %(publisher)s)",
    "SELECT id::text, state, verb, body::text, operator_key, signature, clock_timestamp()"
    " FROM fleet.commands WHERE state IN ('sent', 'begun') AND home ="
    " (SELECT id FROM fleet.homes WHERE identity = %(identity)s) ORDER BY sent_at, id LIMIT 100",
    "SELECT fleet.begin(gen_random_uuid())",
    "SELECT fleet.finish(gen_random_uuid(), 'answered', 0, '{}'::jsonb)",
    "SELECT fleet.leave(true)",
)
"""What the first release that published says, word for word; it goes on for ever."""


def test_the_first_host_goes_on_in_the_schema_of_today(fleet: Fleet) -> None:
    old = fleet.join("old")
    values = {"identity": IDENTITY, "publisher": IDENTITY}
    with fleet.role(old) as connection:
        for query in FIRST:
            row = connection.execute(query, values)
            if "claim" in query:
                values = {**values, "home": row.fetchall()[0][0]}
    with fleet.admin() as admin:
        told = admin.execute("SELECT version, wire, left_at FROM fleet.hosts").fetchall()
        assert [row[:2] for row in told] == [("0.1.0", 1)]
        assert told[0][2]


class OldFleet(Fleet):
    """A fleet whose schema is of an older release."""

    def __init__(self, server: Server, folder: Path, schema: int) -> None:
        super().__init__(server, folder)
        with self.admin() as connection:
            connection.execute("DROP SCHEMA fleet CASCADE")
            connection.execute(owner.script(0))
            connection.execute(f"SET ROLE {owner.OWNER}")
            for number in range(1, schema + 1):
                connection.execute(owner.script(number))
            connection.execute("UPDATE fleet.meta SET schema = %s", (schema,))


@pytest.mark.parametrize("schema", range(1, owner.KNOWN))
def test_a_host_of_today_publishes_what_an_older_schema_has(
    server: Server, tmp_path: Path, schema: int
) -> None:
    fleet = OldFleet(server, tmp_path, schema)
    host, ann = fleet.join("new"), fleet.join("ann", "--operator")
    assert fleet.owner("fleet", "grant", "ann", "read").code == 0
    ann.reads(ann.url)
    with closing(copy_of(host)) as copy:
        assert copy.publish(sessions(1)).rows == 3
        assert copy.publish(sessions(2)).rows == 1
        told = ann("sessions", "--fleet")
        assert [row["tokens"] for row in told.data] == [2], told
        [finding] = host("fleet", "doctor").data["findings"][:1]
        assert finding["hint"] == "`memconsole fleet upgrade`"
        details = fleet.owner("fleet", "upgrade").data[0]["details"]
        assert details == {"before": schema, "schema": owner.KNOWN}
        assert copy.publish(sessions(2, 3)).rows == 2  # the connection of before
    assert [row["tokens"] for row in ann("sessions", "--fleet").data] == [2, 3]
    assert "schema" not in {row["code"] for row in host("fleet", "doctor").data["findings"]}


def test_a_host_that_is_too_old_says_so_and_publishes_no_more(fleet: Fleet) -> None:
    host = fleet.join("late")
    with closing(copy_of(host)) as copy, fleet.admin() as admin:

        def looked() -> object:
            return admin.execute("SELECT max(looked_at) FROM fleet.homes").fetchone()

        copy.publish(sessions(1))
        before = looked()
        admin.execute("UPDATE fleet.meta SET least_wire = 2")
        with pytest.raises(FleetError, match="wants a newer memconsole"):
            copy.publish(sessions(2))  # it is connected since before
        with pytest.raises(FleetError, match="wants a newer memconsole"):
            copy.publish(sessions(2))
        assert looked() == before
        [late] = [row for row in fleet.owner("fleet", "hosts").data if row["name"] == "late"]
        assert late["needs_newer"] is True
        told = host("fleet", "doctor")
        assert "the fleet wants a newer memconsole" in {one["message"] for one in told.warnings}
        admin.execute("UPDATE fleet.meta SET least_wire = 1")
        assert copy.publish(sessions(2)).rows == 1


LETTER = (
    "SELECT fleet.send(gen_random_uuid(), {home}, 'checkpoint', '{{}}', 1, 'k', 's',"
    " clock_timestamp() + interval '1 hour')"
)
HOSTILE: dict[str, tuple[str, str]] = {
    "homes": (
        "SELECT fleet.claim(gen_random_uuid(), '/x', gen_random_uuid(), 'x')"
        " FROM generate_series(1, 65)",
        "64 homes",
    ),
    "rows": (
        "INSERT INTO fleet.facts SELECT {home}, 'run', n::text, 1, decode(repeat('00', 16),"
        " 'hex'), 0, '{{}}' FROM generate_series(1, 50001) n",
        "50000 rows",
    ),
    "bytes": (
        "INSERT INTO fleet.facts SELECT {home}, 'run', n::text, 1, decode(repeat('00', 16),"
        " 'hex'), 0, to_jsonb(string_agg(md5(m::text || n), '')) FROM generate_series(1, 300) n,"
        " generate_series(1, 7500) m GROUP BY n",
        "64 MiB",
    ),
    "one row": (
        "INSERT INTO fleet.facts SELECT {home}, 'run', 'x', 1, decode(repeat('00', 16), 'hex'), 0,"
        " to_jsonb(repeat('x', 300000))",
        "facts_body_check",
    ),
    "names of commands": (
        "SELECT fleet.beat('1', 1, 30, 0, ARRAY[repeat('x', 100000)], '{{}}', gen_random_uuid())",
        "8 KB",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_host_that_lies_fills_no_server(fleet: Fleet, kind: str) -> None:
    host = fleet.people.get("liar") or fleet.join("liar")
    with closing(copy_of(host, uuid.UUID(int=6))) as copy:
        copy.publish(sessions(1))
    query, why = HOSTILE[kind]
    with fleet.role(host) as connection, fleet.admin() as admin:
        [[home]] = connection.execute("SELECT id FROM fleet.homes ORDER BY id LIMIT 1").fetchall()
        before = admin.execute("SELECT count(*) FROM fleet.facts").fetchone()
        with pytest.raises(psycopg.Error, match=why):
            connection.execute(query.format(home=home))
        assert admin.execute("SELECT count(*) FROM fleet.facts").fetchone() == before


def test_a_host_with_many_full_homes_is_not_read_and_hides_no_other(fleet: Fleet) -> None:
    """Each of them is just small enough, and what repeats itself takes little room there."""
    full, ann = fleet.join("full"), fleet.join("zoe", "--operator")
    assert fleet.owner("fleet", "grant", "zoe", "read").code == 0
    ann.reads(ann.url)
    with closing(copy_of(fleet.join("small"), uuid.UUID(int=8))) as copy:
        copy.publish(sessions(7))
    with fleet.role(full) as connection:
        for number in range(5):
            claim = "SELECT home FROM fleet.claim(%s, %s, %s, 'x')"
            values = (uuid.uuid4(), f"/home/{number}", uuid.uuid4())
            [(home,)] = connection.execute(claim, values).fetchall()
            connection.execute(
                "INSERT INTO fleet.facts SELECT %s, 'session', n::text, 1,"
                " decode(repeat('00', 16), 'hex'), 0, jsonb_build_object('x', repeat('x', 250000))"
                " FROM generate_series(1, 60) n",
                (home,),
            )
    answer = ann("sessions", "--host", "full,small")
    assert [row["tokens"] for row in answer.data] == [7]
    assert sum("cannot be used" in one["message"] for one in answer.warnings) == 5


def test_a_person_that_floods_one_host_keeps_nobody_else_from_it(fleet: Fleet) -> None:
    with closing(copy_of(fleet.join("flooded"), OTHER)) as copy:
        copy.publish(sessions(1))
    people = [fleet.join(name, "--operator") for name in ("mallory", "anna")]
    for name in ("mallory", "anna"):
        assert fleet.owner("fleet", "grant", name, "read", "checkpoint").code == 0
    with fleet.admin() as admin:
        [[home]] = admin.execute(
            "SELECT id FROM fleet.homes WHERE identity = %s", (OTHER,)
        ).fetchall()
    with fleet.role(people[0]) as mallory, fleet.role(people[1]) as anna:
        for _ in range(100):
            mallory.execute(LETTER.format(home=home))
        with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="a hundred commands"):
            mallory.execute(LETTER.format(home=home))
        anna.execute(LETTER.format(home=home))
