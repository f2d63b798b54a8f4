"""A console that watches a real server: what moved, who came and went, and a server that stops."""

from __future__ import annotations

import json
import threading
import uuid
from contextlib import ExitStack, closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.fleet.postgres import source
from memconsole.adapters.fleet.postgres.membership import passwords_of
from memconsole.adapters.fleet.postgres.owner import read_members
from memconsole.adapters.fleet.postgres.watch import CHANNEL, PostgresWatch
from memconsole.domain.fleet.server import parse_server
from memconsole.engine.several.watching import Watching
from memconsole.errors import SourceAwayError
from tests.doubles.platform import FakeClock
from tests.lanes.postgres.test_publishing import copy_of, sessions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.adapters.fleet.postgres.copy import PostgresCopy
    from memconsole.domain.fleet.members import Look
    from tests.lanes.postgres.fleet import Fleet, Somebody
    from tests.lanes.postgres.server import Server

pytestmark = pytest.mark.postgres

HOMES = {name: uuid.UUID(int=number) for number, name in enumerate(("alpha", "beta", "gamma"), 1)}


class World:
    """Hosts that publish, and ann, who watches those that she was granted."""

    def __init__(self, fleet: Fleet, stack: ExitStack) -> None:
        self.fleet, self.stack = fleet, stack
        self.hosts = {name: fleet.join(name, "--labels", "prod") for name in ("alpha", "beta")}
        self.copies = {name: self.copy(name) for name in self.hosts}
        for copy in self.copies.values():
            copy.publish(sessions(1, 2))
        self.ann = fleet.join("ann", "--operator")
        verbs = ("read", "checkpoint")
        assert fleet.owner("fleet", "grant", "ann", *verbs, "--on", "prod").code == 0
        self.watch = stack.enter_context(closing(watch_of(self.ann)))

    def copy(self, name: str) -> PostgresCopy:
        return self.stack.enter_context(closing(copy_of(self.hosts[name], HOMES[name])))

    def tokens(self, name: str) -> list[int]:
        """Return what is known of a host's sessions, without asking the server."""
        [seen] = [one for one in self.look().homes if one.ref.host == name]
        heard = json.loads(self.watch.source(seen.number).ask(["sessions"]).text)
        return [one["tokens"] for one in heard["data"]]

    def look(self, wait_s: float = 0.0) -> Look:
        return self.watch.look(wait_s)


def watch_of(who: Somebody) -> PostgresWatch:
    def nobody() -> object:
        raise AssertionError("nothing is sent")

    return PostgresWatch(
        parse_server(who.url),
        passwords_of(who.state),
        nobody,  # type: ignore[arg-type]  # signs nothing
        timedelta(seconds=5),
    )


@pytest.fixture(scope="module")
def world(fleet: Fleet) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(fleet, stack)


def moved(look: Look) -> set[str]:
    return {one.ref.host for one in look.homes if one.has_moved}


def test_a_change_is_heard_of_and_only_what_moved_is_read(world: World) -> None:
    first = world.look()
    assert moved(first) == {"alpha", "beta"}
    assert {one.granted for one in first.homes} == {("checkpoint", "read")}
    assert {one.member.least_wire for one in first.homes} == {1}
    world.copies["alpha"].publish(sessions(7, 2, 5))
    assert moved(world.look(30.0)) == {"alpha"}  # the hint ends the waiting
    assert world.tokens("alpha") == [7, 2, 5]
    world.copies["alpha"].publish(sessions(7))  # what is there no more goes
    assert moved(world.look(30.0)) == {"alpha"}
    assert world.tokens("alpha") == [7]
    assert world.tokens("beta") == [1, 2]
    assert moved(world.look()) == set()


def test_a_hint_is_not_believed_and_one_that_is_lost_is_made_up_for(world: World) -> None:
    world.look()
    with world.fleet.role(world.hosts["beta"]) as stolen:
        stolen.execute(f"SELECT pg_notify('{CHANNEL}', '1 999999'), pg_notify('{CHANNEL}', 'x')")
    assert moved(world.look(30.0)) == set()
    world.watch.close()
    world.copies["beta"].publish(sessions(3))  # said while nobody listened
    assert moved(world.look(30.0)) == {"beta"}
    assert world.tokens("beta") == [3]


def test_hosts_come_and_go_while_it_is_open(world: World) -> None:
    def names() -> list[str]:
        return [one.ref.host for one in world.look().homes]

    assert names() == ["alpha", "beta"]
    world.hosts["gamma"] = world.fleet.join("gamma", "--labels", "prod")
    world.copy("gamma").publish(sessions(4))
    assert names() == ["alpha", "beta", "gamma"]
    assert world.hosts["gamma"]("fleet", "leave").code == 0
    assert names() == ["alpha", "beta"]
    with world.fleet.admin() as connection:
        connection.execute(
            "UPDATE fleet.hosts SET seen_at = now() - interval '31 days' WHERE name = 'beta'"
        )
        assert names() == ["alpha"]
        connection.execute("UPDATE fleet.hosts SET seen_at = now() WHERE name = 'beta'")
    assert world.fleet.owner("fleet", "revoke", "ann", "read", "--on", "prod").code == 0
    assert names() == []
    assert world.fleet.owner("fleet", "grant", "ann", "read", "--on", "prod").code == 0


def test_a_host_that_joins_while_it_is_looked_at_is_there_with_the_next_look(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(watch_of(world.ann)) as other, monkeypatch.context() as patch:
        patch.setattr(source, "read_members", lambda found: read_members(found)[:1])
        assert [one.ref.host for one in other.look(0.0).homes] == ["alpha"]
        other._read_at = None
        assert [one.home.host for one in other.homes()] == ["alpha"]
    assert {one.ref.host for one in world.look().homes} >= {"alpha", "beta"}


def test_a_path_that_a_host_made_up_is_one_line_of_text(world: World) -> None:
    with closing(world.fleet.role(world.hosts["beta"])) as thief:
        thief.execute(
            "SELECT fleet.claim(%s, %s, gen_random_uuid(), 'x')",
            (uuid.UUID(int=99), "/a\x1b]0;x\x07\nb\u202ec/.openclaw"),
        )
        [odd] = [one for one in world.look().homes if one.ref.path.startswith("/a")]
        assert odd.ref.path.isprintable()
        assert world.watch.source(odd.number).home == odd.ref
    with world.fleet.admin() as admin:
        admin.execute("DELETE FROM fleet.homes WHERE identity = %s", (uuid.UUID(int=99),))


def test_a_host_that_floods_is_told_as_such_and_hides_no_other(world: World) -> None:
    with world.fleet.role(world.hosts["beta"]) as stolen:
        [home] = stolen.execute("SELECT id FROM fleet.homes").fetchone() or ()
        stolen.execute(
            "INSERT INTO fleet.facts SELECT %s, 'run', n::text, 1, decode(repeat('00', 16), 'hex'),"
            " n, '{}' FROM generate_series(1, 20001) n",
            (home,),
        )
        stolen.execute("UPDATE fleet.facts SET generation = 1000000 WHERE home = %s", (home,))
        with world.fleet.admin() as connection:
            connection.execute("UPDATE fleet.homes SET generation = generation + 1")
        world.look()
        with pytest.raises(SourceAwayError, match="cannot be used"):
            world.watch.source(home).ask(["sessions"])
        assert world.tokens("alpha") == [7]
        stolen.execute("DELETE FROM fleet.facts WHERE kind = 'run' AND home = %s", (home,))


def test_a_server_that_stops_and_starts_again_shows_the_fleet_again(
    server: Server, world: World
) -> None:
    with closing(watch_of(world.ann)) as watch:
        watching = Watching(watch, FakeClock(), threading.Event(), lambda _host, _labels: True)

        def looked() -> tuple[bool, list[str]]:
            watching.round()
            return watching.server.is_up, [one.ref.host for one in watching.members]

        both = ["alpha", "beta"]
        server.stop()
        assert looked() == (False, [])
        server.start()
        assert looked() == (True, both)
        server.kill()
        assert looked() == (False, both)
        server.start()
        assert looked() == (True, both)
