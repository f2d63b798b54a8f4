"""Several homes behind one engine: full names, each command to its owner, what is away stays."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.memory import MemoryAdd, MemoryForget
from memconsole.domain.commands.outcomes import Failed, Reported, Skipped
from memconsole.domain.commands.rotate import Rotate
from memconsole.domain.fleet.wire import Heard
from memconsole.domain.search.values import SearchRequest
from memconsole.engine.several.homes import SeveralHomes
from memconsole.engine.several.members import ASKED_EVERY, FarMember, LocalMember
from memconsole.errors import HomeNotFoundError, SourceAwayError
from tests.doubles.platform import NOW, FakeClock
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome

GOLDEN = Path(__file__).parents[2] / "contract" / "golden"


def golden(name: str) -> object:
    text = (GOLDEN / f"{name}.json").read_text().replace('"<float>"', "0.5").replace('"<int>"', "7")
    return json.loads(text.replace('"<time>"', f'"{NOW.isoformat()}"'))["data"]


class Alpha:
    """Another host, which answers as the contract says, or is away."""

    def __init__(self) -> None:
        self.home = HomeRef("", "alpha")
        self.is_away = False
        self.asked: list[tuple[str, ...]] = []
        self.texts: list[str] = []
        self.outcome: dict[str, object] = {"status": "done", "message": "saved", "wrote": []}

    def ask(
        self,
        words: Sequence[str],
        text: str = "",
        stop: Callable[[], bool] | None = None,
        begun: object = None,
    ) -> Heard:
        self.asked.append(tuple(words))
        self.texts.append(text)
        if self.is_away:
            raise SourceAwayError("no route", hint="Try `ssh alpha`.")
        command = " ".join(words[:2]) if words[0] == "memory" else words[0]
        data = (
            golden(command)
            if command in ("status", "sessions", "search")
            else [{"command": command, **self.outcome}]
        )
        row = {"schema": 1, "command": command, "at": NOW.isoformat(), "data": data}
        return Heard(json.dumps(row).encode(), 0)


class World:
    """This host with one home, and another host."""

    def __init__(self) -> None:
        self.clock, self.alpha, self.own = FakeClock(), Alpha(), FakeEngine()
        own_ref = self.own.snapshot().agents[0].ref.home
        self.here = LocalMember("vm", own_ref, self.own)
        self.far = FarMember("alpha", self.alpha, self.clock)
        self.homes = SeveralHomes(self.own, [self.here, self.far], self.clock)

    def run(self, command: Command) -> Outcome:
        return self.homes.run(command)


def test_agents_bear_full_names_and_every_home_says_how_it_is() -> None:
    world = World()
    world.far.look()
    taken = world.homes.snapshot()
    names = [one.ref.id for one in taken.agents]
    assert {"vm/main", "alpha/research"} <= set(names)
    assert len(set(names)) == len(names)
    assert {view.agent.id.partition("/")[0] for view in taken.sessions} == {"vm", "alpha"}
    assert [(one.label, one.freshness) for one in taken.homes] == [
        ("vm", "live"),
        ("alpha", "live"),
    ]
    lost = next(one for one in taken.attention if one.code == "work-lost" and one.agent)
    assert lost.agent == "alpha/research"
    assert lost.message.startswith("alpha: LOST?")
    assert taken.home_of("alpha/main") == taken.homes[1]


def test_nobody_waits_for_a_host_and_what_it_said_before_stays_with_its_time() -> None:
    world = World()
    world.far.heard = heard = threading.Event()
    assert not world.homes.snapshot().homes[1].failure
    assert heard.wait(30)  # it was asked in a thread
    before = [one.ref.id for one in world.homes.snapshot().agents]
    world.alpha.is_away = True
    world.clock.advance(ASKED_EVERY + timedelta(minutes=14))
    world.far.look()
    taken = world.homes.snapshot()
    assert [one.ref.id for one in taken.agents] == before
    assert (taken.homes[1].freshness, taken.homes[1].as_of) == ("away", NOW)
    away = next(one for one in taken.attention if one.code == "home-away")
    assert away.message == "alpha: away 14 min: no route"
    assert "alpha" in taken.quiet.unknown


def test_a_home_of_this_host_that_cannot_be_read_fails_no_other() -> None:
    world = World()
    world.own.reading = HomeNotFoundError("/gone")
    world.far.look()
    taken = world.homes.snapshot()
    assert {one.ref.id.partition("/")[0] for one in taken.agents} == {"alpha"}
    assert "does not exist" in taken.homes[0].failure


def test_a_command_goes_to_the_home_that_owns_the_agent() -> None:
    world = World()
    here = world.run(Checkpoint(AgentRef(HomeRef("/x"), "vm/main")))
    assert here.command.agent.id == "vm/main"
    assert [one.agent.id for one in world.own.commands] == ["main"]
    far = world.run(Checkpoint(AgentRef(HomeRef("", "alpha"), "alpha/main")))
    assert isinstance(far, Reported)
    assert (far.message, far.command.agent.id) == ("saved", "alpha/main")
    assert world.alpha.asked == [("checkpoint", "--agent", "main")]
    assert len(world.own.commands) == 1


def test_what_destroys_is_said_yes_to_only_when_it_is_no_plan() -> None:
    world, agent = World(), AgentRef(HomeRef("", "alpha"), "alpha/main")
    world.run(Rotate(agent, "agent:main:main", dry_run=True))
    world.run(Rotate(agent, "agent:main:main"))
    world.run(MemoryForget(agent, ("m-1a2b3c4d",)))
    planned, done, forgotten = world.alpha.asked
    assert planned == ("rotate", "--dry-run", "agent:main:main")
    assert done == ("rotate", "--yes", "agent:main:main")
    assert forgotten[:3] == ("memory", "forget", "--yes")


def test_a_note_travels_on_standard_input_and_not_in_the_list_of_processes() -> None:
    world, agent = World(), AgentRef(HomeRef("", "alpha"), "alpha/main")
    world.run(MemoryAdd(agent, text="the key is under the mat"))
    assert world.alpha.texts == ["the key is under the mat"]
    assert "mat" not in " ".join(world.alpha.asked[0])


def test_a_refusal_there_is_a_refusal_here_and_no_answer_is_a_failure() -> None:
    world, agent = World(), AgentRef(HomeRef("", "alpha"), "alpha/main")
    world.alpha.outcome |= {"status": "skipped", "reason": "stale", "message": "quiet for 3 d"}
    assert isinstance(world.run(Checkpoint(agent)), Skipped)
    world.alpha.outcome |= {"status": "exploded"}
    assert isinstance(world.run(Checkpoint(agent)), Failed)
    world.alpha.is_away = True
    failed = world.run(Checkpoint(agent))
    assert isinstance(failed, Failed)
    assert (failed.code, failed.message) == ("home-away", "no route")
    nobody = world.run(Checkpoint(AgentRef(HomeRef(""), "delta/main")))
    assert isinstance(nobody, Failed)


def test_a_search_takes_the_best_of_each_home_in_turn_and_says_who_did_not_answer() -> None:
    world = World()
    typed = world.homes.search.find(SearchRequest("database", is_typing=True))
    assert {one.agent.partition("/")[0] for one in typed.hits} == {"vm"}
    assert world.alpha.asked == []
    found = world.homes.search.find(SearchRequest("database", max_results=6))
    assert [one.agent.partition("/")[0] for one in found.hits][:4] == ["vm", "alpha", "vm", "alpha"]
    words = ("--all-agents", "--max-results", "6", "--", "database")
    assert world.alpha.asked == [("search", *words)]
    only = world.homes.search.find(SearchRequest("database", "alpha/main"))
    assert {one.agent for one in only.hits} == {"alpha/main"}
    whole = world.homes.search.find(SearchRequest("database", home="alpha"))
    assert {one.agent.partition("/")[0] for one in whole.hits} == {"alpha"}
    world.alpha.is_away = True
    told = world.homes.search.find(SearchRequest("database"))
    assert [one.message for one in told.notices if one.code == "home-away"] == ["alpha: no route"]
    with pytest.raises(SourceAwayError, match="no route"):
        world.homes.search.find(SearchRequest("database", "alpha/main"))
