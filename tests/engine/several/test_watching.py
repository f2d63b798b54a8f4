"""A server in which homes publish: who comes and goes, what is old, what stays when it is away."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole import __version__
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.outcomes import Failed, Planned
from memconsole.domain.commands.rotate import Rotate
from memconsole.domain.fleet.members import Look, Member, Seen
from memconsole.domain.fleet.publishing import TOLD_AFTER
from memconsole.domain.fleet.wire import WIRE, Heard
from memconsole.engine.several.homes import SeveralHomes
from memconsole.engine.several.members import LocalMember
from memconsole.engine.several.metrics import tell
from memconsole.errors import SourceAwayError
from tests.doubles.platform import NOW, FakeClock
from tests.engine.several.test_homes import golden
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.metrics import Family
    from memconsole.domain.snapshot.homes import HomeReading
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot


class Source:
    """Answers for a home as it was published."""

    def __init__(self, name: str, asked: list[str], path: str) -> None:
        self.home = HomeRef(path, name)
        self.asked = asked

    def ask(
        self, words: Sequence[str], text: str = "", stop: object = None, begun: object = None
    ) -> Heard:
        assert text == ""
        self.asked.append(f"{self.home.host} {words[0]}")
        row = {
            "schema": 1,
            "command": words[0],
            "at": NOW.isoformat(),
            "data": golden(words[0]),
        }
        return Heard(json.dumps(row).encode(), 0)


class Server:
    """A server; `hosts` are there, and those of `moved` have new figures."""

    name = "postgresql://db.example/fleet"

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.hosts: dict[str, dict[str, object]] = {"alpha": {}, "beta": {}}
        self.moved: set[str] = set()
        self.failure = ""
        self.asked: list[str] = []
        self.paths: dict[str, str] = {}

    def path(self, name: str) -> str:
        return self.paths.get(name, "/home/op/.openclaw")

    def look(self, wait_s: float) -> Look:
        del wait_s
        if self.failure:
            raise SourceAwayError(self.failure, hint="Try `memconsole fleet doctor`.")
        return Look(tuple(self._seen(*one) for one in self.hosts.items()), 3.0)

    def _seen(self, name: str, more: dict[str, object]) -> Seen:
        now = self.clock.now() + timedelta(hours=1)  # the server's clock is its own
        looked_at = now - timedelta(seconds=more.get("ago", 4))  # type: ignore[arg-type]  # seconds
        member = Member(
            name,
            ("prod",),
            "1.4.0",
            int(str(more.get("wire", 2))),
            30,
            looked_at,
            int(str(more.get("skew_ms", 20))),
            NOW,
            None,
            now,
            ("checkpoint",),
            least_wire=int(str(more.get("least_wire", 2))),
        )
        number = sum(map(ord, name))
        ref = HomeRef(self.path(name), name)
        granted, chunks = ("read", "checkpoint"), {"alpha": 41_200}.get(name)
        return Seen(number, ref, member, looked_at, name in self.moved, granted, chunks)

    def source(self, number: int) -> Source:
        name = next(one for one in self.hosts if sum(map(ord, one)) == number)
        return Source(name, self.asked, self.path(name))

    def close(self) -> None:
        """Nothing is open."""


class World:
    """This host with a home, and a server."""

    def __init__(self, *, with_own: bool = True) -> None:
        self.clock, own = FakeClock(), FakeEngine()
        self.server = Server(self.clock)
        members = []
        if with_own:
            ref = own.snapshot().agents[0].ref.home
            members.append(LocalMember("vm", ref, own))
        self.homes = SeveralHomes(own, members, self.clock, {"mine": ("vm", "beta")})
        self.watching = self.homes.watch(self.server, lambda host, _labels: host != "hidden")
        self.watching.begin = lambda: None  # type: ignore[method-assign]  # looks when it is told to

    def taken(self) -> ConsoleSnapshot:
        return self.homes.snapshot()

    def home(self, label: str) -> HomeReading:
        home = self.taken().home_named(label)
        assert home is not None
        return home


def codes(taken: ConsoleSnapshot) -> list[str]:
    known = ("home-away", "fleet-away", "clock-skew")
    return [one.code for one in taken.attention if one.code in known]


def test_a_home_that_joins_later_appears_and_one_that_left_goes() -> None:
    world = World()
    world.watching.round()
    assert [one.label for one in world.taken().homes] == ["vm", "alpha", "beta"]
    world.server.hosts = {"beta": {}, "gamma": {}, "hidden": {}}
    world.watching.round()
    taken = world.taken()
    assert [one.label for one in taken.homes] == ["vm", "beta", "gamma"]
    assert {one.ref.id.partition("/")[0] for one in taken.agents} == {"vm", "beta", "gamma"}
    assert world.home("beta").labels == ("prod", "mine")


def test_only_what_has_moved_is_read_again() -> None:
    world = World()
    world.watching.round()
    before = world.taken()
    world.server.asked.clear()
    world.server.moved = {"beta"}
    world.watching.round()
    assert world.server.asked == ["beta status", "beta sessions"]
    after = world.taken()
    assert after.parts["alpha"] is before.parts["alpha"]
    assert after.parts["beta"] is not before.parts["beta"]


def test_how_new_a_home_is_goes_by_the_servers_clock_and_its_age_by_ours() -> None:
    world = World()
    world.watching.round()
    assert (world.home("alpha").freshness, world.home("alpha").as_of) == (
        "live",
        NOW - timedelta(seconds=4),
    )
    world.clock.advance(timedelta(seconds=90))
    assert world.home("alpha").freshness == "late"
    world.clock.advance(timedelta(minutes=12))
    assert world.home("alpha").freshness == "away"
    assert codes(world.taken()) == ["home-away", "home-away"]


def test_a_wrong_clock_and_a_version_that_is_too_old_are_told() -> None:
    world = World()
    world.server.hosts = {"alpha": {"skew_ms": 120_000}, "beta": {"wire": 1}}
    world.watching.round()
    assert world.home("alpha").skew == timedelta(minutes=2)
    assert world.home("beta").failure == "memconsole 1.4.0 there is too old for this fleet"
    assert codes(world.taken()) == ["home-away", "clock-skew"]


def test_a_release_that_is_new_enough_is_named_only_where_there_is_one() -> None:
    world = World()
    world.server.hosts = {
        "alpha": {"wire": 0, "least_wire": WIRE},
        "beta": {"wire": 0, "least_wire": WIRE + 1},
    }
    world.watching.round()
    too_old = "memconsole 1.4.0 there is too old for this fleet"
    assert world.home("alpha").failure == f"{too_old}; {__version__}, as here, is new enough"
    assert world.home("beta").failure == too_old


def test_while_the_server_is_away_what_was_shown_stays_as_of_then_and_is_told_after_a_while() -> (
    None
):
    world = World()
    world.watching.round()
    world.clock.advance(timedelta(minutes=1))
    world.server.failure = "connection refused"
    assert world.watching.round() <= timedelta(seconds=1)
    world.clock.advance(timedelta(minutes=4))
    taken = world.taken()
    assert taken.server is not None
    assert (taken.server.is_up, taken.server.as_of) == (False, NOW)
    # Nobody knows that these hosts are away: they are as they were, and nothing is called quiet.
    assert [one.freshness for one in taken.homes] == ["live", "live", "live"]
    assert "what is in the fleet's server" in taken.quiet.unknown
    assert codes(taken) == []
    world.clock.advance(TOLD_AFTER)
    taken = world.taken()
    found = next(one for one in taken.attention if one.code == "fleet-away")
    assert found.message == "the fleet's server is away for 19 min: connection refused"
    assert any(one.ref.id == "vm/main" for one in taken.agents)
    world.server.failure = ""
    world.watching.round()
    assert codes(world.taken()) == []


def test_a_console_that_is_opened_while_the_server_is_away_shows_the_fleet_when_it_comes_back() -> (
    None
):
    world = World(with_own=False)
    world.server.failure = "connection refused"
    world.watching.round()
    taken = world.taken()
    assert (taken.homes, taken.agents, taken.is_quiet) == ((), (), False)
    world.server.failure = ""
    world.watching.round()
    assert [one.label for one in world.taken().homes] == ["alpha", "beta"]


def test_the_thread_looks_by_itself_and_says_that_there_is_news() -> None:
    world = World(with_own=False)
    del world.watching.begin
    world.taken()
    stop = threading.Event()
    next(world.homes.news(stop))
    assert [one.label for one in world.taken().homes] == ["alpha", "beta"]


def test_nothing_is_sent_through_a_door_that_is_shut_and_what_is_away_is_not_planned_there() -> (
    None
):
    world = World()
    world.server.hosts = {"alpha": {}, "beta": {"ago": 14 * 60}}
    world.watching.round()
    world.server.asked.clear()
    alpha, beta = (
        AgentRef(HomeRef("/home/op/.openclaw", name), f"{name}/main") for name in ("alpha", "beta")
    )
    shut = world.homes.run(Rotate(alpha, "agent:main:main"))
    assert isinstance(shut, Failed)
    assert (shut.code, shut.message) == (
        "refused",
        "rotate on alpha: you were not granted it (fleet grant)",
    )
    later = world.homes.run(Checkpoint(beta, dry_run=True))
    assert isinstance(later, Planned)
    assert later.message == "beta is away 14 min: it is done when it comes back"
    assert world.server.asked == []


def test_monitoring_is_told_of_hosts_and_of_nothing_that_nobody_knows() -> None:
    world = World(with_own=False)
    world.server.hosts["beta"] = {"ago": 14 * 60}
    del world.watching.begin
    stop = threading.Event()

    class Sink:
        """Listens once."""

        is_wanted = True

        def __init__(self) -> None:
            self.found: dict[str, dict[tuple[str, ...], float]] = {}

        def publish(self, families: Sequence[Family]) -> None:
            self.found = {one.name: dict(one.samples) for one in families}
            stop.set()

    sink = Sink()
    tell(world.homes, sink, timedelta(minutes=1), stop)
    assert sink.found["memconsole_fleet_server_up"] == {(): 1}
    assert sink.found["memconsole_fleet_hosts"] == {("live",): 1, ("late",): 0, ("away",): 1}
    assert set(sink.found["memconsole_fleet_due_sessions"]) == {("alpha",)}
    assert sink.found["memconsole_fleet_chunks"] == {("alpha",): 41_200}


def test_a_command_that_was_planned_for_one_home_is_carried_out_by_no_other() -> None:
    world = World(with_own=False)
    world.watching.round()
    [agent] = [one.ref for one in world.homes.snapshot().agents if one.ref.id == "alpha/main"]
    world.server.paths["alpha"] = "/srv/other/.openclaw"  # the first left, another came
    world.watching.round()
    assert "alpha/main" in [one.ref.id for one in world.homes.snapshot().agents]
    world.server.asked.clear()
    outcome = world.homes.run(Checkpoint(agent))
    assert isinstance(outcome, Failed)
    assert "another home" in outcome.message
    assert world.server.asked == []
