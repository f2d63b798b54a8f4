"""What somebody can do with the stolen login of a host: lie on its own rows, and nothing else."""

from __future__ import annotations

import threading
import uuid
from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from memconsole.adapters.clock import SystemClock
from memconsole.engine.several.watching import Watching
from tests.lanes.postgres.memories import Memories
from tests.lanes.postgres.test_publishing import IDENTITY, copy_of, sessions
from tests.lanes.postgres.test_watch import watch_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.lanes.postgres.fleet import Fleet

pytestmark = pytest.mark.postgres

OTHER = uuid.UUID(int=77)

ATTEMPTS = {
    "read another host's figures": "SELECT 1 FROM fleet.facts WHERE home = {home}",
    "read who another host is": "SELECT 1 FROM fleet.homes WHERE id = {home}"
    " UNION ALL SELECT 1 FROM fleet.hosts WHERE name = 'alpha'",
    "add to another host's figures": "INSERT INTO fleet.facts VALUES ({home}, 'session', 'x', 1,"
    " '\\x00000000000000000000000000000000', 0, '{{}}')",
    "change another host's figures": "UPDATE fleet.facts SET body = '{{}}' WHERE home = {home}"
    " RETURNING 1",
    "move figures to another host": "UPDATE fleet.facts SET home = {home} RETURNING 1",
    "delete another host's figures": "DELETE FROM fleet.facts WHERE home = {home} RETURNING 1",
    "publish another host's home": "SELECT fleet.claim('{identity}', '/x', gen_random_uuid(), 'x')",
    "tell of another host's home": "SELECT fleet.next_generation({home}, publisher) FROM"
    " (VALUES ('{publisher}'::uuid)) v (publisher)",
    "keep another host alive": "UPDATE fleet.hosts SET seen_at = now() RETURNING 1",
    "change its own name and labels": "UPDATE fleet.hosts SET labels = '{{prod}}' RETURNING 1",
    "read or make grants": "INSERT INTO fleet.grants VALUES (session_user, '*', 'read')",
    "read the audit": "SELECT 1 FROM fleet.events",
    "write the audit": "INSERT INTO fleet.events (what) VALUES ('join')",
    "become the owner": "SET ROLE fleet_owner",
    "become an operator": "SET ROLE fleet_operator",
    "become another host": "SET ROLE {database}_alpha",
    "pretend to be another session": "SET SESSION AUTHORIZATION {database}_alpha",
    "take another login": "ALTER ROLE {database}_alpha PASSWORD 'x'",
    "make a login": "CREATE ROLE {database}_mallory LOGIN",
    "put a function in the way": "CREATE FUNCTION fleet.now() RETURNS int RETURN 1",
    "put a table in the way": "CREATE TABLE fleet.x ()",
    "change a function": "ALTER FUNCTION fleet.me() SECURITY INVOKER",
    "see through row security": "ALTER TABLE fleet.facts DISABLE ROW LEVEL SECURITY",
    "empty a table": "TRUNCATE fleet.facts",
    "wait for the lock that another host publishes with": "SELECT pg_advisory_lock((classid::bigint"
    " << 32) | objid::bigint) FROM pg_locks WHERE locktype = 'advisory' AND granted",
    "share that lock": "SELECT pg_try_advisory_xact_lock_shared(1)",
    "run a program": "COPY (SELECT 1) TO PROGRAM 'true'",
    "read a file of the server": "SELECT pg_read_file('postgresql.conf')",
    "end the sessions of others": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE usename LIKE '%alpha'",
    "keep its login for ever": "ALTER ROLE {database}_beta VALID UNTIL 'infinity'"
    " CONNECTION LIMIT -1",
    "read passwords": "SELECT rolpassword FROM pg_authid",
    "listen to what others ask": "SELECT query FROM pg_stat_activity WHERE usename LIKE '%alpha'"
    " AND query <> '<insufficient privilege>'",
    "fill the disk with a table": "CREATE TEMPORARY TABLE x (y int)",
    "fill the disk with a large object": "SELECT lo_from_bytea(0, 'x')",
    "put a table into the usual place": "CREATE TABLE public.x ()",
    "join again": "SELECT fleet.enter('SCRAM-SHA-256$4096:YQ==$YQ==:YQ==')",
    "change the fleet": "UPDATE fleet.meta SET least_wire = 99",
    "read another host's commands": "SELECT 1 FROM fleet.commands",
    "send a command": "SELECT fleet.send(gen_random_uuid(), {home}, 'checkpoint', '{{}}', 1,"
    " 'k', 's', now() + interval '1 minute')",
    "begin another host's command": "SELECT 1 WHERE fleet.begin('{sent}')",
    "answer another host's command": "SELECT 1 WHERE fleet.finish('{sent}', 'refused', 0, '{{}}')",
    "take a command back": "SELECT fleet.cancel('{sent}')",
    "end commands": "SELECT fleet.expire()",
    "write a command": "INSERT INTO fleet.commands SELECT FROM fleet.commands",
    "change a command": "UPDATE fleet.commands SET state = 'sent'",
    "delete the audit": "DELETE FROM fleet.commands",
    "ask for what operators may": "SELECT fleet.hosts_for('read')",
    "read another host's chunks": "SELECT 1 FROM fleet.chunks UNION ALL SELECT 1 FROM"
    " fleet.documents UNION ALL SELECT 1 FROM fleet.indexes UNION ALL SELECT 1 FROM fleet.vectors",
    "add to another host's index": "INSERT INTO fleet.documents VALUES ({index}, 9, 'x', NULL,"
    " false)",
    "make an index of another host's home": "INSERT INTO fleet.indexes (home, agent, is_talk,"
    " agents) VALUES ({home}, 'x', false, '{{x}}')",
    "change another host's chunks": "UPDATE fleet.chunks SET text = '' RETURNING 1",
    "delete another host's chunks": "DELETE FROM fleet.chunks RETURNING 1",
    "search as an operator": "SELECT fleet.searchable()",
    "read rows as an operator": "SELECT fleet.rows(ARRAY[{index}], ARRAY[1::bigint], true)",
    "read lines as an operator": "SELECT fleet.lines({index}, 'MEMORY.md')",
    "look for words as an operator": "SELECT fleet.counts(ARRAY[{index}], '{{a}}', '{{f}}', 9)",
}


class World:
    """A host with figures, and the login of another one."""

    def __init__(self, fleet: Fleet) -> None:
        self.alpha = fleet.join("alpha", "--labels", "prod")
        self.thief = fleet.role(fleet.join("beta"))
        self.copy = copy_of(self.alpha)
        self.copy.publish(sessions(1, 2))
        memories = Memories(self.alpha, IDENTITY)
        memories.write("MEMORY.md", "The spare key hangs behind the mill.\n")
        self.copy.publish(sessions(1, 2), memories.shelves())
        self.admin = fleet.admin()
        self.sent = "5e551010-0000-4000-8000-00000000000c"
        self.admin.execute(
            "INSERT INTO fleet.commands (id, host, host_name, home, home_path, verb, body, wire,"
            " operator_key, signature, deadline) SELECT %s, host, 'alpha', id, path, 'checkpoint',"
            " '{}', 1, 'k', 's', clock_timestamp() + interval '1 hour' FROM fleet.homes",
            (self.sent,),
        )
        self.database = fleet.database

    def all(self) -> list[object]:
        """Return what the owner sees of the other host."""
        return [
            *self.admin.execute("SELECT * FROM fleet.facts ORDER BY kind, key").fetchall(),
            *self.admin.execute("SELECT * FROM fleet.homes").fetchall(),
            *self.admin.execute("SELECT * FROM fleet.hosts ORDER BY id").fetchall(),
            *self.admin.execute("SELECT * FROM fleet.grants").fetchall(),
            *self.admin.execute("SELECT * FROM fleet.commands").fetchall(),
            *self.admin.execute("SELECT * FROM fleet.meta").fetchall(),
            *self.admin.execute("SELECT * FROM fleet.indexes").fetchall(),
            *self.admin.execute("SELECT * FROM fleet.documents").fetchall(),
            *self.admin.execute("SELECT index_id, id, text FROM fleet.chunks").fetchall(),
            *self.admin.execute("SELECT count(*) FROM fleet.events").fetchall(),
        ]


@pytest.fixture(scope="module")
def world(fleet: Fleet) -> Iterator[World]:
    made = World(fleet)
    with closing(made.copy), made.thief, made.admin:
        yield made


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_stolen_login_cannot(attempt: str, world: World) -> None:
    [(home, publisher)] = world.admin.execute("SELECT id, publisher FROM fleet.homes").fetchall()
    [(index,)] = world.admin.execute("SELECT id FROM fleet.indexes").fetchall()
    query = ATTEMPTS[attempt].format(
        home=home,
        index=index,
        publisher=publisher,
        identity=IDENTITY,
        database=world.database,
        sent=world.sent,
    )
    before = world.all()
    try:
        found = world.thief.execute(query)
    except psycopg.Error as error:
        assert error.sqlstate == "42501", error  # noqa: PT017 - others are faults of the attempt
    else:
        assert found.fetchall() == []
    assert world.all() == before


def test_a_beat_of_a_stolen_login_is_of_its_own_host(world: World) -> None:
    [(home, publisher)] = world.admin.execute("SELECT id, publisher FROM fleet.homes").fetchall()
    before = world.admin.execute("SELECT * FROM fleet.homes").fetchall()
    world.thief.execute("SELECT fleet.beat('9', 1, 30, 0, '{}', %s, %s)", ([home], publisher))
    assert world.admin.execute("SELECT * FROM fleet.homes").fetchall() == before
    seen = world.admin.execute("SELECT name FROM fleet.hosts WHERE version = '9'").fetchall()
    assert seen == [("beta",)]


def test_what_a_stolen_login_says_of_itself_fails_no_reader(world: World, fleet: Fleet) -> None:
    """Numbers that no clock has, names within names, and what would steer a terminal."""
    ann = fleet.join("eve", "--operator")
    assert fleet.owner("fleet", "grant", "eve", "read").code == 0
    ann.reads(ann.url)
    for skew, allows in ((2**63 - 1, "{{a,b},{c,d}}"), (-(2**63), "{NULL}"), (0, "{}")):
        world.thief.execute(
            "SELECT fleet.beat(%s, 2147483647, 86400, %s, %s, '{}', gen_random_uuid())",
            ("9\x1b]0;x\x07[red]\n", skew, allows),
        )
        world.thief.execute(
            "SELECT fleet.claim(%s, %s, gen_random_uuid(), %s)", (OTHER, "/\x1b[2J", "x\x1b[2J\n")
        )
        for line in ("status --fleet", "agents --fleet", f"fleet hosts --url {ann.url}"):
            answer = ann(*line.split())
            assert "alpha" in answer.out, answer
            assert "\\u001b" not in answer.out
        with closing(watch_of(ann)) as watch:
            watching = Watching(watch, SystemClock(), threading.Event(), lambda *_: True)
            watching.round()
            assert watching.server.is_up, watching.server
            assert {one.ref.host for one in watching.members} >= {"alpha"}
            assert all(one.reading().label.isprintable() for one in watching.members)


def test_a_stolen_login_of_a_person_takes_no_lock_and_forges_no_letter(
    world: World, fleet: Fleet
) -> None:
    with fleet.role(fleet.join("bob", "--operator")) as bob:
        assert fleet.owner("fleet", "grant", "bob", "read", "checkpoint").code == 0
        [(home,)] = bob.execute(
            "SELECT o.id FROM fleet.homes o JOIN fleet.hosts h ON h.id = o.host"
            " WHERE h.name = 'alpha'"
        ).fetchall()
        for query in (
            "SELECT pg_advisory_lock(hashtextextended('fleet ' || identity, 0)) FROM fleet.homes",
            f"SELECT fleet.claim('{IDENTITY}', '/x', gen_random_uuid(), 'x')",
            f"SELECT fleet.finish('{world.sent}', 'refused', 0, '{{}}')",
            f"SELECT fleet.send(gen_random_uuid(), {home}, 'rotate', '{{}}', 1, 'k', 's',"
            " now() + interval '1 minute')",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                bob.execute(query)
        again = (
            f"SELECT fleet.send('{world.sent}', {home}, 'checkpoint', '{{}}', 1, 'k', 's',"
            " now() + interval '1 minute')"
        )
        with pytest.raises(psycopg.errors.UniqueViolation):  # a letter is sent once
            bob.execute(again)
        assert bob.execute("SELECT fleet.cancel(%s)", (world.sent,)).fetchone() == (False,)


def test_an_operator_sees_the_hosts_that_were_granted_and_writes_nothing(
    world: World, fleet: Fleet
) -> None:
    count = "SELECT count(*) FROM fleet.facts"
    with fleet.role(fleet.join("ann", "--operator")) as ann:
        assert ann.execute(count).fetchone() == (0,)
        assert fleet.owner("fleet", "grant", "ann", "read", "--on", "edge").code == 0
        assert ann.execute(count).fetchone() == (0,)
        assert fleet.owner("fleet", "grant", "ann", "read", "--on", "prod").code == 0
        assert ann.execute(count).fetchone() == (4,)
        for query in ("DELETE FROM fleet.facts", "UPDATE fleet.hosts SET name = 'x'"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                ann.execute(query)
        assert fleet.owner("fleet", "revoke", "ann", "read", "--on", "prod").code == 0
        assert ann.execute(count).fetchone() == (0,)
